package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// serving requests a version of an image repeatedly, compared with a static file server and the same file, and for the
// first time after its versions were deleted.
func (cmd command) serving(ctx context.Context, s *server) error {
	all, err := s.blocks(ctx)
	if err != nil {
		return err
	}
	version := all[0].Image.Medium.Src
	bytes, err := get(ctx, version)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "static")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "medium.jpg"), bytes, 0o600); err != nil {
		return err
	}
	static := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer static.Close()
	var ours, theirs []time.Duration
	for range 5 { // alternating rounds
		t, err := timed(ctx, version, cmd.Gets)
		if err != nil {
			return err
		}
		ours = append(ours, t)
		if t, err = timed(ctx, static.URL+"/medium.jpg", cmd.Gets); err != nil {
			return err
		}
		theirs = append(theirs, t)
	}
	fmt.Printf("GET of an image of %d KB again: %.2f of the speed of http.FileServer\n", len(bytes)>>10,
		float64(median(theirs))/float64(median(ours)))
	if err := os.RemoveAll(filepath.Join(s.dir, "files", "versions")); err != nil {
		return err
	}
	start := time.Now()
	if _, err := get(ctx, version); err != nil {
		return err
	}
	fmt.Printf("first GET, with all versions made anew: %.0f times as long as one from http.FileServer\n",
		float64(time.Since(start))/(float64(median(theirs))/float64(cmd.Gets)))
	return nil
}

func timed(ctx context.Context, url string, n int) (time.Duration, error) {
	start := time.Now()
	for range n {
		if _, err := get(ctx, url); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

func get(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(url + ": " + resp.Status)
	}
	return body, errors.Join(err, resp.Body.Close())
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
