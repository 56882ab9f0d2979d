package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// atHand replaces the addresses of the documents, as the certificates of tests are for example.com.
var atHand = strings.NewReplacer("https://vscode.dev/oauth/", "https://vscode.example.com/oauth/", "https://claude.ai/oauth/", "https://claude.example.com/oauth/",
	"https%3A%2F%2Fvscode.dev%2Foauth%2F", "https%3A%2F%2Fvscode.example.com%2Foauth%2F", "https%3A%2F%2Fclaude.ai%2Foauth%2F", "https%3A%2F%2Fclaude.example.com%2Foauth%2F")

// Recorded clients sign in, refresh their token, list tools and call them. Their requests are in testdata/clients, and so
// are the documents with which some describe themselves: those that published code and logs show. An MCP server that is made for Are.na uses the API instead.
func TestReplay(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		documents, err := filepath.Glob("testdata/clients/*.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range documents {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = []byte(atHand.Replace(string(text)))
			var d struct {
				ClientID string `json:"client_id"`
			}
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			r.Web(strings.TrimPrefix(d.ClientID, "https://"), apptest.Serve("application/json", text))
		}
		cookie := signIn(r)
		recordings, err := filepath.Glob("testdata/clients/*.http")
		if err != nil || len(recordings) < 5 {
			t.Fatalf("%v: %v", recordings, err)
		}
		for _, file := range recordings {
			name := strings.TrimSuffix(filepath.Base(file), ".http")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(name, func(t *testing.T) {
				replay(t, r, atHand.Replace(string(text)), map[string]string{"site": apptest.Base, "cookie": cookie, "token": r.Person("ada").Token, "verifier": verifier, "challenge": challenge})
			})
		}
	}, func(c *config.Config) { c.OAuthRegistration = true })
}

// signIn signs a user in at the website and returns the cookie.
func signIn(r *apptest.Rig) string {
	r.T.Helper()
	const password = "a good long one"
	if _, err := r.S.App.Accounts.CreateUser(r.T.Context(), accounts.CreateUserInput{Slug: "grace", Name: "Grace", Email: "grace@example.org", Password: password, Tier: domain.TierSupporter}); err != nil {
		r.T.Fatal(err)
	}
	form := url.Values{"email": {"grace@example.org"}, "password": {password}}
	res := r.Do("", "POST", "/sign-in", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", apptest.Base).Want(303)
	var all []string
	for _, c := range (&http.Response{Header: res.Header}).Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// replay sends the requests of a recording in the format of HTTP clients in editors: each begins with "### title: status".
// A comment "# name = where" takes a variable from the response, and "# has text" is a text that must be in it.
func replay(t *testing.T, r *apptest.Rig, recording string, known map[string]string) {
	for _, step := range strings.Split(recording, "\n### ")[1:] {
		title, rest, _ := strings.Cut(step, "\n")
		var notes, lines []string
		for line := range strings.Lines(rest) {
			if note, ok := strings.CutPrefix(line, "# "); ok {
				notes = append(notes, strings.TrimSpace(note))
			} else {
				lines = append(lines, line)
			}
		}
		request := regexp.MustCompile(`\{\{\w+\}\}`).ReplaceAllStringFunc(strings.Join(lines, ""), func(name string) string {
			value, ok := known[strings.Trim(name, "{}")]
			if !ok {
				t.Fatalf("%s: nothing has set %s", title, name)
			}
			return value
		})
		res := r.Send(parsed(t, request))
		if at := strings.LastIndex(title, ": "); strconv.Itoa(res.Status) != title[at+2:] {
			t.Fatalf("%s, not %d: %v %s", title, res.Status, res.Header, res.Body)
		}
		for _, note := range notes {
			if text, ok := strings.CutPrefix(note, "has "); ok {
				if !strings.Contains(string(res.Body), text) {
					t.Errorf("%s: no %s in %s", title, text, res.Body)
				}
			} else if name, where, ok := strings.Cut(note, " = "); ok {
				known[name] = taken(t, res, where)
			}
		}
	}
}

// parsed reads a request: a line with method and address, headers, an empty line and the body.
func parsed(t *testing.T, text string) *http.Request {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	first, fields, _ := strings.Cut(head, "\n")
	method, address, _ := strings.Cut(strings.TrimSpace(first), " ")
	header, err := textproto.NewReader(bufio.NewReader(strings.NewReader(strings.TrimSpace(fields) + "\n\n"))).ReadMIMEHeader()
	if err != nil && fields != "" {
		t.Fatalf("%s: %v", text, err)
	}
	req := httptest.NewRequestWithContext(t.Context(), method, address, strings.NewReader(strings.TrimSpace(body)))
	req.Header = http.Header(header)
	return req
}

// taken returns a part of a response: a parameter of the challenge or of the redirect, or a field of the body.
func taken(t *testing.T, res *apptest.Response, where string) string {
	t.Helper()
	if name, ok := strings.CutPrefix(where, "WWW-Authenticate "); ok {
		found := regexp.MustCompile(name + `="([^"]*)"`).FindStringSubmatch(res.Header.Get("WWW-Authenticate"))
		if found == nil {
			t.Fatalf("no %s in %v", name, res.Header)
		}
		return found[1]
	}
	if name, ok := strings.CutPrefix(where, "Location "); ok {
		to, err := url.Parse(res.Header.Get("Location"))
		if err != nil || to.Query().Get(name) == "" {
			t.Fatalf("no %s in %v", name, res.Header)
		}
		return to.Query().Get(name)
	}
	value, ok := res.Lookup(where)
	if !ok {
		t.Fatalf("no %s in %s", where, res.Body)
	}
	return fmt.Sprint(value)
}
