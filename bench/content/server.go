package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is the program in a separate process.
type server struct {
	process *exec.Cmd
	dir     string
	url     string
	token   string
}

// start starts the program in an empty folder, with one user and one channel.
func start(ctx context.Context, bin, dir string, workers int, big int64) (*server, error) {
	env := append(os.Environ(), "VITRINE_DATA_DIR="+dir, "VITRINE_ADDR=127.0.0.1:0", "VITRINE_LOG_LEVEL=error",
		"VITRINE_RATE_LIMITS=guest=0,free=0,premium=0,supporter=0", "VITRINE_JOB_CONCURRENCY="+strconv.Itoa(workers),
		"VITRINE_UPLOAD_LIMIT="+strconv.FormatInt(big+1, 10))
	s := &server{process: exec.CommandContext(ctx, bin, "serve"), dir: dir}
	s.process.Env, s.process.Stderr = env, os.Stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for s.url == "" { // until the line "… listens on URL"
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("the program did not start: %w", err)
		}
		if _, rest, found := strings.Cut(line, " listens on "); found {
			s.url = strings.Fields(rest)[0]
		}
	}
	command := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, bin, args...)
		c.Env = env
		text, err := c.Output()
		return strings.TrimSpace(string(text)), err
	}
	if _, err := command("user", "create", "--slug", "ada", "--name", "Ada", "--email", "ada@example.org"); err != nil {
		return nil, err
	}
	if s.token, err = command("token", "create", "--user", "ada", "--scope", "write"); err != nil {
		return nil, err
	}
	return s, s.call(ctx, "POST", "/v3/channels", map[string]any{"title": "Photos"}, nil)
}

func (s *server) stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.process.Wait()
}

// call sends JSON and reads JSON.
func (s *server) call(ctx context.Context, method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return errors.Join(err, fmt.Errorf("%s %s: %s %s", method, path, resp.Status, answer))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// put presigns and uploads a file, and returns its address.
func (s *server) put(ctx context.Context, name, contentType string, size int64, body io.Reader) (string, error) {
	var presigned struct {
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	file := map[string]any{"filename": name, "content_type": contentType}
	if err := s.call(ctx, "POST", "/v3/uploads/presign", map[string]any{"files": []any{file}}, &presigned); err != nil {
		return "", err
	}
	address := presigned.Files[0].UploadURL
	r, err := http.NewRequestWithContext(ctx, "PUT", address, body)
	if err != nil {
		return "", err
	}
	r.ContentLength = size
	r.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		err = errors.New("PUT: " + resp.Status)
	}
	return address, errors.Join(err, resp.Body.Close())
}

func (s *server) upload(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return s.put(ctx, filepath.Base(path), "image/jpeg", info.Size(), f)
}

// zeros is an endless reader of zeros.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func (s *server) uploadZeros(ctx context.Context, size int64) error {
	_, err := s.put(ctx, "zeros.bin", "application/octet-stream", size, io.LimitReader(zeros{}, size))
	return err
}

func (s *server) createBlock(ctx context.Context, value string) error {
	return s.call(ctx, "POST", "/v3/blocks", map[string]any{"value": value, "channel_ids": []string{"photos"}}, nil)
}

// block contains the fields of a block that are used here.
type block struct {
	Type  string
	Image struct{ Medium struct{ Src string } }
}

func (s *server) blocks(ctx context.Context) ([]block, error) {
	var page struct{ Data []block }
	err := s.call(ctx, "GET", "/v3/channels/photos/contents?per=100", nil, &page)
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

// peakMemory returns the peak resident memory of the process, in bytes (proc(5)).
func (s *server) peakMemory() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, errors.New("this system does not report peak memory")
}
