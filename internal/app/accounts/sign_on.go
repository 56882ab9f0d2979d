package accounts

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/oidc"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// bySignOn is the method in the audit log.
const bySignOn = "single sign-on"

// trySignOn limits stored steps and requests to the provider from strangers. Many people of a school or an office share
// one address.
var trySignOn = core.Attempt{What: "single sign-on", Address: []core.Limit{{Max: 600, Window: 15 * time.Minute}}}

// SignOnInput is what a person wants to do by signing in. Next is a path of this site to continue at.
type SignOnInput struct {
	Next    string
	Invite  string // token of an invitation; "" for none
	Connect bool   // connect the actor's account
	Prove   bool   // confirm the actor's session by signing in again
	Setup   string // code for the first account; "" for none
}

// BeginSignOn returns the address of the provider to redirect to, and the new value of the browser's cookie. browser is
// its current value, or "". It returns NotFound if there is no provider, and Unavailable if it cannot be reached.
func (a *SSO) BeginSignOn(ctx context.Context, from domain.Visitor, actor domain.Actor, browser string, w SignOnInput) (address, keep string, err error) {
	if a.options().Provider == nil {
		return "", "", domain.NewNotFound()
	}
	if _, err := a.Try(ctx, trySignOn, "", from); err != nil {
		return "", "", err
	}
	s := step{Attempt: oidc.NewAttempt(), Next: w.Next, Invite: inviteOf(w), Connect: w.Connect && actor.UserID != 0,
		Prove: w.Prove && actor.UserID != 0, Began: a.Now(), Setup: w.Setup}
	if address, err = a.options().Provider.Begin(ctx, s.Attempt, s.Prove); err != nil {
		return "", "", err
	}
	keep, err = a.put(ctx, s.Attempt.State, browser, s)
	return address, keep, err
}

// inviteOf returns the token of an invitation, which may also be in the path to continue at.
func inviteOf(w SignOnInput) string {
	for _, token := range []string{w.Invite, strings.TrimPrefix(w.Next, "/invitations/")} {
		if kind, ok := auth.TokenKind(token); ok && (kind == auth.Admitted || kind == auth.Invited) {
			return token
		}
	}
	return ""
}

// ProviderReply is the provider's answer, sent through the browser.
type ProviderReply struct {
	State  string
	Code   string
	Issuer string // RFC 9207; "" if missing
	Error  string // RFC 6749 section 4.1.2.1; "" for none
}

// SignOnResult is the result of a sign-in.
type SignOnResult struct {
	Session string // secret of the new or renewed session; "" for none
	Proved  bool   // an existing session was confirmed
	Next    string // as requested, even with an error
	Confirm string // token of a pending confirmation, see Pending; "" for none
	Made    bool   // an account was created
}

// FinishSignOn completes a sign-in that BeginSignOn started in the same browser. It signs in known users, creates
// accounts for others if they may have one, and asks for confirmation if they have an account that is not connected, or
// want to connect the current one. It confirms the actor's session if the wish was Prove. The error is Forbidden if they
// may not sign in, and Unavailable if the provider cannot be reached.
func (a *SSO) FinishSignOn(ctx context.Context, from domain.Visitor, actor domain.Actor, session domain.Session, browser string, r ProviderReply) (arrived SignOnResult, err error) {
	if a.options().Provider == nil {
		return arrived, domain.NewNotFound()
	}
	var s step
	err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		s, err = a.take(ctx, tx, r.State, browser)
		return err
	})
	if domain.KindOf(err) == domain.NotFound || err == nil && s.Who != nil {
		return arrived, errStale()
	}
	if err != nil {
		return arrived, err
	}
	arrived.Next = s.Next
	if r.Issuer != "" && r.Issuer != a.options().Provider.Issuer() {
		return arrived, domain.NewForbidden("The answer came from another provider than the one that was asked")
	}
	if r.Error != "" || r.Code == "" {
		return arrived, a.declined(ctx, r.Error)
	}
	who, err := a.options().Provider.Finish(ctx, s.Attempt, r.Code)
	if err != nil {
		return arrived, err
	}
	if s.Prove {
		return arrived, a.prove(ctx, from, actor, session, s, who, &arrived)
	}
	err = a.admit(ctx, from, actor, browser, s, who, &arrived)
	return arrived, err
}

func errStale() error {
	return domain.NewForbidden("This sign-in was used already, took too long, or was begun in another browser: start again")
}

