package middleware

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// limitWindow is the length of a window (behaviour.md section 9).
	limitWindow = time.Minute
	// Unlimited is the limit and the remaining count in the headers of tiers without a limit.
	// Clients pace themselves by both, so 0 would stop them.
	Unlimited = math.MaxInt32

	limitShards = 64
	// maxShardKeys limits the memory to about 20 MB for any number of addresses.
	maxShardKeys = 2048
)

// Limiter counts requests per key in one-minute windows, in memory. It is safe for concurrent use.
// Callers pass the current time.
//
// A key's window starts with its first request rather than at the full minute. With common windows,
// all clients that wait for the reset would return at the same moment, and a guest's first minute
// could last a second. As with any fixed window, up to twice the limit can pass within a minute
// around its end. In return, a client gets one time at which its whole limit is available again.
type Limiter struct {
	tiers  atomic.Pointer[limitTiers]
	seed   maphash.Seed
	shared Shared
	shards [limitShards]limitShard
}

// limitTiers are the limits in effect.
type limitTiers struct {
	by       map[string]limitTier
	fallback string
}

type limitShard struct {
	mu      sync.Mutex
	windows map[Key]limitCount
	sweepAt int64
}

// limitCount is the current window of a key.
type limitCount struct {
	end   int64 // Unix nanoseconds
	used  int
	limit int
	tier  string
}

// NewLimiter returns a Limiter with the requests per minute of each tier; 0 means unlimited. An
// unknown tier is treated as the strictest one. It panics if limits is empty.
func NewLimiter(limits map[string]int) *Limiter {
	l := &Limiter{seed: maphash.MakeSeed()}
	l.SetLimits(limits)
	for i := range l.shards {
		l.shards[i].windows = make(map[Key]limitCount)
	}
	return l
}

// SetLimits replaces the requests per minute of each tier, as in NewLimiter. Windows in progress continue with the new
// limits.
func (l *Limiter) SetLimits(limits map[string]int) {
	ranked := rankTiers(limits)
	tiers := &limitTiers{by: make(map[string]limitTier, len(limits)), fallback: ranked[0]}
	for _, tier := range ranked {
		tiers.by[tier] = newLimitTier(tier, ranked, limits)
	}
	l.tiers.Store(tiers)
}

// Shared counts one request of key against a limit shared by all servers. It returns false if the
// shared counter is not available.
type Shared func(ctx context.Context, key string, limit int, window time.Duration) (Counted, bool)

// Counted is the result of counting a request against a shared limit.
type Counted struct {
	Allowed   bool
	Remaining int           // requests left now
	Reset     time.Duration // time until the whole limit is available
	Retry     time.Duration // time until one more request is allowed; 0 if this one was
}

// Share makes the Limiter count requests with s and fall back to counting locally if s fails. A
// shared limit refills evenly instead of at the end of a window: a limit of 60 allows one more
// request after a second. Share must be called before the first request.
func (l *Limiter) Share(s Shared) { l.shared = s }

