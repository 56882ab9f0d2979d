package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/transfer"
)

// Known describes what already exists here of an item.
type Known struct {
	Block      *transfer.Origin // or nested channel
	Connection *transfer.Origin // of the item with the channel
	Blocked    bool             // it does not exist here, and links to a site that is blocked here
}

// KnownItems finds which items of a channel were imported before, and which others are blocked, in the order of the
// items. The number of statements does not depend on the number of items. The channel is 0 if it does not exist yet.
func (a *Transfer) KnownItems(ctx context.Context, actor domain.Actor, origin string, channel domain.ChannelID, things []*PreparedItem) ([]Known, error) {
	var blocks, channels, connections []string
	for _, t := range things {
		connections = append(connections, t.connectionIn(channel))
		if t.Nested {
			channels = append(channels, t.ID)
		} else {
			blocks = append(blocks, t.ID)
		}
	}
	place := from(actor, origin)
	blocksHere, err1 := a.Store.Origins().Origins(ctx, place, transfer.OriginBlock, blocks...)
	channelsHere, err2 := a.Store.Origins().Origins(ctx, place, transfer.OriginChannel, channels...)
	connected, err3 := a.Store.Origins().Origins(ctx, place, transfer.OriginConnection, connections...)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	known := make([]Known, len(things))
	for i, t := range things {
		here := blocksHere
		if t.Nested {
			here = channelsHere
		}
		if row, ok := here[t.ID]; ok {
			known[i].Block = &row
		}
		if row, ok := connected[t.connectionIn(channel)]; ok {
			known[i].Connection = &row
		}
	}
	return known, a.markBlocked(ctx, things, known)
}

// UseFormerIDs replaces the id of each item that an earlier version imported under another id by that id, so that it is
// found.
func (a *Transfer) UseFormerIDs(ctx context.Context, actor domain.Actor, origin string, things []*PreparedItem) error {
	var former []string
	for _, t := range things {
		if t.FormerID != "" {
			former = append(former, t.FormerID)
		}
	}
	known, err := a.Store.Origins().Origins(ctx, from(actor, origin), transfer.OriginBlock, former...)
	for _, t := range things {
		if _, ok := known[t.FormerID]; ok {
			t.ID = t.FormerID
		}
	}
	return err
}

// markBlocked marks the blocks that do not exist here and link to a blocked site.
func (a *Transfer) markBlocked(ctx context.Context, things []*PreparedItem, known []Known) error {
	var links []string
	var of []int
	for i, t := range things {
		for _, link := range []string{t.Address, t.MadeFrom} {
			if link != "" && !t.Nested && known[i].Block == nil {
				links, of = append(links, link), append(of, i)
			}
		}
	}
	blocked, err := a.BlockedSites(ctx, links...)
	for n, i := range of {
		known[i].Blocked = known[i].Blocked || blocked[n]
	}
	return err
}

// connectionIn returns the id of the thing's connection in the table of origins. It contains the channel, so that a
// channel that was deleted here and is imported again gets all its connections again.
func (t *PreparedItem) connectionIn(channel domain.ChannelID) string {
	if t.Nested {
		return fmt.Sprintf("%d/c/%s", channel, t.ID)
	}
	return fmt.Sprintf("%d/b/%s", channel, t.ID)
}

// NewItem is the result for an item that was not in its channel.
type NewItem struct {
	Became     Brought // Made, or Unchanged if the block existed
	Connection domain.ConnectionID
	Place      int64
	Here       bool // another attempt has just added it to the channel
	Lost       bool // a nested channel that was deleted here
}

// Spot is where to put items in a channel.
type Spot struct {
	Place   int64 // the last one assigned; these items get higher ones
	Private bool  // adds nothing to channels that everyone can see
	FromTop bool  // the first item goes to the top, and each other one below its predecessor; otherwise each goes to the top
}

