package store

import (
	"context"

	"vitrine/internal/jobs"
)

// Queue returns the queue of the store's database, for the workers.
func (s *Store) Queue() *jobs.Queue { return s.queue }

// Enqueue adds a job that runs after the transaction has committed. An error ends the transaction.
func (tx *Tx) Enqueue(ctx context.Context, args jobs.Args, options ...jobs.Option) error {
	tx.enqueued = true
	return tx.queue.Enqueue(ctx, tx.tx, tx.scope.Cause, args, options...)
}

// Jobs lists jobs in a state, newest first. See jobs.Queue.List.
func (s *Store) Jobs(ctx context.Context, state jobs.State, cursor string, limit int) (list []jobs.Job, next string, err error) {
	// The queue reads in a transaction that could write.
	err = s.InTxAlways(ctx, func(tx *Tx) error {
		list, next, err = tx.queue.List(ctx, tx.tx, state, cursor, limit)
		return err
	})
	return list, next, err
}

// LastError returns the unfinished job of a class that failed last, or jobs.ErrNoJob.
func (s *Store) LastError(ctx context.Context, class jobs.Class) (job jobs.Job, err error) {
	err = s.InTxAlways(ctx, func(tx *Tx) error {
		job, err = tx.queue.LastError(ctx, tx.tx, class)
		return err
	})
	return job, err
}

// Job reads a job. It returns jobs.ErrNoJob if the job does not exist.
func (tx *Tx) Job(ctx context.Context, id int64) (jobs.Job, error) {
	return tx.queue.Get(ctx, tx.tx, id)
}

// RetryJob makes a failed, waiting or interrupted job due. See jobs.Queue.
func (tx *Tx) RetryJob(ctx context.Context, id int64, force bool) error {
	tx.enqueued = true
	return tx.queue.Retry(ctx, tx.tx, id, force)
}

// ForgetJob deletes a job that is not running.
func (tx *Tx) ForgetJob(ctx context.Context, id int64) error {
	return tx.queue.Forget(ctx, tx.tx, id)
}
