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
		blocks, err := listed(ctx, v.Queries, ids)
		if err == nil {
			all, err = withChannels(ctx, v, actor, blocks)
		}
		return err
	})
	return all, err
}

// listed reads blocks in the order of their ids in a list.
func listed(ctx context.Context, q store.Queries, ids []domain.BlockID) (all []domain.Block, err error) {
	blocks, err := q.Blocks().BlocksByID(ctx, ids)
	for _, id := range ids {
		if b, ok := blocks[id]; ok {
			all = append(all, *b)
		}
	}
	return all, err
}

// withChannels adds their channels to visible blocks.
func withChannels(ctx context.Context, v *store.Snapshot, actor domain.Actor, blocks []domain.Block) (all []SavedBlock, err error) {
	for _, b := range blocks {
		in, err := v.Nearby().Holdings(ctx, actor.UserID, domain.BlockRef(b.ID), maxHoldings)
		if err != nil {
			return nil, err
		}
		all = append(all, SavedBlock{b, b.Author.PrincipalRef == domain.UserRef(actor.UserID), savedIn(actor, in)})
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
