package store_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// model is a channel as a plain slice: index i is position i+1.
type model struct {
	t       *testing.T
	s       *store.Store
	owner   domain.UserID
	channel domain.ChannelID
	items   []domain.ConnectionID
}

func newModel(t *testing.T, s *store.Store) *model {
	owner := storetest.User(t, s, "Ada")
	return &model{t: t, s: s, owner: owner, channel: storetest.Channel(t, s, owner, "Model", domain.Closed)}
}

// insert connects a new block at a position; 0 is the top.
func (m *model) insert(ctx context.Context, tx *store.Tx, position int64) error {
	block, err := storetest.NewBlock(ctx, tx, m.owner, "x")
	if err != nil {
		return err
	}
	id, err := storetest.ConnectIn(ctx, tx, m.owner, m.channel, domain.BlockRef(block), position)
	if err != nil {
		return err
	}
	at := int(position) - 1
	if position == 0 || at > len(m.items) {
		at = len(m.items)
	}
	m.items = slices.Insert(m.items, at, id)
	return nil
}

func (m *model) remove(ctx context.Context, tx *store.Tx, at int) error {
	c, err := tx.Contents().Connection(ctx, m.items[at])
	if err != nil {
		return err
	}
	m.items = slices.Delete(m.items, at, at+1)
	return tx.Connections().Disconnect(ctx, c, storetest.Now)
}

func (m *model) move(ctx context.Context, tx *store.Tx, from, to int) error {
	id := m.items[from]
	c, err := tx.Contents().Connection(ctx, id)
	if err != nil {
		return err
	}
	n := int64(len(m.items))
	m.items = slices.Insert(slices.Delete(m.items, from, from+1), to, id)
	return tx.Connections().Move(ctx, &c, int64(from)+1, int64(to)+1, n, storetest.Now)
}

// arrange puts items into an order, using the places that they hold together.
func (m *model) arrange(ctx context.Context, tx *store.Tx, places []int) error {
	order := make([]store.Held, len(places))
	for i, at := range places {
		c, err := tx.Contents().Connection(ctx, m.items[at])
		if err != nil {
			return err
		}
		order[i] = store.Held{ID: c.ID, PositionKey: c.PositionKey, Private: c.ItemPrivate}
	}
	for i, at := range slices.Sorted(slices.Values(places)) {
		m.items[at] = order[i].ID
	}
	_, err := tx.Connections().Arrange(ctx, m.channel, order, storetest.Now)
	return err
}

// step makes one random change.
func (m *model) step(ctx context.Context, tx *store.Tx, r *rand.Rand) error {
	n := len(m.items)
	switch k := r.IntN(100); {
	case n == 0 || k < 30:
		return m.insert(ctx, tx, 0)
	case k < 40:
		return m.insert(ctx, tx, 1)
	case k < 60:
		return m.insert(ctx, tx, int64(r.IntN(n+3))+1)
	case k < 75:
		return m.move(ctx, tx, r.IntN(n), r.IntN(n))
	case k < 80:
		return m.arrange(ctx, tx, r.Perm(n)[:1+r.IntN(min(n, 30))])
	default:
		return m.remove(ctx, tx, r.IntN(n))
	}
}

// compare reads a random page in both directions and some positions.
func (m *model) compare(r *rand.Rand) {
	m.t.Helper()
	n := int64(len(m.items))
	for _, desc := range []bool{false, true} {
		per := int64(r.IntN(100)) + 1
		page := domain.Page{Number: r.Int64N(n/per+2) + 1, Per: per}
		l := m.contents(domain.ContentSort{Key: domain.ByPosition, Desc: desc}, page)
		if l.Total != n {
			m.t.Fatalf("total is %d, want %d", l.Total, n)
		}
		want := int(min(max(n-page.Offset(), 0), per))
		if len(l.Items) != want {
			m.t.Fatalf("page %+v of %d has %d items, want %d", page, n, len(l.Items), want)
		}
		for i, c := range l.Items {
			at := page.Offset() + int64(i)
			if desc {
				at = n - 1 - at
			}
			if c.ID != m.items[at] || c.Position != at+1 {
				m.t.Fatalf("page %+v desc=%v item %d: connection %d at %d, want %d at %d",
					page, desc, i, c.ID, c.Position, m.items[at], at+1)
			}
		}
	}
	m.comparePositions(r)
}

