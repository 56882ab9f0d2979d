package operating

import (
	"context"

	"vitrine/internal/domain"
)

// Receipts lists the receipts of exports and erasures for an operator, newest first, starting below an id; 0 means from the
// beginning.
func (a *Operating) Receipts(ctx context.Context, by Operator, below domain.DataReceiptID, limit int) ([]domain.DataReceipt, error) {
	if err := by.Allowed(ctx, a.Store.Queries); err != nil {
		return nil, err
	}
	return a.Store.Account().Receipts(ctx, below, limit)
}