// Take counts one request of key, which currently has the given tier. It allows exactly the tier's
// limit per window, also for concurrent calls.
func (l *Limiter) Take(ctx context.Context, now time.Time, key Key, tier string) Decision {
	if _, known := l.tiers.Load().by[tier]; !known {
		tier = l.tiers.Load().fallback
	}
	limit := l.tiers.Load().by[tier].limit
	if limit == Unlimited {
		return Decision{Allowed: true, Tier: tier, Limit: limit, Remaining: limit, Reset: ceilUnix(now.Add(limitWindow).UnixNano())}
	}
	s, at := l.shard(key), now.UnixNano()
	if l.shared != nil {
		if counted, ok := l.shared(ctx, key.shared(), limit, limitWindow); ok {
			return s.note(at, key, tier, limit, counted)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, found := s.windows[key]
	if !found {
		s.evict(at)
	}
	if !found || c.over(at) {
		c = limitCount{end: at + int64(limitWindow)}
	}
	c.tier, c.limit = tier, limit
	allowed := c.used < limit
	if allowed {
		c.used++
	}
	s.windows[key] = c
	return c.decision(at, allowed)
}

// note stores the result of a shared count for Peek and Exhausted, and for Take if the shared
// counter becomes unavailable.
func (s *limitShard) note(at int64, key Key, tier string, limit int, counted Counted) Decision {
	c := limitCount{end: at + int64(counted.Reset), used: min(limit-counted.Remaining, limit-1), limit: limit, tier: tier}
	d := Decision{Allowed: counted.Allowed, Tier: tier, Limit: limit, Remaining: counted.Remaining, Reset: ceilUnix(c.end)}
	if !counted.Allowed {
		c.end, c.used = at+int64(counted.Retry), limit
		d.RetryAfter = max(1, int((counted.Retry+time.Second-1)/time.Second))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, found := s.windows[key]; !found {
		s.evict(at)
	}
	s.windows[key] = c
	return d
}

// Peek returns the state of key's window without counting a request.
func (l *Limiter) Peek(now time.Time, key Key, tier string) Decision {
	s, at := l.shard(key), now.UnixNano()
	s.mu.Lock()
	c, found := s.windows[key]
	s.mu.Unlock()
	if found && !c.over(at) {
		return c.decision(at, true)
	}
	limit := l.tiers.Load().by[tier].limit
	return Decision{Allowed: true, Tier: tier, Limit: limit, Remaining: limit, Reset: ceilUnix(now.Add(limitWindow).UnixNano())}
}

// Exhausted returns the refusal that Take would return if key has used up the limit of its last
// tier. It counts nothing, so a known token can be refused before the database is queried. A raised
// tier therefore applies only after the window has ended.
func (l *Limiter) Exhausted(now time.Time, key Key) (Decision, bool) {
	s, at := l.shard(key), now.UnixNano()
	s.mu.Lock()
	c, found := s.windows[key]
	s.mu.Unlock()
	if !found || c.over(at) || c.used < c.limit {
		return Decision{}, false
	}
	return c.decision(at, false), true
}

func (l *Limiter) shard(key Key) *limitShard {
	return &l.shards[maphash.Comparable(l.seed, key)%limitShards]
}

// over reports whether the window has ended. A window that ends too far in the future counts as
// ended too: the clock was set back, which must not lock anyone out.
func (c limitCount) over(at int64) bool {
	left := c.end - at
	return left <= 0 || left > 2*int64(limitWindow)
}

func (c limitCount) decision(at int64, allowed bool) Decision {
	d := Decision{Allowed: allowed, Tier: c.tier, Limit: c.limit, Remaining: max(c.limit-c.used, 0), Reset: ceilUnix(c.end)}
	if !allowed {
		left := time.Duration(c.end - at)
		d.RetryAfter = int((left + time.Second - 1) / time.Second)
	}
	return d
}

// evict deletes ended windows, at most once per window, and then arbitrary ones until the shard is
// below its maximum. Those clients start a new window.
func (s *limitShard) evict(at int64) {
	if at >= s.sweepAt {
		s.sweepAt = at + int64(limitWindow)
		for key, c := range s.windows {
			if c.over(at) {
				delete(s.windows, key)
			}
		}
	}
	for key := range s.windows {
		if len(s.windows) < maxShardKeys {
			return
		}
		delete(s.windows, key)
	}
}

// ceilUnix rounds up, so that the window has ended at the start of that second.
func ceilUnix(nanos int64) int64 {
	return (nanos + int64(time.Second) - 1) / int64(time.Second)
}

// Key identifies a client for rate limits (behaviour.md section 9). Keys are comparable and need no
// allocation.
type Key struct {
	kind keyKind
	id   uint64
}

type keyKind byte

const (
	unknownKey keyKind = iota
	userKey
	applicationKey
	guestKey4
	guestKey6
	badTokenKey4
	badTokenKey6
)

// UserKey returns the key of a user, shared by all of their tokens.
func UserKey(id int64) Key { return Key{userKey, uint64(id)} }

// ApplicationKey returns the key of an application that acts as itself.
func ApplicationKey(id int64) Key { return Key{applicationKey, uint64(id)} }

// GuestKey returns the key of a guest's address: the whole IPv4 address, or the /64 of an IPv6
// address, which is what one household gets. Guests without a known address share the zero Key.
func GuestKey(addr netip.Addr) Key { return addressKey(addr, guestKey4, guestKey6) }

// BadTokenKey returns the key for invalid tokens from a guest's address. It differs from the
// guest's own key, so that a guest who reads a lot can still sign in.
func BadTokenKey(addr netip.Addr) Key { return addressKey(addr, badTokenKey4, badTokenKey6) }

func addressKey(addr netip.Addr, kind4, kind6 keyKind) Key {
	switch addr = addr.Unmap(); {
	case addr.Is4():
		b := addr.As4()
		return Key{kind4, uint64(binary.BigEndian.Uint32(b[:]))}
	case addr.Is6():
		b := addr.As16()
		return Key{kind6, binary.BigEndian.Uint64(b[:8])}
	default:
		return Key{}
	}
}

// shared returns the key for limits shared between servers.
func (k Key) shared() string {
	return strconv.Itoa(int(k.kind)) + ":" + strconv.FormatUint(k.id, 36)
}

// String returns the key for logs: u:1, a:2, g:192.0.2.1 or g:2001:db8::/64.
func (k Key) String() string {
	switch k.kind {
	case userKey:
		return "u:" + strconv.FormatUint(k.id, 10)
	case applicationKey:
		return "a:" + strconv.FormatUint(k.id, 10)
	case guestKey4:
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(k.id))
		return "g:" + netip.AddrFrom4(b).String()
	case guestKey6:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], k.id)
		return "g:" + netip.PrefixFrom(netip.AddrFrom16(b), 64).String()
	default:
		return "g:unknown"
	}
}

