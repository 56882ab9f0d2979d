// Command changes measures streams of changes at the built program: the memory of open streams, and writes per second
// while others read all changes by polling and by streams. It fails if one of them misses a change.
//
//	go build -o bin/vitrine ./cmd/vitrine
//	go run ./bench/changes --bin bin/vitrine
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/bench/drive"
)

func main() {
	bin := flag.String("bin", "bin/vitrine", "the program")
	database := flag.String("database-url", "", "PostgreSQL, an empty database; SQLite by default")
	streams := flag.Int("streams", 2000, "open streams")
	rate := flag.Int("rate", 1000, "writes per second that are attempted")
	span := flag.Duration("time", 10*time.Second, "how long to write")
	consumers := flag.Int("consumers", 4, "consumers that poll, and as many that read a stream")
	flag.Parse()
	log.SetFlags(0)
	if err := run(*bin, *database, *streams, *rate, *consumers, *span); err != nil {
		log.Fatal(err)
	}
}

// site is a running server with an account.
type site struct{ *drive.Program }

func run(bin, database string, streams, rate, consumers int, span time.Duration) (err error) {
	folder, err := os.MkdirTemp("", "vitrine-changes-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := start(bin, database, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	if err := s.openStreams(streams); err != nil {
		return err
	}
	return s.write(rate, consumers, span)
}

func start(bin, database, folder string) (*site, error) {
	env := append(os.Environ(), "VITRINE_DATA_DIR="+filepath.Join(folder, "data"), "VITRINE_ADDR=127.0.0.1:0",
		"VITRINE_RATE_LIMITS=guest=0,free=0,premium=0,supporter=0", "VITRINE_MAX_STREAMS=20000", "VITRINE_TRUSTED_PROXIES=127.0.0.1")
	if database != "" {
		env = append(env, "VITRINE_DATABASE_URL="+database)
	}
	command := func(args ...string) ([]byte, error) {
		c := exec.Command(bin, args...)
		c.Env, c.Stderr = env, os.Stderr
		return c.Output()
	}
	for _, args := range [][]string{{"migrate"}, {"user", "create", "--slug", "ada", "--name", "Ada", "--email", "ada@example.org"}} {
		if _, err := command(args...); err != nil {
			return nil, err
		}
	}
	token, err := command("token", "create", "--user", "ada", "--scope", "write")
	if err != nil {
		return nil, err
	}
	serve := exec.Command(bin, "serve")
	serve.Env = env
	server, err := drive.Start(serve)
	if err != nil {
		return nil, err
	}
	server.Token = strings.TrimSpace(string(token))
	return &site{server}, nil
}

// stream opens a stream, as a guest of an address if there is one.
func (s *site) stream(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr+"/ext/v1/changes/stream", http.NoBody)
	if err != nil {
		return nil, err
	}
	if address != "" {
		req.Header.Set("X-Forwarded-For", address)
	} else {
		req.Header.Set("Authorization", "Bearer "+s.Token)
	}
	res, err := s.Client.Do(req)
	if err == nil && res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		err = fmt.Errorf("a stream gets %s", res.Status)
	}
	return res, err
}