// declined returns the error for a refusal by the provider.
func (a *SSO) declined(ctx context.Context, code string) error {
	switch code {
	case "access_denied":
		return domain.NewForbidden("The sign-in was cancelled, or the provider does not let you in here")
	case "server_error", "temporarily_unavailable":
		return domain.NewUnavailableFor(10*time.Second, "The sign-in provider does not answer just now: try again in a moment, or sign in another way")
	}
	a.options().Log.WarnContext(ctx, "the OpenID Connect provider refused a sign-in", "code", strings.ToValidUTF8(code[:min(len(code), 100)], ""))
	return domain.NewForbidden("The sign-in provider refused: ask whoever runs this site")
}

// tries is the number of attempts if a concurrent sign-in of the same person interferes.
const tries = 4

// admit signs in, enrolls or asks the person who came from the provider.
func (a *SSO) admit(ctx context.Context, from domain.Visitor, actor domain.Actor, browser string, s step, who oidc.Identity, to *SignOnResult) error {
	for n := 1; ; n++ {
		err := a.admitOnce(ctx, from, actor, browser, s, who, to)
		if domain.KindOf(err) != domain.Conflict || n == tries {
			return err
		}
	}
}

func (a *SSO) admitOnce(ctx context.Context, from domain.Visitor, actor domain.Actor, browser string, s step, who oidc.Identity, to *SignOnResult) error {
	email, verified := provenEmail(who)
	known, holder, err := a.find(ctx, who, email)
	switch {
	case err != nil:
		return err
	case known.ID != 0 && s.Connect && known.User == actor.UserID:
		return a.followGroups(ctx, known.User, who)
	case known.ID != 0 && s.Connect:
		return errOthers()
	case known.ID != 0:
		return a.enter(ctx, from, known, who, to)
	case s.Connect:
		return a.askToConfirm(ctx, browser, s, who, to)
	case !verified:
		return a.refused(ctx, from, domain.User{}, "no verified address", domain.NewForbidden(
			"The sign-in provider does not vouch for your e-mail address. If you have an account here, sign in to it and connect it in the settings"))
	case holder.ID != 0 && !a.options().TrustEmail && a.SignOnOnly: // the account has no other way to sign in any more
		return a.refused(ctx, from, holder, "the account is not connected", domain.NewForbidden(
			"There is an account with your e-mail address that is not connected with the sign-in provider: ask whoever runs this site"))
	case holder.ID != 0 && !a.options().TrustEmail:
		return a.askToConfirm(ctx, browser, s, who, to)
	case holder.ID != 0:
		return a.trust(ctx, from, holder, who, to)
	}
	return a.enroll(ctx, from, email, s, who, to)
}

// find returns the known identity of a person, or else the account with their address. It reads both in one snapshot: an
// account that is created between two reads would seem to belong to somebody else.
func (a *SSO) find(ctx context.Context, who oidc.Identity, email string) (known account.Identity, holder domain.User, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		known, err = v.Identity().Identity(ctx, who.Issuer, who.Subject)
		if email == "" || domain.KindOf(err) != domain.NotFound {
			return err
		}
		holder, err = v.Users().UserByEmail(ctx, email)
		return err
	})
	if domain.KindOf(err) == domain.NotFound {
		err = nil
	}
	return known, holder, err
}

// provenEmail returns the canonical address of a person if the provider has verified it.
func provenEmail(who oidc.Identity) (string, bool) {
	if !who.Verified {
		return "", false
	}
	email, err := core.EmailAddress(who.Email)
	return email, err == nil
}

// enter signs in the user of a known identity.
func (a *SSO) enter(ctx context.Context, from domain.Visitor, known account.Identity, who oidc.Identity, to *SignOnResult) error {
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(known.User)})
	if domain.KindOf(err) == domain.NotFound { // deleted a moment ago, with the identity
		return domain.Wrap(domain.Conflict, "The account is gone", err)
	}
	if err != nil {
		return err
	}
	if u.SuspendedAt != nil {
		return a.refused(ctx, from, u, "suspended", errSuspended())
	}
	// Before the memberships are used. While the site is read-only, they follow at the next sign-in.
	if err := a.followGroups(ctx, u.ID, who); err != nil && !domain.IsReadOnly(err) {
		return err
	}
	email, _ := core.EmailAddress(who.Email)
	err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		c, err := tx.Users().LockUser(ctx, u.ID)
		if err != nil {
			return gone(err)
		}
		if c.User.SuspendedAt != nil {
			return errSuspended()
		}
		// The identity may have been disconnected, which ends its sessions.
		if known, err = tx.Identity().Identity(ctx, who.Issuer, who.Subject); err != nil || known.User != u.ID {
			return gone(err)
		}
		now := a.Now()
		if err := tx.Identity().IdentityUsed(ctx, known.ID, email, now); err != nil {
			return err
		}
		to.Session, err = a.accounts.OpenSessionBy(ctx, tx, u.ID, from, now, provedAt(who, now), bySignOn)
		return err
	})
	return a.AuditRefusedBy(ctx, from, u, bySignOn, err)
}

