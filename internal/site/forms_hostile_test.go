package site_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// quotes returns a value that is five times as long in HTML.
func quotes(n int) string { return strings.Repeat(`"`, n) }

// countedBody counts the bytes that are read from it.
type countedBody struct {
	io.Reader
	read int
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.read += n
	return n, err
}

// formOf returns a form request without a Content-Length.
func formOf(t *testing.T, path string, body io.Reader, cookies ...*http.Cookie) *http.Request {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, apptest.Base+path, struct{ io.Reader }{body})
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", apptest.Base)
	for _, c := range cookies {
		req.AddCookie(c)
	}
	return req
}

// The body of any form of a guest is limited to 16 KiB: no more of it is read, and the response is
// short.
func TestGuestsFormsAreSmall(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, path := range []string{"/sign-in", "/sign-up", "/forgot-password", "/reset-password/x", "/confirm/x", "/sign-in/second-factor",
		"/sign-in/passkey", "/sign-out", "/settings/language", "/settings/announcement", "/settings/email/x", "/sign-in/sso/confirm/x",
		"/sign-in/link/x", "/oauth/authorize", "/invitations/x", "/group/x/invite/y", "/save", "/follow", "/block/1/comments",
		"/group/x/members", "/x/y/collaborators", "/settings/profile", "/operator/site", "/x/y/add", "/nothing/here/at/all"} {
		for name, field := range map[string]string{"one long value": "email=" + quotes(1<<20), "many fields": strings.Repeat("a=&", 1<<19)} {
			body := &countedBody{Reader: strings.NewReader(field)}
			w := httptest.NewRecorder()
			r.S.Handler().ServeHTTP(w, formOf(t, path, body))
			if body.read > 20<<10 || w.Body.Len() > 32<<10 || w.Code == http.StatusOK {
				t.Errorf("%s, %s: status %d, %d bytes were read, %d answered", path, name, w.Code, body.read, w.Body.Len())
			}
		}
	}
}

// A value that is longer than its field allows is not shown again; a shorter one is.
func TestLongValuesAreNotEchoed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	guest, ada := newBrowser(t, r), entered(t, r, "ada")
	r.Channel("ada", "Moss", "public")
	for _, tt := range []struct {
		who   *browser
		path  string
		pairs []string
		most  int
	}{
		{guest, "/sign-in", []string{"email", quotes(255), "password", "x"}, 0},
		{guest, "/sign-in", []string{"email", quotes(254), "password", "x"}, 254},
		{guest, "/sign-up", []string{"name", quotes(256), "email", quotes(255), "slug", quotes(101)}, 0},
		{ada, "/settings/profile", []string{"name", quotes(256), "bio", "x"}, 0},
		{ada, "/settings/profile", []string{"name", "", "bio", quotes(20_000)}, 20_000},
		{ada, "/settings/profile", []string{"name", "", "bio", quotes(20_001)}, 0},
		{ada, "/new", []string{"title", quotes(256), "description", quotes(20_001)}, 0},
		{ada, "/ada/moss/edit", []string{"do", "save", "title", "", "meta_key", quotes(41), "meta_value", quotes(2001), "meta_was", quotes(41)}, 0},
	} {
		p := tt.who.post(tt.path, tt.pairs...)
		if n := strings.Count(p.body, "&#34;"); p.status < 400 || n != tt.most {
			t.Errorf("%s %s: status %d, %d quotes, want %d", tt.path, tt.pairs[0], p.status, n, tt.most)
		}
	}
	for _, path := range []string{"/search?q=", "/explore?q=", "/ada/moss?q="} {
		own := strings.Count(guest.get(path).body, "&#34;") // in explanations
		if p := guest.get(path + url.QueryEscape(quotes(9000))); strings.Count(p.body, "&#34;") > own {
			t.Errorf("%s: status %d with %d quotes, but the page itself has %d", path, p.status, strings.Count(p.body, "&#34;"), own)
		}
	}
}

// unread is a client that does not read the response until it is released.
type unread struct {
	*httptest.ResponseRecorder
	begun, release chan struct{}
	once           sync.Once
}

func (u *unread) Write(p []byte) (int, error) {
	u.once.Do(func() { close(u.begun) })
	<-u.release
	return u.ResponseRecorder.Write(p)
}

// Forms that are shown again are charged to the memory of responses, like pages: while a client does
// not read them, more are refused. They do not occupy a turn, so small requests are answered in the
// meantime.
func TestFormsShownAgainAreCharged(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.ResponseMemory = 1 << 20 })
	ada := entered(t, r, "ada")
	var cookies []*http.Cookie
	for _, c := range ada.cookies {
		cookies = append(cookies, c)
	}
	form := url.Values{"name": {""}, "bio": {quotes(20_000)}}.Encode()
	release := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(release)
	refused := 0
	for range 40 {
		u := &unread{ResponseRecorder: httptest.NewRecorder(), begun: make(chan struct{}), release: release}
		req := formOf(t, "/settings/profile", strings.NewReader(form), cookies...)
		all.Go(func() { r.S.Handler().ServeHTTP(u, req) })
		<-u.begun
		if u.Code == http.StatusServiceUnavailable {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("%d of 40 were refused", refused)
	}
	ada.post("/settings/language", "language", "en").want(http.StatusSeeOther)
	newBrowser(t, r).get("/sign-in").want(http.StatusOK)
}

// endless is a body that blocks until it is released, and counts its readers.
type endless struct {
	read    *atomic.Int64
	release chan struct{}
}

func (e endless) Read([]byte) (int, error) {
	e.read.Add(1)
	<-e.release
	return 0, io.EOF
}

// A visitor may have as many requests in progress as an API client. A hundred more wait, and all others
// are refused before their body is read.
func TestVisitorsTakeTurns(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	var read atomic.Int64
	release, answers := make(chan struct{}), make(chan int, 200)
	body := endless{&read, release}
	send := func(address string, body io.Reader) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		req := formOf(t, "/sign-out", body)
		req.RemoteAddr = address + ":1"
		r.S.Handler().ServeHTTP(w, req)
		return w
	}
	var all sync.WaitGroup
	for range 200 { // fewer than the limit of forms in a minute
		all.Go(func() { answers <- send("198.51.100.7", body).Code })
	}
	if code := <-answers; code != http.StatusServiceUnavailable {
		t.Errorf("the first answer is %d", code)
	}
	if n := read.Load(); n > 100 {
		t.Errorf("%d bodies are read at once", n)
	}
	if w := send("198.51.100.8", strings.NewReader("")); w.Code != http.StatusSeeOther {
		t.Errorf("another visitor gets %d", w.Code)
	}
	close(release)
	all.Wait()
}
