package api

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// tag makes an ETag from the versions of all rows that a representation shows and
// from what else it depends on. Versions only grow, so sums of them do not collide.
func (h *handler) tag(kind string, parts ...int64) string {
	buf := binary.LittleEndian.AppendUint64([]byte(kind), h.epoch)
	for _, p := range parts {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(p))
	}
	return fmt.Sprintf(`W/"%016x"`, xxhash.Sum64(buf))
}

// fresh records the ETag of what is about to be shown; errNotModified when the
// client has it already.
func fresh(ctx context.Context, etag string) error {
	if middleware.From(ctx).NotModified(etag) {
		return errNotModified
	}
	return nil
}

func (h *handler) channelTag(who domain.Actor, c app.FullChannel) string {
	can := domain.AbilitiesOnChannel(who, c.Channel)
	faces := int64(0)
	for _, p := range c.Collaborators {
		faces += p.Version
	}
	return h.tag("channel", int64(c.ID), c.Version, c.Owner.Version, faces,
		bits(can.AddTo, can.Update, can.Destroy, can.ManageCollaborators))
}

func (h *handler) blockTag(who domain.Actor, b domain.Block) string {
	can := domain.AbilitiesOnBlock(who, b)
	// A block of a channel that has changed may be visible, or not, before its version grows.
	return h.tag("block", int64(b.ID), b.Version, b.Author.Version, bits(can.Manage, can.Comment, can.Connect,
		b.OpenCount > 0, b.OpenCount == 0 && b.PrivateCount > 0))
}

func (h *handler) connectionTag(who domain.Actor, c app.PlacedConnection) string {
	return h.tag("connection", int64(c.ID), c.Version, c.Position, c.Maker.Version,
		bits(domain.CanRemove(who, c.Channel, c.Connection)))
}

func (h *handler) userTag(kind string, who domain.Actor, u domain.User) string {
	return h.tag(kind, int64(u.ID), u.Version, u.ChannelsFor(who), u.Unread)
}

func (h *handler) groupTag(who domain.Actor, g domain.Group) string {
	can := domain.AbilitiesOnGroup(who, g)
	return h.tag("group", int64(g.ID), g.Version, g.Owner.Version, g.Channels(),
		bits(can.Update, can.Destroy, can.ManageMembers, can.ManageInvitations))
}

func (h *handler) inviteTag(i app.GroupInvite) string {
	return h.tag("invite", int64(i.ID), i.Group.FaceVersion)
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
