package middleware

import (
	"net/http"
	"strings"
	"testing"
)

func TestRequestID(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		incoming, peer string
		kept           bool
	}{
		"none":             {"", "10.0.0.1:1", false},
		"from proxy":       {"Ab9._-", "10.0.0.1:1", true},
		"from mapped peer": {"abc", "[::ffff:10.0.0.1]:1", true},
		"from stranger":    {"abc", "192.0.2.1:1", false},
		"longest":          {strings.Repeat("a", 64), "10.0.0.1:1", true},
		"too long":         {strings.Repeat("a", 65), "10.0.0.1:1", false},
		"space":            {"a b", "10.0.0.1:1", false},
		"line break":       {"a\nlevel=ERROR", "10.0.0.1:1", false},
		"letter é":         {"é", "10.0.0.1:1", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := get("X-Request-Id", tt.incoming)
			r.RemoteAddr = tt.peer
			var inside string
			h := RequestID(prefixes("10.0.0.0/8"))(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				inside = From(r.Context()).RequestID
			}))
			wantHeader(t, serve(h, r).Header(), "X-Request-Id", inside)
			if !validRequestID(inside) {
				t.Errorf("id %q would not be accepted", inside)
			}
			if kept := inside == tt.incoming; kept != tt.kept {
				t.Errorf("id = %q, kept = %v, want %v", inside, kept, tt.kept)
			}
		})
	}
}

func TestRequestIDsDiffer(t *testing.T) {
	t.Parallel()
	h := RequestID(nil)(text(""))
	a, b := serve(h, get()).Header().Get("X-Request-Id"), serve(h, get()).Header().Get("X-Request-Id")
	if a == b {
		t.Errorf("two requests got the id %q", a)
	}
}
