package fetch_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/fetch"
)

const mib = 1 << 20

// client returns a client that may connect to this machine, unless o.Allow is set.
func client(t *testing.T, o fetch.Options) *fetch.Client {
	t.Helper()
	if o.Allow == nil {
		o.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	c := fetch.New(o)
	t.Cleanup(c.Close)
	return c
}

// serve starts a server and returns its URL without a trailing slash.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections() // those of endless responses
		server.Close()
	})
	return server.URL
}

// get fetches a URL and reads the whole body.
func get(t *testing.T, c *fetch.Client, r fetch.Request) (*fetch.Response, string, error) {
	t.Helper()
	resp, err := c.Get(t.Context(), r)
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if err := resp.Body.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// failure returns the error of a fetch that must fail.
func failure(t *testing.T, c *fetch.Client, r fetch.Request) *fetch.Error {
	t.Helper()
	resp, text, err := get(t, c, r)
	if err == nil {
		t.Fatalf("%s: got %d %.100q", r.URL, resp.Status, text)
	}
	return asError(t, err)
}

func asError(t *testing.T, err error) *fetch.Error {
	t.Helper()
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		t.Fatalf("%T is no *fetch.Error: %v", err, err)
	}
	return e
}

func TestGet(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "Text/HTML; Charset=ISO-8859-1")
		w.Header().Set("Content-Length", "5")
		for name, want := range map[string]string{
			"User-Agent": "Vitrine/3", "Accept": "text/html", "Accept-Encoding": "gzip, br, zstd, deflate", "Cookie": "", "Referer": "", "Authorization": "",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		_, _ = io.WriteString(w, "hello")
	})
	c := client(t, fetch.Options{UserAgent: "Vitrine/3"})
	resp, text, err := get(t, c, fetch.Request{URL: url + "/a?b=c#d", Accept: "text/html", MaxBytes: 5})
	if err != nil || text != "hello" {
		t.Fatalf("got %q, %v", text, err)
	}
	if resp.URL.String() != url+"/a?b=c#d" || resp.Status != 200 || resp.ContentType != "text/html" || resp.Charset != "iso-8859-1" || resp.Size != 5 {
		t.Errorf("got %+v", resp)
	}
	if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
		t.Error("a closed body can be read")
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil // no sniffing
		if value := r.URL.Query().Get("type"); value != "" {
			w.Header().Set("Content-Type", value)
		}
	})
	c := client(t, fetch.Options{})
	for query, want := range map[string][2]string{
		"":                         {"", ""},
		"image/png":                {"image/png", ""},
		"IMAGE/PNG":                {"image/png", ""},
		"text/html;charset=UTF-8":  {"text/html", "utf-8"},
		`text/html;charset="big5"`: {"text/html", "big5"},
		"text/html; charset":       {"text/html", ""},
		"Text/Html ;;; =":          {"text/html", ""},
		"nonsense":                 {"", ""},
		";":                        {"", ""},
	} {
		resp, _, err := get(t, c, fetch.Request{URL: url + "/?type=" + strings.NewReplacer(";", "%3B", " ", "%20").Replace(query)})
		if err != nil {
			t.Errorf("%q: %v", query, err)
		} else if got := [2]string{resp.ContentType, resp.Charset}; got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

// A TLS server is verified by name, and may use HTTP/2.
func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto+" "+r.Host)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // bad certificates are expected
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	route := func(string) string { return server.Listener.Addr().String() }

	trusting := client(t, fetch.Options{RootCAs: roots, Route: route})
	_, text, err := get(t, trusting, fetch.Request{URL: "https://EXAMPLE.com./", MaxBytes: mib})
	if err != nil || text != "HTTP/2.0 example.com" {
		t.Errorf("got %q, %v", text, err)
	}
	for name, e := range map[string]*fetch.Error{
		"other name": failure(t, trusting, fetch.Request{URL: "https://example.org/"}),
		"untrusted":  failure(t, client(t, fetch.Options{Route: route}), fetch.Request{URL: "https://example.com/"}),
	} {
		if e.Reason != "The server's certificate is not valid" || e.Temporary {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// The client ignores proxies, since the guard cannot check their connections.
func TestProxyOfTheEnvironment(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"} {
		t.Setenv(name, "http://proxy.example:3128")
	}
	var asked string
	c := client(t, fetch.Options{Route: func(address string) string {
		asked = address
		return strings.TrimPrefix(url, "http://")
	}})
	if _, _, err := get(t, c, fetch.Request{URL: "http://site.example/"}); err != nil || asked != "site.example:80" {
		t.Errorf("connected to %q, %v", asked, err)
	}
}

// Each fetch is observed once, however it ends.
func TestObserved(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/missing":
			http.NotFound(w, r)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	var observed []string
	c := client(t, fetch.Options{Observe: func(_ context.Context, _, outcome string, _ time.Duration) { observed = append(observed, outcome) }})
	ended, end := context.WithCancel(t.Context())
	end()
	for _, at := range []struct {
		ctx  context.Context
		url  string
		want string
	}{
		{t.Context(), url, "2xx"}, {t.Context(), url + "/moved", "2xx"}, {t.Context(), url + "/missing", "4xx"},
		{t.Context(), url + "/broken", "5xx"}, {t.Context(), "http://127.0.0.1:1/", "failed"}, {ended, url, "stopped"},
	} {
		observed = nil
		if resp, err := c.Get(at.ctx, fetch.Request{URL: at.url, MaxBytes: mib}); err == nil {
			_ = resp.Body.Close()
		}
		if !slices.Equal(observed, []string{at.want}) {
			t.Errorf("%s: observed %q, want %q", at.url, observed, at.want)
		}
	}
}
