package search

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/store"
)

// IndexWords is the job that makes things found by their words that were there before
// there was search, or were loaded past it.
type IndexWords struct{}

// Kind implements jobs.Args.
func (IndexWords) Kind() string { return "index_words" }

// IndexInterval is how often it looks for such things.
const IndexInterval = 10 * time.Minute

// IndexWords may stop anywhere and run again. Until it has come to a thing, search finds
// it by everything but words.
func (a *Finder) IndexWords(ctx context.Context) error {
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.IndexPending(ctx, core.SweepBatch) })
}
