package core

import (
	"context"

	"vitrine/internal/store"
)

// ClearBatch is the number of things looked up at once. Each is cleared in its own transaction.
const ClearBatch = 500

// SweepBatch is the number of rows that a transaction of the sweep removes.
const SweepBatch = 500

// InBatches runs transactions of SweepBatch rows until one finds fewer.
func (a *Core) InBatches(ctx context.Context, sweep func(tx *store.Tx) (int, error)) error {
	return a.InBatchesOf(ctx, SweepBatch, sweep)
}

// InBatchesOf runs transactions of size rows until one finds fewer.
func (a *Core) InBatchesOf(ctx context.Context, size int, sweep func(tx *store.Tx) (int, error)) error {
	for {
		n := 0
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			n, err = sweep(tx)
			return err
		})
		if err != nil || n < size {
			return err
		}
	}
}
