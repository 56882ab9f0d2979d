package store_test

import (
	"fmt"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// cast contains the viewers.
type cast struct{ guest, stranger, author, owner, collaborator, member, partner domain.UserID }

// names returns the names of the viewers for failures.
func (c cast) names() map[string]domain.UserID {
	return map[string]domain.UserID{"guest": c.guest, "stranger": c.stranger, "author": c.author, "owner": c.owner,
		"collaborator": c.collaborator, "member of the owning group": c.member, "member of the collaborating group": c.partner}
}

// TestAccess checks who sees a channel and its contents, with every query that can show them.
func TestAccess(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		user := func(name string) domain.UserID { return storetest.User(t, s, name) }
		c := cast{stranger: user("Stranger"), author: user("Author"), owner: user("Owner"),
			collaborator: user("Collaborator"), member: user("Member"), partner: user("Partner")}
		founder := user("Founder")
		owning := storetest.Group(t, s, "Owning", founder, c.member)
		partners := storetest.Group(t, s, "Partners", founder, c.partner)
		storetest.Group(t, s, "Others", c.stranger, c.author)
		storetest.Collaborate(t, s, storetest.Channel(t, s, founder, "Elsewhere", domain.Private), domain.UserRef(c.stranger))
		block := storetest.Block(t, s, c.author, "x")
		shelf := storetest.Channel(t, s, founder, "Shelf", domain.Public) // contains the channels
		for i, v := range []domain.Visibility{domain.Private, domain.Closed, domain.Public} {
			roles := map[domain.UserID]domain.Role{c.owner: domain.RoleOwner, c.collaborator: domain.RoleCollaborator, c.partner: domain.RoleCollaborator}
			by, owner := c.owner, domain.UserRef(c.owner)
			for _, group := range []bool{false, true} {
				if group {
					by, owner = c.member, domain.GroupRef(owning)
					delete(roles, c.owner)
					roles[c.member] = domain.RoleOwner
				}
				id := storetest.OwnedChannel(t, s, owner, by, fmt.Sprint("Channel ", i, group), v)
				storetest.Collaborate(t, s, id, domain.UserRef(c.collaborator), domain.GroupRef(partners))
				conn := storetest.Connect(t, s, by, id, domain.BlockRef(block), 0)
				shown := storetest.Connect(t, s, founder, shelf, domain.ChannelRef(id), 0)
				for name, viewer := range c.names() {
					sees := v != domain.Private || roles[viewer] > domain.RoleNone
					view{t, s, fmt.Sprintf("%s of %s channel, group %v", name, v, group), viewer}.
						expect(id, shelf, block, roles[viewer], sees, viewer == c.author)
				}
				storetest.Disconnect(t, s, conn)
				storetest.Disconnect(t, s, shown)
			}
		}
		for name, viewer := range c.names() {
			_, err := s.Block(t.Context(), viewer, block)
			if viewer == c.author && err != nil || viewer != c.author && domain.KindOf(err) != domain.NotFound {
				t.Errorf("%s asks for an orphan: %v", name, err)
			}
		}
	})
}

// view is one viewer's view.
type view struct {
	t      *testing.T
	s      *store.Store
	name   string
	viewer domain.UserID
}

// expect reads a channel, which contains a block and is in another channel, with every query. All
// of them must agree on whether the viewer sees it.
func (v view) expect(id, shelf domain.ChannelID, block domain.BlockID, role domain.Role, sees, author bool) {
	v.t.Helper()
	ctx := v.t.Context()
	c, err := v.s.Channels().Channel(ctx, v.viewer, domain.Ref{ID: int64(id)})
	if sees && (err != nil || c.Role != role || c.ID != id) || !sees && domain.KindOf(err) != domain.NotFound {
		v.t.Errorf("%s: role %d, %v, want %d", v.name, c.Role, err, role)
	}
	byID, err := v.s.Channels().ChannelsByID(ctx, v.viewer, []domain.ChannelID{id})
	if err != nil || len(byID) != btoi(sees) {
		v.t.Errorf("%s: by id %v, %v", v.name, byID, err)
	}
	if _, err := v.s.Block(ctx, v.viewer, block); (sees || author) && err != nil || !sees && !author && domain.KindOf(err) != domain.NotFound {
		v.t.Errorf("%s: the block: %v", v.name, err)
	}
	in := itemChannels(v.t, v.s, contents.ItemChannelsQuery{Viewer: v.viewer, Item: domain.BlockRef(block), Page: domain.Page{Number: 1, Per: 10}})
	if in.Total != int64(btoi(sees)) || len(in.Items) != btoi(sees) {
		v.t.Errorf("%s: the block is in %d channels", v.name, in.Total)
	}
	if items, _ := listed(v.t, v.s, v.viewer, shelf); len(items) != btoi(sees) {
		v.t.Errorf("%s: the other channel shows %v", v.name, items)
	}
	if sees {
		if items, _ := listed(v.t, v.s, v.viewer, id); len(items) != 1 || items[0] != domain.BlockRef(block) {
			v.t.Errorf("%s: the channel shows %v", v.name, items)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
