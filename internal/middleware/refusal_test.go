package middleware

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestDecisionHeaders(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		d    Decision
		want [4]string
	}{
		"limited":   {Decision{Tier: "free", Limit: 120, Remaining: 7, Reset: 1_700_000_000}, [4]string{"120", "free", "1700000000", "7"}},
		"unlimited": {Decision{Tier: "supporter", Limit: Unlimited, Remaining: Unlimited, Reset: 5}, [4]string{"2147483647", "supporter", "5", "2147483647"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			tt.d.WriteHeaders(h)
			for i, field := range []string{"Limit", "Tier", "Reset", "Remaining"} {
				wantHeader(t, h, "X-RateLimit-"+field, tt.want[i])
			}
			wantHeader(t, h, "X-RateLimit-Window", "60")
			h.Add("X-RateLimit-Limit", "more")
			wantHeader(t, h, "X-RateLimit-Tier", tt.d.Tier)
		})
	}
}

func refuse(t *testing.T, l *Limiter, tier string, ms ...Middleware) (http.Header, rateLimitDetails) {
	t.Helper()
	for range 10_000 {
		d := l.Take(t.Context(), testStart, UserKey(1), tier)
		if d.Allowed {
			continue
		}
		w := serve(Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.Refuse(w, r, d) }), ms...), get("Accept-Encoding", "gzip"))
		if w.Code != http.StatusTooManyRequests {
			t.Errorf("status = %d, want 429", w.Code)
		}
		var body rateLimitError
		in := json.NewDecoder(w.Body)
		in.DisallowUnknownFields()
		if err := in.Decode(&body); err != nil {
			t.Fatalf("body: %v", err)
		}
		return w.Header(), body.Error
	}
	t.Fatalf("tier %s was never refused", tier)
	return nil, rateLimitDetails{}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	l := NewLimiter(map[string]int{"guest": 30, "free": 120, "premium": 300, "supporter": 600})
	all := map[string]int{"guest": 30, "free": 120, "premium": 300, "supporter": 600}
	for tier, recommended := range map[string]string{
		"guest": "free", "free": "premium", "premium": "supporter", "supporter": "supporter",
	} {
		header, body := refuse(t, l, tier)
		wantHeader(t, header, "Content-Type", "application/json; charset=utf-8")
		wantHeader(t, header, "Retry-After", "60")
		wantHeader(t, header, "X-RateLimit-Tier", tier)
		wantHeader(t, header, "X-RateLimit-Remaining", "0")
		if body.Type != "rate_limit_exceeded" || body.Tier != tier || body.Limit != all[tier] ||
			body.RetryAfter != 60 || body.LimitWindow != "1 minute" {
			t.Errorf("%s: body = %+v", tier, body)
		}
		status := body.CurrentStatus
		if status.Tier != tier || !reflect.DeepEqual(status.Limits, all) {
			t.Errorf("%s: current_status = %+v", tier, status)
		}
		path := status.UpgradePath
		if path.Current != tier || path.Recommended != recommended || path.Action == "" || path.Benefits == nil {
			t.Errorf("%s: upgrade_path = %+v, want %s recommended", tier, path, recommended)
		}
		if body.Message == "" || body.HeadersNote == "" || len(body.Suggestions) == 0 {
			t.Errorf("%s: a text is empty: %+v", tier, body)
		}
	}
}

func TestRefuseUnlimitedIsRecommended(t *testing.T) {
	t.Parallel()
	_, body := refuse(t, NewLimiter(testLimits), "premium")
	path := body.CurrentStatus.UpgradePath
	if path.Recommended != "supporter" || !strings.Contains(strings.Join(path.Benefits, ""), "any number") {
		t.Errorf("upgrade_path = %+v", path)
	}
	if got := body.CurrentStatus.Limits["supporter"]; got != Unlimited {
		t.Errorf("limit of supporter = %d, want %d", got, Unlimited)
	}
}

// Compressing a refusal would cost more than the rest of the response.
func TestRefuseIsNotCompressed(t *testing.T) {
	t.Parallel()
	header, _ := refuse(t, NewLimiter(map[string]int{"guest": 30, "free": 120, "premium": 300, "supporter": 600}), "premium", CacheHeaders, Compress)
	wantHeader(t, header, "Content-Encoding", "")
	wantHeader(t, header, "Cache-Control", "no-store")
	wantHeader(t, header, "No-Gzip-Compression", "")
}

// discard is a ResponseWriter without cost.
type discard struct{ h http.Header }

func (w discard) Header() http.Header         { return w.h }
func (w discard) WriteHeader(int)             {}
func (w discard) Write(p []byte) (int, error) { return len(p), nil }

func exhaustedLimiter() (*Limiter, Key) {
	l, key := NewLimiter(testLimits), UserKey(1)
	for range testLimits["free"] {
		l.Take(context.Background(), testStart, key, "free")
	}
	return l, key
}

func refuseOnce(l *Limiter, key Key, w http.ResponseWriter, r *http.Request) bool {
	d, exhausted := l.Exhausted(testStart.Add(time.Second), key)
	if exhausted {
		l.Refuse(w, r, d)
	}
	return exhausted
}

func TestRefusalAllocatesLittle(t *testing.T) {
	l, key := exhaustedLimiter()
	w, r := discard{http.Header{}}, get()
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, new(Exchange)))
	if !refuseOnce(l, key, w, r) {
		t.Fatal("not refused")
	}
	if n := testing.AllocsPerRun(100, func() { refuseOnce(l, key, w, r) }); n > 5 {
		t.Errorf("a refusal allocates %v times, want at most 5", n)
	}
}

func BenchmarkRefusal(b *testing.B) {
	l, key := exhaustedLimiter()
	w, r := discard{http.Header{}}, get()
	b.ReportAllocs()
	for b.Loop() {
		refuseOnce(l, key, w, r)
	}
}

func BenchmarkTake(b *testing.B) {
	l := NewLimiter(map[string]int{"free": 1 << 30})
	b.ReportAllocs()
	for b.Loop() {
		l.Take(context.Background(), testStart, UserKey(1), "free")
	}
}
