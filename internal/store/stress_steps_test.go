package store_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// connectBlock connects a block to two channels, unless it is there.
func (w *stress) connectBlock(ctx context.Context, by domain.UserID, block domain.BlockID, position int64, now time.Time, ids ...domain.ChannelID) error {
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		places, err := w.locked(ctx, tx, by, ids...)
		if err != nil {
			return err
		}
		if err := tx.Blocks().LockBlock(ctx, block); err != nil {
			return err
		}
		for _, c := range places {
			if err := connectOnce(ctx, tx, store.NewConnection{Channel: c, Item: domain.BlockRef(block), UserID: by, Position: position, Now: now}); err != nil {
				return err
			}
		}
		return nil
	})
}

func connectOnce(ctx context.Context, tx *store.Tx, n store.NewConnection) error {
	id, err := tx.Contents().ConnectionOf(ctx, n.Channel.ID, n.Item)
	if err == nil && id == 0 {
		_, _, err = tx.Connections().Connect(ctx, n)
	}
	return err
}

func (w *stress) connectChannel(ctx context.Context, by domain.UserID, into, item domain.ChannelID, position int64, now time.Time) error {
	if into == item {
		return nil
	}
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		both, err := w.locked(ctx, tx, by, into, item)
		if err != nil {
			return err
		}
		return connectOnce(ctx, tx, store.NewConnection{Channel: both[0], Item: domain.ChannelRef(item), UserID: by, Position: position, Now: now})
	})
}

// arrange changes a random connection of a channel, if it has one at that position.
func (w *stress) arrange(ctx context.Context, by domain.UserID, in domain.ChannelID, at int, fn func(tx *store.Tx, in domain.Channel, c domain.Connection) error) error {
	var id domain.ConnectionID
	err := w.s.InSnapshot(ctx, func(v *store.Snapshot) error {
		id = 0
		c, err := v.Channels().Channel(ctx, by, domain.Ref{ID: int64(in)})
		if err != nil {
			return err
		}
		l, err := v.Contents().Contents(ctx, contents.Query{Viewer: by, Channel: c, Page: domain.Page{Number: 1, Per: 20}})
		if at < len(l.Items) {
			id = l.Items[at].ID
		}
		return err
	})
	if err != nil || id == 0 {
		return err
	}
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		places, err := w.locked(ctx, tx, by, in)
		if err != nil {
			return err
		}
		c, err := tx.Contents().Connection(ctx, id)
		if err != nil {
			return err
		}
		at, err := tx.Contents().Positions(ctx, id)
		if err != nil {
			return err
		}
		c.Position = at[id]
		return fn(tx, places[0], c)
	})
}

// sort rearranges all items of a channel that are visible to the user.
func (w *stress) sort(ctx context.Context, by domain.UserID, in domain.ChannelID, r *rand.Rand) error {
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		if _, err := w.locked(ctx, tx, by, in); err != nil {
			return err
		}
		var blocks, channels []int64
		for _, b := range w.blocks {
			blocks = append(blocks, int64(b))
		}
		w.mu.Lock()
		for _, c := range w.channels {
			channels = append(channels, int64(c))
		}
		w.mu.Unlock()
		order := []store.Held{}
		for kind, ids := range map[domain.ItemType][]int64{domain.ItemBlock: blocks, domain.ItemChannel: channels} {
			found, err := tx.Contents().HeldBy(ctx, by, in, kind, ids)
			if err != nil {
				return err
			}
			order = slices.AppendSeq(order, maps.Values(found))
		}
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		_, err := tx.Connections().Arrange(ctx, in, order, storetest.Now)
		return err
	})
}

func (w *stress) update(ctx context.Context, by domain.UserID, id domain.ChannelID, now time.Time, change func(c *domain.Channel)) error {
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Channels().LockWithParents(ctx, id); err != nil {
			return err
		}
		was, err := w.locked(ctx, tx, by, id)
		if err != nil {
			return err
		}
		c := was[0]
		change(&c)
		return tx.Channels().UpdateChannel(ctx, was[0], c, now)
	})
}

func (w *stress) updateBlock(ctx context.Context, by domain.UserID, id domain.BlockID, now time.Time) error {
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Blocks().LockBlock(ctx, id); err != nil {
			return err
		}
		b, err := tx.Blocks().Block(ctx, by, id)
		if err != nil {
			return err
		}
		return tx.Blocks().UpdateBlock(ctx, b, &b, now)
	})
}

func (w *stress) collaborate(ctx context.Context, by domain.UserID, id domain.ChannelID, who domain.PrincipalRef, add bool, now time.Time) error {
	return w.s.InTx(ctx, func(tx *store.Tx) error {
		_, err := w.locked(ctx, tx, by, id)
		if err == nil && add {
			_, err = tx.Membership().AddCollaborator(ctx, id, who, now)
		} else if err == nil {
			_, err = tx.Membership().RemoveCollaborator(ctx, id, who)
		}
		return err
	})
}

// replace deletes a channel and creates another one.
func (w *stress) replace(ctx context.Context, by domain.UserID, id domain.ChannelID, owner domain.PrincipalRef, now time.Time) error {
	err := w.s.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Channels().LockWithParents(ctx, id); err != nil {
			return err
		}
		c, err := w.locked(ctx, tx, by, id)
		if err != nil {
			return err
		}
		return tx.Channels().DeleteChannel(ctx, c[0], now)
	})
	if err != nil {
		return err
	}
	var made domain.ChannelID
	err = w.s.InTx(ctx, func(tx *store.Tx) error {
		slug, err := tx.Slugs().SlugFor(ctx, store.ChannelSlug, "Again", now)
		if err != nil {
			return err
		}
		made, err = tx.Channels().CreateChannel(ctx, store.NewChannel{Slug: slug, Title: "Again", Visibility: domain.Closed, Owner: owner, UserID: by, Now: now})
		return err
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.channels {
		if w.channels[i] == id && err == nil {
			w.channels[i] = made
		}
	}
	return err
}

// read pages through a channel in some order and expects it to be complete.
func (w *stress) read(ctx context.Context, by domain.UserID, id domain.ChannelID, sort domain.ContentSort) error {
	return w.s.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channels().Channel(ctx, by, domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		seen, last := map[int64]bool{}, int64(0)
		for page := int64(1); ; page++ {
			l, err := v.Contents().Contents(ctx, contents.Query{Viewer: by, Channel: c, Sort: sort, Page: domain.Page{Number: page, Per: 7}})
			if err != nil {
				return err
			}
			for _, conn := range l.Items {
				if seen[conn.Position] || sort == (domain.ContentSort{}) && conn.Position < last {
					return fmt.Errorf("position %d after %d", conn.Position, last)
				}
				last, seen[conn.Position] = conn.Position, true
			}
			if len(l.Items) == 0 {
				if int64(len(seen)) != l.Total {
					return fmt.Errorf("%d items of %d", len(seen), l.Total)
				}
				return nil
			}
		}
	})
}
