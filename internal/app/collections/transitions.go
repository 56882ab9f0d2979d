package collections

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// ApplyTransition is the job that carries a change of a large channel to its contents.
type ApplyTransition = store.ApplyTransition

// batchesPerJob keeps a run of the job well within its time.
const batchesPerJob = 200

// ApplyTransition carries what is pending to the contents of a channel, a batch in each
// transaction. It may stop anywhere and run again.
func (a *Collections) ApplyTransition(ctx context.Context, job ApplyTransition) error {
	for n := 1; ; n++ {
		var more bool
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.ApplySome(ctx, job.ID)
			if err == nil && more && n == batchesPerJob {
				err = tx.Enqueue(ctx, job, jobs.For(int64(job.By)))
			}
			return err
		})
		if err != nil || !more || n == batchesPerJob {
			return err
		}
	}
}

// ResumeTransitions is the job that looks for changes whose job was lost or given up.
type ResumeTransitions struct{}

// Kind implements jobs.Args.
func (ResumeTransitions) Kind() string { return "resume_transitions" }

// ResumeInterval is how often it looks.
const ResumeInterval = 10 * time.Minute

// ResumeTransitions goes on with all changes that are pending. Another job may be about
// the same: each batch is one or the other's.
func (a *Collections) ResumeTransitions(ctx context.Context) error {
	for last := domain.ChannelID(0); ; {
		ids, err := a.Store.Pending(ctx, last, core.ClearBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := a.ApplyAll(ctx, id); err != nil {
				return err
			}
			last = id
		}
	}
}

// ApplyAll carries all that is pending to the contents of a channel.
func (a *Collections) ApplyAll(ctx context.Context, id domain.ChannelID) error {
	return a.InBatches(ctx, func(tx *store.Tx) (n int, err error) {
		more, err := tx.ApplySome(ctx, id)
		if more {
			n = core.SweepBatch
		}
		return n, err
	})
}
