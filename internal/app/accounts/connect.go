package accounts

import (
	"context"
	"crypto/rand"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/oidc"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// PendingSignOn is an identity that a person has proved, and that will be connected with an account after they sign in to it
// and confirm.
type PendingSignOn struct {
	Email string // from the provider; "" for none
	Name  string // from the provider; "" for none
	Taken bool   // an account already has the address
}

// askToConfirm stores a proved identity until the person confirms it.
func (a *SSO) askToConfirm(ctx context.Context, browser string, s step, who oidc.Identity, to *SignOnResult) error {
	token := rand.Text()
	_, err := a.put(ctx, token, browser, step{Next: s.Next, Connect: s.Connect, Who: &who})
	to.Confirm = token
	return err
}

// PendingSignOn returns the identity of an Arrival's token in the same browser. It returns NotFound if the token has
// expired.
func (a *SSO) PendingSignOn(ctx context.Context, browser, token string) (p PendingSignOn, err error) {
	s, err := a.look(ctx, token, browser)
	if err != nil {
		return p, err
	}
	if s.Who == nil {
		return p, domain.NewNotFound()
	}
	p.Email, p.Name, p.Taken = s.Who.Email, s.Who.Name, !s.Connect
	return p, nil
}

// ConfirmSignOn connects the identity of a token with the account of the actor, who is signed in
// and has recently confirmed it. It returns the path to continue with, and the new secret of the
// session. The error is NotFound for an expired token, and Forbidden if the identity or the account
// is already connected.
func (a *SSO) ConfirmSignOn(ctx context.Context, actor domain.Actor, session domain.Session, browser, token string) (next, secret string, err error) {
	var s step
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if s, err = a.take(ctx, tx, token, browser); err != nil {
			return err
		}
		if s.Who == nil {
			return domain.NewNotFound()
		}
		c, err := a.accounts.LockProved(ctx, tx, actor, session)
		if err != nil {
			return err
		}
		if c.User.SuspendedAt != nil {
			return errSuspended()
		}
		if _, err = a.give(ctx, tx, c.User, *s.Who, "settings"); err != nil {
			return err
		}
		if secret, err = a.accounts.Renew(ctx, tx, session, false); err != nil {
			return err
		}
		return warn(ctx, tx, c.User, SignOnConnected)
	})
	if domain.KindOf(err) == domain.Conflict {
		return "", "", a.whyNot(ctx, actor)
	}
	if err != nil {
		return "", "", err
	}
	return s.Next, secret, a.followGroups(ctx, actor.UserID, *s.Who)
}

// whyNot returns the reason why an identity cannot be connected.
func (a *SSO) whyNot(ctx context.Context, actor domain.Actor) error {
	has, err := a.connectedHere(ctx, actor.UserID)
	if err != nil {
		return err
	}
	if has {
		return domain.NewForbidden("Your account is connected already: disconnect it first")
	}
	return errOthers()
}

// connectedHere reports whether an account has an identity with the provider.
func (a *SSO) connectedHere(ctx context.Context, user domain.UserID) (bool, error) {
	all, err := a.Store.Identity().Identities(ctx, user)
	return slices.ContainsFunc(all, a.usable), err
}

// usable reports whether an identity can be used to sign in: it must be of the current provider.
func (a *SSO) usable(i account.Identity) bool {
	return a.options().Provider != nil && i.Issuer == a.options().Provider.Issuer()
}

// give connects an identity with a locked or new account.
func (a *SSO) give(ctx context.Context, tx *store.Tx, u domain.User, who oidc.Identity, by string) (i account.Identity, err error) {
	email, _ := core.EmailAddress(who.Email)
	i = account.Identity{User: u.ID, Issuer: who.Issuer, Subject: who.Subject, Email: email, CreatedAt: a.Now()}
	if i.ID, err = tx.Identity().ConnectIdentity(ctx, i); err != nil {
		return i, err
	}
	return i, a.Audit(ctx, tx, domain.Actor{UserID: u.ID}, domain.ActConnected, domain.AboutUser(u), map[string]any{"issuer": i.Issuer, "by": by})
}

// IdentityID is the id of an account's identity.
type IdentityID = account.ID

// Connection is an identity as shown to its owner.
type Connection struct {
	account.Identity
	Usable bool // it can be used to sign in
}

// Connections lists the identities of the actor.
func (a *SSO) Connections(ctx context.Context, actor domain.Actor) ([]Connection, error) {
	all, err := a.Store.Identity().Identities(ctx, actor.UserID)
	shown := make([]Connection, len(all))
	for i, one := range all {
		shown[i] = Connection{one, a.usable(one)}
	}
	return shown, err
}

// Disconnect removes an identity from the actor's account, with the memberships that came from it. The session must have
// been confirmed recently, and gets a new secret. The error is Unprocessable if the account has no other way to sign in,
// and NotFound if it has no such identity.
func (a *SSO) Disconnect(ctx context.Context, actor domain.Actor, session domain.Session, id IdentityID) (secret string, err error) {
	if err := a.mayDisconnect(ctx, a.Store.Queries, actor, id); err != nil {
		return "", err
	}
	proved := func(tx *store.Tx) error {
		_, err := a.accounts.LockProved(ctx, tx, actor, session)
		return err
	}
	if err := a.Store.InTx(ctx, proved); err != nil {
		return "", err
	}
	// First the memberships: if the rest fails, the next sign-in brings them back.
	if err := a.people.FollowMapping(ctx, actor.UserID, nil); err != nil {
		return "", err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := a.accounts.LockProved(ctx, tx, actor, session)
		if err != nil {
			return err
		}
		if secret, err = a.accounts.Renew(ctx, tx, session, false); err != nil {
			return err
		}
		if err := a.mayDisconnect(ctx, tx.Queries, actor, id); err != nil {
			return err
		}
		i, err := tx.Identity().DisconnectIdentity(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActDisconnected, domain.AboutUser(c.User), map[string]any{"issuer": i.Issuer})
	})
	return secret, err
}

// mayDisconnect refuses to remove the last way to sign in to an account.
func (a *SSO) mayDisconnect(ctx context.Context, q store.Queries, actor domain.Actor, id account.ID) error {
	all, err := q.Identity().Identities(ctx, actor.UserID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(i account.Identity) bool { return i.ID == id })
	if at < 0 {
		return domain.NewNotFound()
	}
	c, err := q.Users().Credentials(ctx, actor.UserID)
	if err != nil {
		return err
	}
	if a.usable(all[at]) && a.SignOnOnly {
		return domain.NewUnprocessable("Single sign-on is the only way in here")
	}
	if a.usable(all[at]) && c.PasswordHash == "" {
		return domain.NewUnprocessable("This is the only way into your account: choose a password first")
	}
	return nil
}
