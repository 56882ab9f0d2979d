package content

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/store"
)

// CountTexts is the job that sums the texts that users stored before texts counted towards quotas.
type CountTexts struct{}

// Kind implements jobs.Args.
func (CountTexts) Kind() string { return "count_texts" }

// CountTextsInterval is the interval of the job.
const CountTextsInterval = 10 * time.Minute

// CountTexts may stop at any point and run again. Until it has reached a user, only the texts that
// they have written since the upgrade count.
func (a *Content) CountTexts(ctx context.Context) error {
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.CountTexts(ctx, core.SweepBatch) })
}
