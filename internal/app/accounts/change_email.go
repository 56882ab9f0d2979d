package accounts

import (
	"context"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// ChangeEmail mails a verification link to a new address. The old address is notified after the change. The session must
// have been confirmed recently. Errors name `email`. Only the owner of the new address learns whether it already has an
// account.
func (a *Accounts) ChangeEmail(ctx context.Context, from domain.Visitor, actor domain.Actor, s domain.Session, email string) error {
	email, err := core.EmailAddress(strings.TrimSpace(email))
	if err != nil {
		return err
	}
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return err
	}
	if email == u.Email {
		return domain.InvalidField("email", domain.FieldTaken, "is already your address")
	}
	if _, err := a.Try(ctx, core.TryMail, email, from); err != nil {
		return err
	}
	if err := a.CheckMail(ctx, email); err != nil {
		return err
	}
	now := a.Now()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := a.LockProved(ctx, tx, actor, s)
		if err != nil {
			return err
		}
		id, err := tx.Account().CreateMailLink(ctx, account.MailLink{User: c.User.ID, Purpose: account.AddressLink, Email: email,
			CreatedAt: now, ExpiresAt: now.Add(addressLinkTTL)})
		if err != nil {
			return err
		}
		return tx.Enqueue(ctx, MailAddressLink{Link: id})
	})
}

// AddressLink returns the address that the token of a mailed link would confirm, without using the link. It returns
// NotFound if the link cannot be used.
func (a *Accounts) AddressLink(ctx context.Context, token string) (email string, err error) {
	l, err := a.mailLink(ctx, account.AddressLink, token)
	return l.Email, err
}

// ConfirmEmail changes the address with a mailed link. It returns NotFound if the link is used,
// expired or unknown, or if the address has an account by now. Links to choose a password, which
// went to the old address, are deleted. If the actor owns the account, their session gets another
// secret; endOthers ends the account's other sessions.
func (a *Accounts) ConfirmEmail(ctx context.Context, actor domain.Actor, s domain.Session, token string, endOthers bool) (u domain.User, secret string, err error) {
	l, err := a.mailLink(ctx, account.AddressLink, token)
	if err != nil {
		return u, "", err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if u, err = a.confirmEmail(ctx, tx, l, auth.HashToken(token)); err != nil {
			return err
		}
		switch {
		case actor.UserID == l.User:
			secret, err = a.Renew(ctx, tx, s, endOthers)
		case endOthers:
			if err = tx.Account().EndSessions(ctx, l.User, 0); err == nil {
				err = a.AuditSelf(ctx, tx, domain.Actor{UserID: l.User}, domain.ActSignedOutAll)
			}
		default:
			err = tx.Account().ForgetProofs(ctx, l.User, 0)
		}
		return err
	})
	if domain.KindOf(err) == domain.Conflict {
		err = domain.NewNotFound()
	}
	return u, secret, err
}

func (a *Accounts) confirmEmail(ctx context.Context, tx *store.Tx, l account.MailLink, hash []byte) (u domain.User, err error) {
	c, err := tx.Users().LockUser(ctx, l.User) // a suspension or a new password has deleted the link
	if err != nil {
		return u, err
	}
	if err := tx.Account().TakeMailLink(ctx, l.ID, hash); err != nil {
		return u, err
	}
	if err := a.Audit(ctx, tx, domain.Actor{UserID: l.User}, domain.ActEmailChanged, domain.AboutUser(c.User), nil); err != nil {
		return u, err
	}
	if err := PutEmail(ctx, tx, c.User, l.Email); err != nil {
		return u, err
	}
	return tx.Users().User(ctx, domain.Ref{ID: int64(l.User)})
}

// PutEmail sets the canonical address of a locked account and notifies the previous one. Mailed links to the previous
// address are deleted. An address that is in use is a Conflict.
func PutEmail(ctx context.Context, tx *store.Tx, u domain.User, email string) error {
	if err := checkFree(ctx, tx.Queries, email, u.ID); err != nil {
		return err
	}
	if err := tx.Users().SetEmail(ctx, u.ID, email); err != nil {
		return err
	}
	if err := endLinks(ctx, tx, u.ID); err != nil {
		return err
	}
	if err := tx.Account().ForgetSignups(ctx, email); err != nil {
		return err
	}
	if err := tx.Account().ForgetSignUpLinks(ctx, email); err != nil {
		return err
	}
	return warn(ctx, tx, u, AddressChanged)
}
