package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed hook.go.txt
var hook []byte

// copied is the beginning of the name of the folder with the copy of package main.
const copied = "_entered"

// server is a running program that was built for coverage.
type server struct {
	folder  string // with the program, its data and the counters
	env     []string
	cmd     *exec.Cmd
	url     string
	control *http.Client // of the hook
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// packages returns the packages below main that have handwritten code.
func packages(root string) ([]string, error) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{if and .Module .Module.Main (ne .Name `main`)}}{{.ImportPath}} {{.Dir}}{{range .GoFiles}} {{.}}{{end}}{{end}}", "./cmd/vitrine")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, name := range words[2:] {
			text, err := os.ReadFile(filepath.Join(words[1], name))
			if err != nil {
				return nil, err
			}
			if !generated.Match(text) {
				found = append(found, words[0])
				break
			}
		}
	}
	return found, nil
}

// start builds the program and starts it.
func start(root string) (started *server, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	s := new(server)
	if s.folder, err = os.MkdirTemp("", "entered-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if err := s.build(root); err != nil {
		return nil, err
	}
	socket := filepath.Join(s.folder, "socket")
	s.control = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "VITRINE_") {
			s.env = append(s.env, v)
		}
	}
	s.env = append(s.env, "GOCOVERDIR="+s.folder, "VITRINE_ADDR=127.0.0.1:0", "VITRINE_DATA_DIR="+filepath.Join(s.folder, "data"),
		"VITRINE_RATE_LIMITS=guest=0,free=0,premium=0,supporter=0")
	if _, err := s.run("migrate"); err != nil {
		return nil, err
	}
	return s, s.serve(socket)
}

// build builds the program with the hook, from a copy of its package main next to it: go tool cover
// ignores -overlay.
func (s *server) build(root string) (err error) {
	folder, err := os.MkdirTemp(filepath.Join(root, "cmd"), copied) // "./..." skips folders that begin with "_"
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	program, err := os.ReadFile(filepath.Join(root, "cmd/vitrine/main.go"))
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"main.go": program, "hook.go": hook} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	covered, err := packages(root)
	if err != nil {
		return err
	}
	main := "./cmd/" + filepath.Base(folder)
	cmd := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(append(covered, main), ","), "-o", s.program(), main)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	return cmd.Run()
}

func (s *server) program() string { return filepath.Join(s.folder, "vitrine") }

// run runs a command of the program and returns what it prints.
func (s *server) run(args ...string) (string, error) {
	cmd := exec.Command(s.program(), args...)
	cmd.Env, cmd.Stderr = s.env, os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

var listens = regexp.MustCompile(`listens on (\S+)`)

// serve starts the server and waits until it listens.
func (s *server) serve(socket string) error {
	cmd := exec.Command(s.program(), "serve")
	cmd.Env = append(slices.Clip(s.env), "ENTERED_SOCKET="+socket, "VITRINE_LOG_LEVEL=error", "VITRINE_WORK=false")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := listens.FindStringSubmatch(lines.Text()); found != nil {
			s.url = found[1]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return nil
		}
	}
	return fmt.Errorf("the server does not start: %w", cmd.Wait())
}

func (s *server) stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	_ = os.RemoveAll(s.folder)
}

// call calls the hook.
func (s *server) call(path string) error {
	req, err := http.NewRequest("POST", "http://hook"+path, nil)
	if err == nil {
		_, err = answer(s.control, req)
	}
	return err
}

// answer sends a request and returns the body of the response, which must be a success.
func answer(client *http.Client, req *http.Request) ([]byte, error) {
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("status %d: %.300s", res.StatusCode, body)
	}
	return body, err
}

// request is a request to measure.
type request struct {
	name         string
	limit        int // files
	method, path string
	token        string
	form         url.Values
	json         string
}

func (s *server) send(r request) ([]byte, error) {
	body, kind := r.json, "application/json"
	if r.form != nil {
		body, kind = r.form.Encode(), "application/x-www-form-urlencoded"
	}
	req, err := http.NewRequest(r.method, s.url+r.path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", kind)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	return answer(http.DefaultClient, req)
}

// requests creates an account with a channel of blocks and an application, and returns the requests to
// measure.
func (s *server) requests() ([]request, error) {
	if _, err := s.run("user", "create", "--slug", "ada", "--name", "Ada", "--email", "ada@example.org", "--tier", "supporter"); err != nil {
		return nil, err
	}
	token, err := s.run("token", "create", "--user", "ada", "--scope", "write")
	if err != nil {
		return nil, err
	}
	out, err := s.run("app", "create", "--user", "ada", "--name", "Measured", "--redirect-uri", "https://app.example.org/", "--json")
	if err != nil {
		return nil, err
	}
	var app struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal([]byte(out), &app); err != nil {
		return nil, err
	}
	made, err := s.send(request{method: "POST", path: "/v3/channels", token: token, json: `{"title":"Measured","visibility":"closed"}`})
	if err != nil {
		return nil, err
	}
	var channel struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(made, &channel); err != nil {
		return nil, err
	}
	create := request{name: "POST /v3/blocks", limit: 80, method: "POST", path: "/v3/blocks", token: token,
		json: fmt.Sprintf(`{"value":"A *short* text","channel_ids":[%d]}`, channel.ID)}
	contents := request{limit: 60, method: "GET", path: fmt.Sprintf("/v3/channels/%d/contents?per=24", channel.ID)}
	guest, member := contents, contents
	guest.name = "GET /v3/channels/{id}/contents, guest"
	member.name, member.token = "GET /v3/channels/{id}/contents, token", token
	exchange := request{name: "POST /v3/oauth/token, client credentials", limit: 40, method: "POST", path: "/v3/oauth/token",
		form: url.Values{"grant_type": {"client_credentials"}, "client_id": {app.ID}, "client_secret": {app.Secret}}}
	return []request{create, guest, member, exchange}, nil
}

// measure returns the files that every repetition of a request enters, sorted.
func (s *server) measure(r request) ([]string, error) {
	for range warm {
		if _, err := s.send(r); err != nil {
			return nil, err
		}
	}
	times := map[string]int{}
	for range measured {
		if err := s.call("/clear"); err != nil {
			return nil, err
		}
		if _, err := s.send(r); err != nil {
			return nil, err
		}
		entered, err := s.entered()
		if err != nil {
			return nil, err
		}
		for _, f := range entered {
			times[f]++
		}
	}
	var files []string
	for f, n := range times {
		if n == measured {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return files, nil
}

// entered returns the files with executed statements since the counters were cleared.
func (s *server) entered() ([]string, error) {
	folder, err := os.MkdirTemp(s.folder, "counters-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := s.call("/write?folder=" + url.QueryEscape(folder)); err != nil {
		return nil, err
	}
	profile := filepath.Join(folder, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+profile).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return executed(string(text)), nil
}

// executed returns the files of a profile that have executed statements.
func executed(profile string) (files []string) {
	for line := range strings.Lines(profile) {
		file, rest, ok := strings.Cut(line, ":")
		if ok && file != "mode" && !strings.HasSuffix(strings.TrimSpace(rest), " 0") && !strings.Contains(file, "/"+copied) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
