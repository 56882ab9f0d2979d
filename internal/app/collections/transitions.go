package collections

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// ApplyTransition is the job that applies a change of a large channel to its contents.
type ApplyTransition = store.ApplyTransition

// batchesPerJob keeps a run of the job well within its time limit.
const batchesPerJob = 200

// ApplyTransition applies pending changes to the contents of a channel, with one transaction per batch. It may stop at
// any point and run again.
func (a *Collections) ApplyTransition(ctx context.Context, job ApplyTransition) error {
	for n := 1; ; n++ {
		var more bool
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.Transitions().ApplySome(ctx, job.ID)
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

// ResumeTransitions is the job that continues changes whose job was lost or given up.
type ResumeTransitions struct{}

// Kind implements jobs.Args.
func (ResumeTransitions) Kind() string { return "resume_transitions" }

// ResumeInterval is the interval of the job.
const ResumeInterval = 10 * time.Minute

// ResumeTransitions continues all pending changes. Another job may work on the same change, since each batch is applied
// by only one of them.
func (a *Collections) ResumeTransitions(ctx context.Context) error {
	for last := domain.ChannelID(0); ; {
		ids, err := a.Store.Transitions().Pending(ctx, last, core.ClearBatch)
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

// ApplyAll applies all pending changes to the contents of a channel.
func (a *Collections) ApplyAll(ctx context.Context, id domain.ChannelID) error {
	return a.InBatches(ctx, func(tx *store.Tx) (n int, err error) {
		more, err := tx.Transitions().ApplySome(ctx, id)
		if more {
			n = core.SweepBatch
		}
		return n, err
	})
}
