package middleware

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestChainFirstIsOutermost(t *testing.T) {
	t.Parallel()
	mark := func(name string) Middleware {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Trace"] = append(w.Header()["Trace"], name)
				next.ServeHTTP(w, r)
			})
		}
	}
	w := serve(Chain(status(http.StatusTeapot), mark("a"), mark("b")), get())
	if got := w.Header()["Trace"]; len(got) != 2 || got[0] != "a" || got[1] != "b" {
		t.Errorf("order = %v, want [a b]", got)
	}
	if w.Code != http.StatusTeapot {
		t.Errorf("status = %d, want 418", w.Code)
	}
}

func TestRecoverRenders500(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	var x *Exchange
	h := Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x = From(r.Context())
		w.Header().Set("ETag", `"stale"`)
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "half a bo")
		panic("kaboom")
	}), Recover(log, renderText), Compress, Conditional)
	w := serve(h, get("Accept-Encoding", "gzip"))
	if got := w.Body.String(); w.Code != 500 || got != "500 " {
		t.Errorf("answer = %d %q", w.Code, got)
	}
	for _, stale := range []string{"ETag", "Content-Length", "Content-Encoding"} {
		wantHeader(t, w.Header(), stale, "")
	}
	if x.Error == nil || x.Error.Error() != "panic: kaboom" {
		t.Errorf("cause = %v", x.Error)
	}
	if log := out.String(); !strings.Contains(log, "kaboom") || !strings.Contains(log, "middleware_test.go") {
		t.Errorf("log lacks the value or the stack: %s", log)
	}
}

func TestRecoverCutsABegunResponse(t *testing.T) {
	t.Parallel()
	tests := map[string]http.HandlerFunc{
		"begun": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			panic("kaboom")
		},
		"abort": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if v := recover(); v != http.ErrAbortHandler {
					t.Errorf("panic = %v, want ErrAbortHandler", v)
				}
			}()
			serve(Recover(quiet(), renderText)(handler), get())
		})
	}
}
