package domain_test

import (
	"testing"

	"vitrine/internal/domain"
)

func TestItemRefs(t *testing.T) {
	t.Parallel()
	block, channel := domain.BlockRef(7), domain.ChannelRef(7)
	if block == channel || block != (domain.ItemRef{Type: "Block", ID: 7}) || channel != (domain.ItemRef{Type: "Channel", ID: 7}) {
		t.Errorf("got %+v and %+v", block, channel)
	}
}

// The user who connected an item, and the owner and collaborators of the channel can remove it.
func TestWhoRemovesConnections(t *testing.T) {
	t.Parallel()
	made := domain.Connection{Maker: domain.Principal{PrincipalRef: domain.UserRef(writer.UserID)}}
	for _, c := range []struct {
		name  string
		actor domain.Actor
		role  domain.Role
		want  bool
	}{
		{"maker", writer, domain.RoleNone, true},
		{"maker who may only read", reader, domain.RoleNone, false},
		{"another", other, domain.RoleNone, false},
		{"collaborator", other, domain.RoleCollaborator, true},
		{"owner", other, domain.RoleOwner, true},
		{"owner who may only read", reader, domain.RoleOwner, false},
		{"guest", guest, domain.RoleNone, false},
	} {
		if got := domain.CanRemove(c.actor, domain.Channel{Visibility: domain.Public, Role: c.role}, made); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestDestinations(t *testing.T) {
	t.Parallel()
	at := func(p int64) *int64 { return &p }
	for _, c := range []struct {
		how      domain.Movement
		position *int64
		from, n  int64
		want     int64
	}{
		{domain.MoveToTop, nil, 2, 5, 5},
		{domain.MoveToTop, at(1), 5, 5, 5}, // the position is for insert_at
		{domain.MoveToBottom, nil, 2, 5, 1},
		{domain.MoveToBottom, nil, 1, 1, 1},
		{domain.MoveUp, nil, 2, 5, 3},
		{domain.MoveUp, nil, 5, 5, 5},
		{domain.MoveDown, nil, 2, 5, 1},
		{domain.MoveDown, nil, 1, 5, 1},
		{domain.InsertAt, at(4), 2, 5, 4},
		{domain.InsertAt, at(2), 2, 5, 2},
		{domain.InsertAt, at(6), 2, 5, 5},
		{domain.InsertAt, at(1 << 62), 2, 5, 5},
		{domain.InsertAt, at(0), 2, 5, 1},
		{domain.InsertAt, at(-1 << 62), 2, 5, 1},
	} {
		if got := domain.Destination(c.how, c.position, c.from, c.n); got != c.want {
			t.Errorf("%s from %d of %d: %d, want %d", c.how, c.from, c.n, got, c.want)
		}
	}
}
