package operating

import (
	"context"

	"vitrine/internal/store/derived"
)

// Backfill is the remaining work of a job that fills in values for rows from before an upgrade.
type Backfill = derived.BackfillLeft

// Backfills returns all backfills. It is for the operator, so it needs no actor.
func (a *Operating) Backfills(ctx context.Context) ([]Backfill, error) {
	return a.Store.Backfills().Backfills(ctx)
}
