package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"vitrine/bench/drive"
)

// server is the program in a separate process.
type server struct {
	*drive.Program
	dir string
}

// start starts the program in an empty folder, with one user and one channel.
func start(ctx context.Context, bin, dir string, workers int, big int64) (*server, error) {
	env := append(os.Environ(), "VITRINE_DATA_DIR="+dir, "VITRINE_ADDR=127.0.0.1:0", "VITRINE_LOG_LEVEL=error",
		"VITRINE_RATE_LIMITS=guest=0,free=0,premium=0,supporter=0", "VITRINE_JOB_CONCURRENCY="+strconv.Itoa(workers),
		"VITRINE_UPLOAD_LIMIT="+strconv.FormatInt(big+1, 10))
	serve := exec.CommandContext(ctx, bin, "serve")
	serve.Env = env
	program, err := drive.Start(serve)
	if err != nil {
		return nil, err
	}
	s := &server{program, dir}
	command := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, bin, args...)
		c.Env = env
		text, err := c.Output()
		return strings.TrimSpace(string(text)), err
	}
	if _, err := command("user", "create", "--slug", "ada", "--name", "Ada", "--email", "ada@example.org"); err != nil {
		return nil, err
	}
	if s.Token, err = command("token", "create", "--user", "ada", "--scope", "write"); err != nil {
		return nil, err
	}
	return s, s.Call(ctx, "POST", "/v3/channels", map[string]any{"title": "Photos"}, nil)
}

// zeros is an endless reader of zeros.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func (s *server) uploadZeros(ctx context.Context, size int64) error {
	_, err := s.Upload(ctx, "zeros.bin", "application/octet-stream", size, io.LimitReader(zeros{}, size))
	return err
}

func (s *server) createBlock(ctx context.Context, value string) error {
	return s.Call(ctx, "POST", "/v3/blocks", map[string]any{"value": value, "channel_ids": []string{"photos"}}, nil)
}

// block contains the fields of a block that are used here.
type block struct {
	Type  string
	Image struct{ Medium struct{ Src string } }
}

func (s *server) blocks(ctx context.Context) ([]block, error) {
	var page struct{ Data []block }
	err := s.Call(ctx, "GET", "/v3/channels/photos/contents?per=100", nil, &page)
	return page.Data, err
}

// settled waits until no block is pending.
func (s *server) settled(ctx context.Context) error {
	for {
		all, err := s.blocks(ctx)
		if err != nil {
			return err
		}
		pending := 0
		for _, b := range all {
			if b.Type == "PendingBlock" {
				pending++
			}
		}
		if pending == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
}
