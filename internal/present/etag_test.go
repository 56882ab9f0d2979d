package present_test

import (
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// A tag depends on everything that a representation shows of other rows, on the viewer's
// permissions, and on the server.
func TestTags(t *testing.T) {
	t.Parallel()
	guest, ada := domain.Actor{}, domain.Actor{UserID: 1, Scope: domain.ScopeWrite}
	tags, other := present.NewTags([]byte("a")), present.NewTags([]byte("b"))
	block := domain.Block{ID: 1, Version: 1, OpenCount: 1, Author: user(1, "Ada", "ada")}
	channel := domain.Channel{ID: 1, Version: 1, Owner: user(1, "Ada", "ada")}
	person := domain.User{ID: 1, Version: 1, OpenChannels: 1, PrivateChannels: 1}
	group := domain.Group{ID: 1, Version: 1, Owner: user(1, "Ada", "ada"), OpenChannels: 1}
	connection := domain.Connection{ID: 1, Version: 1, Position: 1, Maker: user(1, "Ada", "ada")}
	collaborators := []domain.Principal{{Version: 1}}
	seen := map[string]string{}
	unique := func(what, tag string) {
		if twin, ok := seen[tag]; ok {
			t.Errorf("%s and %s have the same tag", what, twin)
		}
		seen[tag] = what
	}

	unique("block", tags.Block(guest, block))
	unique("block elsewhere", other.Block(guest, block))
	unique("block of its author", tags.Block(ada, block))
	block.Author.Version++
	unique("block, author renamed", tags.Block(guest, block))
	block.OpenCount, block.PrivateCount = 0, 1
	unique("block, private", tags.Block(guest, block))
	block.PrivateCount = 0
	unique("block, orphan", tags.Block(guest, block))
	block.Version++
	unique("block, changed", tags.Block(guest, block))

	unique("channel", tags.Channel(guest, channel, nil))
	unique("channel, collaborator", tags.Channel(guest, channel, collaborators))
	collaborators[0].Version++
	unique("channel, collaborator renamed", tags.Channel(guest, channel, collaborators))
	channel.Role = domain.RoleCollaborator
	unique("channel of its collaborator", tags.Channel(ada, channel, nil))
	channel.Role = domain.RoleOwner
	unique("channel of its owner", tags.Channel(ada, channel, nil))

	unique("connection", tags.Connection(guest, domain.Channel{}, connection))
	unique("connection of its maker", tags.Connection(ada, domain.Channel{}, connection))
	connection.Position++
	unique("connection, moved", tags.Connection(guest, domain.Channel{}, connection))

	unique("user", tags.User(guest, person))
	unique("user as they see themselves", tags.User(ada, person))
	unique("me", tags.Me(person))
	person.Unread++
	unique("me, unread", tags.Me(person))

	unique("group", tags.Group(guest, group))
	group.Member = true
	group.PrivateChannels++
	unique("group of a member", tags.Group(ada, group))
	unique("invite", tags.GroupInvite(group, domain.GroupInvite{ID: 1}))
	group.FaceVersion++
	unique("invite, group renamed", tags.GroupInvite(group, domain.GroupInvite{ID: 1}))
}