func (m *model) comparePositions(r *rand.Rand) {
	m.t.Helper()
	var some []domain.ConnectionID
	for range min(5, len(m.items)) {
		some = append(some, m.items[r.IntN(len(m.items))])
	}
	at, err := m.s.Contents().Positions(m.t.Context(), some...)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, id := range some {
		if want := int64(slices.Index(m.items, id)) + 1; at[id] != want {
			m.t.Fatalf("position of connection %d is %d, want %d", id, at[id], want)
		}
	}
}

func (m *model) contents(sort domain.ContentSort, page domain.Page) (l domain.List[domain.Connection]) {
	m.t.Helper()
	err := m.s.InSnapshot(m.t.Context(), func(v *store.Snapshot) error {
		c, err := v.Channels().Channel(m.t.Context(), m.owner, domain.Ref{ID: int64(m.channel)})
		if err != nil {
			return err
		}
		l, err = v.Contents().Contents(m.t.Context(), contents.Query{Viewer: m.owner, Channel: c, Sort: sort, Page: page})
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return l
}

func TestOrderIsThatOfASlice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		m := newModel(t, s)
		r := rand.New(rand.NewPCG(1, 2))
		for range heavy.Count(12, 40) {
			storetest.In(t, s, func(tx *store.Tx) error {
				for range 50 {
					if err := m.step(t.Context(), tx, r); err != nil {
						return err
					}
				}
				return nil
			})
			m.compare(r)
		}
		for len(m.items) > 0 { // back to an empty channel
			storetest.In(t, s, func(tx *store.Tx) error {
				for range min(100, len(m.items)) {
					if err := m.remove(t.Context(), tx, r.IntN(len(m.items))); err != nil {
						return err
					}
				}
				return nil
			})
			m.compare(r)
		}
	})
}

// Insertions at one place use up the gap between two keys, repeatedly.
func TestOrderInsertingAtOnePlace(t *testing.T) {
	t.Parallel()
	for _, position := range []int64{1, 2, 150} {
		t.Run(fmt.Sprint("position ", position), func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				m := newModel(t, s)
				r := rand.New(rand.NewPCG(3, 4))
				for range heavy.Count(2, 6) {
					storetest.In(t, s, func(tx *store.Tx) error {
						for range 200 {
							if err := m.insert(t.Context(), tx, position); err != nil {
								return err
							}
						}
						return nil
					})
					m.compare(r)
				}
			})
		})
	}
}

// After concurrent writes, positions are dense and match the order, and every acknowledged item
// exists once.
func TestOrderUnderConcurrentWriters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		m := newModel(t, s)
		var mu sync.Mutex
		present := map[domain.ConnectionID]bool{}
		var writers sync.WaitGroup
		for w := range uint64(6) {
			writers.Go(func() {
				r := rand.New(rand.NewPCG(w, 5))
				var mine []domain.ConnectionID
				for range 60 {
					added, removed, err := race(t.Context(), m, r, mine)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if added != 0 {
						mine, present[added] = append(mine, added), true
					}
					if removed != 0 {
						mine = slices.DeleteFunc(mine, func(id domain.ConnectionID) bool { return id == removed })
						delete(present, removed)
					}
					mu.Unlock()
				}
			})
		}
		writers.Wait()
		all := m.contents(domain.ContentSort{Key: domain.ByPosition}, domain.Page{Number: 1, Per: 1000})
		if len(all.Items) != len(present) || all.Total != int64(len(present)) {
			t.Fatalf("%d items, total %d, want %d", len(all.Items), all.Total, len(present))
		}
		ids := make([]domain.ConnectionID, len(all.Items))
		for i, c := range all.Items {
			if ids[i] = c.ID; !present[c.ID] {
				t.Fatalf("connection %d was removed", c.ID)
			}
		}
		at, err := s.Contents().Positions(t.Context(), ids...)
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if at[id] != int64(i)+1 {
				t.Fatalf("connection %d is at %d, want %d", id, at[id], i+1)
			}
		}
	})
}

