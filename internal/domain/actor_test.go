package domain_test

import (
	"testing"

	"vitrine/internal/domain"
)

// The actors in the tables of this package.
var (
	guest  = domain.Actor{Tier: domain.TierGuest}
	reader = domain.Actor{UserID: 1, Tier: domain.TierFree, Scope: domain.ScopeRead}
	writer = domain.Actor{UserID: 1, Tier: domain.TierFree, Scope: domain.ScopeWrite}
	other  = domain.Actor{UserID: 2, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
)

func TestActors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		actor            domain.Actor
		signedIn, writes bool
	}{
		{"nobody", domain.Actor{}, false, false},
		{"guest", guest, false, false},
		{"guest with a scope", domain.Actor{Scope: domain.ScopeWrite}, false, false},
		{"user without a scope", domain.Actor{UserID: 1}, true, false},
		{"reader", reader, true, false},
		{"writer", writer, true, true},
		{"user with an unknown scope", domain.Actor{UserID: 1, Scope: "admin"}, true, false},
	} {
		if c.actor.SignedIn() != c.signedIn || c.actor.MayWrite() != c.writes {
			t.Errorf("%s: signed in %v, may write %v", c.name, c.actor.SignedIn(), c.actor.MayWrite())
		}
	}
}

func TestTiersOfAccounts(t *testing.T) {
	t.Parallel()
	for tier, want := range map[domain.Tier]bool{domain.TierFree: true, domain.TierPremium: true, domain.TierSupporter: true,
		domain.TierGuest: false, "": false, "Free": false, "gold": false} {
		if got := domain.ValidTier(tier); got != want {
			t.Errorf("%q: %v", tier, got)
		}
	}
}
