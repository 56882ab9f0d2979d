package sso

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/app/signin"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/oidc"
	"vitrine/internal/store"
	"vitrine/internal/store/identity"
)

// bySignOn is how the audit log calls it.
const bySignOn = "single sign-on"

// trySignOn bounds what strangers have us keep and ask. Many people of a school or an office have
// one address.
var trySignOn = core.Attempt{What: "single sign-on", Address: []core.Limit{{Most: 600, Window: 15 * time.Minute}}}

// Wish is what somebody wants who signs in. Next is a path of this site to go to afterwards.
type Wish struct {
	Next    string
	Invite  string // token by which they came to sign up, "" for none
	Connect bool   // the actor wants to connect their account
	Prove   bool   // the actor wants to confirm their session by signing in again
	Setup   string // code for the first account, "" for none
}

// BeginSignOn gives the address of the provider to go to, and what the browser is to bring back.
// browser is what it brought now, "" for nothing. NotFound says that there is no provider,
// Unavailable that it is away.
func (a *SSO) BeginSignOn(ctx context.Context, from domain.Visitor, actor domain.Actor, browser string, w Wish) (address, keep string, err error) {
	if a.o.Provider == nil {
		return "", "", domain.NewNotFound()
	}
	if _, err := a.Try(ctx, trySignOn, "", from); err != nil {
		return "", "", err
	}
	s := step{Attempt: oidc.NewAttempt(), Next: w.Next, Invite: inviteOf(w), Connect: w.Connect && actor.UserID != 0,
		Prove: w.Prove && actor.UserID != 0, Began: a.Now(), Setup: w.Setup}
	if address, err = a.o.Provider.Begin(ctx, s.Attempt, s.Prove); err != nil {
		return "", "", err
	}
	keep, err = a.put(ctx, s.Attempt.State, browser, s)
	return address, keep, err
}

// inviteOf gives the token by which somebody was invited, who may be on the way to its page.
func inviteOf(w Wish) string {
	for _, token := range []string{w.Invite, strings.TrimPrefix(w.Next, "/invitations/")} {
		if kind, ok := auth.TokenKind(token); ok && (kind == auth.Admitted || kind == auth.Invited) {
			return token
		}
	}
	return ""
}

// Reply is what the provider sends back through the browser.
type Reply struct {
	State  string
	Code   string
	Issuer string // RFC 9207; "" if it does not say
	Error  string // RFC 6749 section 4.1.2.1; "" for none
}

// Arrival is what became of a sign-in.
type Arrival struct {
	Session string // secret of the session, new or renewed, "" for none
	Proved  bool   // an existing session was confirmed
	Next    string // as it was wished, also where there is an error
	Confirm string // token of what the person has to confirm first, see Pending; "" for nothing
	Made    bool   // an account was made
}

// FinishSignOn completes a sign-in that BeginSignOn started in the same browser. It signs in known
// users, creates accounts for others if they may have one, and asks for confirmation if they have an
// account that is not connected, or want to connect the current one. It confirms the actor's session
// if the wish was Prove. The error is Forbidden if they may not sign in, and Unavailable if the
// provider cannot be reached.
func (a *SSO) FinishSignOn(ctx context.Context, from domain.Visitor, actor domain.Actor, session domain.Session, browser string, r Reply) (arrived Arrival, err error) {
	if a.o.Provider == nil {
		return arrived, domain.NewNotFound()
	}
	var s step
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
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
	if r.Issuer != "" && r.Issuer != a.o.Provider.Issuer() {
		return arrived, domain.NewForbidden("The answer came from another provider than the one that was asked")
	}
	if r.Error != "" || r.Code == "" {
		return arrived, a.declined(ctx, r.Error)
	}
	who, err := a.o.Provider.Finish(ctx, s.Attempt, r.Code)
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

// declined says what it means that the provider has not let somebody in.
func (a *SSO) declined(ctx context.Context, code string) error {
	switch code {
	case "access_denied":
		return domain.NewForbidden("The sign-in was cancelled, or the provider does not let you in here")
	case "server_error", "temporarily_unavailable":
		return domain.NewUnavailableFor(10*time.Second, "The sign-in provider does not answer just now: try again in a moment, or sign in another way")
	}
	a.o.Log.WarnContext(ctx, "the OpenID Connect provider refuses to sign somebody in", "code", strings.ToValidUTF8(code[:min(len(code), 100)], ""))
	return domain.NewForbidden("The sign-in provider refused: ask whoever runs this site")
}

// tries is how often somebody is looked for again where another sign-in of theirs came first.
const tries = 4

// admit lets in who has come.
func (a *SSO) admit(ctx context.Context, from domain.Visitor, actor domain.Actor, browser string, s step, who oidc.Identity, to *Arrival) error {
	for n := 1; ; n++ {
		err := a.admitOnce(ctx, from, actor, browser, s, who, to)
		if domain.KindOf(err) != domain.Conflict || n == tries {
			return err
		}
	}
}

func (a *SSO) admitOnce(ctx context.Context, from domain.Visitor, actor domain.Actor, browser string, s step, who oidc.Identity, to *Arrival) error {
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
	case holder.ID != 0 && !a.o.TrustEmail && a.SignOnOnly: // there is no way to sign in to it as before
		return a.refused(ctx, from, holder, "the account is not connected", domain.NewForbidden(
			"There is an account with your e-mail address that is not connected with the sign-in provider: ask whoever runs this site"))
	case holder.ID != 0 && !a.o.TrustEmail:
		return a.askToConfirm(ctx, browser, s, who, to)
	case holder.ID != 0:
		return a.trust(ctx, from, holder, who, to)
	}
	return a.enroll(ctx, from, email, s, who, to)
}

