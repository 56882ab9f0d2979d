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

// readyWithin limits the time of a check of /readyz. A dependency that hangs would otherwise hold up the
// probe until the balancer gives up.
const readyWithin = time.Second

// storageEvery is the minimum time between checks of the storage, however often /readyz is
// requested.
const storageEvery = 5 * time.Second

// errNoAnswer is the result of a check that takes longer than readyWithin.
var errNoAnswer = errors.New("no answer in time")

// readiness checks a dependency that is needed to serve requests.
type readiness struct {
	name   string // shown by /readyz
	check  func(ctx context.Context) error
	every  time.Duration // how long a result is reused; 0: never
	within time.Duration

	mu      sync.Mutex
	running chan struct{} // closed when the current check ends; nil if no check is running
	at      time.Time     // when the last check ended
	last    error
}

// readinessChecks returns the checks of /readyz, in the order in which it reports them.
func (s *Server) readinessChecks(blobs blob.Store) []*readiness {
	return []*readiness{
		{name: "database", check: s.App.Ready, within: readyWithin},
		{name: "schema", check: s.db.Fit, within: readyWithin}, // separate, since the database check can be excluded
		{name: "storage", check: blobs.Ready, every: storageEvery, within: readyWithin},
		{name: "disk", check: s.App.Content.DiskReady, within: readyWithin},
	}
}

// ready returns the result of the check. Concurrent callers share one run, and stop waiting for it after
// within. A check that never ends leaves only one goroutine, however many requests wait for it.
func (c *readiness) ready(ctx context.Context) error {
	c.mu.Lock()
	if c.running == nil && (c.every == 0 || c.at.IsZero() || time.Since(c.at) >= c.every) {
		c.running = make(chan struct{})
		go c.run(context.WithoutCancel(ctx))
	}
	running := c.running
	if running == nil {
		defer c.mu.Unlock()
		return c.last
	}
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	select {
	case <-running:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.last
	case <-ctx.Done():
		return errNoAnswer
	}
}

func (c *readiness) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	err := c.check(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.last = time.Now(), err
	close(c.running)
	c.running = nil
}

// readyz reports whether requests should be sent here: all dependencies work, and the server is not about
// to stop. Balancers of nodes that share a storage exclude it (?exclude=storage), because it would
// otherwise take out all nodes at once. The checks run concurrently.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.leaving.Load() {
		plain(w, http.StatusServiceUnavailable, "not ready: stopping")
		return
	}
	ctx := r.Context()
	without := r.URL.Query()["exclude"]
	results := make([]error, len(s.checks))
	var all sync.WaitGroup
	for i, c := range s.checks {
		if c.name == "schema" || !slices.Contains(without, c.name) {
			all.Go(func() { results[i] = c.ready(ctx) })
		}
	}
	all.Wait()
	for i, err := range results {
		if err == nil {
			continue
		}
		name := s.checks[i].name
		s.log.WarnContext(ctx, "not ready", "for", name, "error", err)
		reason := name
		if errors.Is(err, database.ErrNewerSchema) || errors.Is(err, database.ErrOlderSchema) { // the text contains only version numbers
			reason = err.Error()
		}
		plain(w, http.StatusServiceUnavailable, "not ready: "+reason)
		return
	}
	text := "ready"
	if s.Store.ReadOnly() != nil {
		text = "ready: read-only"
	}
	plain(w, http.StatusOK, text)
}

// warnAboutDisk logs at start what otherwise only /readyz and uploads would show.
func (s *Server) warnAboutDisk(ctx context.Context) {
	if err := s.App.Content.DiskReady(ctx); err != nil {
		s.log.WarnContext(ctx, "free disk space is below --disk-reserve, so uploads are refused and /readyz responds 503: free some space, or set a smaller reserve",
			"disk-reserve", s.cfg.DiskReserve, "error", err)
	}
}

// drain makes /readyz respond 503, and waits for the configured delay or until ctx is done.
func (s *Server) drain(ctx context.Context) {
	s.leaving.Store(true)
	if s.cfg.DrainDelay == 0 || s.http == nil {
		return
	}
	s.log.InfoContext(ctx, "still accepting requests before shutting down", "delay", s.cfg.DrainDelay)
	select {
	case <-ctx.Done():
	case <-time.After(s.cfg.DrainDelay):
	}
}
