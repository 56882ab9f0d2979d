package domain_test

import (
	"testing"

	"vitrine/internal/domain"
)

func TestContentsOfChannels(t *testing.T) {
	t.Parallel()
	if got := (domain.Channel{Blocks: 3, Channels: 4, PrivateItems: 2}).Contents(); got != 7 {
		t.Errorf("got %d", got)
	}
}

func TestWhoViewsChannels(t *testing.T) {
	t.Parallel()
	for _, v := range []domain.Visibility{domain.Public, domain.Closed, domain.Private} {
		for _, role := range []domain.Role{domain.RoleNone, domain.RoleCollaborator, domain.RoleOwner} {
			want := v != domain.Private || role != domain.RoleNone
			if got := domain.CanView(v, role); got != want {
				t.Errorf("%s with role %d: %v", v, role, got)
			}
		}
	}
}

// The table of behaviour.md section 2: who may do more with a channel than see it.
func TestAbilitiesOnChannels(t *testing.T) {
	t.Parallel()
	type can = domain.ChannelAbilities
	for _, c := range []struct {
		visibility domain.Visibility
		role       domain.Role
		want       can
	}{
		{domain.Public, domain.RoleNone, can{AddTo: true}},
		{domain.Closed, domain.RoleNone, can{}},
		{domain.Private, domain.RoleNone, can{}},
		{domain.Public, domain.RoleCollaborator, can{AddTo: true, Update: true}},
		{domain.Closed, domain.RoleCollaborator, can{AddTo: true, Update: true}},
		{domain.Private, domain.RoleCollaborator, can{AddTo: true, Update: true}},
		{domain.Public, domain.RoleOwner, can{true, true, true, true}},
		{domain.Closed, domain.RoleOwner, can{true, true, true, true}},
		{domain.Private, domain.RoleOwner, can{true, true, true, true}},
	} {
		ch := domain.Channel{Visibility: c.visibility, Role: c.role}
		if got := domain.AbilitiesOnChannel(writer, ch); got != c.want {
			t.Errorf("%s, role %d: %+v", c.visibility, c.role, got)
		}
		for _, a := range []domain.Actor{guest, reader} {
			if got := domain.AbilitiesOnChannel(a, ch); got != (can{}) || domain.CanArrange(a, ch) {
				t.Errorf("%s, role %d, without a scope to write: %+v", c.visibility, c.role, got)
			}
		}
		if domain.CanArrange(writer, ch) != (c.role >= domain.RoleCollaborator) {
			t.Errorf("%s, role %d: may arrange is %v", c.visibility, c.role, domain.CanArrange(writer, ch))
		}
		if domain.CanAddTo(writer, ch) != c.want.AddTo || domain.CanUpdate(writer, ch) != c.want.Update || domain.CanOwn(writer, ch) != c.want.Destroy {
			t.Errorf("%s, role %d: `can` does not say what is allowed", c.visibility, c.role)
		}
	}
}
