package domain

import (
	"slices"
	"testing"
	"time"
)

func TestAbilitiesOnGroup(t *testing.T) {
	t.Parallel()
	group := Group{Owner: Principal{PrincipalRef: UserRef(1)}}
	all, invites := GroupAbilities{true, true, true, true}, GroupAbilities{ManageInvitations: true}
	tests := []struct {
		name   string
		actor  Actor
		member bool
		want   GroupAbilities
		sees   bool
	}{
		{"guest", Actor{}, false, GroupAbilities{}, false},
		{"stranger", Actor{UserID: 3, Scope: ScopeWrite}, false, GroupAbilities{}, false},
		{"member", Actor{UserID: 2, Scope: ScopeWrite}, true, invites, true},
		{"owner", Actor{UserID: 1, Scope: ScopeWrite}, true, all, true},
		{"owner, reading", Actor{UserID: 1, Scope: ScopeRead}, true, GroupAbilities{}, true},
		{"a group with the owner's id", Actor{UserID: 1}, false, GroupAbilities{}, false},
	}
	for _, test := range tests {
		g := group
		g.Member = test.member
		if got := AbilitiesOnGroup(test.actor, g); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
		if got := CanSeeInvitations(test.actor, g); got != test.sees {
			t.Errorf("%s sees invitations: %v", test.name, got)
		}
	}
}

func TestGroupChannels(t *testing.T) {
	t.Parallel()
	g := Group{OpenChannels: 3, PrivateChannels: 4}
	if got := g.Channels(); got != 3 {
		t.Errorf("a stranger counts %d", got)
	}
	if g.Member = true; g.Channels() != 7 {
		t.Errorf("a member counts %d", g.Channels())
	}
}

func TestCanAcceptAndRevoke(t *testing.T) {
	t.Parallel()
	address := "ada@example.org"
	ada := &Principal{PrincipalRef: UserRef(1)}
	who := func(id UserID) Actor { return Actor{UserID: id, Scope: ScopeWrite} }
	tests := []struct {
		name  string
		actor Actor
		i     Invitation
		want  bool
	}{
		{"the invited user", who(1), Invitation{Invitee: ada}, true},
		{"another user", who(2), Invitation{Invitee: ada}, false},
		{"whoever has the mail", who(2), Invitation{Email: &address}, true},
		{"another account of whoever has the mail", who(2), Invitation{Email: &address, Invitee: ada}, true},
		{"a guest", Actor{}, Invitation{Email: &address}, false},
		{"a token for reading", Actor{UserID: 1, Scope: ScopeRead}, Invitation{Invitee: ada}, false},
	}
	for _, test := range tests {
		if got := CanAccept(test.actor, test.i); got != test.want {
			t.Errorf("%s may accept: %v", test.name, got)
		}
	}
	made := Invitation{InvitedBy: Principal{PrincipalRef: UserRef(5)}}
	if !CanRevoke(who(5), Group{}, made) || CanRevoke(who(6), Group{}, made) || !CanRevoke(who(6), Group{Member: true}, made) {
		t.Error("its maker and members revoke an invitation, and nobody else")
	}
	if CanRevoke(Actor{UserID: 5, Scope: ScopeRead}, Group{Member: true}, made) {
		t.Error("a token for reading revokes")
	}
}

func TestInvitationOpen(t *testing.T) {
	t.Parallel()
	end := time.Unix(1000, 0)
	for state, want := range map[InvitationState]bool{InvitationPending: true, InvitationAccepted: false,
		InvitationDeclined: false, InvitationRevoked: false, InvitationExpired: false} {
		i := Invitation{State: state, ExpiresAt: end}
		if i.Open(end.Add(-1)) != want {
			t.Errorf("%s: open before its end: %v", state, !want)
		}
		if i.Open(end) {
			t.Errorf("%s: open at its end", state)
		}
	}
}

func TestNameKey(t *testing.T) {
	t.Parallel()
	names := []string{"1 first", "alpha", "Alpha beta", "Beta", "Éa", "eb", "zebra"}
	if !slices.IsSortedFunc(names, func(a, b string) int {
		if NameKey(a) < NameKey(b) {
			return -1
		}
		return 1
	}) {
		t.Error("names are not in the order that people expect")
	}
	if NameKey("C") == NameKey("C++") {
		t.Error("names that read the same but for marks have one key")
	}
}
