package present

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/cespare/xxhash/v2"

	"vitrine/internal/domain"
)

// Tags makes entity tags from the versions of the rows that a representation shows and from
// everything else that it depends on. So a match is found before a body is built. Versions only
// grow, so their sums do not collide.
type Tags struct{ epoch uint64 }

// NewTags returns tags for one kind of representation. epoch contains everything that they depend
// on apart from the rows, such as the build and the addresses.
func NewTags(epoch []byte) Tags { return Tags{xxhash.Sum64(epoch)} }

func (t Tags) tag(kind string, parts ...int64) string {
	var space [64]byte
	state := space[:0]
	for _, p := range parts {
		state = binary.LittleEndian.AppendUint64(state, uint64(p))
	}
	return t.State(kind, state)
}

// State returns the tag of a representation of a kind, whose state is given in any encoding.
func (t Tags) State(kind string, state []byte) string {
	var sum xxhash.Digest
	var word [8]byte
	sum.Reset()
	_, _ = sum.WriteString(kind) // never fails
	_, _ = sum.Write(binary.LittleEndian.AppendUint64(word[:0], t.epoch))
	_, _ = sum.Write(state)
	var tag [len(`W/""`) + 2*len(word)]byte
	return string(append(hex.AppendEncode(append(tag[:0], `W/"`...), binary.BigEndian.AppendUint64(word[:0], sum.Sum64())), '"'))
}

// Channel returns the tag of a channel with its collaborators.
func (t Tags) Channel(viewer domain.Actor, c domain.Channel, collaborators []domain.Principal) string {
	can := domain.AbilitiesOnChannel(viewer, c)
	faces := int64(0)
	for _, p := range collaborators {
		faces += p.Version
	}
	return t.tag("channel", int64(c.ID), c.Version, c.Owner.Version, faces,
		bits(can.AddTo, can.Update, can.Destroy, can.ManageCollaborators))
}

// Block returns the tag of a block.
func (t Tags) Block(viewer domain.Actor, b domain.Block) string {
	return t.BlockRevision(viewer, b.Revision())
}

// BlockRevision returns the tag of a block in the state of the stamp.
func (t Tags) BlockRevision(viewer domain.Actor, s domain.BlockRevision) string {
	can := s.Abilities(viewer)
	// After a change of its channel, a block may become visible or hidden before its version grows.
	return t.tag("block", int64(s.ID), s.Version, s.Face, bits(can.Manage, can.Comment, can.Connect,
		s.Visibility == domain.BlockPublic, s.Visibility == domain.BlockPrivate))
}

// Connection returns the tag of a connection in its channel.
func (t Tags) Connection(viewer domain.Actor, in domain.Channel, c domain.Connection) string {
	return t.tag("connection", int64(c.ID), c.Version, c.Position, c.Maker.Version,
		bits(domain.CanRemove(viewer, in, c)))
}

// Comment returns the tag of a comment.
func (t Tags) Comment(c domain.Comment) string {
	return t.tag("comment", int64(c.ID), c.Version, c.Author.Version)
}

// User returns the tag of a user as others see them.
func (t Tags) User(viewer domain.Actor, u domain.User) string {
	return t.tag("user", int64(u.ID), u.Version, u.ChannelsFor(viewer), 0)
}

// Me returns the tag of a user as they see themselves, with the number of unread notifications.
func (t Tags) Me(u domain.User) string {
	return t.tag("me", int64(u.ID), u.Version, u.OpenChannels+u.PrivateChannels, u.Unread)
}

// Group returns the tag of a group.
func (t Tags) Group(viewer domain.Actor, g domain.Group) string {
	can := domain.AbilitiesOnGroup(viewer, g)
	return t.tag("group", int64(g.ID), g.Version, g.Owner.Version, g.Channels(),
		bits(can.Update, can.Destroy, can.ManageMembers, can.ManageInvitations))
}

// GroupInvite returns the tag of the invite of a group.
func (t Tags) GroupInvite(g domain.Group, i domain.GroupInvite) string {
	return t.tag("invite", int64(i.ID), g.FaceVersion)
}

// bits packs flags into a number.
func bits(flags ...bool) (n int64) {
	for i, f := range flags {
		if f {
			n |= 1 << i
		}
	}
	return n
}