// ImportItems adds items to a channel and creates missing blocks in one transaction. An item that was imported before
// stays unchanged; one that was removed here stays removed.
func (a *Transfer) ImportItems(ctx context.Context, actor domain.Actor, origin string, channel domain.ChannelID, things []*PreparedItem, at Spot) (made []NewItem, err error) {
	for {
		var pending bool
		err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			b := bringing{Transfer: a, tx: tx, actor: actor, place: from(actor, origin), things: things, fromTop: at.FromTop, private: at.Private}
			if pending, err = b.open(ctx, channel); err != nil || pending {
				return err
			}
			made, err = b.items(ctx, at.Place)
			return err
		})
		if err != nil || !pending {
			return made, err
		}
		if err := a.collections.ApplyAll(ctx, channel); err != nil {
			return nil, err
		}
	}
}

// ImportOrphan creates the missing blocks that are in no channel of the source.
func (a *Transfer) ImportOrphan(ctx context.Context, actor domain.Actor, origin string, things []*PreparedItem) (made []NewItem, err error) {
	if err := mayImport(actor); err != nil {
		return nil, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		b := bringing{Transfer: a, tx: tx, actor: actor, place: from(actor, origin), things: things}
		made = make([]NewItem, len(things))
		blocks, err := b.lockBlocks(ctx, nil)
		if err != nil {
			return err
		}
		now := b.Now()
		for i, t := range things {
			if _, here := blocks[t.ID]; here {
				continue
			}
			block, err := b.makeBlock(ctx, t, now)
			if err != nil {
				return err
			}
			blocks[t.ID], made[i].Became = &block, Made
		}
		return core.Publish(ctx, tx, actor.UserID, now, b.events...)
	})
	return made, err
}

// bringing is the transaction of a batch.
type bringing struct {
	*Transfer
	tx      *store.Tx
	actor   domain.Actor
	place   transfer.OriginPlace
	things  []*PreparedItem
	channel domain.Channel
	nested  map[string]domain.Channel // by their ids in the source
	events  []domain.Event

	private  bool
	fromTop  bool
	last     domain.ConnectionID // the next item goes below it; 0 means to the top
	position int64               // of last; 0 if unknown
}

// open locks the channel and those that will be nested in it, in the order of their ids. It reports whether a change of
// the channel is being applied to its contents. Until that is done, nothing can be connected with an earlier date.
func (b *bringing) open(ctx context.Context, id domain.ChannelID) (pending bool, err error) {
	tx := b.tx
	var foreign []string
	for _, t := range b.things {
		if t.Nested {
			foreign = append(foreign, t.ID)
		}
	}
	rows, err := tx.Origins().Origins(ctx, b.place, transfer.OriginChannel, foreign...)
	if err != nil {
		return false, err
	}
	lock := []domain.ChannelID{id}
	for _, row := range rows {
		lock = append(lock, domain.ChannelID(row.Local))
	}
	seen, err := tx.Channels().ChannelsByID(ctx, b.actor.UserID, lock)
	if err != nil {
		return false, err
	}
	if _, ok := seen[id]; !ok {
		return false, domain.NewNotFound()
	}
	if err := tx.Channels().LockChannels(ctx, slices.Sorted(maps.Keys(seen))...); err != nil {
		return false, err
	}
	if b.channel, err = tx.Channels().Channel(ctx, b.actor.UserID, domain.Ref{ID: int64(id)}); err != nil {
		return false, err
	}
	if !domain.CanAddTo(b.actor, b.channel) {
		return false, core.Forbidden("add to channel " + b.channel.Slug)
	}
	if b.private && b.channel.Visibility != domain.Private {
		return false, domain.NewUnprocessable(VisibleHere)
	}
	if pending, err = tx.Transitions().HasPending(ctx, id); err != nil || pending {
		return pending, err
	}
	b.nested = map[string]domain.Channel{}
	for foreign, row := range rows {
		c, err := tx.Channels().Channel(ctx, b.actor.UserID, domain.Ref{ID: row.Local})
		if domain.KindOf(err) == domain.NotFound && err != nil {
			continue
		}
		if err != nil {
			return false, err
		}
		b.nested[foreign] = c
	}
	return false, nil
}

