package accounts

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"

	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/oidc"
)

// SignUp determines who gets an account by signing in.
type SignUp string

// Values of SignUp.
const (
	SignUpFollow SignUp = "follow" // users that the site's sign-up mode permits
	SignUpYes    SignUp = "yes"    // everyone at the provider, unless signing up is closed
	SignUpNo     SignUp = "no"
)

// GroupRule maps a group of the provider to a group here, whose members the members of the former become.
type GroupRule struct{ Theirs, Ours string } // Ours is a slug

// SignOnOptions configures single sign-on.
type SignOnOptions struct {
	Provider   *oidc.Provider // nil for none
	Name       string         // of the provider, for people
	SignUp     SignUp
	Only       bool // no other way to sign in
	TrustEmail bool // an address that the provider has verified opens its account here
	Groups     []GroupRule
	Log        *slog.Logger
}

// SSO contains the use cases.
type SSO struct {
	*core.Core
	accounts *Accounts
	people   *people.People
	o        atomic.Pointer[SignOnOptions]
}

// NewSSO creates the use cases.
func NewSSO(c *core.Core, accounts *Accounts, people *people.People, o SignOnOptions) *SSO {
	a := &SSO{Core: c, accounts: accounts, people: people}
	a.Configure(o)
	return a
}

// Configure replaces the options while people sign in. A provider must not appear or disappear, and Only not change.
func (a *SSO) Configure(o SignOnOptions) { a.o.Store(&o) }

func (a *SSO) options() *SignOnOptions { return a.o.Load() }

// ProviderName returns the name of the provider, or "" without single sign-on.
func (a *SSO) ProviderName() string {
	if a.options().Provider == nil {
		return ""
	}
	return a.options().Name
}

// OnlySignOn reports whether the provider is the only way to sign in.
func (a *SSO) OnlySignOn() bool { return a.SignOnOnly }

// ProviderSignOut returns the address for signing out at the provider after signing out here. It
// returns "" if the provider cannot be reached or has no such address.
func (a *SSO) ProviderSignOut(ctx context.Context) string {
	if a.options().Provider == nil {
		return ""
	}
	return a.options().Provider.SignOut(ctx, a.SiteURL+"/")
}

// followGroups updates a person's memberships from their groups at the provider. A rule with an unknown group here is
// only logged, so that it does not prevent signing in.
func (a *SSO) followGroups(ctx context.Context, user domain.UserID, who oidc.Identity) error {
	if len(a.options().Groups) == 0 {
		return nil
	}
	if who.Unsure {
		a.options().Log.WarnContext(ctx, "the OpenID Connect provider did not list all groups of the user: memberships stay as they are", "user", user)
		return nil
	}
	var wanted []domain.GroupID
	for _, rule := range a.options().Groups {
		if !slices.Contains(who.Groups, rule.Theirs) {
			continue
		}
		id, err := a.Store.Groups().ResolveGroup(ctx, domain.Ref{Slug: rule.Ours})
		if domain.KindOf(err) == domain.NotFound {
			a.options().Log.WarnContext(ctx, "--oidc-group-map names a group that does not exist", "group", rule.Ours)
			continue
		}
		if err != nil {
			return err
		}
		if !slices.Contains(wanted, id) {
			wanted = append(wanted, id)
		}
	}
	return a.people.FollowMapping(ctx, user, wanted)
}
