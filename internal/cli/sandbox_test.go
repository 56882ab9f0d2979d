package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/cli"
)

// sandbox is a sandbox that a test runs.
type sandbox struct {
	t        *testing.T
	url      string
	accounts []struct {
		Slug  string
		Read  string `json:"read_token"`
		Write string `json:"write_token"`
	}
}

// newSandbox runs `serve --sandbox`. When the test ends, it stops, and must leave nothing behind.
func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(ctx, []string{"vitrine", "serve", "--sandbox", "--addr", "127.0.0.1:0"}, in, &errs)
		_ = in.Close()
	}()
	first, _ := bufio.NewReader(out).ReadString('\n')
	go func() { _, _ = io.Copy(io.Discard, out) }()
	found := regexp.MustCompile(`open (http://\S+)`).FindStringSubmatch(first)
	if found == nil {
		stop()
		t.Fatalf("%q: %s", first, &errs)
	}
	s := &sandbox{t: t, url: found[1]}
	t.Cleanup(func() {
		stop()
		if c := <-code; c != 0 {
			t.Errorf("exit code %d: %s", c, &errs)
		}
	})
	if err := json.Unmarshal(s.ask("GET", "/ext/v1/sandbox", "", "", 200), &struct {
		Accounts any
	}{&s.accounts}); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request and returns the body of the response, which must have the status.
func (s *sandbox) ask(method, path, token, body string, status int) []byte {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		s.t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, all, err)
	}
	return all
}

// state reads everything that the data set promises, without the addresses of files, which differ.
func (s *sandbox) state() string {
	s.t.Helper()
	var all strings.Builder
	for _, path := range []string{"/v3/me", "/v3/channels/field-notes/contents?per=100", "/v3/channels/a-long-list/contents?per=100&page=2", "/v3/channels/quiet-colours/contents",
		"/v3/channels/library/contents", "/v3/channels/open-shelf/contents", "/v2/channels/open-shelf", "/v3/users/ada/followers", "/v3/groups/reading-group"} {
		all.Write(s.ask("GET", path, s.accounts[0].Read, "", 200))
	}
	return regexp.MustCompile(s.url+`|/(files|images)/[^"]*`).ReplaceAllString(all.String(), "")
}

