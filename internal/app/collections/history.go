package collections

import (
	"cmp"
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// BlockHistory lists the versions of a block for its author.
func (a *Collections) BlockHistory(ctx context.Context, actor domain.Actor, id domain.BlockID) (core.History, error) {
	return a.Versions(ctx, blockHistory(ctx, actor, id, new(domain.Block)))
}

// ChannelHistory lists the versions of a channel for the people who may edit it.
func (a *Collections) ChannelHistory(ctx context.Context, actor domain.Actor, ref domain.Ref) (core.History, error) {
	return a.Versions(ctx, channelHistory(ctx, actor, ref))
}

// BlockVersion reads a version of a block, or the current one if number is 0, and the texts of the one before it.
func (a *Collections) BlockVersion(ctx context.Context, actor domain.Actor, id domain.BlockID, number int64) (core.History, domain.TextVersion, *domain.Texts, error) {
	return a.Version(ctx, number, blockHistory(ctx, actor, id, new(domain.Block)))
}

// ChannelVersion reads a version of a channel, or the current one if number is 0, and the texts of the one before it.
func (a *Collections) ChannelVersion(ctx context.Context, actor domain.Actor, ref domain.Ref, number int64) (core.History, domain.TextVersion, *domain.Texts, error) {
	return a.Version(ctx, number, channelHistory(ctx, actor, ref))
}

// blockHistory reads the versions of a block, and the block.
func blockHistory(ctx context.Context, actor domain.Actor, id domain.BlockID, b *domain.Block) func(*store.Snapshot) (core.History, error) {
	return func(v *store.Snapshot) (h core.History, err error) {
		if *b, err = v.Blocks().Block(ctx, actor.UserID, id); err != nil {
			return h, err
		}
		if !domain.IsAuthor(actor, *b) {
			return h, core.Forbidden("see the history of this block")
		}
		return core.ReadHistory(ctx, v, domain.BlockRef(id).Subject(), domain.TextsOfBlock(*b), b.Author.PrincipalRef, b.CreatedAt)
	}
}

func channelHistory(ctx context.Context, actor domain.Actor, ref domain.Ref) func(*store.Snapshot) (core.History, error) {
	return func(v *store.Snapshot) (h core.History, err error) {
		c, err := v.Channels().Channel(ctx, actor.UserID, ref)
		if err != nil {
			return h, err
		}
		if c.Role < domain.RoleCollaborator {
			return h, core.Forbidden("see the history of this channel")
		}
		return core.ReadHistory(ctx, v, domain.ChannelRef(c.ID).Subject(), domain.TextsOfChannel(c), domain.UserRef(c.UserID), c.CreatedAt)
	}
}

// RestoreBlock replaces the texts of a block by those of an earlier version. It returns a Conflict error if they no longer
// have the digest seen.
func (a *Collections) RestoreBlock(ctx context.Context, actor domain.Actor, id domain.BlockID, number int64, seen string) error {
	var b domain.Block
	_, is, _, err := a.Version(ctx, number, blockHistory(ctx, actor, id, &b))
	if err != nil {
		return err
	}
	in := UpdateBlockInput{Title: given(is.Texts.Title), Description: given(is.Texts.Description), restoring: cmp.Or(seen, "-")}
	if b.Type == domain.TextBlock {
		in.Content = given(is.Texts.Content)
	}
	if b.HasImage() {
		in.AltText = given(is.Texts.AltText)
	}
	_, err = a.UpdateBlock(ctx, actor, id, in)
	return err
}

// RestoreChannel replaces the texts of a channel by those of an earlier version. It returns a Conflict error if they no
// longer have the digest seen.
func (a *Collections) RestoreChannel(ctx context.Context, actor domain.Actor, ref domain.Ref, number int64, seen string) error {
	_, is, _, err := a.ChannelVersion(ctx, actor, ref, number)
	if err != nil {
		return err
	}
	_, err = a.UpdateChannel(ctx, actor, ref, UpdateChannelInput{Title: is.Texts.Title,
		Description: core.Patch{Set: true, Value: is.Texts.Description}, restoring: cmp.Or(seen, "-")})
	return err
}

// given returns a text to set, "" for none.
func given(text *string) *string {
	if text == nil {
		return new(string)
	}
	return text
}
