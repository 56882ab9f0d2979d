package accounts

import (
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// byLink is the method in the audit log.
const byLink = "a link of the command line"

// linkTTL is the lifetime of a link of the command line.
const linkTTL = 15 * time.Minute

// linkHash returns the key under which such a link is stored, among the steps of signing in.
func linkHash(token string) []byte {
	sum := sha256.Sum256([]byte("sign-in link\n" + token))
	return sum[:]
}

// MakeSignInLink returns the address of a link that signs in to an account, once and within a quarter of an hour. It is
// for the command line, so that operators can sign in while the provider is unavailable or refuses them. It requires no
// second factor, which the command line could remove anyway. A suspended account gets none.
func (a *SSO) MakeSignInLink(ctx context.Context, ref domain.Ref) (u domain.User, address string, err error) {
	token, _, _ := auth.NewToken(auth.Mailed)
	u, err = a.ChangeUser(ctx, ref, func(tx *store.Tx, u domain.User) error {
		if u.SuspendedAt != nil {
			return domain.NewUnprocessable("The account is suspended")
		}
		if err := tx.Identity().PutStep(ctx, linkHash(token), strconv.AppendInt(nil, int64(u.ID), 10), a.Now().Add(linkTTL)); err != nil {
			return err
		}
		return a.Audit(ctx, tx, domain.Actor{}, domain.ActSignInLink, domain.AboutUser(u), nil)
	})
	return u, a.SiteURL + "/sign-in/link/" + token, err
}

// SignInLink returns the user of a link's token without using it, or NotFound if it has expired.
func (a *SSO) SignInLink(ctx context.Context, token string) (u domain.User, err error) {
	if !isToken(token, auth.Mailed) {
		return u, domain.NewNotFound()
	}
	held, err := a.Store.Identity().Step(ctx, linkHash(token), a.Now())
	if err != nil {
		return u, err
	}
	id, err := strconv.ParseInt(string(held), 10, 64)
	if err != nil {
		return u, err
	}
	if u, err = a.Store.Users().User(ctx, domain.Ref{ID: id}); err == nil && u.SuspendedAt != nil {
		err = domain.NewNotFound()
	}
	return u, err
}

// SignInByLink signs in with the token of a link, once, and returns the secret of the session. It returns NotFound if
// the link has expired.
func (a *SSO) SignInByLink(ctx context.Context, from domain.Visitor, token string) (session string, err error) {
	u, err := a.SignInLink(ctx, token)
	if err != nil {
		return "", err
	}
	err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		c, err := tx.Users().LockUser(ctx, u.ID)
		if err == nil && c.User.SuspendedAt != nil {
			err = domain.NewNotFound()
		}
		if err != nil {
			return err
		}
		if _, err := tx.Identity().TakeStep(ctx, linkHash(token), a.Now()); err != nil {
			return err
		}
		session, err = a.accounts.OpenSessionBy(ctx, tx, u.ID, from, a.Now(), a.Now(), byLink)
		return err
	})
	return session, a.AuditRefusedBy(ctx, from, u, byLink, err)
}