// The data set is the same in every sandbox, and after a reset.
func TestSandbox(t *testing.T) {
	t.Parallel()
	s, other := newSandbox(t), newSandbox(t)
	before := s.state()
	if again := other.state(); again != before {
		t.Errorf("two sandboxes differ:\n%s\n%s", before, again)
	}
	for _, want := range []string{"Grey heron", "example.org", "湿地", `"type":"Embed"`, `"type":"Attachment"`, `"type":"Image"`, `"year":1972`} {
		if !strings.Contains(before, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(before, `"state":"pending"`) || strings.Contains(before, `"state":"processing"`) {
		t.Error("a block is not ready")
	}
	writer := s.accounts[0].Write
	s.ask("POST", "/v3/channels", s.accounts[0].Read, `{"title":"No"}`, 403)
	made := s.ask("POST", "/v3/channels", writer, `{"title":"Mine"}`, 201)
	s.ask("PUT", "/v3/channels/3", writer, `{"title":"Renamed"}`, 200)
	s.ask("DELETE", "/v3/channels/quiet-colours", writer, "", 204)
	if s.channels() == before {
		t.Error("a write changed nothing")
	}
	s.ask("POST", "/ext/v1/sandbox/reset", "", "", 204)
	if after := s.state(); after != before {
		t.Errorf("a reset differs:\n%s\n%s", before, after)
	}
	if again := s.ask("POST", "/v3/channels", writer, `{"title":"Mine"}`, 201); idOf(t, again) != idOf(t, made) {
		t.Errorf("ids differ after a reset: %s, %s", made, again)
	}
	s.ask("GET", "/v3/channels/quiet-colours", s.accounts[2].Read, "", 200)
	s.ask("GET", "/v3/channels/3", s.accounts[2].Read, "", 404)
}

// channels is the list of channels of the first account, which a test changes.
func (s *sandbox) channels() string {
	return string(s.ask("GET", "/v3/users/ada/contents", s.accounts[0].Read, "", 200))
}

func idOf(t *testing.T, body []byte) (id int64) {
	t.Helper()
	var made struct{ ID int64 }
	if err := json.Unmarshal(body, &made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// A sign-in gives tokens that can be renewed, also after a reset.
func TestSandboxSignIn(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.ask("POST", "/ext/v1/sandbox/reset", "", "", 204)
	var made struct {
		ClientID string `json:"client_id"`
		Access   string `json:"access_token"`
		Refresh  string `json:"refresh_token"`
		Scope    string
		Seconds  int `json:"expires_in"`
	}
	if err := json.Unmarshal(s.ask("POST", "/ext/v1/sandbox/sign-ins", "", `{"account": "ben", "scope": "write:comment"}`, 200), &made); err != nil {
		t.Fatal(err)
	}
	if me := s.ask("GET", "/v3/me", made.Access, "", 200); !bytes.Contains(me, []byte(`"slug":"ben"`)) || made.Seconds != 3600 || made.Scope != "read write:comment" {
		t.Errorf("%+v %s", made, me)
	}
	s.ask("POST", "/v3/oauth/token", "", fmt.Sprintf(`{"grant_type": "refresh_token", "client_id": %q, "refresh_token": %q}`, made.ClientID, made.Refresh), 200)
	for body, field := range map[string]string{`{"account": "nobody"}`: "account", `{"account": ""}`: "account", `[]`: "body", "": "body",
		`{"account": "ada", "scope": "write:everything"}`: "scope", `{"account": "ada", "scope": "channel:999"}`: "scope"} {
		if res := s.ask("POST", "/ext/v1/sandbox/sign-ins", "", body, 400); !bytes.Contains(res, []byte(field)) {
			t.Errorf("%s: %s", body, res)
		}
	}
	s.ask("GET", "/ext/v1/sandbox/sign-ins", "", "", 405)
}

// Requests fail as asked, in the shape of their API, and as often as asked.
func TestSandboxFaults(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	faults := func(list string, status int) []byte {
		t.Helper()
		return s.ask("PUT", "/ext/v1/sandbox/faults", "", `{"faults": [`+list+`]}`, status)
	}
	get := func(path string) *http.Response {
		t.Helper()
		res, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	faults(`{"path": "/v3/channels", "times": 2, "status": 429, "retry_after": 7}, {"times": 1, "status": 503, "retry_after": 3}`, 200)
	for _, want := range []int{429, 429, 503, 200} {
		res := get("/v3/channels/field-notes")
		retry := map[int]string{429: "7", 503: "3"}[want]
		if res.StatusCode != want || res.Header.Get("Retry-After") != retry {
			t.Errorf("%s, Retry-After %q; want %d, %q", res.Status, res.Header.Get("Retry-After"), want, retry)
		}
		if want == 429 && res.Header.Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("%v", res.Header)
		}
	}
	faults(`{"path": "/v2", "times": 1, "status": 500}, {"method": "GET", "path": "/v3", "times": 1, "cut": true}, {"times": 1, "delay_ms": 1}`, 200)
	if body := s.ask("GET", "/v2/channels/field-notes", "", "", 500); !bytes.Contains(body, []byte("simulates status 500")) {
		t.Errorf("%s", body)
	}
	fresh := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // others retry on a connection that they have used
	if res, err := fresh.Get(s.url + "/v3/channels/field-notes"); err == nil {
		_ = res.Body.Close()
		t.Errorf("the connection was not cut: %s", res.Status)
	}
	if res := get("/v3/channels/field-notes"); res.StatusCode != 200 {
		t.Errorf("after a delay: %s", res.Status)
	}
	faults(`{"times": 5, "status": 500}`, 200)
	s.ask("DELETE", "/ext/v1/sandbox/faults", "", "", 204)
	if left := s.ask("GET", "/ext/v1/sandbox/faults", "", "", 200); !regexp.MustCompile(`"faults":\s*\[\]`).Match(left) {
		t.Errorf("%s", left)
	}
	for list, field := range map[string]string{
		`{"times": 0, "status": 500}`:                  "faults[0].times",
		`{"times": 1, "status": 200}`:                  "faults[0].status",
		`{"times": 1}`:                                 "faults[0].status",
		`{"times": 1, "status": 500, "cut": true}`:     "faults[0].cut",
		`{"times": 1, "delay_ms": 99999}`:              "faults[0].delay_ms",
		`{"times": 1, "status": 500, "path": "v3"}`:    "faults[0].path",
		`{"times": 1, "status": 500, "colour": "red"}`: "body",
	} {
		if body := faults(list, 400); !bytes.Contains(body, []byte(field)) {
			t.Errorf("%s: %s does not name %s", list, body, field)
		}
	}
	s.ask("PUT", "/ext/v1/sandbox/faults", "", `{"faults": "`+strings.Repeat("x", 2<<20)+`"}`, 413)
	s.ask("POST", "/ext/v1/sandbox", "", "", 405)
	s.ask("GET", "/ext/v1/sandbox/reset", "", "", 405)
	s.ask("GET", "/ext/v1/sandbox/other", "", "", 404)
}

// The documentation lists the accounts with their tokens.
func TestSandboxIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range newSandbox(t).accounts {
		for _, token := range []string{a.Read, a.Write} {
			if !bytes.Contains(doc, []byte("| `"+token+"` |")) {
				t.Errorf("docs/sandbox.md does not contain %s of %s", token, a.Slug)
			}
		}
	}
}

// Resets at the same time as writes leave the data set, and no data of earlier runs.
func TestSandboxResetsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	done := make(chan error)
	for range 2 {
		go func() {
			for i := range 2 {
				res, err := http.Post(s.url+"/ext/v1/sandbox/reset", "", nil)
				if err == nil {
					_ = res.Body.Close()
					if res.StatusCode != 204 {
						err = fmt.Errorf("reset %d: %s", i, res.Status)
					}
				}
				if err != nil {
					done <- err
					return
				}
				if res, err := http.Get(s.url + "/v3/channels/field-notes/contents"); err == nil {
					_ = res.Body.Close() // it may have been cut off
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s.ask("GET", "/v3/channels/field-notes", "", "", 200)
}

// What keeps data or needs other programs is refused.
func TestSandboxRefusesSettings(t *testing.T) {
	t.Parallel()
	run(t, "serve", "--sandbox", "--database-url", "postgres://127.0.0.1/x", "--redis-url", "redis://127.0.0.1").failsUsage("--redis-url")
}
