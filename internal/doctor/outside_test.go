package doctor

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/middleware"
)

const testSecret = "the secret of the site"

// probed starts a server that answers probes.
func probed(t *testing.T, trusted string, now func() time.Time) *httptest.Server {
	t.Helper()
	var proxies []netip.Prefix
	if trusted != "" {
		proxies = []netip.Prefix{netip.MustParsePrefix(trusted)}
	}
	probes := NewProbes(func(context.Context) (string, error) { return testSecret, nil }, proxies, "web1", now)
	s := httptest.NewServer(middleware.Chain(probes, middleware.Begin(time.Now), middleware.ClientAddr(proxies)))
	t.Cleanup(s.Close)
	return s
}

// proxy starts a TLS proxy in front of a server.
func proxy(t *testing.T, server *httptest.Server, rewrite func(*httputil.ProxyRequest), wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var h http.Handler = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		rewrite(r)
	}}
	if wrap != nil {
		h = wrap(h)
	}
	p := httptest.NewTLSServer(h)
	t.Cleanup(p.Close)
	return p
}

// examineAt returns the results of an address by id.
func examineAt(t *testing.T, o outside, through *httptest.Server) map[string]Result {
	t.Helper()
	o.id, o.flag, o.secret, o.body, o.upload, o.plainPort = "address.site", "--site-url", testSecret, 1<<20, 1<<30, "1"
	o.url = through.URL
	if o.now == nil {
		o.now = time.Now
	}
	if o.roots == nil && through.TLS != nil {
		o.roots = x509.NewCertPool()
		o.roots.AddCert(through.Certificate())
	}
	ctx, cancel := context.WithTimeout(t.Context(), Within)
	defer cancel()
	byID := map[string]Result{}
	for _, r := range o.examine(ctx) {
		if (r.Level == OK) != (r.Remedy == "") {
			t.Errorf("%+v", r)
		}
		byID[r.ID] = r
	}
	return byID
}

func wantResult(t *testing.T, all map[string]Result, id string, level Level, says string) {
	t.Helper()
	if r := all["address.site"+id]; r.Level != level || !strings.Contains(r.Summary, says) {
		t.Errorf("address.site%s is %+v, want %s with %q", id, r, level, says)
	}
}