// items imports the whole batch and publishes it.
func (b *bringing) items(ctx context.Context, below int64) ([]NewItem, error) {
	tx := b.tx
	ids := make([]string, len(b.things))
	for i, t := range b.things {
		ids[i] = t.connectionIn(b.channel.ID)
	}
	connected, err := tx.Origins().Origins(ctx, b.place, transfer.OriginConnection, ids...)
	if err != nil {
		return nil, err
	}
	blocks, err := b.lockBlocks(ctx, connected)
	if err != nil {
		return nil, err
	}
	made := make([]NewItem, len(b.things))
	var kept []transfer.Origin
	for i, t := range b.things {
		m := &made[i]
		if row, ok := connected[ids[i]]; ok {
			m.Connection, m.Place, m.Here = domain.ConnectionID(row.Local), row.Place, true
			below = max(below, row.Place)
			b.follow(m.Connection)
			continue
		}
		b.follow(t.Under)
		if m.Connection, m.Became, err = b.bringItem(ctx, t, blocks); err != nil {
			return nil, err
		}
		if m.Connection == 0 {
			m.Lost = true
			continue
		}
		b.last = m.Connection // at the position of its predecessor, if known
		below++
		m.Place = below
		row := transfer.Origin{Foreign: ids[i], Local: int64(m.Connection), Digest: digestOf(string(t.connectionMetadata)), Place: below}
		connected[ids[i]] = row // the batch may contain the same item twice
		kept = append(kept, row)
	}
	if err := tx.Origins().KeepOrigins(ctx, b.place, transfer.OriginConnection, kept...); err != nil {
		return nil, err
	}
	return made, core.Publish(ctx, tx, b.actor.UserID, b.Now(), b.events...)
}

// lockBlocks claims the blocks that do not exist here, and locks the others, in the order of their ids. Deleted ones are
// claimed again.
func (b *bringing) lockBlocks(ctx context.Context, connected map[string]transfer.Origin) (map[string]*domain.Block, error) {
	tx := b.tx
	var foreign []string
	for _, t := range b.things {
		if _, there := connected[t.connectionIn(b.channel.ID)]; !t.Nested && !there {
			foreign = append(foreign, t.ID)
		}
	}
	if len(foreign) == 0 {
		return nil, nil
	}
	rows, err := tx.Origins().ClaimOrigins(ctx, b.place, transfer.OriginBlock, foreign...)
	if err != nil {
		return nil, err
	}
	byLocal := map[domain.BlockID]string{}
	for id, row := range rows {
		if row.Local != 0 {
			byLocal[domain.BlockID(row.Local)] = id
		}
	}
	blocks := map[string]*domain.Block{}
	for _, id := range slices.Sorted(maps.Keys(byLocal)) {
		block, err := tx.Blocks().LockedBlock(ctx, b.actor.UserID, id)
		if domain.KindOf(err) == domain.NotFound && err != nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		blocks[byLocal[id]] = &block
	}
	return blocks, nil
}

// bringItem connects one item. It returns 0 for a nested channel that was deleted.
func (b *bringing) bringItem(ctx context.Context, t *PreparedItem, blocks map[string]*domain.Block) (domain.ConnectionID, Brought, error) {
	tx, now := b.tx, b.Now()
	n := store.NewConnection{Channel: b.channel, UserID: b.actor.UserID, Metadata: t.connectionMetadata, Now: now}
	n.CreatedAt = plausible(t.ConnectedAt, plausible(t.CreatedAt, now, now), now)
	var err error
	if n.Position, err = b.below(ctx); err != nil {
		return 0, 0, err
	}
	connected := domain.Connected{Channel: b.channel, Brought: true}
	became := Unchanged
	if t.Nested {
		c, ok := b.nested[t.ID]
		if !ok || c.ID == b.channel.ID {
			return 0, 0, nil
		}
		n.Item = domain.ChannelRef(c.ID)
		connected.Owner, connected.ItemPrivate = c.Owner.PrincipalRef, c.Visibility == domain.Private
	} else {
		block, here := blocks[t.ID]
		if !here {
			made, id, err := b.bringBlock(ctx, t, n)
			if err != nil {
				return 0, 0, err
			}
			blocks[t.ID] = &made
			return id, Made, b.pin(ctx, t, id)
		}
		n.Item = domain.BlockRef(block.ID)
		connected.Owner = block.Author.PrincipalRef
	}
	connected.Item = n.Item
	there, err := tx.Contents().ConnectionOf(ctx, b.channel.ID, n.Item) // connected here, or the channel represents several
	if err != nil || there != 0 {
		b.follow(there)
		return there, became, err
	}
	c, _, err := tx.Connections().Connect(ctx, n)
	if err != nil {
		return 0, 0, err
	}
	b.events = append(b.events, connected)
	return c.ID, became, b.pin(ctx, t, c.ID)
}

