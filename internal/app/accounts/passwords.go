package accounts

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// checkPassword checks a new password against the rules and the address and slug of the account, if known.
func checkPassword(f *domain.Faults, password, email, slug string) {
	local, _, _ := strings.Cut(email, "@")
	lower := strings.ToLower(password)
	switch {
	case len(password) < domain.MinPassword:
		f.Add("password", domain.FieldTooShort, lengthOfPassword)
	case len(password) > domain.MaxPassword:
		f.Add("password", domain.FieldTooLong, lengthOfPassword)
	case auth.Common(password):
		f.Add("password", domain.FieldForbidden, "is one of the commonest and would be guessed")
	case lower == email || lower == local || lower == slug:
		f.Add("password", domain.FieldForbidden, "must not be your address or short name")
	}
}

var lengthOfPassword = fmt.Sprintf("must be %d to %d bytes long", domain.MinPassword, domain.MaxPassword)

// NewPassword hashes a new password. Errors name `password`.
func NewPassword(password string, u domain.User) (hash string, err error) {
	var f domain.Faults
	if checkPassword(&f, password, u.Email, u.Slug); f != nil {
		return "", f.Err()
	}
	return auth.HashPassword(password)
}

// PutPasswordLink creates a link for choosing the password of a locked account. It mails the link, or returns its
// address if it is not mailed. The previous link stops working.
func (a *Accounts) PutPasswordLink(ctx context.Context, tx *store.Tx, u domain.User, mailed bool) (address string, err error) {
	now := a.Now()
	if mailed {
		return "", tx.Enqueue(ctx, MailPasswordLink{Email: u.Email, Until: now.Add(passwordLinkTTL)})
	}
	token, hash, _ := auth.NewToken(auth.Mailed)
	id, err := tx.Account().CreateMailLink(ctx, account.MailLink{User: u.ID, Purpose: account.PasswordLink, Email: u.Email,
		CreatedAt: now, ExpiresAt: now.Add(passwordLinkTTL)})
	if err != nil {
		return "", err
	}
	_, err = tx.Account().MarkMailLink(ctx, id, hash, now)
	return a.SiteURL + "/reset-password/" + token, err
}

// ForgotPassword mails a link for choosing a password if the address has an account that may sign in. Neither the answer
// nor its timing reveals this.
func (a *Accounts) ForgotPassword(ctx context.Context, from domain.Visitor, email string) error {
	if err := a.CheckLocal(); err != nil {
		return err
	}
	email, err := core.EmailAddress(strings.TrimSpace(email))
	if err != nil {
		return err
	}
	if _, err := a.Try(ctx, core.TryMail, email, from); err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.Enqueue(ctx, MailPasswordLink{Email: email, Until: a.Now().Add(passwordLinkTTL)})
	})
}

// PasswordLink checks the token of a mailed link without using it. It returns NotFound if the link cannot be used.
func (a *Accounts) PasswordLink(ctx context.Context, token string) error {
	_, err := a.mailLink(ctx, account.PasswordLink, token)
	return err
}

func (a *Accounts) mailLink(ctx context.Context, p account.LinkPurpose, token string) (account.MailLink, error) {
	if !isToken(token, auth.Mailed) {
		return account.MailLink{}, domain.NewNotFound()
	}
	return a.Store.Account().MailLinkByHash(ctx, p, auth.HashToken(token), a.Now())
}

// ResetPassword sets the password of a mailed link's account, ends its sessions and returns the result of
// SignIns.Enter, since a mail is no second factor. An invalid password leaves the link valid; the error names
// `password`.
func (a *Accounts) ResetPassword(ctx context.Context, from domain.Visitor, token, password string) (secret string, err error) {
	if err := a.CheckLocal(); err != nil {
		return "", err
	}
	l, err := a.mailLink(ctx, account.PasswordLink, token)
	if err != nil {
		return "", err
	}
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(l.User)})
	if err != nil {
		return "", err
	}
	hash, err := NewPassword(password, u)
	if err != nil {
		return "", err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.Users().LockUser(ctx, l.User)
		if err != nil {
			return err
		}
		if c.User.SuspendedAt != nil {
			return domain.NewNotFound()
		}
		if err := tx.Account().TakeMailLink(ctx, l.ID, auth.HashToken(token)); err != nil {
			return err
		}
		if err := a.Audit(ctx, tx, domain.Actor{UserID: l.User}, domain.ActPasswordChanged, domain.AboutUser(c.User), nil); err != nil {
			return err
		}
		if err := PutPassword(ctx, tx, c.User, hash); err != nil {
			return err
		}
		if err := tx.Account().EndSessions(ctx, l.User, 0); err != nil {
			return err
		}
		secret, err = a.Enter(ctx, tx, l.User, from)
		return err
	})
	return secret, a.AuditRefusedBy(ctx, from, u, "mailed link", err)
}

// PutPassword sets the password of a locked account and notifies its holder. It also deletes mailed
// links and the sign-ins that wait for a second factor: somebody who knew the old password may have
// requested a link that changes the address of the account. The sessions stay.
func PutPassword(ctx context.Context, tx *store.Tx, u domain.User, hash string) error {
	if err := tx.Users().SetPassword(ctx, u.ID, hash); err != nil {
		return err
	}
	if err := tx.Account().EndHalfSignIns(ctx, u.ID); err != nil {
		return err
	}
	if err := endLinks(ctx, tx, u.ID); err != nil {
		return err
	}
	return warn(ctx, tx, u, PasswordChanged)
}

// endLinks deletes every mailed link of a locked account.
func endLinks(ctx context.Context, tx *store.Tx, id domain.UserID) error {
	if err := tx.Account().EndMailLinks(ctx, id, account.PasswordLink); err != nil {
		return err
	}
	return tx.Account().EndMailLinks(ctx, id, account.AddressLink)
}

// ChangePassword sets the first or a new password in a session that was confirmed recently. The session gets a new
// secret, and endOthers ends the other sessions. Errors name `password`.
func (a *Accounts) ChangePassword(ctx context.Context, actor domain.Actor, s domain.Session, next string, endOthers bool) (secret string, err error) {
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return "", err
	}
	hash, err := NewPassword(next, u)
	if err != nil {
		return "", err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := a.LockProved(ctx, tx, actor, s)
		if err != nil {
			return err
		}
		if err := a.Audit(ctx, tx, actor, domain.ActPasswordChanged, domain.AboutUser(c.User), nil); err != nil {
			return err
		}
		if err := PutPassword(ctx, tx, c.User, hash); err != nil {
			return err
		}
		secret, err = a.Renew(ctx, tx, s, endOthers)
		return err
	})
	return secret, err
}
