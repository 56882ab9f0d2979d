package operating

import (
	"context"

	"vitrine/internal/store/derived"
)

// Backfill is the remaining work of a job that fills in values for rows from before an upgrade.
type Backfill = derived.BackfillLeft

// BackfillsFor is Backfills for an operator.
func (a *Operating) BackfillsFor(ctx context.Context, by Operator) ([]Backfill, error) {
	if err := by.Allowed(ctx, a.Store.Queries); err != nil {
		return nil, err
	}
	return a.Backfills(ctx)
}

// Backfills returns all backfills. It is for the operator, so it needs no actor.
func (a *Operating) Backfills(ctx context.Context) ([]Backfill, error) {
	return a.Store.Backfills().Backfills(ctx)
}
