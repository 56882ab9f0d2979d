package store

import (
	"context"

	"vitrine/internal/jobs"
)

// Queue is the queue of the store's database, for those who work its jobs.
func (s *Store) Queue() *jobs.Queue { return s.queue }

// Enqueue notes a job that runs once the transaction has committed. An error ends the
// transaction.
func (tx *Tx) Enqueue(ctx context.Context, args jobs.Args, options ...jobs.Option) error {
	tx.enqueued = true
	return tx.queue.Enqueue(ctx, tx.tx, args, options...)
}
