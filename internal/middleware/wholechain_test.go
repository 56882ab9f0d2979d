package middleware

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// wholeChain uses the order of httpedge.Options.wrap, without Begin, which serve adds.
func wholeChain(h http.Handler) http.Handler {
	return Chain(h, ClientAddr(nil), RequestID(nil), CacheHeaders, SecureHeaders, CORS,
		Recover(quiet(), renderText), Head, Compress, Conditional,
		Deadline(time.Hour, renderText), BodyLimit(1<<20))
}

func TestWholeChainRevalidates(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	h := wholeChain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.Take(t.Context(), testStart, GuestKey(From(r.Context()).ClientIP), "free").WriteHeaders(w.Header())
		text(strings.Repeat("page ", 1000)).ServeHTTP(w, r)
	}))
	first := serve(h, get("Accept-Encoding", "gzip"))
	w := serve(h, get("Accept-Encoding", "gzip", "If-None-Match", first.Header().Get("ETag")))
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("answer = %d, %d bytes; want 304, none", w.Code, w.Body.Len())
	}
	for name, want := range map[string]string{
		"ETag": first.Header().Get("ETag"), "Cache-Control": "max-age=300, public",
		"Vary": "Authorization, Accept-Encoding", "X-RateLimit-Remaining": "3",
		"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
		"Content-Type": "", "Content-Length": "", "Content-Encoding": "",
	} {
		wantHeader(t, w.Header(), name, want)
	}
}

func TestWholeChainFlushes(t *testing.T) {
	t.Parallel()
	for _, coding := range []string{"identity", "gzip", "zstd"} {
		w := serve(wholeChain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			_, _ = io.WriteString(w, "data: 2\n\n")
		})), get("Accept-Encoding", coding))
		if got := decode(t, w.Header().Get("Content-Encoding"), w.Body); !w.Flushed || got != "data: 1\n\ndata: 2\n\n" {
			t.Errorf("%s: flushed = %v, body = %q", coding, w.Flushed, got)
		}
	}
}

func TestWholeChainPanic(t *testing.T) {
	t.Parallel()
	w := serve(wholeChain(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("kaboom") })), get())
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status = %d, want 500", w.Code)
	}
	wantHeader(t, w.Header(), "Cache-Control", "no-store")
	wantHeader(t, w.Header(), "Access-Control-Allow-Origin", "*")
	wantHeader(t, w.Header(), "ETag", "")
}
