package collections

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/store"
)

// IndexWords is the job that indexes things from before there was search, or that were loaded without indexing.
type IndexWords struct{}

// Kind implements jobs.Args.
func (IndexWords) Kind() string { return "index_words" }

// IndexInterval is the interval of the job.
const IndexInterval = 10 * time.Minute

// IndexWords may stop at any point and run again. Until it has reached a thing, search finds it by everything except
// words.
func (a *Finder) IndexWords(ctx context.Context) error {
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Documents().IndexPending(ctx, core.SweepBatch) })
}

// RefreshDocuments is the job that updates the search documents that an earlier version wrote.
type RefreshDocuments struct{}

// Kind implements jobs.Args.
func (RefreshDocuments) Kind() string { return "refresh_documents" }

// refreshBatch is how many documents are compared in a transaction, which reads the texts of all of them.
const refreshBatch = 50

// RefreshDocuments may stop at any point and run again. Until it has reached a block with an unusual URL,
// the block is not found by the readable form of the URL.
func (a *Finder) RefreshDocuments(ctx context.Context) error {
	return a.InBatchesOf(ctx, refreshBatch, func(tx *store.Tx) (int, error) { return tx.Documents().RefreshDocuments(ctx, refreshBatch, a.Now()) })
}
