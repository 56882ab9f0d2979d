package operating

import (
	"context"

	"vitrine/internal/store/backfills"
)

// Backfill is how much a job has yet to fill in for rows from before an upgrade.
type Backfill = backfills.Left

// Backfills gives all of them. It is for the operator, so it needs no actor.
func (a *Operating) Backfills(ctx context.Context) ([]Backfill, error) {
	return a.Store.Backfills(ctx)
}
