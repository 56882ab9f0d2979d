package certs

import (
	"context"
	"slices"
	"time"
)

// Authorities take few failed attempts in an hour, so that each failure doubles the
// pause before the next.
const (
	firstPause = time.Minute
	mostPause  = 2 * time.Hour
)

// pause is for how long a domain is left alone, and why.
type pause struct {
	length time.Duration
	until  time.Time
	err    error
}

// paused gives the error of the last attempt while its pause lasts.
func (c *Certificates) paused(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pauses[name]; c.o.Now().Before(p.until) {
		return p.err
	}
	return nil
}

// note begins or ends the pause of a domain by how an attempt went. Of many that wait
// for the same attempt, one counts.
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
		p.length = min(max(firstPause, 2*p.length), mostPause)
		p.until, p.err = now.Add(p.length), err
		c.pauses[name] = p
		c.o.Log.Warn("no certificate obtained: does the domain resolve to this server, and are ports 80 and 443 open?",
			"domain", name, "error", err, "again_in", p.length)
	}
}

// left is how long a domain is left alone still.
func (c *Certificates) left(name string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pauses[name].until.Sub(c.o.Now())
}

// wait returns after a time, or when ctx is done.
func (c *Certificates) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