// race inserts, moves or removes one connection in a transaction of its own.
func race(ctx context.Context, m *model, r *rand.Rand, mine []domain.ConnectionID) (added, removed domain.ConnectionID, err error) {
	k, p := r.IntN(10), r.Int64N(50)
	var victim domain.ConnectionID
	if len(mine) > 0 {
		victim = mine[r.IntN(len(mine))]
	}
	err = m.s.InTx(ctx, func(tx *store.Tx) error {
		added, removed = 0, 0
		if victim == 0 || k < 6 {
			block, err := storetest.NewBlock(ctx, tx, m.owner, "x")
			if err != nil {
				return err
			}
			added, err = storetest.ConnectIn(ctx, tx, m.owner, m.channel, domain.BlockRef(block), p)
			return err
		}
		if err := tx.Channels().LockChannels(ctx, m.channel); err != nil {
			return err
		}
		c, err := tx.Contents().Connection(ctx, victim)
		if err != nil {
			return err
		}
		if k < 8 {
			removed = victim
			return tx.Connections().Disconnect(ctx, c, storetest.Now)
		}
		ch, err := tx.Channels().Channel(ctx, m.owner, domain.Ref{ID: int64(m.channel)})
		if err != nil {
			return err
		}
		at, err := tx.Contents().Positions(ctx, victim)
		if err != nil {
			return err
		}
		return tx.Connections().Move(ctx, &c, at[victim], domain.Destination(domain.InsertAt, &p, at[victim], ch.Contents()), ch.Contents(), storetest.Now)
	})
	return added, removed, err
}

// The maximum number of items, including private channels, is put into an order at once. The
// number of statements depends only on the number of items.
func TestArrangeMany(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		st := newStage(t, s, db, domain.MaxOrdered-1, 40)
		var order []store.Held
		statements := 0
		storetest.In(t, s, func(tx *store.Tx) error {
			store.Trace(tx, func(string, []any) { statements++ })
			ids := make([]int64, 2*domain.MaxOrdered)
			for i := range ids {
				ids[i] = int64(i + 1)
			}
			order = nil
			for _, kind := range []domain.ItemType{domain.ItemBlock, domain.ItemChannel} {
				found, err := tx.Contents().HeldBy(t.Context(), st.ada, st.channel, kind, ids)
				if err != nil {
					return err
				}
				order = slices.AppendSeq(order, maps.Values(found))
			}
			order = slices.SortedFunc(slices.Values(order), func(a, b store.Held) int { return cmp.Compare(b.PositionKey, a.PositionKey) })
			moved, err := tx.Connections().Arrange(t.Context(), st.channel, order, storetest.Now)
			if len(moved) < domain.MaxOrdered {
				t.Errorf("%d of %d have moved", len(moved), len(order))
			}
			return err
		})
		if statements > 100 {
			t.Errorf("%d statements", statements)
		}
		var first, last []domain.ConnectionID
		for i := range 50 {
			first, last = append(first, order[i].ID), append(last, order[len(order)-1-i].ID)
		}
		at, err := s.Contents().Positions(t.Context(), append(first, last...)...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range first { // the stage's bob has 20 private ones, which ada does not see
			if at[first[i]] > int64(i+1+20) || at[last[i]] < int64(domain.MaxOrdered-i) {
				t.Errorf("item %d is at %d, the one from the end at %d", i, at[first[i]], at[last[i]])
			}
		}
		storetest.Check(t, s)
	})
}
