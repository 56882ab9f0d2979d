package certs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// memory is an empty Cache.
type memory struct{}

func (memory) Get(context.Context, string) ([]byte, error) { return nil, ErrMissing }
func (memory) Put(context.Context, string, []byte) error   { return nil }
func (memory) Delete(context.Context, string) error        { return nil }

// rig is Certificates with a clock, a log and an authority that counts and refuses requests.
type rig struct {
	*Certificates
	now     time.Time
	log     bytes.Buffer
	asked   int
	refusal string // the authority's response
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{now: time.Unix(1e9, 0)}
	authority := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r.asked++
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(r.refusal))
	}))
	t.Cleanup(authority.Close)
	r.Certificates = New(Options{Domains: []string{"a.test", "b.test"}, DirectoryURL: authority.URL, Cache: memory{},
		Roots: authority.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Log:   slog.New(slog.NewTextHandler(&r.log, nil)), Now: func() time.Time { return r.now }})
	return r
}

func TestHost(t *testing.T) {
	t.Parallel()
	c := newRig(t)
	for header, want := range map[string]string{"a.test": "a.test", "B.TEST:80": "b.test", "c.test": "", "": "",
		"a.test.c.test": "", "a.test.": "", "[::1]:80": "", "127.0.0.1": ""} {
		if got := c.Host(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

// After a failure the authority is not asked again during a pause, which doubles each time.
func TestPause(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	// The manager's own pause after a failure uses the real clock, so the test notes further
	// failures itself.
	if _, err := r.get("a.test"); err == nil {
		t.Fatal("a certificate from nowhere")
	}
	asked := r.asked
	if _, err := r.get("a.test"); err == nil || r.asked != asked || asked == 0 {
		t.Errorf("asked %d times, then %d: %v", asked, r.asked, err)
	}
	if strings.Count(r.log.String(), "no certificate obtained: ") != 1 {
		t.Errorf("the log says\n%s", &r.log)
	}
	failure := errors.New("again")
	for _, want := range []time.Duration{2, 4, 8, 16, 32, 64, 120, 120} {
		r.now = r.now.Add(r.left("a.test"))
		if err := r.paused("a.test"); err != nil {
			t.Errorf("the pause goes on: %v", err)
		}
		r.note("a.test", failure)
		r.note("a.test", failure) // from another caller that waited for the same attempt
		if got := r.left("a.test"); got != want*time.Minute || !errors.Is(r.paused("a.test"), failure) {
			t.Errorf("a pause of %v, want %v minutes", got, int64(want))
		}
	}
	if r.paused("b.test") != nil {
		t.Error("another domain pauses, too")
	}
	r.note("a.test", nil)
	r.note("c.test", failure) // not one of our domains
	if r.paused("a.test") != nil || len(r.pauses) != 0 {
		t.Errorf("there is still %v", r.pauses)
	}
}

// Paths that cannot contain a token are passed on.
func TestChallenges(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	h := r.Challenges(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	const at = "/.well-known/acme-challenge/"
	for url, want := range map[string]int{
		"http://a.test" + at + "Tok-en_1": http.StatusNotFound, "http://a.test:5002" + at + "x": http.StatusNotFound,
		"http://c.test" + at + "x": http.StatusTeapot, "http://a.test" + at: http.StatusTeapot, "http://a.test/x": http.StatusTeapot,
		"http://a.test" + at + "a/b": http.StatusTeapot, "http://a.test" + at + "a%00": http.StatusTeapot,
		"http://a.test" + at + strings.Repeat("x", 129): http.StatusTeapot,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, url, nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", url, w.Code, want)
		}
	}
}

// A refusal is logged with its reason even if no client waits for the certificate, and Expiries
// includes domains without a certificate.
func TestLogsRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.refusal = `{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many of a.test"}`
	if _, err := r.get("a.test"); err == nil {
		t.Fatal("a certificate from nowhere")
	}
	if log := r.log.String(); !strings.Contains(log, `refuses the request" status=403 type=rateLimited reason="too many of a.test"`) {
		t.Errorf("the log says\n%s", log)
	}
	for name, until := range r.Expiries() {
		if until.Unix() != 0 {
			t.Errorf("%s has a certificate until %v", name, until)
		}
	}
	if n := len(r.Expiries()); n != 2 {
		t.Errorf("%d domains", n)
	}
}