// Decision is the result of counting a request against a rate limit.
type Decision struct {
	Allowed    bool
	Tier       string
	Limit      int   // requests per window, or Unlimited
	Remaining  int   // requests left in this window, or Unlimited
	Reset      int64 // Unix seconds of the end of the window, rounded up
	RetryAfter int   // whole seconds to wait, at least 1; 0 if allowed
}

// WriteHeaders sets X-RateLimit-Limit, -Tier, -Window, -Reset and -Remaining, which every response
// has. Window is in seconds.
func (d Decision) WriteHeaders(h http.Header) {
	values := [...]string{
		strconv.Itoa(d.Limit), d.Tier, "60", strconv.FormatInt(d.Reset, 10), strconv.Itoa(d.Remaining),
	}
	v := values[:] // one allocation for the five
	h["X-Ratelimit-Limit"] = v[0:1:1]
	h["X-Ratelimit-Tier"] = v[1:2:2]
	h["X-Ratelimit-Window"] = v[2:3:3]
	h["X-Ratelimit-Reset"] = v[3:4:4]
	h["X-Ratelimit-Remaining"] = v[4:5:5]
}

// Refuse responds 429 with Retry-After and a RateLimitError body. Except for the seconds to wait,
// the body was encoded when the Limiter was created.
func (l *Limiter) Refuse(w http.ResponseWriter, r *http.Request, d Decision) {
	if x := From(r.Context()); x.Tier == "" {
		x.Tier = d.Tier
	}
	retry := strconv.Itoa(d.RetryAfter)
	h := w.Header()
	d.WriteHeaders(h)
	h.Set("Retry-After", retry)
	h.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusTooManyRequests)
	tier := l.tiers.Load().by[d.Tier]
	for _, part := range [...][]byte{tier.bodyHead, []byte(retry), tier.bodyTail} {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// limitTier is a tier's limit and the encoded body of its refusals, split around the seconds to
// wait.
type limitTier struct {
	limit              int
	bodyHead, bodyTail []byte
}

type rateLimitError struct {
	Error rateLimitDetails `json:"error"`
}

type rateLimitDetails struct {
	Type          string        `json:"type"`
	Message       string        `json:"message"`
	Tier          string        `json:"tier"`
	Limit         int           `json:"limit"`
	LimitWindow   string        `json:"limit_window"`
	RetryAfter    int           `json:"retry_after"`
	CurrentStatus currentStatus `json:"current_status,omitzero"`
	Suggestions   []string      `json:"suggestions"`
	HeadersNote   string        `json:"headers_note,omitempty"`
}

// WriteLimitError responds 429 for a limit on an action rather than on requests. The message names
// the limit. The body is a RateLimitError, as in Refuse.
func WriteLimitError(w http.ResponseWriter, r *http.Request, message string, limit int64, window, wait time.Duration) {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	body, err := json.Marshal(rateLimitError{rateLimitDetails{Type: "rate_limit_exceeded", Message: message,
		Tier: From(r.Context()).Tier, Limit: int(limit), LimitWindow: inWords(window), RetryAfter: seconds,
		Suggestions: []string{"Wait the number of seconds in Retry-After before the next such request."}}})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	h := w.Header()
	h.Set("Retry-After", strconv.Itoa(seconds))
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Del("ETag")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = w.Write(body)
}

// inWords returns the length of a window in words: "1 day", "1 hour", "15 minutes".
func inWords(window time.Duration) string {
	n, unit := int64(window/time.Minute), "minute"
	switch {
	case window%(24*time.Hour) == 0:
		n, unit = int64(window/(24*time.Hour)), "day"
	case window%time.Hour == 0:
		n, unit = int64(window/time.Hour), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return strconv.FormatInt(n, 10) + " " + unit
}

type currentStatus struct {
	Tier        string         `json:"tier"`
	Limits      map[string]int `json:"limits"`
	UpgradePath upgradePath    `json:"upgrade_path"`
}

type upgradePath struct {
	Current     string   `json:"current"`
	Recommended string   `json:"recommended"`
	Benefits    []string `json:"benefits"`
	Action      string   `json:"action"`
}

// retryMark is a placeholder for the seconds to wait, at which the body is split.
const retryMark = -987654321

func newLimitTier(tier string, ranked []string, limits map[string]int) limitTier {
	shown := make(map[string]int, len(limits))
	for name, limit := range limits {
		shown[name] = effectiveLimit(limit)
	}
	limit := shown[tier]
	body, err := json.Marshal(rateLimitError{rateLimitDetails{
		Type:          "rate_limit_exceeded",
		Message:       fmt.Sprintf("The %s tier allows %s.", tier, rate(limit)),
		Tier:          tier,
		Limit:         limit,
		LimitWindow:   "1 minute",
		RetryAfter:    retryMark,
		CurrentStatus: currentStatus{Tier: tier, Limits: shown, UpgradePath: newUpgradePath(tier, ranked, shown)},
		Suggestions: []string{
			"Wait the number of seconds in Retry-After before the next request.",
			"Use X-RateLimit-Remaining and X-RateLimit-Reset to space out requests.",
			"Send If-None-Match, and cache responses as long as Cache-Control allows.",
		},
		HeadersNote: "Every response has X-RateLimit-Limit, -Remaining, -Reset (Unix seconds), -Tier and -Window (seconds).",
	}})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	head, tail, _ := strings.Cut(string(body), strconv.Itoa(retryMark))
	return limitTier{limit: limit, bodyHead: []byte(head), bodyTail: []byte(tail)}
}

// newUpgradePath recommends the next tier with a higher limit, or the current tier if no other tier
// has one.
func newUpgradePath(tier string, ranked []string, shown map[string]int) upgradePath {
	for _, next := range ranked {
		if shown[next] > shown[tier] {
			return upgradePath{
				Current:     tier,
				Recommended: next,
				Benefits:    []string{rate(shown[next])},
				Action:      fmt.Sprintf("Use a token of an account of the %s tier.", next),
			}
		}
	}
	return upgradePath{
		Current: tier, Recommended: tier, Benefits: []string{},
		Action: "No tier has a higher limit. Space out your requests.",
	}
}

func rate(limit int) string {
	if limit == Unlimited {
		return "any number of requests"
	}
	return fmt.Sprintf("%d requests per minute", limit)
}

// rankTiers sorts the tiers by their limits, the strictest first.
func rankTiers(limits map[string]int) []string {
	ranked := make([]string, 0, len(limits))
	for tier := range limits {
		ranked = append(ranked, tier)
	}
	slices.SortFunc(ranked, func(a, b string) int {
		return cmp.Or(cmp.Compare(effectiveLimit(limits[a]), effectiveLimit(limits[b])), cmp.Compare(a, b))
	})
	return ranked
}

// effectiveLimit replaces 0 with Unlimited.
func effectiveLimit(limit int) int {
	if limit <= 0 {
		return Unlimited
	}
	return limit
}
