// Package sso has the use cases of single sign-on: signing in by an OpenID Connect provider,
// connecting the identity there with an account here, and the groups that come from there.
package sso

import (
	"context"
	"log/slog"
	"slices"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/oidc"
)

// SignUp is who gets an account by signing in.
type SignUp string

// The choices.
const (
	SignUpFollow SignUp = "follow" // whom the site's sign-up mode lets in
	SignUpYes    SignUp = "yes"    // anyone whom the provider knows, unless signing up is closed
	SignUpNo     SignUp = "no"
)

// Rule has the members of a group of the provider be members of one of ours.
type Rule struct{ Theirs, Ours string } // ours by its slug

// Options are how single sign-on behaves.
type Options struct {
	Provider   *oidc.Provider // nil for none
	Name       string         // of the provider, as people know it
	SignUp     SignUp
	Only       bool // nobody comes in another way
	TrustEmail bool // an address that the provider has verified opens the account that has it
	Groups     []Rule
	Log        *slog.Logger
}

// SSO are the use cases.
type SSO struct {
	*core.Core
	accounts *accounts.Accounts
	people   *people.People
	o        Options
}

// New makes the use cases.
func New(c *core.Core, accounts *accounts.Accounts, people *people.People, o Options) *SSO {
	return &SSO{Core: c, accounts: accounts, people: people, o: o}
}

// ProviderName is what the provider is called, "" where there is no single sign-on.
func (a *SSO) ProviderName() string {
	if a.o.Provider == nil {
		return ""
	}
	return a.o.Name
}

// OnlySignOn reports whether people come in by the provider alone.
func (a *SSO) OnlySignOn() bool { return a.SignOnOnly }

// ProviderSignOut gives the address at which somebody who has signed out here signs out at the
// provider, too; "" where it has none, or is away.
func (a *SSO) ProviderSignOut(ctx context.Context) string {
	if a.o.Provider == nil {
		return ""
	}
	return a.o.Provider.SignOut(ctx, a.SiteURL+"/")
}

// followGroups makes somebody's memberships what their groups at the provider say. A group of
// ours that is not there is said in the log: nobody should be kept out for it.
func (a *SSO) followGroups(ctx context.Context, user domain.UserID, who oidc.Identity) error {
	if len(a.o.Groups) == 0 {
		return nil
	}
	if who.Unsure {
		a.o.Log.WarnContext(ctx, "the OpenID Connect provider does not list all groups of somebody; their memberships stay", "user", user)
		return nil
	}
	var wanted []domain.GroupID
	for _, rule := range a.o.Groups {
		if !slices.Contains(who.Groups, rule.Theirs) {
			continue
		}
		id, err := a.Store.ResolveGroup(ctx, domain.Ref{Slug: rule.Ours})
		if domain.KindOf(err) == domain.NotFound {
			a.o.Log.WarnContext(ctx, "--oidc-group-map names a group that is not there", "group", rule.Ours)
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
