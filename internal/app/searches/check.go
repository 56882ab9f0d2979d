package searches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/saved"
)

// CheckSearches is the job that finds new results of saved searches.
type CheckSearches struct{}

// Kind implements jobs.Args.
func (CheckSearches) Kind() string { return "check_searches" }

// The limits of the job.
const (
	CheckInterval  = 5 * time.Minute
	settled        = 10 * time.Minute // age of a document before it is checked: by then its content was fetched
	atOnce         = 100              // searches that are listed at once
	checkTime      = 2 * time.Minute  // of a run
	searchTime     = 5 * time.Second  // of one search
	retryTime      = time.Hour        // before a search is checked again after a failure
	documentsAtAll = 10_000           // documents that one search reads at once
)

// Check finds new results of saved searches until its time is up, and records up to which document each search was
// checked. Those that are furthest behind come first. A search that fails or takes too long waits for an hour.
func (a *Searches) Check(ctx context.Context) (failed error) {
	limited, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	safe, err := a.moveWatermark(ctx)
	if err != nil {
		return err
	}
	for {
		due, err := a.Store.Saved().DueSearches(ctx, safe, a.Now(), atOnce)
		if err != nil || len(due) == 0 {
			return errors.Join(failed, err)
		}
		for _, s := range due {
			if limited.Err() != nil {
				return errors.Join(failed, ctx.Err())
			}
			if err := a.checkOne(ctx, s, safe); err != nil {
				failed = errors.Join(failed, fmt.Errorf("saved search %d: %w", s.ID, err))
				if err := a.postpone(ctx, s.ID); err != nil {
					return errors.Join(failed, err)
				}
			}
		}
	}
}

// moveWatermark returns the number up to which all documents are committed and settled.
func (a *Searches) moveWatermark(ctx context.Context) (safe int64, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		m, err := tx.Saved().LockWatermark(ctx)
		if err == nil {
			safe, err = tx.Saved().MoveWatermark(ctx, m, a.Now(), settled)
		}
		return err
	})
	return safe, err
}

func (a *Searches) postpone(ctx context.Context, id domain.SavedSearchID) error {
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		return tx.Saved().Postpone(ctx, id, a.Now().Add(retryTime))
	})
}

// checkOne finds new results of one search as its owner. It stores them in the transaction that records the last checked
// document, so they are found once, even if several servers check the search at the same time.
func (a *Searches) checkOne(ctx context.Context, s domain.SavedSearch, safe int64) error {
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	owner, err := a.Store.Users().User(limited, domain.Ref{ID: int64(s.User)})
	switch {
	case domain.KindOf(err) == domain.NotFound: // a server of a version without saved searches has deleted the account
		return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Saved().ForgetSearches(ctx, s.User) })
	case err != nil:
		return err
	case owner.SuspendedAt != nil:
		return a.postpone(ctx, s.ID)
	}
	upTo := min(safe, s.ReadTo+documentsAtAll)
	found, err := a.finder.NewResults(limited, domain.Actor{UserID: s.User, Tier: owner.Tier, Scope: domain.ScopeRead},
		s.Search(domain.Page{Number: 1, Per: saved.MaxFound}), s.ReadTo, upTo)
	if err != nil {
		return err
	}
	return a.Store.InTx(limited, func(tx *store.Tx) error {
		ours, err := tx.Saved().Advance(limited, s, upTo)
		if err != nil || !ours || len(found.Items) == 0 {
			return err
		}
		now, err := tx.Saved().Search(limited, s.User, s.ID) // what happens with its results may have changed
		if err != nil {
			return err
		}
		return tx.Saved().AddFound(limited, now, found.Items, found.Total > saved.MaxFound, a.Now())
	})
}
