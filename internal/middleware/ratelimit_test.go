package middleware

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	testLimits = map[string]int{"guest": 3, "free": 5, "premium": 50, "supporter": 0}
	testStart  = time.Unix(1_700_000_000, 250_000_000)
)

func TestTakeCountsDown(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	want := []Decision{
		{Allowed: true, Tier: "guest", Limit: 3, Remaining: 2, Reset: 1_700_000_061},
		{Allowed: true, Tier: "guest", Limit: 3, Remaining: 1, Reset: 1_700_000_061},
		{Allowed: true, Tier: "guest", Limit: 3, Remaining: 0, Reset: 1_700_000_061},
		{Allowed: false, Tier: "guest", Limit: 3, Remaining: 0, Reset: 1_700_000_061, RetryAfter: 57},
	}
	for i, d := range want {
		if got := l.Take(t.Context(), testStart.Add(time.Duration(i)*time.Second), UserKey(1), "guest"); got != d {
			t.Errorf("request %d: %+v, want %+v", i, got, d)
		}
	}
}

func TestTakeOpensANewWindow(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	for range 4 {
		l.Take(t.Context(), testStart, UserKey(1), "guest")
	}
	tests := []struct {
		after time.Duration
		want  bool
		retry int
	}{
		{0, false, 60},
		{time.Nanosecond, false, 60},
		{time.Minute - time.Second, false, 1},
		{time.Minute - 1, false, 1},
		{time.Minute, true, 0},
		{time.Minute + 1, true, 0},
	}
	for _, tt := range tests {
		d := l.Take(t.Context(), testStart.Add(tt.after), UserKey(1), "guest")
		if d.Allowed != tt.want || d.RetryAfter != tt.retry {
			t.Errorf("after %v: allowed %v, retry after %d; want %v, %d", tt.after, d.Allowed, d.RetryAfter, tt.want, tt.retry)
		}
	}
	l = NewLimiter(testLimits)
	d := l.Take(t.Context(), testStart, UserKey(1), "guest")
	if d := l.Take(t.Context(), time.Unix(d.Reset, 0), UserKey(1), "guest"); d.Remaining != 2 {
		t.Errorf("at Reset %d requests remain, want a full window less this one", d.Remaining)
	}
}

func TestTakeTiersAndKeysAreApart(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	for range 4 {
		l.Take(t.Context(), testStart, UserKey(1), "guest")
	}
	if d := l.Take(t.Context(), testStart, ApplicationKey(1), "free"); !d.Allowed || d.Remaining != 4 {
		t.Errorf("another key: %+v", d)
	}
	if d := l.Take(t.Context(), testStart, UserKey(1), "free"); !d.Allowed || d.Limit != 5 || d.Remaining != 1 {
		t.Errorf("raised in mid-window: %+v, want 1 of 5 left", d)
	}
	if d := l.Take(t.Context(), testStart, UserKey(1), "guest"); d.Allowed || d.Remaining != 0 {
		t.Errorf("lowered in mid-window: %+v, want a refusal", d)
	}
	if d := l.Take(t.Context(), testStart, UserKey(2), "no such tier"); d.Tier != "guest" || d.Limit != 3 {
		t.Errorf("unknown tier: %+v, want the strictest", d)
	}
}

func TestTakeUnlimited(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	want := Decision{Allowed: true, Tier: "supporter", Limit: Unlimited, Remaining: Unlimited, Reset: 1_700_000_061}
	for range 1000 {
		if got := l.Take(t.Context(), testStart, UserKey(1), "supporter"); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
	if _, exhausted := l.Exhausted(testStart, UserKey(1)); exhausted {
		t.Error("a user without a limit is exhausted")
	}
}

func TestExhausted(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	key := UserKey(1)
	for i := range 3 {
		if d, exhausted := l.Exhausted(testStart, key); exhausted {
			t.Fatalf("exhausted after %d of 3: %+v", i, d)
		}
		l.Take(t.Context(), testStart, key, "guest")
	}
	peeked, exhausted := l.Exhausted(testStart, key)
	if taken := l.Take(t.Context(), testStart, key, "guest"); !exhausted || peeked != taken {
		t.Errorf("Exhausted = %+v, %v; Take = %+v", peeked, exhausted, taken)
	}
	if _, exhausted := l.Exhausted(testStart.Add(time.Minute), key); exhausted {
		t.Error("exhausted after the window has ended")
	}
}

func TestTakeClockSetBack(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	for range 3 {
		l.Take(t.Context(), testStart, UserKey(1), "guest")
	}
	if d := l.Take(t.Context(), testStart.Add(-time.Millisecond), UserKey(1), "guest"); d.Allowed {
		t.Error("a request that read the clock a little earlier opened a new window")
	}
	if d := l.Take(t.Context(), testStart.Add(-time.Hour), UserKey(1), "guest"); !d.Allowed {
		t.Errorf("a clock set back locks the user out for %d s", d.RetryAfter)
	}
}

func TestTakeInParallel(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	var allowed [2]atomic.Int64
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for range 25 {
				user := worker % 2
				if l.Take(t.Context(), testStart, UserKey(int64(user)), "premium").Allowed {
					allowed[user].Add(1)
				}
				l.Exhausted(testStart, UserKey(int64(user)))
			}
		})
	}
	wg.Wait()
	for user := range allowed {
		if got := allowed[user].Load(); got != 50 {
			t.Errorf("user %d: %d of 200 requests passed, want 50", user, got)
		}
	}
}

