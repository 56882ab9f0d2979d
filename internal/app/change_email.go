package app

import (
	"context"
	"strings"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ChangeEmail has a link mailed to a new address, which it proves; the old address is
// told once it is changed. The password is asked for again. Errors name `email` and
// `password`; whether the address has another account, only its owner is told.
func (a *App) ChangeEmail(ctx context.Context, from domain.Visitor, actor domain.Actor, email, password string) error {
	email, ok := emailAddress(strings.TrimSpace(email))
	if !ok {
		return domain.NewInvalid(badEmail)
	}
	was, err := a.proved(ctx, actor, "password", password)
	if err != nil {
		return err
	}
	if email == was.User.Email {
		return domain.NewInvalid("email: is already your address")
	}
	if _, err := a.try(ctx, tryMail, email, from); err != nil {
		return err
	}
	now := a.now()
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := lockedAs(ctx, tx, was, "password")
		if err != nil {
			return err
		}
		id, err := tx.CreateMailLink(ctx, store.MailLink{User: c.User.ID, Purpose: store.AddressLink, Email: email,
			CreatedAt: now, ExpiresAt: now.Add(addressLinkTTL)})
		if err != nil {
			return err
		}
		return tx.Enqueue(ctx, MailAddressLink{Link: id})
	})
}

// AddressLink tells which address the token of a mailed link would confirm, without
// using it; NotFound if it cannot be used.
func (a *App) AddressLink(ctx context.Context, token string) (email string, err error) {
	l, err := a.mailLink(ctx, store.AddressLink, token)
	return l.Email, err
}

// ConfirmEmail changes the address as a mailed link says; NotFound for a link that is
// used, expired or none, or whose address has got an account meanwhile. Links to choose
// a password, which went to the old address, end.
func (a *App) ConfirmEmail(ctx context.Context, token string) (u domain.User, err error) {
	l, err := a.mailLink(ctx, store.AddressLink, token)
	if err != nil {
		return u, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		u, err = a.confirmEmail(ctx, tx, l, auth.HashToken(token))
		return err
	})
	if domain.KindOf(err) == domain.Conflict {
		err = domain.NewNotFound()
	}
	return u, err
}

func (a *App) confirmEmail(ctx context.Context, tx *store.Tx, l store.MailLink, hash []byte) (u domain.User, err error) {
	c, err := tx.LockUser(ctx, l.User) // a suspension or another password meanwhile has ended the link
	if err != nil {
		return u, err
	}
	if err := tx.TakeMailLink(ctx, l.ID, hash); err != nil {
		return u, err
	}
	if err := tx.SetEmail(ctx, l.User, l.Email); err != nil {
		return u, err
	}
	if err := tx.EndMailLinks(ctx, l.User, store.PasswordLink); err != nil {
		return u, err
	}
	if err := tx.ForgetSignups(ctx, l.Email); err != nil {
		return u, err
	}
	if err := warn(ctx, tx, c.User, addressChanged); err != nil {
		return u, err
	}
	return tx.User(ctx, domain.Ref{ID: int64(l.User)})
}
