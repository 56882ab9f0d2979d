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

// InBatches runs a transaction until it finds less than a batch.
func (a *Core) InBatches(ctx context.Context, sweep func(tx *store.Tx) (int, error)) error {
	for {
		n := 0
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			n, err = sweep(tx)
			return err
		})
		if err != nil || n < SweepBatch {
			return err
		}
	}
}
