package middleware

import (
	"net/http"
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
