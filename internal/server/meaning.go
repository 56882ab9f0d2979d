package server

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/config"
	"vitrine/internal/embeddings"
	"vitrine/internal/obs"
)

// embedInterval is how often a server computes the vectors of new and changed blocks.
const embedInterval = 15 * time.Second

// newMeaning returns search by meaning, or nil if it is off.
func newMeaning(cfg config.Embeddings, stats *obs.Metrics) *collections.Meaning {
	if cfg.URL == "" {
		return nil
	}
	o := embeddings.Options{URL: cfg.URL, Model: cfg.Model, Key: cfg.Key}
	if stats != nil {
		o.Watch = func(next http.RoundTripper) http.RoundTripper { return stats.Watched(obs.Embeddings, next) }
	}
	return collections.NewMeaning(embeddings.New(o), cfg.Private)
}

// embedding computes the vectors of blocks in the background. It is not a job of the queue because an endpoint may need days
// for a large site, and must not keep jobs waiting or delay a shutdown.
type embedding struct {
	s    *Server
	stop context.CancelFunc
	done chan struct{}
}

// start starts computing vectors. If search by meaning is off, it only stops the queue.
func (e *embedding) start() {
	ctx, cancel := context.WithCancel(context.Background())
	e.stop, e.done = cancel, make(chan struct{})
	go func() {
		defer close(e.done)
		tick := time.NewTicker(embedInterval)
		defer tick.Stop()
		for ctx.Err() == nil {
			if err := e.s.db.Fit(ctx); err == nil { // otherwise a newer program has replaced this one
				if err := e.s.App.Finder.EmbedBlocks(ctx); err != nil && ctx.Err() == nil {
					e.s.log.WarnContext(ctx, "search by meaning is not up to date", "error", err)
				}
			}
			if e.s.cfg.Embeddings.URL == "" {
				return
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
}

// end interrupts the computation. The next server continues it.
func (e *embedding) end() {
	if e.stop != nil {
		e.stop()
		<-e.done
	}
}
