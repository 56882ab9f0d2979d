package accounts

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/oidc"
	"vitrine/internal/store"
)

// skew is how far the provider's clock may be behind this server's.
const skew = time.Minute

// ProofWays are the ways in which a user can confirm that an account is theirs.
type ProofWays struct {
	Password bool
	Passkey  bool
	SignOn   bool // by signing in again at the provider of single sign-on
	Mail     bool // by a mailed link; only if there is no other way
}

// ProofWays returns the ways that are available to the actor.
func (a *SSO) ProofWays(ctx context.Context, actor domain.Actor) (w ProofWays, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Users().Credentials(ctx, actor.UserID)
		if err != nil {
			return err
		}
		passkeys, err := v.Account().Passkeys(ctx, actor.UserID)
		if err != nil {
			return err
		}
		w.Password = c.PasswordHash != ""
		w.Passkey = len(passkeys) > 0 && a.accounts.PasskeysPossible()
		return nil
	})
	if err != nil {
		return w, err
	}
	w.SignOn, err = a.connectedHere(ctx, actor.UserID)
	w.Mail = !w.Password && !w.Passkey && !w.SignOn
	return w, err
}

// MailProofLink enqueues the mail with a link that confirms the actor's session. It returns Forbidden
// if they have another way, because a link must not replace a second factor.
func (a *SSO) MailProofLink(ctx context.Context, actor domain.Actor, session domain.Session) error {
	ways, err := a.ProofWays(ctx, actor)
	if err != nil {
		return err
	}
	if !ways.Mail {
		return domain.NewForbidden("Confirm with your password, your passkey or single sign-on")
	}
	return a.accounts.MailProof(ctx, actor, session)
}

// prove confirms the session of the actor, who has signed in again at the provider.
func (a *SSO) prove(ctx context.Context, from domain.Visitor, actor domain.Actor, session domain.Session, s step, who oidc.Identity, to *SignOnResult) (err error) {
	if actor.UserID == 0 {
		return domain.NewForbidden("You were signed out here in the meantime: sign in again")
	}
	if !who.AuthTime.IsZero() && who.AuthTime.Before(s.Began.Add(-skew)) {
		return domain.NewForbidden("The sign-in provider did not ask you to sign in again: sign out there, then try again")
	}
	to.Session, err = a.accounts.ProveBySignOn(ctx, from, actor, session, func(tx *store.Tx) error {
		known, err := tx.Identity().Identity(ctx, who.Issuer, who.Subject)
		if domain.KindOf(err) == domain.NotFound || err == nil && known.User != actor.UserID {
			return domain.NewUnauthenticated("The account that you used at the sign-in provider is not connected to your account here")
		}
		return err
	})
	to.Proved = err == nil
	return err
}

// provedAt returns when the person proved their identity at the provider, and zero if the provider
// does not say: it may have signed them in without asking.
func provedAt(who oidc.Identity, now time.Time) time.Time {
	if who.AuthTime.After(now) {
		return now
	}
	return who.AuthTime
}
