package middleware

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/obs"
	"vitrine/internal/scope"
)

func TestBeginRecordsTheResponse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		status  int
		bytes   int64
	}{
		"explicit": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, "four")
		}, 201, 4},
		"implicit": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "abc") }, 200, 3},
		"nothing":  {func(http.ResponseWriter, *http.Request) {}, 200, 0},
		"early hints": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusNotFound)
		}, 404, 0},
		"first status counts": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			w.WriteHeader(http.StatusConflict)
		}, 204, 0},
		"flushed": {func(w http.ResponseWriter, _ *http.Request) { flush(w) }, 200, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen *Exchange
			h := Begin(time.Now, func(_ *http.Request, x *Exchange, _ time.Duration) { seen = x })(tt.handler)
			h.ServeHTTP(httptest.NewRecorder(), get())
			if seen.Status != tt.status || seen.Bytes != tt.bytes {
				t.Errorf("status, bytes = %d, %d, want %d, %d", seen.Status, seen.Bytes, tt.status, tt.bytes)
			}
		})
	}
}

func TestBeginSharesOneExchangeAndMeasures(t *testing.T) {
	t.Parallel()
	ticks := []time.Time{time.Unix(10, 0), time.Unix(13, 0)}
	now := func() time.Time { tick := ticks[0]; ticks = ticks[1:]; return tick }
	var inside, observed *Exchange
	var took time.Duration
	h := Begin(now, func(_ *http.Request, x *Exchange, d time.Duration) { observed, took = x, d })(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = From(r.Context()) }))
	h.ServeHTTP(httptest.NewRecorder(), get())
	if inside != observed {
		t.Error("the handler and the observer saw different exchanges")
	}
	if took != 3*time.Second {
		t.Errorf("took = %v, want 3s", took)
	}
}

func TestBeginObservesAPanic(t *testing.T) {
	t.Parallel()
	seen := -1
	h := Begin(time.Now, func(_ *http.Request, x *Exchange, _ time.Duration) { seen = x.Status })(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer func() {
		if v := recover(); v != http.ErrAbortHandler || seen != 0 {
			t.Errorf("panic = %v, observed status %d; want ErrAbortHandler, 0", v, seen)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), get())
}

func TestFromOutsideBegin(t *testing.T) {
	t.Parallel()
	if x := From(context.Background()); x == nil || x.NotModified(`"a"`) {
		t.Errorf("From = %+v, want an empty Exchange", x)
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		r    *http.Request
		want bool
	}{
		"same":          {get("If-None-Match", `W/"a"`), true},
		"head":          {request(http.MethodHead, "If-None-Match", `"a"`), true},
		"other":         {get("If-None-Match", `"b"`), false},
		"unconditional": {get(), false},
		"not a read":    {request(http.MethodPut, "If-None-Match", `"a"`), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				x := From(r.Context())
				if got := x.NotModified(`W/"a"`); got != tt.want || x.ETag != `W/"a"` {
					t.Errorf("NotModified = %v with tag %s, want %v", got, x.ETag, tt.want)
				}
			}), tt.r)
		})
	}
}

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

func TestScoped(t *testing.T) {
	t.Parallel()
	const theirs = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	var got scope.Scope
	r := get("X-Request-Id", "req-1", "Traceparent", theirs, "X-Forwarded-For", "192.0.2.7")
	r.RemoteAddr = "10.0.0.1:1234"
	trusted := prefixes("10.0.0.0/8")
	serve(Chain(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = scope.Of(r.Context()) }),
		ClientAddr(trusted), RequestID(trusted), Scoped, Memory(budget.New(1<<20))), r)
	if want := (domain.Origin{Address: netip.MustParseAddr("192.0.2.7"), Request: "req-1"}); got.Origin != want {
		t.Errorf("origin = %+v, want %+v", got.Origin, want)
	}
	if want := (obs.Origin{Request: "req-1", Trace: theirs}); got.Cause != want {
		t.Errorf("cause = %+v, want %+v", got.Cause, want)
	}
	if got.Memory == nil || got.Reads != nil || got.Claim != nil || got.OwnCommit {
		t.Errorf("scope = %+v", got)
	}
}