// follow makes the next item go below a connection.
func (b *bringing) follow(c domain.ConnectionID) {
	if c != 0 && c != b.last {
		b.last, b.position = c, 0
	}
}

// below returns the position directly below the last connection, which moves up by one. 0 means the top.
func (b *bringing) below(ctx context.Context) (int64, error) {
	if !b.fromTop || b.last == 0 || b.position != 0 {
		return b.position, nil
	}
	at, err := b.tx.Contents().Positions(ctx, b.last)
	b.position = at[b.last] // 0 if it was removed here
	return b.position, err
}

// bringBlock creates a block and connects it.
func (b *bringing) bringBlock(ctx context.Context, t *PreparedItem, n store.NewConnection) (domain.Block, domain.ConnectionID, error) {
	made, err := b.makeBlock(ctx, t, n.Now, n)
	if err != nil {
		return made, 0, err
	}
	id, err := b.tx.Contents().ConnectionOf(ctx, b.channel.ID, domain.BlockRef(made.ID))
	b.events = append(b.events, domain.Connected{Channel: b.channel, Item: domain.BlockRef(made.ID), Owner: made.Author.PrincipalRef, Brought: true})
	return made, id, err
}

// makeBlock creates a block with its files, and connects it if in is given.
func (b *bringing) makeBlock(ctx context.Context, t *PreparedItem, now time.Time, in ...store.NewConnection) (domain.Block, error) {
	tx := b.tx
	block := t.dated(now)
	block.Author = domain.Principal{PrincipalRef: domain.UserRef(b.actor.UserID)}
	if t.Type == domain.EmbedBlock {
		b.player(&block)
	}
	for _, arrived := range []*content.ImportedFile{t.Preview, t.File} {
		if arrived == nil || block.State == domain.Processing { // which fetches them again
			continue
		}
		image, file, err := arrived.Settle(ctx, tx, t.KeepFileMetadata)
		if err != nil {
			return block, err
		}
		if arrived == t.File {
			block.Type, block.File, block.Content, block.Sound = arrived.Kind(), file, arrived.Words(), arrived.Sound()
		}
		if image != nil {
			block.Image = image
		}
	}
	made, err := tx.Blocks().CreateBlockIn(ctx, block, now, in...)
	if err != nil {
		return made, err
	}
	if t.Snapshots.Stored() != "" && content.HasPage(made) {
		if err := tx.Blobs().SetSnapshotPolicy(ctx, made.ID, t.Snapshots.Stored()); err != nil {
			return made, err
		}
	}
	if made.State == domain.Processing {
		if err := content.Process(ctx, tx, b.actor.UserID, made.ID, domain.BlockUploads{}, now); err != nil {
			return made, err
		}
	}
	b.events = append(b.events, domain.BlockCreated{Block: made})
	return made, tx.Origins().KeepOrigins(ctx, b.place, transfer.OriginBlock, transfer.Origin{Foreign: t.ID, Local: int64(made.ID), Digest: blockDigest(t.block)})
}

// player keeps the player of an Embed only if it is safe. Otherwise the provider is asked, or the block becomes a Link.
func (b *bringing) player(block *domain.Block) {
	said, fetch := domain.Embed{}, false
	if block.Embed != nil {
		said = *block.Embed
	}
	if block.Embed, fetch = b.content.Player(*block.SourceURL, said); block.Embed != nil {
		return
	}
	if block.Type = domain.LinkBlock; fetch {
		block.Type, block.State = domain.PendingBlock, domain.Processing
	}
}

// pin pins a connection that is pinned in the source.
func (b *bringing) pin(ctx context.Context, t *PreparedItem, id domain.ConnectionID) error {
	if !t.Pinned {
		return nil
	}
	c, err := b.tx.Contents().Connection(ctx, id)
	if err != nil {
		return err
	}
	c.Pinned = true
	return b.tx.Connections().SetConnectionPinned(ctx, &c, b.Now())
}