// openStreams measures the memory of streams of guests from as many addresses as needed.
func (s *site) openStreams(n int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.Sleep(2 * time.Second)
	before, err := drive.AnonymousMemory(s.Process.Pid)
	if err != nil {
		return err
	}
	for i := range n {
		res, err := s.stream(ctx, fmt.Sprintf("10.1.%d.%d", i/16/250, 1+i/16%250))
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		go func() { _, _ = io.Copy(io.Discard, res.Body) }()
	}
	time.Sleep(3 * time.Second)
	idle, err := drive.AnonymousMemory(s.Process.Pid)
	if err != nil {
		return err
	}
	for i := range 200 {
		if _, err := s.create(fmt.Sprint("Warm ", i)); err != nil {
			return err
		}
	}
	time.Sleep(time.Second)
	after, err := drive.AnonymousMemory(s.Process.Pid)
	if err != nil {
		return err
	}
	fmt.Printf("%d streams: %.1f MiB before, %.1f MiB idle (%.1f KiB each), %.1f MiB after 200 changes to all\n", n,
		mib(before), mib(idle), float64(idle-before)/float64(n)/1024, mib(after))
	return nil
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// create creates a channel and returns its id.
func (s *site) create(title string) (int64, error) {
	var made struct{ ID int64 }
	err := s.Call(context.Background(), http.MethodPost, "/v3/channels", map[string]string{"title": title, "visibility": "public"}, &made)
	return made.ID, err
}

// write creates channels at a rate while consumers read, and compares what each of them got.
func (s *site) write(rate, consumers int, span time.Duration) error {
	var start struct{ Cursor string }
	if err := s.Call(context.Background(), http.MethodGet, "/ext/v1/changes", nil, &start); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), span+2*time.Minute)
	defer cancel()
	var readers sync.WaitGroup
	got := make([][]int64, 2*consumers)
	var failed sync.Map
	var end int64
	ended := make(chan struct{})
	over := func(ids []int64) bool {
		select {
		case <-ended:
			return slices.Contains(ids, end)
		default:
			return false
		}
	}
	for i := range consumers {
		readers.Go(func() {
			if err := s.poll(start.Cursor, &got[i], over); err != nil {
				failed.Store(i, err)
			}
		})
		res, err := s.stream(ctx, "")
		if err != nil {
			return err
		}
		readers.Go(func() {
			defer func() { _ = res.Body.Close() }()
			follow(res.Body, &got[consumers+i], over)
		})
	}
	made, elapsed, err := s.fill(rate, span)
	if err != nil {
		return err
	}
	if end, err = s.create("End"); err != nil {
		return err
	}
	close(ended)
	made = append(made, end)
	if _, err := s.create("After the end"); err != nil { // wakes those that have read the end before it was known
		return err
	}
	readers.Wait()
	failed.Range(func(_, value any) bool { err = value.(error); return false })
	if err != nil {
		return err
	}
	slices.Sort(made)
	for i, ids := range got {
		seen := slices.DeleteFunc(ids, func(id int64) bool { return id > end })
		slices.Sort(seen)
		if !slices.Equal(seen, made) {
			return fmt.Errorf("consumer %d got %d changes of %d", i, len(seen), len(made))
		}
	}
	fmt.Printf("%d writes in %.1f s, %.0f a second; %d consumers by polling and %d by streams got each exactly once\n", len(made), elapsed.Seconds(),
		float64(len(made))/elapsed.Seconds(), consumers, consumers)
	return nil
}

// fill creates channels.
func (s *site) fill(rate int, span time.Duration) (made []int64, elapsed time.Duration, err error) {
	var mu sync.Mutex
	var writers sync.WaitGroup
	start := time.Now()
	turns := make(chan struct{})
	for w := range 32 {
		writers.Go(func() {
			for range turns {
				id, failure := s.create(fmt.Sprint("Channel ", w))
				mu.Lock()
				if made = append(made, id); failure != nil {
					err = failure
				}
				mu.Unlock()
			}
		})
	}
	for n := 0; time.Since(start) < span; n++ {
		time.Sleep(time.Until(start.Add(time.Duration(n) * time.Second / time.Duration(rate))))
		turns <- struct{}{}
	}
	close(turns)
	writers.Wait()
	return made, time.Since(start), err
}

func (s *site) poll(cursor string, got *[]int64, over func([]int64) bool) error {
	for !over(*got) {
		var page struct {
			Cursor string
			Data   []struct{ ID int64 }
		}
		if err := s.Call(context.Background(), http.MethodGet, "/ext/v1/changes?wait=5&cursor="+cursor, nil, &page); err != nil {
			return err
		}
		for _, c := range page.Data {
			*got = append(*got, c.ID)
		}
		cursor = page.Cursor
	}
	return nil
}

func follow(body io.Reader, got *[]int64, over func([]int64) bool) {
	for lines := bufio.NewScanner(body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var c struct{ ID int64 }
		if ok && json.Unmarshal([]byte(data), &c) == nil && c.ID != 0 {
			if *got = append(*got, c.ID); over(*got) {
				return
			}
		}
	}
}
