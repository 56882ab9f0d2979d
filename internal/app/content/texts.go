package content

import (
	"context"
	"time"

	"vitrine/internal/store"
)

// CountTexts is the job that counts texts from before texts counted towards quotas.
type CountTexts struct{}

// Kind implements jobs.Args.
func (CountTexts) Kind() string { return "count_texts" }

// CountTextsInterval is the interval of the job.
const CountTextsInterval = 10 * time.Minute

// countBatch is the number of users per transaction. Reading all their texts locks their rows of byte_usage and, on
// SQLite, blocks all other writers.
const countBatch = 5

// CountTexts may stop at any point and run again. Until it reaches a user, only the texts written since the upgrade
// count.
func (a *Content) CountTexts(ctx context.Context) error {
	return a.InBatchesOf(ctx, countBatch, func(tx *store.Tx) (int, error) { return tx.Counters().CountTexts(ctx, countBatch) })
}