// find gives the identity of somebody, and else who has their address; zero for none. It looks at
// one state: an account that is made between two looks would seem to be somebody else's.
func (a *SSO) find(ctx context.Context, who oidc.Identity, email string) (known identity.Identity, holder domain.User, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		known, err = v.Identity(ctx, who.Issuer, who.Subject)
		if email == "" || domain.KindOf(err) != domain.NotFound {
			return err
		}
		holder, err = v.UserByEmail(ctx, email)
		return err
	})
	if domain.KindOf(err) == domain.NotFound {
		err = nil
	}
	return known, holder, err
}

// provenEmail gives the address of somebody as it is kept, if the provider has verified it.
func provenEmail(who oidc.Identity) (string, bool) {
	if !who.Verified {
		return "", false
	}
	email, err := core.EmailAddress(who.Email)
	return email, err == nil
}

// enter signs in who is known.
func (a *SSO) enter(ctx context.Context, from domain.Visitor, known identity.Identity, who oidc.Identity, to *Arrival) error {
	u, err := a.Store.User(ctx, domain.Ref{ID: int64(known.User)})
	if domain.KindOf(err) == domain.NotFound { // deleted this moment, with the identity
		return domain.Wrap(domain.Conflict, "The account is gone", err)
	}
	if err != nil {
		return err
	}
	if u.SuspendedAt != nil {
		return a.refused(ctx, from, u, "suspended", errSuspended())
	}
	if err := a.followGroups(ctx, u.ID, who); err != nil { // before anybody acts by them
		return err
	}
	email, _ := core.EmailAddress(who.Email)
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockUser(ctx, u.ID)
		if err != nil {
			return gone(err)
		}
		if c.User.SuspendedAt != nil {
			return errSuspended()
		}
		// It may have been disconnected since, and by that ended.
		if known, err = tx.Identity(ctx, who.Issuer, who.Subject); err != nil || known.User != u.ID {
			return gone(err)
		}
		now := a.Now()
		if err := tx.IdentityUsed(ctx, known.ID, email, now); err != nil {
			return err
		}
		to.Session, err = a.accounts.OpenSessionBy(ctx, tx, u.ID, from, now, provedAt(who, now), bySignOn)
		return err
	})
	return a.AuditRefusedBy(ctx, from, u, bySignOn, err)
}

// gone has what is no longer as it was read looked at again.
func gone(err error) error {
	if err == nil || domain.KindOf(err) == domain.NotFound {
		return domain.Wrap(domain.Conflict, "The account has changed meanwhile: start again", err)
	}
	return err
}

// trust connects the account that has the address of somebody, which the provider has verified.
func (a *SSO) trust(ctx context.Context, from domain.Visitor, holder domain.User, who oidc.Identity, to *Arrival) error {
	if holder.SuspendedAt != nil {
		return a.refused(ctx, from, holder, "suspended", errSuspended())
	}
	has, err := a.connectedHere(ctx, holder.ID)
	if err != nil {
		return err
	}
	if has { // the address was given to somebody else there, it seems
		return a.refused(ctx, from, holder, "the account has another identity", domain.NewForbidden(
			"The account with your e-mail address belongs to another account of the sign-in provider: ask whoever runs this site"))
	}
	var known identity.Identity
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockUser(ctx, holder.ID)
		if err != nil || c.User.Email != holder.Email {
			return gone(err)
		}
		if known, err = a.give(ctx, tx, c.User, who, "the same address"); err != nil {
			return err
		}
		return signin.Warn(ctx, tx, c.User, signin.SignOnConnected)
	})
	if err != nil {
		return err
	}
	return a.enter(ctx, from, known, who, to)
}

// enroll makes an account for who has none, and signs it in.
func (a *SSO) enroll(ctx context.Context, from domain.Visitor, email string, s step, who oidc.Identity, to *Arrival) error {
	if a.o.SignUp == SignUpNo {
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
	var made identity.Identity
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		u, err := a.accounts.Enroll(ctx, tx, accounts.Newcomer{Name: name, Slug: slugOf(who), Email: email, Invite: s.Invite, Anyone: a.o.SignUp == SignUpYes})
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

// refused notes why somebody is not let in.
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

// nameOf is what a new account is called.
func nameOf(who oidc.Identity, email string) string {
	local, _, _ := strings.Cut(email, "@")
	for _, name := range []string{who.Name, who.Username} {
		runes := []rune(strings.Join(strings.Fields(domain.NameFrom(name)), " "))
		if name = domain.NameFrom(string(runes[:min(len(runes), domain.MaxTitle)])); name != "" { // the cut may be within an emoji
			return name
		}
	}
	return local
}

// slugOf is the slug that somebody is known by there, "" if it cannot be one here.
func slugOf(who oidc.Identity) string {
	local, _, _ := strings.Cut(who.Username, "@")
	slug := domain.Slugify(local)
	var f domain.Faults
	if accounts.CheckSlug(&f, slug); f != nil {
		return ""
	}
	return slug
}
