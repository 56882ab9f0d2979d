package domain_test

import (
	"testing"

	"vitrine/internal/domain"
)

func TestPrincipalRefs(t *testing.T) {
	t.Parallel()
	user, group := domain.UserRef(7), domain.GroupRef(7)
	if user == group || user != (domain.PrincipalRef{Type: "User", ID: 7}) || group != (domain.PrincipalRef{Type: "Group", ID: 7}) {
		t.Errorf("got %+v and %+v", user, group)
	}
}

// Private channels only count for their owner.
func TestChannelsForViewers(t *testing.T) {
	t.Parallel()
	u := domain.User{ID: 1, OpenChannels: 3, PrivateChannels: 4}
	for _, c := range []struct {
		viewer domain.Actor
		want   int64
	}{{guest, 3}, {other, 3}, {reader, 7}, {writer, 7}} {
		if got := u.ChannelsFor(c.viewer); got != c.want {
			t.Errorf("user %d is told of %d channels, want %d", c.viewer.UserID, got, c.want)
		}
	}
}

func TestBadges(t *testing.T) {
	t.Parallel()
	for tier, want := range map[domain.Tier]string{domain.TierFree: "", domain.TierPremium: "premium",
		domain.TierSupporter: "supporter", domain.TierGuest: "", "": ""} {
		if got := (domain.User{Tier: tier}).Badge(); got != want {
			t.Errorf("%q has the badge %q", tier, got)
		}
	}
}
