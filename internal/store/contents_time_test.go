package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// moment returns a time of change. It is often the same as that of other items, or microseconds,
// hours or years away.
func moment(r *rand.Rand) time.Time {
	width := []time.Duration{1, time.Millisecond, 5 * time.Second, time.Hour, 30 * 24 * time.Hour, 20 * 365 * 24 * time.Hour}[r.IntN(6)]
	return storetest.Now.Add(time.Duration(r.Int64N(int64(width))) - width/2)
}

// change marks the item of a connection as changed at a time. For a channel, it changes the
// channel itself or adds to it.
func (e entry) change(ctx context.Context, tx *store.Tx, now time.Time) error {
	if e.item.Type == domain.ItemBlock {
		id := domain.BlockID(e.item.ID)
		if err := tx.Blocks().LockBlock(ctx, id); err != nil {
			return err
		}
		b, err := tx.Blocks().AnyBlock(ctx, id)
		if err != nil {
			return err
		}
		return tx.Blocks().UpdateBlock(ctx, b, &b, now)
	}
	if err := tx.Channels().LockWithParents(ctx, domain.ChannelID(e.item.ID)); err != nil {
		return err
	}
	c, err := tx.Channels().Channel(ctx, e.owner, domain.Ref{ID: e.item.ID})
	if err != nil {
		return err
	}
	if now.UnixMicro()%2 == 0 {
		block, err := storetest.NewBlock(ctx, tx, e.owner, "x")
		if err != nil {
			return err
		}
		_, _, err = tx.Connections().Connect(ctx, store.NewConnection{Channel: c, Item: domain.BlockRef(block), UserID: e.owner, Now: now})
		return err
	}
	return tx.Channels().UpdateChannel(ctx, c, c, now)
}

// The order by time of change equals that of a slice, with private items between, before and after
// the others, with equal times, and after concurrent changes.
func TestContentsByTimeOfChange(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		h := newShelf(t, s, db)
		r := rand.New(rand.NewPCG(15, 16))
		h.hide(h.users[1], 60)
		storetest.Fill(t, s, db, h.users[0], h.channel, 250)
		h.hide(h.users[2], 50)
		storetest.Fill(t, s, db, h.users[2], h.channel, 150)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Bulk().Rebuild(t.Context(), h.channel) })
		h.compare(r, 20, 60)
		for _, e := range h.entries() {
			if r.IntN(4) > 0 {
				storetest.In(t, s, func(tx *store.Tx) error { return e.change(t.Context(), tx, moment(r)) })
			}
		}
		h.compare(r, 20, 60)
		for range 60 {
			h.step(r)
		}
		h.compare(r, 60)
		h.changeAtOnce(r)
		h.compare(r, 20, 60)
		h.unlisted(r)
		storetest.Check(t, s)
	})
}

// changeAtOnce changes the same items concurrently.
func (h *shelf) changeAtOnce(r *rand.Rand) {
	all := h.entries()
	var writers sync.WaitGroup
	for range 6 {
		own := rand.New(rand.NewPCG(r.Uint64(), 17))
		writers.Go(func() {
			for range 25 {
				e, now := all[own.IntN([]int{5, len(all)}[own.IntN(2)])], moment(own)
				err := h.s.InTx(h.t.Context(), func(tx *store.Tx) error { return e.change(h.t.Context(), tx, now) })
				if err != nil {
					h.t.Error(err)
				}
			}
		})
	}
	writers.Wait()
}

// If one of two users has connected all open items, filtering by that user also returns their
// private items, and no others.
func TestContentsByWhoConnected(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		h := newShelf(t, s, db)
		r := rand.New(rand.NewPCG(18, 19))
		storetest.Fill(t, s, db, h.users[0], h.channel, 300)
		all := func() {
			for range heavy.Count(1, 4) { // compare picks random users
				h.compare(r, 20, 100)
			}
		}
		all()
		h.hide(h.users[1], 5)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Bulk().Rebuild(t.Context(), h.channel) })
		all()
		last := storetest.Connect(t, s, h.users[1], h.channel, domain.BlockRef(storetest.Block(t, s, h.users[1], "x")), 0)
		all()
		storetest.Disconnect(t, s, last)
		all()
	})
}

// A page in the middle of a large channel needs as many statements as one of a channel of a few
// hundred. If one user connected everything, filtering by that user does not use the index by
// user.
func TestStatementsOfPagesInTheMiddle(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada := storetest.User(t, s, "Ada")
		var cost []int
		for _, n := range []int64{400, 8000} {
			id := storetest.Channel(t, s, ada, fmt.Sprint("Channel of ", n), domain.Public)
			storetest.Fill(t, s, db, ada, id, n)
			for _, by := range []domain.UserID{0, ada} {
				statements := 0
				err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
					c, err := v.Channels().Channel(t.Context(), ada, domain.Ref{ID: int64(id)})
					if err != nil {
						return err
					}
					store.Trace(v, func(query string, _ []any) {
						if statements++; strings.Contains(query, "AND c.user_id =") {
							t.Errorf("walks by user: %s", query)
						}
					})
					_, err = v.Contents().Contents(t.Context(), contents.Query{Viewer: ada, Channel: c, By: by,
						Sort: domain.ContentSort{Key: domain.ByUpdated}, Page: domain.Page{Number: n / 20, Per: 10}})
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				cost = append(cost, statements)
			}
		}
		if cost[0] != cost[2] || cost[1] != cost[3] || cost[1] != cost[0]+1 {
			t.Errorf("pages cost %v statements", cost)
		}
	})
}
