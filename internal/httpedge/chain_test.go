package httpedge

import (
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/budget"
	"vitrine/internal/middleware"
	"vitrine/internal/obs"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// options enables everything that depends on settings.
func options() Options {
	return Options{Log: slog.New(slog.DiscardHandler), Now: time.Now, Tracer: new(obs.Tracer), Memory: budget.New(1 << 20), Replicas: true,
		Limiter: middleware.NewLimiter(map[string]int{"guest": 4}), Fit: func(context.Context) error { return nil },
		Observe:  func(*http.Request, *middleware.Exchange, time.Duration) {},
		InFlight: func(next http.Handler) http.Handler { return next }, RequestTimeout: time.Hour, BodyLimit: 1 << 20}
}

// The golden file shows the middleware of each mount in its order. Rewrite it with -update.
func TestChain(t *testing.T) {
	t.Parallel()
	const golden = "testdata/chain.txt"
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, m := range Mounts {
		fmt.Fprintf(w, "\t%s", m.Name)
	}
	fmt.Fprintln(w, "\twhy it is there")
	for _, s := range chain {
		fmt.Fprint(w, s.name)
		for _, m := range Mounts {
			mark := "-"
			if s.of(options(), m, Handler{}) != nil {
				mark = "x"
			}
			fmt.Fprintf(w, "\t%s", mark)
		}
		fmt.Fprintf(w, "\t%s\n", s.why)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the chain is\n%s\nbut %s is\n%s", b.String(), golden, want)
	}
}

// wrapped wraps a handler in the middleware of /v3, without a tracer, which needs a collector.
func wrapped(h http.HandlerFunc) http.Handler {
	o := options()
	o.Tracer = nil
	for _, m := range Mounts {
		if m.Name == V3 {
			return wrap(o, m, Handler{Handler: h, Render: JSON.Render})
		}
	}
	return nil
}

func get(h http.Handler, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/v3/page", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func wantHeaders(t *testing.T, h http.Header, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := h.Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
}

func TestChainRevalidates(t *testing.T) {
	t.Parallel()
	l := middleware.NewLimiter(map[string]int{"free": 4})
	h := wrapped(func(w http.ResponseWriter, r *http.Request) {
		l.Take(r.Context(), time.Now(), middleware.GuestKey(middleware.From(r.Context()).ClientIP), "free").WriteHeaders(w.Header())
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, strings.Repeat("page ", 1000))
	})
	first := get(h, "Accept-Encoding", "gzip")
	w := get(h, "Accept-Encoding", "gzip", "If-None-Match", first.Header().Get("ETag"))
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("answer = %d, %d bytes; want 304, none", w.Code, w.Body.Len())
	}
	wantHeaders(t, w.Header(), map[string]string{
		"ETag": first.Header().Get("ETag"), "Cache-Control": "max-age=300, public",
		"Vary": "Authorization, Accept-Encoding", "X-RateLimit-Remaining": "2",
		"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
		"Content-Type": "", "Content-Length": "", "Content-Encoding": "",
	})
}

func TestChainFlushes(t *testing.T) {
	t.Parallel()
	for coding, decode := range map[string]func(io.Reader) (io.Reader, error){
		"identity": func(r io.Reader) (io.Reader, error) { return r, nil },
		"gzip":     func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd":     func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		w := get(wrapped(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			_, _ = io.WriteString(w, "data: 2\n\n")
		}), "Accept-Encoding", coding)
		if got := w.Header().Get("Content-Encoding"); got != coding && coding != "identity" {
			t.Errorf("%s: encoded as %q", coding, got)
		}
		plain, err := decode(w.Body)
		if err != nil {
			t.Errorf("%s: %v", coding, err)
			continue
		}
		got, err := io.ReadAll(plain)
		if err != nil || !w.Flushed || string(got) != "data: 1\n\ndata: 2\n\n" {
			t.Errorf("%s: %v, flushed = %v, body = %q", coding, err, w.Flushed, got)
		}
	}
}

func TestChainPanic(t *testing.T) {
	t.Parallel()
	w := get(wrapped(func(http.ResponseWriter, *http.Request) { panic("kaboom") }))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status = %d, want 500", w.Code)
	}
	wantHeaders(t, w.Header(), map[string]string{"Cache-Control": "no-store", "Access-Control-Allow-Origin": "*", "ETag": ""})
}
