package operating

import (
	"context"
	"encoding/json"
	"fmt"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// JobState is the state of a job.
type JobState = jobs.State

// Jobs lists up to limit jobs in a state, newest first. It is for the operator, so it needs no actor.
func (a *Operating) Jobs(ctx context.Context, state jobs.State, limit int) ([]jobs.Job, error) {
	all, _, err := a.Store.Jobs(ctx, state, "", limit)
	return all, err
}

// JobsAfter lists up to limit jobs in a state for an operator, newest first, from the beginning or after a cursor, and the
// cursor after them, "" at the end. A fault names `cursor`.
func (a *Operating) JobsAfter(ctx context.Context, actor domain.Actor, state jobs.State, cursor string, limit int) (all []jobs.Job, next string, err error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return nil, "", err
	}
	secret, err := a.Store.Changes().Secret(ctx)
	if err != nil {
		return nil, "", err
	}
	list, after := "jobs "+string(state), ""
	if cursor != "" {
		if err := core.OpenCursor(secret, list, cursor, &after); err != nil {
			return nil, "", err
		}
	}
	if all, after, err = a.Store.Jobs(ctx, state, after, limit); err != nil || after == "" {
		return all, "", err
	}
	return all, core.SealCursor(secret, list, after), nil
}

// RetryJob runs a failed or interrupted job again, a waiting one immediately and, if forced, even a running one. A block
// whose content was given up waits for it again, as with Reprocess; a new job then replaces the failed one. It is for
// the operator, so it needs no actor. For jobs that cannot be retried, it returns the errors of jobs.Queue.Retry.
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

// retryProcessing repeats a failed job. It does nothing if the block has got its content in the meantime, or was
// deleted.
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
	b, err := tx.Blocks().AnyBlock(ctx, id)
	if err != nil {
		return err
	}
	if _, err := a.content.Restart(ctx, tx, b); err != nil {
		return err
	}
	return tx.ForgetJob(ctx, job)
}

func lockedProcessing(ctx context.Context, tx *store.Tx, id domain.BlockID) (domain.ProcessingStatus, error) {
	if err := tx.Blocks().LockBlock(ctx, id); err != nil {
		return domain.ProcessingStatus{}, err
	}
	return tx.Blobs().Processing(ctx, id)
}
