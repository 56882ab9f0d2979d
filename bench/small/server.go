package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// server is the program in the group.
type server struct {
	process *exec.Cmd
	url     string
	addr    string // of url
	token   string
}

func start(ctx context.Context, g *group, bin, dir, token string) (*server, error) {
	s := &server{process: g.command(ctx, bin, "serve", "--data-dir", dir, "--addr", "127.0.0.1:0", "--log-level", "error",
		"--rate-limits", "guest=0,free=0,premium=0,supporter=0"), token: token}
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for { // until the line "… listens on URL"
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("the program did not start: %w", err)
		}
		if _, rest, found := strings.Cut(line, " listens on "); found {
			s.url = strings.Fields(rest)[0]
			break
		}
	}
	at, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	s.addr = at.Host
	return s, nil
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
	return json.Unmarshal(answer, into)
}

// upload presigns and uploads a file, and returns its address.
func (s *server) upload(ctx context.Context, f *os.File, contentType string) (string, error) {
	about, err := f.Stat()
	if err != nil {
		return "", err
	}
	var presigned struct {
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	file := map[string]any{"filename": filepath.Base(f.Name()), "content_type": contentType}
	if err := s.call(ctx, "POST", "/v3/uploads/presign", map[string]any{"files": []any{file}}, &presigned); err != nil {
		return "", err
	}
	address := presigned.Files[0].UploadURL
	r, err := http.NewRequestWithContext(ctx, "PUT", address, f)
	if err != nil {
		return "", err
	}
	r.ContentLength = about.Size()
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

// writeImages writes photo.jpg and photo.png, of 24 megapixels, with the gradients, edges and grain of photographs.
func writeImages(dir string) error {
	const width, height = 6000, 4000
	grain := rand.New(rand.NewPCG(1, 1))
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			light := 110 + 80*math.Sin(float64(x)/310)*math.Cos(float64(y)/270) + grain.Float64()*14
			if (x/450+y/380)%3 == 0 {
				light += 45
			}
			v := uint8(min(light, 255))
			picture.SetNRGBA(x, y, color.NRGBA{v, uint8(x * 255 / width), v/2 + uint8(y*127/height), 255})
		}
	}
	for name, encode := range map[string]func(io.Writer) error{
		"photo.jpg": func(w io.Writer) error { return jpeg.Encode(w, picture, &jpeg.Options{Quality: 90}) },
		"photo.png": func(w io.Writer) error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, picture) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
