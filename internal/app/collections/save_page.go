package collections

import (
	"context"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// SavePage adds a received copy of the page at an address to the actor's newest block of that page. If the actor has no such
// block, SavePage creates one in a channel.
func (a *Collections) SavePage(ctx context.Context, actor domain.Actor, address, channel string, in *content.StagedSnapshot) (s domain.Snapshot, err error) {
	page := words.Source(address)
	if page == 0 {
		return s, domain.InvalidField("url", domain.FieldMalformed, "must be an absolute http or https URL")
	}
	in.Address = address
	if err := in.Validate(a.Now()); err != nil {
		return s, err
	}
	b, found, err := a.ownLink(ctx, a.Store.AtPrimary().Queries, actor, page)
	if err == nil && !found {
		if channel == "" {
			return s, domain.InvalidField("channel", domain.FieldBlank, "must name the channel for pages that you have not saved yet")
		}
		b, err = a.createLink(ctx, actor, page, address, channel)
	}
	if err != nil {
		return s, err
	}
	return a.content.AttachSnapshot(ctx, actor, b, in)
}

// ownLink returns the actor's newest block of a page.
func (a *Collections) ownLink(ctx context.Context, q store.Queries, actor domain.Actor, page int64) (b domain.Block, found bool, err error) {
	ids, err := q.Nearby().BlocksFrom(ctx, actor.UserID, page, maxSaved)
	if err != nil {
		return b, false, err
	}
	all, err := listed(ctx, q, ids)
	for _, b := range all {
		if domain.CanManage(actor, b) && content.HasPage(b) {
			return b, true, nil
		}
	}
	return b, false, err
}

// createLink creates a block of a page in a channel, unless another request has just done so: those for the same channel
// run one after the other.
func (a *Collections) createLink(ctx context.Context, actor domain.Actor, page int64, address, channel string) (b domain.Block, err error) {
	made, err := a.newBlock(ctx, actor, BlockInput{Value: address})
	if err != nil {
		return b, err
	}
	targets, err := checked([]Target{{Channel: domain.ParseRef(channel)}})
	if err != nil {
		return b, err
	}
	err = a.inTxOf(ctx, targets, func(tx *store.Tx) error {
		places, err := openTargets(ctx, tx, actor, targets, 0)
		if err != nil {
			return err
		}
		var found bool
		if b, found, err = a.ownLink(ctx, tx.Queries, actor, page); err == nil && !found {
			b, err = a.createBlock(ctx, tx, actor, made, places)
		}
		return err
	})
	return b, err
}
