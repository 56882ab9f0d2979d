package operating

import (
	"context"
	"encoding/json"
	"fmt"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// Jobs gives jobs in a state, the newest first, limit of them at most. It is for the
// operator, so it needs no actor.
func (a *Operating) Jobs(ctx context.Context, state jobs.State, limit int) ([]jobs.Job, error) {
	return a.Store.Jobs(ctx, state, limit)
}

// RetryJob runs a job again that failed or was cut off, or one that waits at once; if
// forced, also one that is running. A block whose content was given up waits for it
// again, as with Reprocess; the job that failed is then replaced by another. It is for
// the operator, so it needs no actor. The errors of jobs.Queue.Retry tell of jobs that
// cannot be.
func (a *Operating) RetryJob(ctx context.Context, id int64, force bool) error {
	return a.retryJob(ctx, domain.Actor{}, id, force)
}

func (a *Operating) retryJob(ctx context.Context, actor domain.Actor, id int64, force bool) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		job, err := tx.Job(ctx, id)
		if err != nil {
			return err
		}
		if err := a.Audit(ctx, tx, actor, domain.ActJobRetried, domain.AuditTarget{Kind: "Job", ID: id, Label: job.Kind}, nil); err != nil {
			return err
		}
		if job.Kind != (content.ProcessBlock{}).Kind() || job.State != jobs.Failed {
			return tx.RetryJob(ctx, id, force)
		}
		var args content.ProcessBlock
		if err := json.Unmarshal(job.Args, &args); err != nil {
			return fmt.Errorf("the arguments of the job %d: %w", id, err)
		}
		return a.retryProcessing(ctx, tx, id, args.Block)
	})
}

// retryProcessing does what is left to do of a job that was given up. Nothing is if
// the block has got its content since, or is gone.
func (a *Operating) retryProcessing(ctx context.Context, tx *store.Tx, job int64, id domain.BlockID) error {
	p, err := lockedProcessing(ctx, tx, id)
	switch {
	case domain.KindOf(err) == domain.NotFound, err == nil && p.State == domain.ProcessingDone:
		return tx.ForgetJob(ctx, job)
	case err != nil:
		return err
	case p.State == domain.ProcessingWaiting: // for this job
		return tx.RetryJob(ctx, job, false)
	}
	b, err := tx.AnyBlock(ctx, id)
	if err != nil {
		return err
	}
	if _, err := a.content.Restart(ctx, tx, b); err != nil {
		return err
	}
	return tx.ForgetJob(ctx, job)
}

func lockedProcessing(ctx context.Context, tx *store.Tx, id domain.BlockID) (domain.ProcessingStatus, error) {
	if err := tx.LockBlock(ctx, id); err != nil {
		return domain.ProcessingStatus{}, err
	}
	return tx.Processing(ctx, id)
}
