package signin

import (
	"context"
	"strconv"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Proved gives the credentials of the actor where a password is theirs. The error names
// the field of the password. An account without one has nothing to prove.
//
// Who is signed in is no stranger: attempts of others at the account do not count.
func (a *SignIns) Proved(ctx context.Context, actor domain.Actor, field, password string) (store.Credentials, error) {
	c, err := a.Store.Credentials(ctx, actor.UserID)
	if err != nil || c.PasswordHash == "" && password == "" {
		return c, err
	}
	by, err := a.TryAs(ctx, core.TryPassword, "signed in", strconv.FormatInt(int64(actor.UserID), 10))
	if err != nil {
		return c, err
	}
	right, err := auth.CheckPassword(password, c.PasswordHash)
	if err != nil {
		return c, err
	}
	if !right {
		return c, notTheirs(field)
	}
	return c, a.Succeeded(ctx, by)
}

// LockedAs locks an account whose password is still the one that was proved.
func LockedAs(ctx context.Context, tx *store.Tx, was store.Credentials, field string) (store.Credentials, error) {
	c, err := tx.LockUser(ctx, was.User.ID)
	if err == nil && c.PasswordHash != was.PasswordHash {
		err = notTheirs(field)
	}
	return c, err
}

func notTheirs(field string) error {
	return domain.InvalidField(field, domain.FieldIncorrect, "is not your password")
}
