package fetch

import (
	"context"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// busyRetry is after how long to come back to a site that is busy with our fetches.
const busyRetry = 5 * time.Second

// hosts holds how many fetches each site has at once. It knows only those that have
// some.
type hosts struct {
	max  int
	wait time.Duration

	mu   sync.Mutex
	open map[string]*host
}

// host has room for fetches. users are those inside and those that wait.
type host struct {
	room  chan struct{}
	users int
}

func newHosts(limit int, wait time.Duration) *hosts {
	return &hosts{max: limit, wait: wait, open: map[string]*host{}}
}

// enter takes a place at the target's site, and returns what gives it back. If there
// is none and none becomes free soon, it fails.
func (h *hosts) enter(ctx context.Context, target *url.URL) (release func(), err error) {
	key := site(target)
	at := h.join(key)
	timer := time.NewTimer(h.wait)
	defer timer.Stop()
	select {
	case at.room <- struct{}{}:
		return func() { <-at.room; h.leave(key, at) }, nil
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
		at = &host{room: make(chan struct{}, h.max)}
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

// site names what is taken for one server, whatever its ports: a registrable domain, so
// that "a.example.org" and "b.example.org" count together, or an address. Whoever has
// one of IPv6 has all that begin alike.
func site(target *url.URL) string {
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
