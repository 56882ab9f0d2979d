package collections

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/words"
)

// How much is listed of a saved page.
const (
	maxSaved    = 10 // blocks
	maxHoldings = 20 // channels of each
)

// SavedBlock is a block that came from a page.
type SavedBlock struct {
	domain.Block
	Own      bool // the actor is its author
	Channels []SavedIn
}

// SavedIn is a channel that contains a saved block.
type SavedIn struct {
	domain.Channel
	Removable bool // the actor may remove the block from it
}

// Saved lists the blocks that came from the page with an address and that the actor may see, their own first. It takes
// two statements, and one for each block.
func (a *Finder) Saved(ctx context.Context, actor domain.Actor, address string) (all []SavedBlock, err error) {
	var f domain.Faults
	f.Text("url", address, domain.MaxURL)
	if err := f.Err(); err != nil {
		return nil, err
	}
	page := words.Source(address)
	if page == 0 {
		return nil, domain.InvalidField("url", domain.FieldMalformed, "must be an absolute http or https URL")
	}
	if !actor.SignedIn() {
		return nil, domain.NewUnauthenticated("A user's token is required")
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		ids, err := v.Nearby().BlocksFrom(ctx, actor.UserID, page, maxSaved)
		if err != nil {
			return err
		}
		all, err = savedBlocks(ctx, v, actor, ids)
		return err
	})
	return all, err
}

// savedBlocks reads visible blocks with their channels.
func savedBlocks(ctx context.Context, v *store.Snapshot, actor domain.Actor, ids []domain.BlockID) (all []SavedBlock, err error) {
	blocks, err := v.Blocks().BlocksByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		b, ok := blocks[id]
		if !ok {
			continue
		}
		in, err := v.Nearby().Holdings(ctx, actor.UserID, domain.BlockRef(id), maxHoldings)
		if err != nil {
			return nil, err
		}
		all = append(all, SavedBlock{*b, b.Author.PrincipalRef == domain.UserRef(actor.UserID), savedIn(actor, in)})
	}
	return all, nil
}

func savedIn(actor domain.Actor, all []contents.Holding) []SavedIn {
	in := make([]SavedIn, len(all))
	for i, h := range all {
		by := domain.Connection{Maker: domain.Principal{PrincipalRef: domain.UserRef(h.Connector)}}
		in[i] = SavedIn{h.Channel, domain.CanRemove(actor, h.Channel, by)}
	}
	return in
}
