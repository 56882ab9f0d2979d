package collections

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
)

// ChannelPage is a channel with a page of its contents, and the viewer's marks on it.
type ChannelPage struct {
	FullChannel
	Contents        domain.List[Content]
	Follows, Pinned bool
}

// BlockReader is a list of blocks that are known by their revisions. Unread returns those that have to be read, and Read
// takes them.
type BlockReader interface {
	Unread() []domain.BlockID
	Read(map[domain.BlockID]*domain.Block)
}

// ReadChannel reads a channel with a page of its contents in one state of the database; in is nil for no contents. Of the
// blocks, it reads only the revisions (domain.Connection.Block). It reads the blocks that the result of use
// needs, which may be nil. It calls use again if the database has to repeat the read.
func (a *Collections) ReadChannel(ctx context.Context, actor domain.Actor, ref domain.Ref, in *ContentsInput, use func(ChannelPage) BlockReader) error {
	if in != nil {
		if err := in.Validate(); err != nil {
			return err
		}
	}
	return a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		full, err := fullChannel(ctx, v.Queries, actor, ref)
		if err != nil {
			return err
		}
		p := ChannelPage{FullChannel: full}
		if actor.SignedIn() {
			if p.Follows, p.Pinned, err = v.Nearby().Marks(ctx, actor.UserID, full.ID); err != nil {
				return err
			}
		}
		if in != nil {
			if p.Contents, err = outlined(ctx, v, actor, full.Channel, *in); err != nil {
				return err
			}
		}
		return readBlocks(ctx, v, use(p))
	})
}

// readBlocks reads the blocks that a list needs.
func readBlocks(ctx context.Context, v *store.Snapshot, list BlockReader) error {
	if list == nil {
		return nil
	}
	ids := list.Unread()
	if len(ids) == 0 {
		return nil
	}
	blocks, err := v.Blocks().BlocksByID(ctx, ids)
	if err == nil {
		list.Read(blocks)
	}
	return err
}

// outlined reads a page of contents without its blocks.
func outlined(ctx context.Context, v *store.Snapshot, actor domain.Actor, in domain.Channel, page ContentsInput) (l domain.List[Content], err error) {
	if err := page.sortable(in); err != nil {
		return l, err
	}
	found, err := v.Contents().Contents(ctx, contents.Query{Viewer: actor.UserID, Channel: in, Sort: page.Sort, By: page.By, Page: page.Page, Outline: contents.NewOutline()})
	if err != nil {
		return l, err
	}
	all, err := channelItems(ctx, v.Queries, actor, found.Items)
	gone := func(c Content) bool { return c.Channel == nil && c.Connection.Block == nil }
	return domain.List[Content]{Items: slices.DeleteFunc(all, gone), Total: found.Total}, err
}
