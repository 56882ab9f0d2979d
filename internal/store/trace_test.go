package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// statement is a statement that the store has sent, with the arguments of one execution.
type statement struct {
	query string
	args  []any
}

// recorder collects the statements that a store sends, each text once.
type recorder struct {
	t    *testing.T
	s    *store.Store
	all  []statement
	seen map[string]bool
}

func (r *recorder) note(query string, args []any) {
	if !r.seen[query] {
		r.seen[query] = true
		r.all = append(r.all, statement{query, args})
	}
}

func (r *recorder) write(fn func(ctx context.Context, tx *store.Tx) error) {
	r.t.Helper()
	storetest.In(r.t, r.s, func(tx *store.Tx) error {
		store.Trace(tx, r.note)
		return fn(r.t.Context(), tx)
	})
}

func (r *recorder) read(fn func(ctx context.Context, v *store.Snapshot) error) {
	r.t.Helper()
	err := r.s.InSnapshot(r.t.Context(), func(v *store.Snapshot) error {
		store.Trace(v, r.note)
		return fn(r.t.Context(), v)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// stage is the data for the recorded work: a channel of n blocks and some private channels.
type stage struct {
	ada, bob domain.UserID
	channel  domain.ChannelID
	hidden   []domain.ChannelID
	block    domain.BlockID // in the channel
}

func newStage(t *testing.T, s *store.Store, db *database.DB, n int64, private int) stage {
	st := stage{ada: storetest.User(t, s, "Ada"), bob: storetest.User(t, s, "Bob")}
	st.channel = storetest.Channel(t, s, st.ada, "Large", domain.Closed)
	storetest.Fill(t, s, db, st.ada, st.channel, n)
	st.block = storetest.Block(t, s, st.bob, "x")
	storetest.Connect(t, s, st.ada, st.channel, domain.BlockRef(st.block), n/2)
	storetest.In(t, s, func(tx *store.Tx) error {
		for i := range private {
			if err := st.hide(t.Context(), tx, i, n); err != nil {
				return err
			}
		}
		return nil
	})
	return st
}

// hide adds a new private channel to the large one, somewhere.
func (st *stage) hide(ctx context.Context, tx *store.Tx, i int, n int64) error {
	slug := fmt.Sprint("hidden-", i)
	if _, err := tx.Slugs().ClaimSlug(ctx, store.ChannelSlug, slug, storetest.Now); err != nil {
		return err
	}
	owner := []domain.UserID{st.ada, st.bob}[i%2]
	id, err := tx.Channels().CreateChannel(ctx, store.NewChannel{Slug: slug, Title: slug, Visibility: domain.Private,
		Owner: domain.UserRef(owner), UserID: owner, Now: storetest.Now})
	if err != nil {
		return err
	}
	st.hidden = append(st.hidden, id)
	c, err := tx.Channels().Channel(ctx, st.ada, domain.Ref{ID: int64(st.channel)})
	if err != nil {
		return err
	}
	_, _, err = tx.Connections().Connect(ctx, store.NewConnection{Channel: c, Item: domain.ChannelRef(id), UserID: st.ada,
		Position: int64(i*7)%n + 1, Now: storetest.Now})
	return err
}

// reads runs every kind of read once.
func (st stage) reads(r *recorder, page int64) {
	viewers := []domain.UserID{0, st.ada, st.bob}
	for i := range 18 {
		q := contents.Query{Viewer: viewers[i%3], By: viewers[i/9], Page: domain.Page{Number: page, Per: 24},
			Sort: domain.ContentSort{Key: domain.ContentKey(i / 3 % 3), Desc: i%2 == 0}}
		r.read(func(ctx context.Context, v *store.Snapshot) (err error) {
			if q.Channel, err = v.Channels().Channel(ctx, q.Viewer, domain.Ref{ID: int64(st.channel)}); err == nil {
				_, err = v.Contents().Contents(ctx, q)
			}
			return err
		})
	}
	for _, o := range []domain.Ownership{domain.AnyOwner, domain.Own, domain.ExcludeOwn} {
		r.read(func(ctx context.Context, v *store.Snapshot) error {
			_, err := v.Contents().ItemChannels(ctx, contents.ItemChannelsQuery{Viewer: st.ada, Item: domain.BlockRef(st.block), Ownership: o,
				Page: domain.Page{Number: 1, Per: 24}})
			return err
		})
	}
	r.read(func(ctx context.Context, v *store.Snapshot) error {
		_, _ = v.Channels().Channel(ctx, st.ada, domain.Ref{Slug: "large"})
		_, _ = v.Channels().ChannelsByID(ctx, st.ada, st.hidden)
		_, _ = v.Membership().Collaborators(ctx, st.channel)
		_, _ = v.Blocks().Block(ctx, st.ada, st.block)
		_, _ = v.Blocks().BlocksByID(ctx, []domain.BlockID{st.block})
		_, _ = v.Contents().ConnectionOf(ctx, st.channel, domain.BlockRef(st.block))
		_, _ = v.Principals().Principal(ctx, domain.UserRef(st.ada))
		_, _ = v.Membership().IsMember(ctx, 1, st.ada)
		_, _ = v.Users().User(ctx, domain.Ref{Slug: "ada"})
		_, _ = v.Users().UserByEmail(ctx, "ada@example.org")
		_, _ = v.Users().Users(ctx, 0, 10)
		_, _ = v.Account().TokenHolder(ctx, []byte("hash"))
		_, err := v.Account().Tokens(ctx, st.ada)
		return err
	})
}

// nearby reads what pages show next to an item.
func (st stage) nearby(r *recorder) {
	for _, viewer := range []domain.UserID{0, st.ada, st.bob} {
		r.read(func(ctx context.Context, v *store.Snapshot) error {
			_, key, err := v.Nearby().Place(ctx, st.channel, domain.BlockRef(st.block))
			if err != nil {
				return err
			}
			_, _, _ = v.Nearby().Neighbours(ctx, viewer, st.channel, key)
			_, _ = v.Nearby().Related(ctx, viewer, st.channel, 10)
			_, _ = v.Nearby().Covers(ctx, viewer, append([]domain.ChannelID{st.channel}, st.hidden...))
			_, _ = v.Nearby().RelatedPage(ctx, viewer, st.channel, domain.Page{Number: 1, Per: 24})
			_, _ = v.Activity().LatestFollowings(ctx, viewer, 1000)
			for _, highest := range []bool{true, false} {
				if _, err := v.Nearby().Ends(ctx, viewer, append([]domain.ChannelID{st.channel}, st.hidden...), 6, highest); err != nil {
					return err
				}
			}
			if _, err := v.Nearby().ChannelDetails(ctx, viewer, append([]domain.ChannelID{st.channel}, st.hidden...)); err != nil {
				return err
			}
			_, _ = v.Nearby().RecentChannels(ctx, viewer, 24)
			_, _ = v.Nearby().ChannelsWithRole(ctx, viewer, st.hidden)
			_, _ = v.Nearby().CollaboratorsAround(ctx, viewer, st.block, 5, 50)
			_, err = v.Nearby().PinnedChannels(ctx, viewer)
			return err
		})
	}
}

// writes runs every kind of write at least once.
func (st stage) writes(r *recorder) {
	var id domain.ConnectionID
	for _, position := range []int64{0, 1, 100} {
		r.write(func(ctx context.Context, tx *store.Tx) error {
			block, err := storetest.NewBlock(ctx, tx, st.ada, "x")
			if err == nil {
				id, err = storetest.ConnectIn(ctx, tx, st.ada, st.channel, domain.BlockRef(block), position)
			}
			return err
		})
	}
	r.write(func(ctx context.Context, tx *store.Tx) error { // splits leaves and renumbers
		for range 150 {
			block, err := storetest.NewBlock(ctx, tx, st.ada, "x")
			if err != nil {
				return err
			}
			if _, err := storetest.ConnectIn(ctx, tx, st.ada, st.channel, domain.BlockRef(block), 100); err != nil {
				return err
			}
		}
		return nil
	})
	r.write(func(ctx context.Context, tx *store.Tx) error {
		c, err := tx.Contents().Connection(ctx, id)
		if err != nil {
			return err
		}
		at, err := tx.Contents().Positions(ctx, id)
		if err != nil {
			return err
		}
		if err := tx.Connections().Move(ctx, &c, at[id], 7, 200, storetest.Now); err != nil {
			return err
		}
		c.Metadata = `{"a":1}`
		return tx.Connections().SetConnectionMetadata(ctx, &c, storetest.Now)
	})
	r.write(func(ctx context.Context, tx *store.Tx) error { // turns leaves
		channel, err := tx.Contents().HeldBy(ctx, st.ada, st.channel, domain.ItemChannel, []int64{int64(st.hidden[0])})
		if err != nil {
			return err
		}
		block, err := tx.Contents().HeldBy(ctx, st.ada, st.channel, domain.ItemBlock, []int64{int64(st.block)})
		if err != nil {
			return err
		}
		order := []store.Held{channel[int64(st.hidden[0])], block[int64(st.block)]}
		if order[0].PositionKey < order[1].PositionKey {
			slices.Reverse(order)
		}
		moved, err := tx.Connections().Arrange(ctx, st.channel, order, storetest.Now)
		if err == nil && len(moved) != 2 {
			err = fmt.Errorf("%d have moved", len(moved))
		}
		return err
	})
	r.write(func(ctx context.Context, tx *store.Tx) error { // joins leaves
		for i := range int64(120) {
			id, err := tx.Contents().ConnectionOf(ctx, st.channel, domain.BlockRef(domain.BlockID(i+1)))
			if err != nil {
				return err
			}
			c, err := tx.Contents().Connection(ctx, id)
			if err != nil {
				return err
			}
			if err := tx.Connections().Disconnect(ctx, c, storetest.Now); err != nil {
				return err
			}
		}
		return nil
	})
	r.write(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.Blocks().LockBlock(ctx, st.block); err != nil {
			return err
		}
		b, err := tx.Blocks().Block(ctx, st.ada, st.block)
		if err != nil {
			return err
		}
		return tx.Blocks().UpdateBlock(ctx, b, &b, storetest.Now.Add(time.Second))
	})
	r.write(func(ctx context.Context, tx *store.Tx) error { return st.rewrite(ctx, tx) })
}

// rewrite changes and deletes a channel.
func (st stage) rewrite(ctx context.Context, tx *store.Tx) error {
	was, err := tx.Channels().Channel(ctx, st.ada, domain.Ref{ID: int64(st.hidden[0])})
	if err != nil {
		return err
	}
	c := was
	c.Visibility = domain.Public
	if err := tx.Channels().UpdateChannel(ctx, was, c, storetest.Now.Add(time.Second)); err != nil {
		return err
	}
	if _, err := tx.Membership().AddCollaborator(ctx, c.ID, domain.UserRef(st.bob), storetest.Now); err != nil {
		return err
	}
	if _, err := tx.Membership().RemoveCollaborator(ctx, c.ID, domain.UserRef(st.bob)); err != nil {
		return err
	}
	return tx.Channels().DeleteChannel(ctx, c, storetest.Now.Add(2*time.Second))
}
