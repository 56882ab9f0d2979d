package core

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ChangeUser changes a user whose row is locked, and gives them as they then are.
func (a *Core) ChangeUser(ctx context.Context, ref domain.Ref, change func(tx *store.Tx, u domain.User) error) (u domain.User, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if u, err = tx.User(ctx, ref); err != nil {
			return err
		}
		c, err := tx.LockUser(ctx, u.ID) // a deletion meanwhile must not be written over
		if err != nil {
			return err
		}
		if err := change(tx, c.User); err != nil {
			return err
		}
		u, err = tx.User(ctx, domain.Ref{ID: int64(u.ID)})
		return err
	})
	return u, err
}
