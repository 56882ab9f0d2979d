package core

import (
	"context"

	"vitrine/internal/store"
)

// ClearBatch is how many things are looked up at once; each is cleared in a transaction
// of its own.
const ClearBatch = 500

// SweepBatch is how many rows a transaction of the sweep removes.
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
