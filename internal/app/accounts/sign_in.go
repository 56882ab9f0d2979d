package accounts

import (
	"context"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// SignIn checks an address and a password and returns the result of Enter. Any fault (unknown address, wrong password,
// no password, suspended) returns the same Unauthenticated and takes the same time. Too many attempts return TooMany.
func (a *SignIns) SignIn(ctx context.Context, from domain.Visitor, email, password string) (secret string, err error) {
	if err := a.CheckLocal(); err != nil {
		return "", err
	}
	email = core.CanonicalEmail(strings.TrimSpace(email))
	by, err := a.Try(ctx, core.TryPassword, email, from)
	if err != nil {
		return "", err
	}
	c, err := a.credentials(ctx, email)
	if err != nil {
		return "", err
	}
	right, err := auth.CheckPassword(password, c.PasswordHash)
	if err != nil {
		return "", err
	}
	if !right || c.User.SuspendedAt != nil {
		if err := a.AuditRefusal(ctx, from, c.User, right); err != nil {
			return "", err
		}
		return "", errSignIn()
	}
	err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		secret, err = a.signIn(ctx, tx, c, from)
		return err
	})
	if err != nil {
		return "", a.AuditRefusedBy(ctx, from, c.User, "password", err)
	}
	return secret, a.Succeeded(ctx, by)
}

// credentials reads the credentials of an address, or returns the zero value if it has none.
func (a *SignIns) credentials(ctx context.Context, email string) (store.Credentials, error) {
	if _, err := core.EmailAddress(email); err != nil {
		return store.Credentials{}, nil // no account has it, and a database may refuse its bytes
	}
	c, err := a.Store.Users().CredentialsByEmail(ctx, email)
	if domain.KindOf(err) == domain.NotFound {
		return store.Credentials{}, nil
	}
	return c, err
}

// signIn signs a browser in if the checked password is still valid. It fails if the password changed during the check,
// or if the account was suspended.
func (a *SignIns) signIn(ctx context.Context, tx *store.Tx, was store.Credentials, from domain.Visitor) (string, error) {
	c, err := tx.Users().LockUser(ctx, was.User.ID)
	if domain.KindOf(err) == domain.NotFound {
		return "", errSignIn()
	}
	if err != nil {
		return "", err
	}
	if c.PasswordHash != was.PasswordHash || c.User.SuspendedAt != nil {
		return "", errSignIn()
	}
	return a.Enter(ctx, tx, c.User.ID, from)
}

func errSignIn() error {
	return domain.NewUnauthenticated("The address or the password is not right")
}
