package signin

import (
	"context"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// halfTTL is how long a browser that has proved a password has for the second factor.
const halfTTL = 10 * time.Minute

// Enter signs a browser in whose user has proved the password of a locked account. It gives the secret
// of a session; or, where the account has a second factor, that of half a sign-in, which lets in
// nobody: the browser goes on with it to FinishByCode or FinishByPasskey. A secret says of itself which
// it is (auth.TokenKind). Half a sign-in ends with a change of the password and with a suspension.
func (a *SignIns) Enter(ctx context.Context, tx *store.Tx, user domain.UserID, from domain.Visitor) (secret string, err error) {
	n, err := tx.CountPasskeys(ctx, user)
	if err != nil {
		return "", err
	}
	if n == 0 {
		return a.OpenSession(ctx, tx, user, from, a.Now())
	}
	secret, hash, _ := auth.NewToken(auth.Half)
	return secret, tx.BeginHalfSignIn(ctx, user, hash, a.Now(), a.Now().Add(halfTTL))
}

// HalfSignIn gives whose password a browser has proved; Unauthenticated if that is over.
func (a *SignIns) HalfSignIn(ctx context.Context, half string) (u domain.User, err error) {
	if !IsToken(half, auth.Half) {
		return u, errHalfOver()
	}
	id, err := a.Store.HalfSignIn(ctx, auth.HashToken(half), a.Now())
	if err == nil {
		u, err = a.Store.User(ctx, domain.Ref{ID: int64(id)})
	}
	if domain.KindOf(err) == domain.NotFound {
		err = errHalfOver()
	}
	return u, err
}

func errHalfOver() error {
	return domain.NewUnauthenticated("That took too long: sign in once more")
}

// FactorOptions gives what a browser that is half signed in passes to navigator.credentials.get, as
// JSON. The password was right, so a touch of the authenticator is enough where it can do no more.
func (a *SignIns) FactorOptions(ctx context.Context, half string) ([]byte, error) {
	u, err := a.HalfSignIn(ctx, half)
	if err != nil {
		return nil, err
	}
	all, err := a.Store.Passkeys(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	return a.requestOptions(ctx, forFactor, half, protocol.VerificationPreferred, all)
}

// FinishByPasskey signs in a browser that is half signed in, with the answer to FactorOptions. Whatever
// is wrong with that, the error is the same Unauthenticated. Too many attempts are TooMany.
func (a *SignIns) FinishByPasskey(ctx context.Context, from domain.Visitor, half, answer string) (session string, err error) {
	return a.finish(ctx, from, half, "passkey", func(u domain.User) (func(tx *store.Tx) error, error) {
		found, err := a.verify(ctx, forFactor, half, protocol.VerificationPreferred, u.ID, answer)
		return func(tx *store.Tx) error { return a.settle(ctx, tx, found) }, err
	})
}

// FinishByCode signs in a browser that is half signed in, with a recovery code, which is good for
// nothing after that; the account's holder is told. The error of a code names `code`. Too many attempts
// are TooMany.
func (a *SignIns) FinishByCode(ctx context.Context, from domain.Visitor, half, code string) (session string, err error) {
	return a.finish(ctx, from, half, "recovery code", func(u domain.User) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			err := tx.TakeRecoveryCode(ctx, u.ID, hashCode(code))
			if domain.KindOf(err) == domain.NotFound {
				return domain.InvalidField("code", domain.FieldIncorrect, "is not one of your recovery codes, or was used before")
			}
			if err != nil {
				return err
			}
			if err := a.Audit(ctx, tx, domain.Actor{UserID: u.ID}, domain.ActCodeUsed, domain.AboutUser(u), nil); err != nil {
				return err
			}
			return Warn(ctx, tx, u, CodeUsed)
		}, nil
	})
}

// finish makes a session of half a sign-in. check may refuse before the transaction that does it, and
// what it gives within it.
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
		err = a.Store.InTx(ctx, func(tx *store.Tx) error {
			c, err := tx.LockUser(ctx, u.ID)
			if domain.KindOf(err) == domain.NotFound || err == nil && c.User.SuspendedAt != nil {
				return errHalfOver()
			}
			if err != nil {
				return err
			}
			if err := settle(tx); err != nil {
				return err
			}
			err = tx.TakeHalfSignIn(ctx, u.ID, auth.HashToken(half), a.Now())
			if domain.KindOf(err) == domain.NotFound { // another window was first, or the password was changed
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
