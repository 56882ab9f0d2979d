package accounts

import (
	"context"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// halfTTL is how long a browser has for the second factor after the password.
const halfTTL = 10 * time.Minute

// Enter signs a browser in after the user of a locked account entered the correct password. It returns the secret of a
// session. If the account has a second factor, it returns the secret of a half sign-in instead, which gives no access:
// the browser continues with FinishByCode or FinishByPasskey. The kind of a secret is part of it (auth.TokenKind). A
// half sign-in ends when the password changes or the account is suspended.
func (a *SignIns) Enter(ctx context.Context, tx *store.Tx, user domain.UserID, from domain.Visitor) (secret string, err error) {
	n, err := tx.Account().CountPasskeys(ctx, user)
	if err != nil {
		return "", err
	}
	if n == 0 {
		return a.OpenSession(ctx, tx, user, from, a.Now())
	}
	secret, hash, _ := auth.NewToken(auth.Half)
	return secret, tx.Account().BeginHalfSignIn(ctx, user, hash, a.Now(), a.Now().Add(halfTTL))
}

// HalfSignIn returns the user of a half sign-in, or Unauthenticated if it has ended.
func (a *SignIns) HalfSignIn(ctx context.Context, half string) (u domain.User, err error) {
	if !isToken(half, auth.Half) {
		return u, errHalfOver()
	}
	id, err := a.Store.Account().HalfSignIn(ctx, auth.HashToken(half), a.Now())
	if err == nil {
		u, err = a.Store.Users().User(ctx, domain.Ref{ID: int64(id)})
	}
	if domain.KindOf(err) == domain.NotFound {
		err = errHalfOver()
	}
	return u, err
}

func errHalfOver() error {
	return domain.NewUnauthenticated("That took too long: sign in once more")
}

// FactorOptions returns the JSON that a browser with a half sign-in passes to navigator.credentials.get. After the
// correct password, user presence is enough if the authenticator cannot verify the user.
func (a *SignIns) FactorOptions(ctx context.Context, half string) ([]byte, error) {
	u, err := a.HalfSignIn(ctx, half)
	if err != nil {
		return nil, err
	}
	all, err := a.Store.Account().Passkeys(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	return a.requestOptions(ctx, forFactor, half, protocol.VerificationPreferred, all)
}

// FinishByPasskey completes a half sign-in with the answer to FactorOptions. Any fault returns the same Unauthenticated.
// Too many attempts return TooMany.
func (a *SignIns) FinishByPasskey(ctx context.Context, from domain.Visitor, half, answer string) (session string, err error) {
	return a.finish(ctx, from, half, "passkey", func(u domain.User) (func(tx *store.Tx) error, error) {
		found, err := a.verify(ctx, forFactor, half, protocol.VerificationPreferred, u.ID, answer)
		return func(tx *store.Tx) error { return a.settle(ctx, tx, found) }, err
	})
}

// FinishByCode completes a half sign-in with a recovery code, which it uses up, and notifies the account's owner. An
// invalid code is an error of the field `code`. Too many attempts return TooMany.
func (a *SignIns) FinishByCode(ctx context.Context, from domain.Visitor, half, code string) (session string, err error) {
	return a.finish(ctx, from, half, "recovery code", func(u domain.User) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			err := tx.Account().TakeRecoveryCode(ctx, u.ID, hashCode(code))
			if domain.KindOf(err) == domain.NotFound {
				return domain.InvalidField("code", domain.FieldIncorrect, "is not one of your recovery codes, or was used before")
			}
			if err != nil {
				return err
			}
			if err := a.Audit(ctx, tx, domain.Actor{UserID: u.ID}, domain.ActCodeUsed, domain.AboutUser(u), nil); err != nil {
				return err
			}
			return warn(ctx, tx, u, CodeUsed)
		}, nil
	})
}

// finish turns a half sign-in into a session. check may refuse before the transaction, and the function that it returns
// within it.
func (a *SignIns) finish(ctx context.Context, from domain.Visitor, half, with string, check func(u domain.User) (func(tx *store.Tx) error, error)) (session string, err error) {
	if err := a.CheckLocal(); err != nil {
		return "", err
	}
	u, err := a.HalfSignIn(ctx, half)
	if err != nil {
		return "", err
	}
	by, err := a.Try(ctx, core.TryFactor, u.Email, from)
	if err != nil {
		return "", err
	}
	settle, err := check(u)
	if err == nil {
		err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
			c, err := tx.Users().LockUser(ctx, u.ID)
			if domain.KindOf(err) == domain.NotFound || err == nil && c.User.SuspendedAt != nil {
				return errHalfOver()
			}
			if err != nil {
				return err
			}
			if err := settle(tx); err != nil {
				return err
			}
			err = tx.Account().TakeHalfSignIn(ctx, u.ID, auth.HashToken(half), a.Now())
			if domain.KindOf(err) == domain.NotFound { // another tab was first, or the password was changed
				return errHalfOver()
			}
			if err != nil {
				return err
			}
			session, err = a.OpenSessionBy(ctx, tx, u.ID, from, a.Now(), a.Now(), with)
			return err
		})
	}
	if err != nil {
		return "", a.AuditRefusedBy(ctx, from, u, "second factor", err)
	}
	return session, a.Succeeded(ctx, by)
}