// gone turns NotFound and nil into a Conflict, which makes admit start again: the state has changed since it was read.
func gone(err error) error {
	if err == nil || domain.KindOf(err) == domain.NotFound {
		return domain.Wrap(domain.Conflict, "The account has changed meanwhile: start again", err)
	}
	return err
}

// trust connects the account that has the address of a person, which the provider has verified.
func (a *SSO) trust(ctx context.Context, from domain.Visitor, holder domain.User, who oidc.Identity, to *SignOnResult) error {
	if holder.SuspendedAt != nil {
		return a.refused(ctx, from, holder, "suspended", errSuspended())
	}
	has, err := a.connectedHere(ctx, holder.ID)
	if err != nil {
		return err
	}
	if has { // the provider seems to have reassigned the address
		return a.refused(ctx, from, holder, "the account has another identity", domain.NewForbidden(
			"The account with your e-mail address belongs to another account of the sign-in provider: ask whoever runs this site"))
	}
	var known account.Identity
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.Users().LockUser(ctx, holder.ID)
		if err != nil || c.User.Email != holder.Email {
			return gone(err)
		}
		if known, err = a.give(ctx, tx, c.User, who, "the same address"); err != nil {
			return err
		}
		return warn(ctx, tx, c.User, SignOnConnected)
	})
	if err != nil {
		return err
	}
	return a.enter(ctx, from, known, who, to)
}

// enroll creates an account for a person without one, and signs it in.
func (a *SSO) enroll(ctx context.Context, from domain.Visitor, email string, s step, who oidc.Identity, to *SignOnResult) error {
	if a.options().SignUp == SignUpNo {
		return a.refused(ctx, from, domain.User{}, "no account", domain.NewForbidden("You have no account here: ask whoever runs this site for one"))
	}
	switch err := a.CheckMail(ctx, email); {
	case domain.KindOf(err) == domain.Invalid:
		return a.refused(ctx, from, domain.User{}, "a blocked provider of mail", domain.NewForbidden("Your e-mail address is of a provider that is blocked here"))
	case err != nil:
		return err
	}
	switch err := a.accounts.CheckSetupCode(ctx, from, s.Setup); {
	case domain.KindOf(err) == domain.Invalid:
		return a.refused(ctx, from, domain.User{}, "no setup code", domain.NewForbidden("The first account needs the setup code of this server: enter it on the sign-up page"))
	case err != nil:
		return err
	}
	name := nameOf(who, email)
	var made account.Identity
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		u, err := a.accounts.Enroll(ctx, tx, ExternalUser{Name: name, Slug: slugOf(who), Email: email, Invite: s.Invite, Anyone: a.options().SignUp == SignUpYes})
		if err != nil {
			return err
		}
		made, err = a.give(ctx, tx, u, who, "a new account")
		return err
	})
	if domain.KindOf(err) == domain.Forbidden {
		return a.refused(ctx, from, domain.User{}, "no account", err)
	}
	if err != nil {
		return err
	}
	to.Made = true
	return a.enter(ctx, from, made, who, to)
}

// refused records why a person may not sign in.
func (a *SSO) refused(ctx context.Context, from domain.Visitor, u domain.User, why string, err error) error {
	if noting := a.AuditRefusedFor(ctx, from, u, bySignOn+": "+why); noting != nil {
		return noting
	}
	return err
}

func errSuspended() error { return domain.NewForbidden("Your account is suspended") }

func errOthers() error {
	return domain.NewForbidden("That account of the sign-in provider is connected to another account here")
}

// nameOf returns the name for a new account.
func nameOf(who oidc.Identity, email string) string {
	local, _, _ := strings.Cut(email, "@")
	for _, name := range []string{who.Name, who.Username} {
		runes := []rune(strings.Join(strings.Fields(domain.NameFrom(name)), " "))
		if name = domain.NameFrom(string(runes[:min(len(runes), domain.MaxTitle)])); name != "" { // the cut may split an emoji
			return name
		}
	}
	return local
}

// slugOf returns the person's username at the provider, or "" if it is not a valid slug.
func slugOf(who oidc.Identity) string {
	local, _, _ := strings.Cut(who.Username, "@")
	slug := domain.Slugify(local)
	var f domain.Faults
	if CheckSlug(&f, slug); f != nil {
		return ""
	}
	return slug
}
