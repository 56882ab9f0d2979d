package core

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ChangeUser locks a user, changes them, and returns the new state.
func (a *Core) ChangeUser(ctx context.Context, ref domain.Ref, change func(tx *store.Tx, u domain.User) error) (u domain.User, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if u, err = tx.Users().User(ctx, ref); err != nil {
			return err
		}
		c, err := tx.Users().LockUser(ctx, u.ID) // do not overwrite a concurrent deletion
		if err != nil {
			return err
		}
		if err := change(tx, c.User); err != nil {
			return err
		}
		u, err = tx.Users().User(ctx, domain.Ref{ID: int64(u.ID)})
		return err
	})
	return u, err
}
