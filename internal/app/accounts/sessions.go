package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

const (
	sessionTTL   = 30 * core.Day   // since the last use
	browserTTL   = 400 * core.Day  // since the sign-in: the maximum age of cookies in browsers
	seenInterval = 5 * time.Minute // between two updates of the last use
)

// Account is a user with the fields that only they and operators see.
type Account struct {
	domain.User
	HasPassword bool
}

// OpenSession signs a browser in as a locked user who has authenticated other than through Enter and SignInByPasskey,
// and returns the secret for its cookie. auth.BrowserSecret of it marks the browser as known. It changes with each
// sign-in, so that a copied cookie is worthless after the next one.
func (a *SignIns) OpenSession(ctx context.Context, tx *store.Tx, user domain.UserID, from domain.Visitor, now time.Time) (string, error) {
	return a.OpenSessionBy(ctx, tx, user, from, now, now, "")
}

// OpenSessionBy is OpenSession for a user who authenticated at another time (zero if unknown) with a method that the
// audit log names; "" means a password or a link.
func (a *SignIns) OpenSessionBy(ctx context.Context, tx *store.Tx, user domain.UserID, from domain.Visitor, now, proved time.Time, by string) (string, error) {
	if err := a.CheckNetwork(ctx, tx.Queries, from.Address); err != nil {
		return "", err
	}
	secret, hash, _ := auth.NewToken(auth.Session)
	id, err := tx.Account().CreateSession(ctx, domain.Session{UserID: user, Agent: from.AgentKept(), Address: from.AddressKept(),
		CreatedAt: now, ExpiresAt: now.Add(sessionTTL), ProvedAt: proved}, hash)
	if err != nil {
		return "", err
	}
	tx.WrittenBy(user)
	e := domain.AuditEntry{ActorID: user, Act: domain.ActSignedIn, About: domain.AboutSession(id), Address: from.AddressKept()}
	if by != "" {
		e.Details = map[string]any{"by": by}
	}
	err = a.AuditEntry(ctx, tx, e)
	if err != nil {
		return "", err
	}
	var replaced []byte
	if from.Browser != "" {
		replaced = auth.HashToken(from.Browser)
	}
	return secret, tx.Account().RememberBrowser(ctx, account.KnownBrowser{Hash: auth.HashToken(auth.BrowserSecret(secret)), User: user,
		Session: id, CreatedAt: now, ExpiresAt: now.Add(browserTTL)}, replaced)
}

// SessionUser returns the user of a session's secret, and updates the session's last use every few minutes. It returns
// Unauthenticated if the session is unknown or has ended, or if its user is suspended or deleted.
func (a *SignIns) SessionUser(ctx context.Context, from domain.Visitor, secret string) (s domain.Session, u Account, err error) {
	if !isToken(secret, auth.Session) {
		return s, u, errSignedOut()
	}
	now := a.Now()
	s, c, err := a.Store.Users().Session(ctx, auth.HashToken(secret), now)
	if domain.KindOf(err) == domain.NotFound {
		return domain.Session{}, u, errSignedOut()
	}
	if err != nil {
		return s, u, err
	}
	u = Account{User: c.User, HasPassword: c.PasswordHash != ""}
	if now.Sub(s.LastSeenAt) < seenInterval {
		return s, u, nil
	}
	s.LastSeenAt, s.ExpiresAt, s.Agent, s.Address = now, now.Add(sessionTTL), from.AgentKept(), from.AddressKept()
	return s, u, a.Store.InTxAlways(ctx, func(tx *store.Tx) error { return tx.Account().SessionSeen(ctx, s) })
}

// SignOut ends a session by its secret. Doing it again changes nothing.
func (a *SignIns) SignOut(ctx context.Context, secret string) error {
	if !isToken(secret, auth.Session) {
		return nil
	}
	return a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		s, err := tx.Account().EndSessionByHash(ctx, auth.HashToken(secret))
		if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		return a.Audit(ctx, tx, domain.Actor{UserID: s.UserID}, domain.ActSignedOut, domain.AboutSession(s.ID), nil)
	})
}

// Sessions lists the live sessions of a user, last used first.
func (a *SignIns) Sessions(ctx context.Context, actor domain.Actor) ([]domain.Session, error) {
	return a.Store.Account().Sessions(ctx, actor.UserID, a.Now())
}

// EndSession ends a session of the actor, or returns NotFound if it is not theirs.
func (a *SignIns) EndSession(ctx context.Context, actor domain.Actor, id domain.SessionID) error {
	return a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		if err := tx.Account().EndSession(ctx, actor.UserID, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActSignedOut, domain.AboutSession(id), nil)
	})
}

// EndOtherSessions ends all sessions of the actor except one.
func (a *SignIns) EndOtherSessions(ctx context.Context, actor domain.Actor, keep domain.SessionID) error {
	return a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		if err := tx.Account().EndSessions(ctx, actor.UserID, keep); err != nil {
			return err
		}
		return a.AuditSelf(ctx, tx, actor, domain.ActSignedOutAll)
	})
}

func errSignedOut() error { return domain.NewUnauthenticated("You are not signed in") }

// isToken reports whether a text has the form of a token of a kind.
func isToken(s string, kind auth.Kind) bool {
	k, ok := auth.TokenKind(s)
	return ok && k == kind
}