func TestLimiterMemoryIsBounded(t *testing.T) {
	t.Parallel()
	l := NewLimiter(testLimits)
	for id := range int64(2 * limitShards * maxShardKeys) {
		l.Take(t.Context(), testStart, UserKey(id), "free")
	}
	if n := countKeys(l); n > limitShards*maxShardKeys {
		t.Errorf("%d keys are held, want at most %d", n, limitShards*maxShardKeys)
	}
	// After the windows have ended, a new key in each shard evicts the old ones.
	later := testStart.Add(2 * time.Minute)
	for id := range int64(100 * limitShards) {
		l.Take(t.Context(), later, ApplicationKey(id), "free")
	}
	if n := countKeys(l); n > 100*limitShards {
		t.Errorf("%d keys are held after their windows ended, want at most %d", n, 100*limitShards)
	}
}

func countKeys(l *Limiter) int {
	n := 0
	for i := range l.shards {
		n += len(l.shards[i].windows)
	}
	return n
}

// A shared count decides, is sent in the headers, and is stored for Exhausted and for when the
// shared counter is unavailable.
func TestSharedCounts(t *testing.T) {
	t.Parallel()
	const limit = 50 // of the tier premium
	l := NewLimiter(testLimits)
	answer, away, asked := Counted{Allowed: true, Remaining: 0, Reset: 90 * time.Second}, false, []string{}
	l.Share(func(_ context.Context, key string, most int, window time.Duration) (Counted, bool) {
		if most != limit || window != time.Minute {
			t.Errorf("%d in %s", most, window)
		}
		asked = append(asked, key)
		return answer, !away
	})
	if d := l.Take(t.Context(), testStart, UserKey(7), "premium"); !d.Allowed || d.Remaining != 0 || d.Limit != limit || d.Reset != testStart.Add(90*time.Second).Unix()+1 { // rounded up
		t.Errorf("%+v", d)
	}
	if d, over := l.Exhausted(testStart, UserKey(7)); over { // one more may be allowed in a moment
		t.Errorf("%+v", d)
	}
	answer = Counted{Reset: 90 * time.Second, Retry: 1200 * time.Millisecond}
	if d := l.Take(t.Context(), testStart, UserKey(7), "premium"); d.Allowed || d.RetryAfter != 2 || d.Remaining != 0 {
		t.Errorf("%+v", d)
	}
	for after, want := range map[time.Duration]bool{0: true, time.Second: true, 1200 * time.Millisecond: false} {
		if _, over := l.Exhausted(testStart.Add(after), UserKey(7)); over != want {
			t.Errorf("exhausted after %s: %v", after, over)
		}
	}
	away, answer = true, Counted{}
	allowed := 0
	for range 2 * limit {
		if l.Take(t.Context(), testStart.Add(2*time.Second), UserKey(7), "premium").Allowed {
			allowed++
		}
	}
	if allowed != limit {
		t.Errorf("%d of %d are allowed by the server itself", allowed, limit)
	}
	for _, other := range []Key{ApplicationKey(7), UserKey(8), BadTokenKey(netip.MustParseAddr("192.0.2.1")), GuestKey(netip.MustParseAddr("192.0.2.1"))} {
		l.Take(t.Context(), testStart, other, "premium")
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(asked)))); n != 5 {
		t.Errorf("%d keys of 5 callers: %v", n, asked)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	guest := func(s string) Key { return GuestKey(netip.MustParseAddr(s)) }
	same := map[string][2]Key{
		"IPv6 of one /64": {guest("2001:db8:0:1::1"), guest("2001:db8:0:1:ffff::")},
		"mapped IPv4":     {guest("192.0.2.1"), guest("::ffff:192.0.2.1")},
		"zone":            {guest("fe80::1"), guest("fe80::1%eth0")},
	}
	for name, keys := range same {
		if keys[0] != keys[1] {
			t.Errorf("%s: %v and %v differ", name, keys[0], keys[1])
		}
	}
	distinct := map[string]Key{
		"u:1": UserKey(1), "u:2": UserKey(2), "a:1": ApplicationKey(1),
		"g:0.0.0.1": guest("0.0.0.1"), "g:0.0.0.2": guest("0.0.0.2"), "g:::/64": guest("::1"),
		"g:2001:db8::/64": guest("2001:db8::1"), "g:2001:db8:0:1::/64": guest("2001:db8:0:1::1"),
		"g:unknown": GuestKey(netip.Addr{}), "g:0.0.0.0": guest("0.0.0.0"),
	}
	seen := map[Key]string{}
	for want, key := range distinct {
		if key.String() != want {
			t.Errorf("String() = %s, want %s", key, want)
		}
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s are one key", want, other)
		}
		seen[key] = want
	}
}
