package certs

import (
	"context"
	"slices"
	"time"
)

// Authorities allow few failed attempts per hour, so the pause doubles after each failure.
const (
	firstPause = time.Minute
	maxPause   = 2 * time.Hour
)

// pause blocks attempts for a domain after a failure.
type pause struct {
	length time.Duration
	until  time.Time
	err    error
}

// paused returns the error of the last attempt until its pause is over, then nil.
func (c *Certificates) paused(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pauses[name]; c.o.Now().Before(p.until) {
		return p.err
	}
	return nil
}

// note starts or ends the pause of a domain after an attempt. If several callers waited for the
// same attempt, it counts once.
func (c *Certificates) note(name string, err error) {
	if !slices.Contains(c.o.Domains, name) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p, now := c.pauses[name], c.o.Now()
	switch {
	case err == nil:
		delete(c.pauses, name)
	case !now.Before(p.until):
		p.length = min(max(firstPause, 2*p.length), maxPause)
		p.until, p.err = now.Add(p.length), err
		c.pauses[name] = p
		c.o.Log.Warn("no certificate obtained: does the domain resolve to this server, and are ports 80 and 443 open?",
			"domain", name, "error", err, "again_in", p.length)
	}
}

// left returns the remaining pause of a domain.
func (c *Certificates) left(name string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pauses[name].until.Sub(c.o.Now())
}

// wait waits for d or until ctx is done.
func (c *Certificates) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
