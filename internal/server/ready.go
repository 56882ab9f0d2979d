package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/database"
)

// readiness is something without which requests cannot be served, by the name that
// /readyz gives it. Its check returns why they cannot, for the log; it is called often, and
// may take as long as ctx.
type readiness struct {
	name  string
	check func(ctx context.Context) error
}

// storageEvery is how often the storage is asked, however often /readyz is.
const storageEvery = 5 * time.Second

// readinessChecks are those of /readyz, in their order.
func (s *Server) readinessChecks(blobs blob.Store) []readiness {
	return []readiness{
		{"database", s.App.Ready},
		{"storage", (&cached{every: storageEvery, check: blobs.Ready}).ready},
		{"disk", s.App.DiskReady},
	}
}

// readyz reports whether requests should be sent here: all that they need is there, and the
// server is not about to stop. A balancer of nodes that share their storage leaves it out
// (?exclude=storage), or it would leave out every node at once.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.leaving.Load() {
		plain(w, http.StatusServiceUnavailable, "not ready: stopping")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
	defer cancel()
	without := r.URL.Query()["exclude"]
	for _, c := range s.checks {
		if slices.Contains(without, c.name) {
			continue
		}
		if err := c.check(ctx); err != nil {
			s.log.WarnContext(ctx, "not ready", "for", c.name, "error", err)
			reason := c.name
			if errors.Is(err, database.ErrNewerSchema) || errors.Is(err, database.ErrOlderSchema) { // numbers of versions, no more
				reason = err.Error()
			}
			plain(w, http.StatusServiceUnavailable, "not ready: "+reason)
			return
		}
	}
	plain(w, http.StatusOK, "ready")
}

// cached is a check whose last result serves for a while.
type cached struct {
	every time.Duration
	check func(ctx context.Context) error

	mu   sync.Mutex
	at   time.Time
	last error
}

// ready has one caller check while others wait for the result. A check that its caller
// broke off says nothing.
func (c *cached) ready(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() && time.Since(c.at) < c.every {
		return c.last
	}
	err := c.check(ctx)
	if ctx.Err() != nil {
		return err
	}
	c.at, c.last = time.Now(), err
	return err
}

// warnOfDisk says at start what otherwise only /readyz and uploads would show.
func (s *Server) warnOfDisk(ctx context.Context) {
	if err := s.App.DiskReady(ctx); err != nil {
		s.log.WarnContext(ctx, "free disk space is below --disk-reserve, so no files are accepted and /readyz answers 503: make room, or set a smaller reserve",
			"disk-reserve", s.cfg.DiskReserve, "error", err)
	}
}

// drain has /readyz answer 503, and goes on for the configuration's delay, or until ctx
// is done.
func (s *Server) drain(ctx context.Context) {
	s.leaving.Store(true)
	if s.cfg.DrainDelay == 0 || s.http == nil {
		return
	}
	s.log.InfoContext(ctx, "still taking requests before shutting down", "delay", s.cfg.DrainDelay)
	select {
	case <-ctx.Done():
	case <-time.After(s.cfg.DrainDelay):
	}
}
