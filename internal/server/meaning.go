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
// for a large site, and must not keep jobs waiting or delay a shutdown. The next server continues what a shutdown interrupts.
type embedding struct {
	background
	s *Server
}

// start starts computing vectors. If search by meaning is off, it only stops the queue.
func (e *embedding) start() {
	e.background.start(embedInterval, func(ctx context.Context) bool {
		e.s.whileFit(ctx, "search by meaning is not up to date", e.s.App.Finder.EmbedBlocks)
		return e.s.cfg.Embeddings.URL != ""
	})
}
