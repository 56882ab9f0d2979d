package drive

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
	"strings"
	"syscall"
)

// Program is the built program that serves in a process of its own.
type Program struct {
	Process *os.Process
	Addr    string // host and port
	Token   string // for Call and Upload

	Client *http.Client // keeps a connection for each of many callers

	cmd *exec.Cmd
}

// Start starts the command, which serves, and waits until it listens.
func Start(cmd *exec.Cmd) (*Program, error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, rest, found := strings.Cut(lines.Text(), " listens on http://"); found {
			return &Program{Process: cmd.Process, Addr: strings.Fields(rest)[0], Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}, cmd: cmd}, nil
		}
	}
	return nil, fmt.Errorf("%s does not start: %w", cmd.Path, cmd.Wait())
}

// Stop ends the program as an operator would.
func (p *Program) Stop() error {
	_ = p.Process.Signal(syscall.SIGTERM) // it may have ended, which Wait reports
	return p.cmd.Wait()
}

// Call sends JSON and reads JSON; into may be nil.
func (p *Program) Call(ctx context.Context, method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+p.Addr+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := p.Client.Do(r)
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

// Upload presigns and uploads a file, and returns its address.
func (p *Program) Upload(ctx context.Context, name, contentType string, size int64, body io.Reader) (string, error) {
	var presigned struct {
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	file := map[string]any{"filename": name, "content_type": contentType}
	if err := p.Call(ctx, "POST", "/v3/uploads/presign", map[string]any{"files": []any{file}}, &presigned); err != nil {
		return "", err
	}
	address := presigned.Files[0].UploadURL
	r, err := http.NewRequestWithContext(ctx, "PUT", address, body)
	if err != nil {
		return "", err
	}
	r.ContentLength = size
	r.Header.Set("Content-Type", contentType)
	resp, err := p.Client.Do(r)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		err = errors.New("PUT: " + resp.Status)
	}
	return address, errors.Join(err, resp.Body.Close())
}

// UploadFile uploads a file by its path.
func (p *Program) UploadFile(ctx context.Context, path, contentType string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return p.Upload(ctx, info.Name(), contentType, info.Size(), f)
}
