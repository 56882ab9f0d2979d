package middleware

import (
	"context"
	"hash/maphash"
	"math"
	"sync"
	"time"
)

const (
	// limitWindow is the length of a window (behaviour.md section 9).
	limitWindow = time.Minute
	// Unlimited is the limit and the remaining number that tiers without a
	// limit are shown: clients pace themselves on both, and 0 would stop them.
	Unlimited = math.MaxInt32

	limitShards = 64
	// maxShardKeys bounds the memory to some 20 MB however many addresses ask.
	maxShardKeys = 2048
)

// Limiter counts requests per key in windows of a minute, in memory. It is safe
// for concurrent use, and reads no clock: callers pass the time.
//
// A key's window begins with its first request, not at the full minute: with
// common windows all clients that wait for the reset would come back at the same
// moment, and a guest's first minute could last a second. As with any fixed
// window, a burst around its end can pass up to twice the limit within a minute;
// in return a client is told one moment at which it has its whole limit again.
type Limiter struct {
	tiers    map[string]limitTier
	fallback string
	seed     maphash.Seed
	shared   Shared
	shards   [limitShards]limitShard
}

type limitShard struct {
	mu      sync.Mutex
	windows map[Key]limitCount
	sweepAt int64
}

// limitCount is one key's current window.
type limitCount struct {
	end   int64 // Unix nanoseconds
	used  int
	limit int
	tier  string
}

// NewLimiter returns a Limiter with the requests per minute of each tier, 0
// meaning unlimited. A tier that is not named is treated as the strictest one.
// It panics if limits is empty.
func NewLimiter(limits map[string]int) *Limiter {
	ranked := rankTiers(limits)
	l := &Limiter{tiers: make(map[string]limitTier, len(limits)), fallback: ranked[0], seed: maphash.MakeSeed()}
	for _, tier := range ranked {
		l.tiers[tier] = newLimitTier(tier, ranked, limits)
	}
	for i := range l.shards {
		l.shards[i].windows = make(map[Key]limitCount)
	}
	return l
}

// Shared counts one request over all servers: of key against a limit in a window. It is
// false where that cannot be done just now.
type Shared func(ctx context.Context, key string, limit int, window time.Duration) (Counted, bool)

// Counted is what came of a request that was counted over all servers.
type Counted struct {
	Allowed   bool
	Remaining int           // that are left just now
	Reset     time.Duration // until the whole limit is there again
	Retry     time.Duration // until one more is allowed; 0 if this one was
}

// Share has requests be counted over all servers as long as that can be done. The limit then
// fills again evenly instead of at the end of a window: a limit of 60 gives one more request
// after a second. It is called before the first request.
func (l *Limiter) Share(s Shared) { l.shared = s }

// Take counts one request of key, which has the given tier now. Of any number
// of parallel calls, exactly the tier's limit is allowed per window.
func (l *Limiter) Take(ctx context.Context, now time.Time, key Key, tier string) Decision {
	if _, known := l.tiers[tier]; !known {
		tier = l.fallback
	}
	limit := l.tiers[tier].limit
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
		s.makeRoom(at)
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

// note remembers of a request that was counted over all servers what Look and Exhausted
// go by, and Take when the others cannot be asked any more.
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
		s.makeRoom(at)
	}
	s.windows[key] = c
	return d
}

// Look returns what Take would leave as it is: the state of key's window. It counts
// nothing.
func (l *Limiter) Look(now time.Time, key Key, tier string) Decision {
	s, at := l.shard(key), now.UnixNano()
	s.mu.Lock()
	c, found := s.windows[key]
	s.mu.Unlock()
	if found && !c.over(at) {
		return c.decision(at, true)
	}
	limit := l.tiers[tier].limit
	return Decision{Allowed: true, Tier: tier, Limit: limit, Remaining: limit, Reset: ceilUnix(now.Add(limitWindow).UnixNano())}
}

// Exhausted returns the refusal that Take would give if key has used up the
// limit of the tier it was last taken with. It counts nothing, and lets a known
// token be refused before anything is looked up; a tier raised meanwhile is
// thus noticed when the window ends.
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

// over reports whether the window has ended. One that ends too far ahead is
// over as well: the clock was set back, which must not lock anyone out.
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

// makeRoom forgets ended windows, at most once per window, and beyond the bound
// any key at all, which costs that key nothing.
func (s *limitShard) makeRoom(at int64) {
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

// ceilUnix rounds up, so that the window has ended when that second begins.
func ceilUnix(nanos int64) int64 {
	return (nanos + int64(time.Second) - 1) / int64(time.Second)
}
