package transfer

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/transfer"
)

// ChangeItem updates the block and the connection of an imported item with changes from the source,
// except for fields that changed here. It does not restore an item that was removed here. If private,
// a block that everyone can see keeps its texts, because the new ones are meant for a private channel.
func (a *Transfer) ChangeItem(ctx context.Context, actor domain.Actor, origin string, channel domain.ChannelID, t *PreparedItem, known Known, private bool) (Brought, error) {
	if err := mayImport(actor); err != nil {
		return Unchanged, err
	}
	place := from(actor, origin)
	became := Unchanged
	if row := known.Block; row != nil && !t.Nested {
		var err error
		if became, err = a.changeBlock(ctx, actor, place, t, *row, private); err != nil {
			return became, err
		}
	}
	if row := known.Connection; row != nil {
		changed, err := a.changeConnection(ctx, actor, place, t, channel, *row)
		if err != nil || changed == Changed || changed == Removed {
			return changed, err
		}
	}
	return became, nil
}

func (a *Transfer) changeBlock(ctx context.Context, actor domain.Actor, place transfer.OriginPlace, t *PreparedItem, row transfer.Origin, private bool) (Brought, error) {
	comes := blockDigest(t.block)
	if comes == row.Digest {
		return Unchanged, nil
	}
	id := domain.BlockID(row.Local)
	if private {
		visible, err := a.Store.Blocks().BlocksForGuests(ctx, []domain.BlockID{id})
		if err != nil || visible[id] {
			return Unchanged, err
		}
	}
	b, err := a.Store.Block(ctx, actor.UserID, id)
	if domain.KindOf(err) == domain.NotFound && err != nil {
		return Removed, nil
	}
	if err != nil {
		return Unchanged, err
	}
	here := blockDigest(b)
	became := Unchanged
	var in collections.UpdateBlockInput
	take := func(field int, into **string, value string) {
		if take(row.Digest, comes, here, field) {
			*into, became = &value, Changed
		}
	}
	take(blockTitle, &in.Title, t.Title)
	take(blockDescription, &in.Description, t.Description)
	if b.Type == domain.TextBlock {
		take(blockContent, &in.Content, t.Content)
	}
	if b.HasImage() {
		take(blockAlt, &in.AltText, textOf(t.AltText))
	}
	if is := t.block.Metadata; same(row.Digest, here, blockMetadata) && !same(row.Digest, comes, blockMetadata) {
		in.Metadata, became = replaced(b.Metadata, is), Changed
	}
	if became == Changed {
		if _, err := a.collections.UpdateBlock(ctx, actor, id, in); theirs(err) != nil {
			return Unchanged, err
		}
	}
	// The block may be in two channels of the import. Only the first of them changes it.
	first := false
	err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		first, err = tx.Origins().ChangeOrigin(ctx, place, transfer.OriginBlock, row, comes)
		return err
	})
	if !first {
		became = Unchanged
	}
	return became, err
}

func (a *Transfer) changeConnection(ctx context.Context, actor domain.Actor, place transfer.OriginPlace, t *PreparedItem, channel domain.ChannelID, row transfer.Origin) (Brought, error) {
	comes := digestOf(string(t.connectionMetadata))
	if comes == row.Digest {
		return Unchanged, nil
	}
	c, err := a.Store.Contents().Connection(ctx, domain.ConnectionID(row.Local))
	if domain.KindOf(err) == domain.NotFound && err != nil {
		return Removed, nil
	}
	if err != nil {
		return Unchanged, err
	}
	became := Unchanged
	if take(row.Digest, comes, digestOf(string(c.Metadata)), connectionMetadata) {
		became = Changed
		if _, err := a.collections.UpdateConnection(ctx, actor, c.ID, replaced(c.Metadata, t.connectionMetadata)); theirs(err) != nil {
			return Unchanged, err
		}
	}
	row.Foreign, row.Digest = t.connectionIn(channel), comes
	return became, a.keep(ctx, place, transfer.OriginConnection, row)
}
