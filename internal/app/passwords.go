package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Bounds of a password, in bytes.
// badPassword tells why an account cannot have a password, "" if it can. Address and
// slug are those of the account, as far as they are known.
func badPassword(password, email, slug string) string {
	local, _, _ := strings.Cut(email, "@")
	lower := strings.ToLower(password)
	switch {
	case len(password) < domain.MinPassword || len(password) > domain.MaxPassword:
		return fmt.Sprintf("must be %d to %d bytes long", domain.MinPassword, domain.MaxPassword)
	case auth.Common(password):
		return "is one of the commonest and would be guessed"
	case lower == email || lower == local || lower == slug:
		return "must not be your address or short name"
	}
	return ""
}

// newPassword hashes a password that an account is to have; the error names `password`.
func newPassword(password string, u domain.User) (hash string, err error) {
	if why := badPassword(password, u.Email, u.Slug); why != "" {
		return "", domain.NewInvalid("password: " + why)
	}
	return auth.HashPassword(password)
}

// ForgotPassword has a link mailed with which a password can be chosen, if the address
// has an account that may sign in. The answer and its time do not tell.
func (a *App) ForgotPassword(ctx context.Context, from domain.Visitor, email string) error {
	email, ok := emailAddress(strings.TrimSpace(email))
	if !ok {
		return domain.NewInvalid(badEmail)
	}
	if _, err := a.try(ctx, tryMail, email, from); err != nil {
		return err
	}
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		return tx.Enqueue(ctx, MailPasswordLink{Email: email, Until: a.now().Add(passwordLinkTTL)})
	})
}

// PasswordLink reports whether the token of a mailed link can still be used, without
// using it; NotFound if not.
func (a *App) PasswordLink(ctx context.Context, token string) error {
	_, err := a.mailLink(ctx, store.PasswordLink, token)
	return err
}

func (a *App) mailLink(ctx context.Context, p store.LinkPurpose, token string) (store.MailLink, error) {
	if !isToken(token, auth.Mailed) {
		return store.MailLink{}, domain.NewNotFound()
	}
	return a.store.MailLinkByHash(ctx, p, auth.HashToken(token), a.now())
}

// ResetPassword sets the password of the account that a mailed link is for, ends its
// sessions, and signs in anew. The error of a password names `password`, and leaves the
// link as it is.
func (a *App) ResetPassword(ctx context.Context, from domain.Visitor, token, password string) (session string, err error) {
	l, err := a.mailLink(ctx, store.PasswordLink, token)
	if err != nil {
		return "", err
	}
	u, err := a.store.User(ctx, domain.Ref{ID: int64(l.User)})
	if err != nil {
		return "", err
	}
	hash, err := newPassword(password, u)
	if err != nil {
		return "", err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockUser(ctx, l.User)
		if err != nil {
			return err
		}
		if c.User.SuspendedAt != nil {
			return domain.NewNotFound()
		}
		if err := tx.TakeMailLink(ctx, l.ID, auth.HashToken(token)); err != nil {
			return err
		}
		if err := setPassword(ctx, tx, c.User, hash, 0); err != nil {
			return err
		}
		session, err = a.openSession(ctx, tx, l.User, from, a.now())
		return err
	})
	return session, err
}

// setPassword gives a locked account another password, ends its sessions but one and the
// links that were mailed, and tells its holder. Whoever knew the old password may have
// asked for a link that gives the account their own address.
func setPassword(ctx context.Context, tx *store.Tx, u domain.User, hash string, keep domain.SessionID) error {
	if err := tx.SetPassword(ctx, u.ID, hash); err != nil {
		return err
	}
	if err := tx.EndSessions(ctx, u.ID, keep); err != nil {
		return err
	}
	if err := endLinks(ctx, tx, u.ID); err != nil {
		return err
	}
	return warn(ctx, tx, u, passwordChanged)
}

// endLinks ends every link that was mailed for a locked account.
func endLinks(ctx context.Context, tx *store.Tx, id domain.UserID) error {
	if err := tx.EndMailLinks(ctx, id, store.PasswordLink); err != nil {
		return err
	}
	return tx.EndMailLinks(ctx, id, store.AddressLink)
}

// ChangePassword sets a new password where the current one is right ("" for an account
// that has none), and ends all sessions but the one that keeps. Errors name `current` and
// `password`.
func (a *App) ChangePassword(ctx context.Context, actor domain.Actor, keep domain.SessionID, current, next string) error {
	was, err := a.proved(ctx, actor, "current", current)
	if err != nil {
		return err
	}
	hash, err := newPassword(next, was.User)
	if err != nil {
		return err
	}
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := lockedAs(ctx, tx, was, "current")
		if err != nil {
			return err
		}
		return setPassword(ctx, tx, c.User, hash, keep)
	})
}

// proved gives the credentials of the actor where a password is theirs. The error names
// the field of the password. An account without one has nothing to prove.
//
// Who is signed in is no stranger: attempts of others at the account do not count.
func (a *App) proved(ctx context.Context, actor domain.Actor, field, password string) (store.Credentials, error) {
	c, err := a.store.Credentials(ctx, actor.UserID)
	if err != nil || c.PasswordHash == "" && password == "" {
		return c, err
	}
	by, err := a.tryAs(ctx, tryPassword, "signed in", strconv.FormatInt(int64(actor.UserID), 10))
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
	return c, a.succeeded(ctx, by)
}

// lockedAs locks an account whose password is still the one that was proved.
func lockedAs(ctx context.Context, tx *store.Tx, was store.Credentials, field string) (store.Credentials, error) {
	c, err := tx.LockUser(ctx, was.User.ID)
	if err == nil && c.PasswordHash != was.PasswordHash {
		err = notTheirs(field)
	}
	return c, err
}

func notTheirs(field string) error { return domain.NewInvalid(field + ": is not your password") }
