package fetch

import (
	"context"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// busyRetry is when to retry a site that is busy with our fetches.
const busyRetry = 5 * time.Second

// hosts limits the concurrent fetches per site. It contains only sites with active or waiting
// fetches.
type hosts struct {
	max  int
	wait time.Duration

	mu   sync.Mutex
	open map[string]*host
}

// host is the semaphore of a site. users counts active and waiting fetches.
type host struct {
	slots chan struct{}
	users int
}

func newHosts(limit int, wait time.Duration) *hosts {
	return &hosts{max: limit, wait: wait, open: map[string]*host{}}
}

// enter acquires a slot at the target's site, and returns the function that releases it. It fails
// if no slot becomes free soon.
func (h *hosts) enter(ctx context.Context, target *url.URL) (release func(), err error) {
	key := Site(target)
	at := h.join(key)
	release = func() { <-at.slots; h.leave(key, at) }
	select {
	case at.slots <- struct{}{}: // even if the wait is over before the next select, which would choose at random
		return release, nil
	default:
	}
	timer := time.NewTimer(h.wait)
	defer timer.Stop()
	select {
	case at.slots <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = &Error{Reason: "Too much is being fetched from this site at once", Temporary: true, RetryAfter: busyRetry, cause: ErrBusy}
	}
	h.leave(key, at)
	return nil, err
}

func (h *hosts) join(key string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, ok := h.open[key]
	if !ok {
		at = &host{slots: make(chan struct{}, h.max)}
		h.open[key] = at
	}
	at.users++
	return at
}

func (h *hosts) leave(key string, at *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at.users--; at.users == 0 {
		delete(h.open, key)
	}
}

// Site returns the key for the limit: a registrable domain, so that "a.example.org" and
// "b.example.org" count together, or an IP address. Ports are ignored. IPv6 addresses are grouped
// by prefix, since their owners usually have the whole prefix.
func Site(target *url.URL) string {
	name := target.Hostname()
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr = addr.Unmap(); addr.Is6() {
			addr = netip.PrefixFrom(addr, 64).Masked().Addr()
		}
		return addr.String()
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
		name = domain
	}
	return name
}
