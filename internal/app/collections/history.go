package collections

import (
	"cmp"
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// keepVersion stores the texts that a change of a locked block or channel replaces. The change itself sets the texts.
func keepVersion(ctx context.Context, tx *store.Tx, actor domain.Actor, of domain.ItemRef, was, is domain.Texts, restoring string, now time.Time) error {
	if was.Digest() == is.Digest() {
		return nil
	}
	return tx.Versions().KeepVersion(ctx, of, actor.UserID, was, restoring != "", now)
}

// replaced returns a Conflict error if the texts that an earlier version is to replace are not those that the user saw.
func replaced(restoring string, stored domain.Texts) error {
	if restoring == "" || restoring == stored.Digest() {
		return nil
	}
	return domain.NewConflict(domain.FieldError{Path: "version", Code: domain.FieldIncorrect, Text: "the texts were changed in the meantime"})
}

// History contains the versions of the texts of a block or channel, the newest first. The first one is the current version.
type History struct {
	Block    *domain.Block // either this
	Channel  *domain.Channel
	Versions []domain.TextVersion
	Texts    domain.Texts // the current ones
	of       domain.ItemRef
}

// BlockHistory lists the versions of a block for its author.
func (a *Collections) BlockHistory(ctx context.Context, actor domain.Actor, id domain.BlockID) (h History, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		h, err = blockHistory(ctx, v, actor, id)
		return err
	})
	return h, err
}

// ChannelHistory lists the versions of a channel for the people who may edit it.
func (a *Collections) ChannelHistory(ctx context.Context, actor domain.Actor, ref domain.Ref) (h History, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		h, err = channelHistory(ctx, v, actor, ref)
		return err
	})
	return h, err
}

func blockHistory(ctx context.Context, v *store.Snapshot, actor domain.Actor, id domain.BlockID) (h History, err error) {
	b, err := v.Blocks().Block(ctx, actor.UserID, id)
	if err != nil {
		return h, err
	}
	if !domain.IsAuthor(actor, b) {
		return h, core.Forbidden("see the history of this block")
	}
	h = History{Block: &b, Texts: domain.TextsOfBlock(b), of: domain.BlockRef(id)}
	return h, h.list(ctx, v, b.Author.PrincipalRef, b.CreatedAt)
}

func channelHistory(ctx context.Context, v *store.Snapshot, actor domain.Actor, ref domain.Ref) (h History, err error) {
	c, err := v.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil {
		return h, err
	}
	if c.Role < domain.RoleCollaborator {
		return h, core.Forbidden("see the history of this channel")
	}
	h = History{Channel: &c, Texts: domain.TextsOfChannel(c), of: domain.ChannelRef(c.ID)}
	return h, h.list(ctx, v, domain.UserRef(c.UserID), c.CreatedAt)
}

// list reads the versions. A version is by the user who replaced the one before. So the oldest of those that follow on
// deleted ones, whose author is not known, is left out.
func (h *History) list(ctx context.Context, v *store.Snapshot, creator domain.PrincipalRef, created time.Time) error {
	rows, err := v.Versions().Versions(ctx, h.of)
	if err != nil {
		return err
	}
	refs := []domain.PrincipalRef{creator}
	for _, r := range rows {
		refs = append(refs, domain.UserRef(r.User))
	}
	by, err := v.Contents().PrincipalsByID(ctx, refs)
	if err != nil {
		return err
	}
	number := int64(1)
	if len(rows) > 0 {
		number = rows[0].Number + 1
	}
	for _, r := range rows {
		if number == r.Number+1 {
			h.Versions = append(h.Versions, domain.TextVersion{Number: number, By: by[domain.UserRef(r.User)], At: r.At})
		}
		number = r.Number
	}
	if number == 1 {
		h.Versions = append(h.Versions, domain.TextVersion{Number: 1, By: by[creator], At: created})
	}
	return nil
}

// version returns a version with its texts, and the texts of the version before it in the list, or nil. It returns
// NotFound if there is no such version.
func (h *History) version(ctx context.Context, v *store.Snapshot, number int64) (is domain.TextVersion, before *domain.Texts, err error) {
	for i, one := range h.Versions {
		if one.Number != number {
			continue
		}
		is, is.Texts = one, h.Texts
		if i > 0 {
			if is.Texts, err = v.Versions().VersionTexts(ctx, h.of, number); err != nil {
				return is, nil, err
			}
		}
		if i+1 < len(h.Versions) {
			was, err := v.Versions().VersionTexts(ctx, h.of, h.Versions[i+1].Number)
			return is, &was, err
		}
		return is, nil, nil
	}
	return is, nil, domain.NewNotFound()
}

// BlockVersion reads a version of a block, or the current one if number is 0, and the texts of the one before it.
func (a *Collections) BlockVersion(ctx context.Context, actor domain.Actor, id domain.BlockID, number int64) (h History, is domain.TextVersion, before *domain.Texts, err error) {
	return a.version(ctx, number, func(v *store.Snapshot) (History, error) { return blockHistory(ctx, v, actor, id) })
}

// ChannelVersion reads a version of a channel, or the current one if number is 0, and the texts of the one before it.
func (a *Collections) ChannelVersion(ctx context.Context, actor domain.Actor, ref domain.Ref, number int64) (h History, is domain.TextVersion, before *domain.Texts, err error) {
	return a.version(ctx, number, func(v *store.Snapshot) (History, error) { return channelHistory(ctx, v, actor, ref) })
}

func (a *Collections) version(ctx context.Context, number int64, history func(*store.Snapshot) (History, error)) (h History, is domain.TextVersion, before *domain.Texts, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if h, err = history(v); err != nil {
			return err
		}
		if number == 0 {
			number = h.Versions[0].Number
		}
		is, before, err = h.version(ctx, v, number)
		return err
	})
	return h, is, before, err
}

// RestoreBlock replaces the texts of a block by those of an earlier version. It returns a Conflict error if they no longer
// have the digest seen.
func (a *Collections) RestoreBlock(ctx context.Context, actor domain.Actor, id domain.BlockID, number int64, seen string) error {
	h, is, _, err := a.BlockVersion(ctx, actor, id, number)
	if err != nil {
		return err
	}
	in := UpdateBlockInput{Title: given(is.Texts.Title), Description: given(is.Texts.Description), restoring: cmp.Or(seen, "-")}
	if h.Block.Type == domain.TextBlock {
		in.Content = given(is.Texts.Content)
	}
	if h.Block.HasImage() {
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
