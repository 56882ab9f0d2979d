package operating

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// change locks an account, changes it, and returns its new state.
func (a *Operating) change(ctx context.Context, by Operator, ref domain.Ref, change func(tx *store.Tx, u domain.User) error) (domain.User, error) {
	return a.ChangeUser(ctx, ref, func(tx *store.Tx, u domain.User) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		return change(tx, u)
	})
}

// Account reads an account for an operator.
func (a *Operating) Account(ctx context.Context, by Operator, ref domain.Ref) (u domain.User, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		u, err = v.Users().User(ctx, ref)
		return err
	})
	return u, err
}

// SetEmail changes the address of an account without verification, and notifies the previous address. Errors name
// `email`.
func (a *Operating) SetEmail(ctx context.Context, by Operator, ref domain.Ref, email string) (domain.User, error) {
	email, err := core.EmailAddress(strings.TrimSpace(email))
	if err != nil {
		return domain.User{}, err
	}
	u, err := a.change(ctx, by, ref, func(tx *store.Tx, u domain.User) error {
		if u.Email == email {
			return nil
		}
		if err := a.Audit(ctx, tx, by.actor, domain.ActEmailChanged, domain.AboutUser(u), nil); err != nil {
			return err
		}
		return accounts.PutEmail(ctx, tx, u, email)
	})
	return u, accounts.TakenEmail(err)
}

// SendReset mails a link for choosing a password, which works for two hours, or returns the link's address if it is not
// to be mailed. Sessions stay until it is used. A suspended account gets none.
func (a *Operating) SendReset(ctx context.Context, by Operator, ref domain.Ref, mailed bool) (u domain.User, address string, err error) {
	if err := a.CheckLocal(); err != nil {
		return u, "", err
	}
	u, err = a.change(ctx, by, ref, func(tx *store.Tx, u domain.User) error {
		if u.SuspendedAt != nil {
			return domain.NewUnprocessable("The account is suspended")
		}
		if address, err = a.accounts.PutPasswordLink(ctx, tx, u, mailed); err != nil {
			return err
		}
		return a.Audit(ctx, tx, by.actor, domain.ActResetSent, domain.AboutUser(u), map[string]any{"mailed": mailed})
	})
	if err != nil {
		return u, "", err
	}
	return u, address, nil
}

// SetPassword sets the password of an account, ends its sessions and notifies its owner. Errors name `password`.
func (a *Operating) SetPassword(ctx context.Context, by Operator, ref domain.Ref, password string) (domain.User, error) {
	u, err := a.Account(ctx, by, ref)
	if err != nil {
		return u, err
	}
	hash, err := accounts.NewPassword(password, u)
	if err != nil {
		return u, err
	}
	return a.change(ctx, by, domain.Ref{ID: int64(u.ID)}, func(tx *store.Tx, u domain.User) error {
		if err := a.Audit(ctx, tx, by.actor, domain.ActPasswordChanged, domain.AboutUser(u), nil); err != nil {
			return err
		}
		if err := accounts.PutPassword(ctx, tx, u, hash); err != nil {
			return err
		}
		return tx.Account().EndSessions(ctx, u.ID, 0)
	})
}

// SignOutAccount ends all sessions of an account. If tokens is set, it also revokes its personal access tokens and its
// grants to applications.
func (a *Operating) SignOutAccount(ctx context.Context, by Operator, ref domain.Ref, tokens bool) (domain.User, error) {
	return a.change(ctx, by, ref, func(tx *store.Tx, u domain.User) error {
		if err := a.Audit(ctx, tx, by.actor, domain.ActSignedOutAll, domain.AboutUser(u), map[string]any{"tokens": tokens}); err != nil {
			return err
		}
		if err := tx.Account().EndSessions(ctx, u.ID, 0); err != nil || !tokens {
			return err
		}
		if err := tx.Account().DeleteGrantsOf(ctx, u.ID); err != nil {
			return err
		}
		return tx.Account().RevokeTokensOf(ctx, u.ID, a.Now())
	})
}

// RemoveSecondFactor removes the passkeys and recovery codes of a person who has lost them, and notifies them. The
// password is enough to sign in from then on. Sessions stay. It returns Unprocessable without a passkey.
func (a *Operating) RemoveSecondFactor(ctx context.Context, by Operator, ref domain.Ref) (domain.User, error) {
	return a.change(ctx, by, ref, func(tx *store.Tx, u domain.User) error {
		n, err := tx.Account().CountPasskeys(ctx, u.ID)
		if err != nil {
			return err
		}
		if n == 0 {
			return domain.NewUnprocessable("The account has no second factor")
		}
		return a.accounts.EndSecondFactor(ctx, tx, by.actor, u)
	})
}

// PreviewDeletion returns what deleting an account would do.
func (a *Operating) PreviewDeletion(ctx context.Context, by Operator, ref domain.Ref) (u domain.User, f accounts.DeletionPreview, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		if u, err = v.Users().User(ctx, ref); err != nil {
			return err
		}
		f, err = accounts.PreviewDeletionOf(ctx, v, u.ID)
		return err
	})
	return u, f, err
}

// DeleteAccountOf deletes an account as its owner could. slug must be its slug, as a confirmation; the error names
// `slug`. The last operator cannot be deleted, and operators on the website delete their own account in its settings.
func (a *Operating) DeleteAccountOf(ctx context.Context, by Operator, ref domain.Ref, slug string) (u domain.User, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		if u, err = tx.Users().User(ctx, ref); err != nil {
			return err
		}
		if slug != u.Slug {
			return domain.InvalidField("slug", domain.FieldIncorrect, "is not the short name of this account")
		}
		if u.ID == by.actor.UserID {
			return domain.NewUnprocessable("Delete your own account in your settings")
		}
		return a.accounts.EndAccount(ctx, tx, by.actor, u.ID, func(operators []domain.UserID) (store.Credentials, error) {
			if !by.shell && !slices.Contains(operators, by.actor.UserID) {
				return store.Credentials{}, core.Forbidden("run this server")
			}
			if err := accounts.MayLose(operators, u.ID); err != nil {
				return store.Credentials{}, err
			}
			return tx.Users().LockUser(ctx, u.ID)
		})
	})
	return u, err
}
