package content

import (
	"context"
	"time"

	"vitrine/internal/store"
)

// CountTexts is the job that sums the texts that users stored before texts counted towards quotas.
type CountTexts struct{}

// Kind implements jobs.Args.
func (CountTexts) Kind() string { return "count_texts" }

// CountTextsInterval is the interval of the job.
const CountTextsInterval = 10 * time.Minute

// countBatch is how many users are counted in a transaction. Their rows of byte_usage are locked,
// and on SQLite nobody else writes, while all of their texts are read.
const countBatch = 5

// CountTexts may stop at any point and run again. Until it has reached a user, only the texts that
// they have written since the upgrade count.
func (a *Content) CountTexts(ctx context.Context) error {
	return a.InBatchesOf(ctx, countBatch, func(tx *store.Tx) (int, error) { return tx.CountTexts(ctx, countBatch) })
}