// Proxies with a fault are recognized by what arrives behind them; ones without are not blamed.
func TestProxies(t *testing.T) {
	t.Parallel()
	appending := func(r *httputil.ProxyRequest) {
		r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
		r.SetXForwarded()
	}
	replacing := func(r *httputil.ProxyRequest) { r.SetXForwarded() } // ReverseProxy removes what clients send
	silent := func(*httputil.ProxyRequest) {}
	passing := func(r *httputil.ProxyRequest) { r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"] }
	small := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > 2<<20 {
				w.WriteHeader(http.StatusRequestEntityTooLarge)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	buffering := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			held := httptest.NewRecorder()
			next.ServeHTTP(held, r)
			w.WriteHeader(held.Code)
			_, _ = io.Copy(w, held.Body)
		})
	}
	var all sync.WaitGroup // at the same time, because each waits for a stream
	for name, c := range map[string]struct {
		trusted string
		rewrite func(*httputil.ProxyRequest)
		wrap    func(http.Handler) http.Handler
		id      string
		level   Level
		says    string
	}{
		"appends":   {"127.0.0.0/8", appending, nil, ".forwarded", OK, "forwards the addresses"},
		"replaces":  {"127.0.0.0/8", replacing, nil, ".forwarded", OK, "forwards the addresses"},
		"untrusted": {"10.0.0.0/8", appending, nil, ".forwarded", Error, "proxy at 127.0.0.1 is not one of --trusted-proxies"},
		"silent":    {"127.0.0.0/8", silent, nil, ".forwarded", Error, "does not send X-Forwarded-For"},
		"passes on": {"127.0.0.0/8", passing, nil, ".forwarded", Error, "as clients send it"},
		"small":     {"127.0.0.0/8", appending, small, ".upload", Error, "refuses requests of 1 GiB"},
		"enough":    {"127.0.0.0/8", appending, small, ".body", OK, "1 MiB pass"},
		"buffers":   {"127.0.0.0/8", appending, buffering, ".streaming", Warning, "only when they are complete"},
		"streams":   {"127.0.0.0/8", appending, nil, ".streaming", OK, ""},
	} {
		through := proxy(t, probed(t, c.trusted, time.Now), c.rewrite, c.wrap)
		all.Go(func() {
			found := examineAt(t, outside{}, through)
			wantResult(t, found, "", OK, "leads to this site")
			wantResult(t, found, c.id, c.level, c.says)
			wantResult(t, found, ".redirect", OK, "does not answer")
			if t.Failed() {
				t.Log(name)
			}
		})
	}
	all.Wait()
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	direct := probed(t, "", time.Now)
	all := examineAt(t, outside{}, direct)
	for _, id := range []string{"", ".forwarded", ".body", ".upload", ".streaming"} {
		wantResult(t, all, id, OK, "")
	}
	if len(all) != 5 {
		t.Errorf("an address without TLS has %v", all)
	}
	late := probed(t, "", func() time.Time { return time.Now().Add(3 * time.Minute) })
	wantResult(t, examineAt(t, outside{}, late), ".clock", Warning, "web1 differs from this machine's by 3m")

	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"proof":"x"}`)) }))
	t.Cleanup(other.Close)
	wantResult(t, examineAt(t, outside{}, other), "", Error, "not by this site")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	wantResult(t, examineAt(t, outside{}, gone), "", Error, "connection refused")

	secure := proxy(t, direct, func(r *httputil.ProxyRequest) { r.SetXForwarded() }, nil)
	wantResult(t, examineAt(t, outside{roots: x509.NewCertPool()}, secure), ".tls", Error, "unknown authority")
	expires := secure.Certificate().NotAfter
	o := outside{id: "address.site", now: func() time.Time {
		return expires.Add(-secure.Certificate().NotAfter.Sub(secure.Certificate().NotBefore) / 10)
	}}
	if r := o.certificate(secure.Certificate()); r.Level != Warning {
		t.Errorf("a certificate that expires soon: %+v", r)
	}
	o.now = func() time.Time { return expires.Add(-time.Hour) }
	if r := o.certificate(secure.Certificate()); r.Level != Error {
		t.Errorf("a certificate that is about to expire: %+v", r)
	}
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		to    string
		level Level
	}{"to https": {"https://127.0.0.1/", OK}, "to itself": {"/sign-in", Warning}, "none": {"", Warning}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get(probeHeader) != "" {
					t.Error("a token was sent unencrypted")
				}
				if c.to != "" {
					http.Redirect(w, r, c.to, http.StatusMovedPermanently)
				}
			}))
			t.Cleanup(plain.Close)
			_, port, err := net.SplitHostPort(plain.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			o := outside{id: "address.site", url: "https://127.0.0.1:8443", plainPort: port, now: time.Now}
			if got := o.redirect(t.Context()); len(got) != 1 || got[0].Level != c.level {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Strangers get one fixed answer, and a token works once.
func TestProbesOfStrangers(t *testing.T) {
	t.Parallel()
	now, reads := time.Now(), 0
	probes := NewProbes(func(context.Context) (string, error) { reads++; return testSecret, nil }, nil, "web1", func() time.Time { return now })
	ask := func(token string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, ProbePath+"?stream", strings.NewReader("x"))
		r.URL.RawQuery = ""
		if token != "" {
			r.Header.Set(probeHeader, token)
		}
		w := httptest.NewRecorder()
		probes.ServeHTTP(w, r)
		return w
	}
	good, proof := newToken(testSecret, now)
	parts := strings.Split(good, ".")
	old, _ := newToken(testSecret, now.Add(-probeValid-time.Second))
	early, _ := newToken(testSecret, now.Add(probeValid+2*time.Second))
	foreign, _ := newToken("another secret", now)
	for _, token := range []string{"", "x", "..", good[:len(good)-1], good + "0", parts[0] + ".x." + parts[2], "x" + good, old, early, foreign,
		strings.Repeat("9", 30) + "." + parts[1] + "." + parts[2], strings.Repeat("a", 10_000)} {
		if w := ask(token); w.Code != http.StatusNotFound || w.Body.String() != "not found\n" {
			t.Errorf("%.40q: %d %q", token, w.Code, w.Body)
		}
	}
	if w := ask(good); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), proof) || strings.Contains(w.Body.String(), testSecret) {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if w := ask(good); w.Code != http.StatusNotFound {
		t.Errorf("a used token: %d", w.Code)
	}
	if reads != 1 {
		t.Errorf("the secret was read %d times", reads)
	}
	now = now.Add(3 * probeValid) // used tokens are forgotten once they are no longer valid
	again, _ := newToken(testSecret, now)
	if w := ask(again); w.Code != http.StatusOK || len(probes.seen) != 1 {
		t.Errorf("%d, %d tokens remembered", w.Code, len(probes.seen))
	}
	for range 2 * maxSeen {
		token, _ := newToken(testSecret, now)
		ask(token)
	}
	if len(probes.seen) != maxSeen {
		t.Errorf("%d tokens remembered", len(probes.seen))
	}
}
