package store_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Adding, moving and removing items changes the channel's updated_at and version, even if the time
// is still the same. Changing an item, or nothing, does not.
func TestUpdatedAtOfChannels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		group := storetest.Group(t, s, "Group", ada)
		for _, owner := range []domain.PrincipalRef{domain.UserRef(ada), domain.GroupRef(group)} {
			id := storetest.OwnedChannel(t, s, owner, ada, fmt.Sprint("Of a ", owner.Type), domain.Public)
			read := func() domain.Channel {
				c, err := s.Channels().Channel(t.Context(), ada, domain.Ref{ID: int64(id)})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			other := storetest.Channel(t, s, ada, fmt.Sprint("Other ", owner.Type), domain.Public)
			block, second := storetest.Block(t, s, ada, "x"), storetest.Block(t, s, ada, "y")
			var conn, last domain.ConnectionID
			move := func(from, to int64) {
				storetest.In(t, s, func(tx *store.Tx) error { return moveTo(t.Context(), tx, last, from, to, 3) })
			}
			for _, step := range []struct {
				what  string
				do    func()
				moves bool
			}{
				{"adding a block", func() { conn = storetest.Connect(t, s, ada, id, domain.BlockRef(block), 0) }, true},
				{"adding another", func() { last = storetest.Connect(t, s, ada, id, domain.BlockRef(second), 0) }, true},
				{"adding a channel", func() { storetest.Connect(t, s, ada, id, domain.ChannelRef(other), 0) }, true},
				{"moving", func() { move(2, 1) }, true},
				{"moving to where it is", func() { move(1, 1) }, false},
				{"changing a block in it", func() {
					storetest.In(t, s, func(tx *store.Tx) error {
						b, err := tx.Blocks().AnyBlock(t.Context(), block)
						if err != nil {
							return err
						}
						return tx.Blocks().UpdateBlock(t.Context(), b, &b, storetest.Later)
					})
				}, false},
				{"hiding a channel in it", func() { storetest.SetVisibility(t, s, ada, other, domain.Private) }, false},
				{"metadata of a connection", func() {
					storetest.In(t, s, func(tx *store.Tx) error {
						return tx.Connections().SetConnectionMetadata(t.Context(), &domain.Connection{ID: conn, Metadata: `{"a":"b"}`}, storetest.Later)
					})
				}, false},
				{"adding to a channel in it", func() {
					storetest.Connect(t, s, ada, other, domain.BlockRef(block), 0)
				}, false},
				{"taking a block out", func() { storetest.Disconnect(t, s, conn) }, true},
				{"deleting a channel in it", func() { storetest.Delete(t, s, ada, other) }, true},
				{"deleting a block in it", func() {
					storetest.In(t, s, func(tx *store.Tx) error {
						conns, err := tx.Blocks().LockBlockInChannels(t.Context(), second)
						if err == nil {
							err = tx.Connections().Disconnect(t.Context(), conns[0], storetest.Now)
						}
						if err == nil {
							err = tx.Blocks().DeleteBlock(t.Context(), second, storetest.Now)
						}
						return err
					})
				}, true},
			} {
				was := read()
				step.do()
				is := read()
				if moved := is.UpdatedAt.After(was.UpdatedAt); moved != step.moves || is.UpdatedAt.Before(was.UpdatedAt) || moved && is.Version <= was.Version {
					t.Errorf("%s: %s: from %v (%d) to %v (%d)", owner.Type, step.what, was.UpdatedAt, was.Version, is.UpdatedAt, is.Version)
				}
			}
		}
		storetest.Check(t, s)
	})
}

// An addition, a removal or a move writes the same number of rows, however many channels contain
// the channel.
func TestAdditionsDoNotWriteToParents(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		cost := func(parents int) (statements int, rows int64) {
			id := storetest.Channel(t, s, ada, fmt.Sprint("In ", parents), domain.Public)
			storetest.Connect(t, s, ada, id, domain.BlockRef(storetest.Block(t, s, ada, "before")), 0)
			for i := range parents {
				storetest.Connect(t, s, ada, storetest.Channel(t, s, ada, fmt.Sprint(parents, " parent ", i), domain.Public), domain.ChannelRef(id), 0)
			}
			block := storetest.Block(t, s, ada, "x")
			storetest.In(t, s, func(tx *store.Tx) error {
				store.CountWrites(tx, &statements, &rows)
				conn, err := storetest.ConnectIn(t.Context(), tx, ada, id, domain.BlockRef(block), 0)
				if err != nil {
					return err
				}
				if err := moveTo(t.Context(), tx, conn, 2, 1, 2); err != nil {
					return err
				}
				c, err := tx.Contents().Connection(t.Context(), conn)
				if err != nil {
					return err
				}
				return tx.Connections().Disconnect(t.Context(), c, storetest.Later)
			})
			return statements, rows
		}
		fewStatements, fewRows := cost(1)
		statements, rows := cost(60)
		if statements != fewStatements || rows != fewRows {
			t.Errorf("in one channel %d statements change %d rows, in 60 %d change %d", fewStatements, fewRows, statements, rows)
		}
		storetest.Check(t, s)
	})
}

// Channels from versions in which additions did not change updated_at get the time of their last
// addition.
func TestUpgradeToMovedChannels(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		if _, err := db.Migrate(t.Context(), before(t, db.Dialect(), "0014")); err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{
			`INSERT INTO users (id, slug, name, email, password_hash, tier, created_at, updated_at, open_channels)
				VALUES (1, 'ada', 'Ada', 'ada@example.org', '', 'free', 1, 1, 2)`,
			`INSERT INTO channels (id, slug, title, visibility, owner_type, owner_id, user_id, channels_count, last_connected_at, created_at, updated_at)
				VALUES (1, 'added-to', 'Added to', 'public', 'User', 1, 1, 1, 70, 5, 6), (2, 'changed', 'Changed', 'public', 'User', 1, 1, 0, 0, 5, 90)`,
			`INSERT INTO slugs (kind, slug, target_id, created_at) VALUES ('User', 'ada', 1, 1), ('Channel', 'added-to', 1, 5), ('Channel', 'changed', 2, 5)`,
			`INSERT INTO connections (channel_id, item_type, item_id, item_updated_at, user_id, position_key, created_at, updated_at)
				VALUES (1, 'Channel', 2, 90, 1, 0, 70, 70)`,
			`INSERT INTO search_documents (kind, item_id, type, author_id, open, links, random_key, created_at, updated_at)
				VALUES ('User', 1, 'User', 1, TRUE, 0, 1, 1, 1), ('Channel', 1, 'Channel', 1, TRUE, 0, 2, 5, 6), ('Channel', 2, 'Channel', 1, TRUE, 1, 3, 5, 90)`,
			`INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
				VALUES ('User', 1, 'Channel', 1, 1, 0), ('User', 1, 'Channel', 2, 1, 0)`,
			`INSERT INTO updated_counts (channel_id, shift, bucket, n) VALUES (1, 38, 0, 1), (1, 30, 0, 1), (1, 22, 0, 1)`,
		} {
			storetest.Exec(t, db, statement)
		}
		if _, err := db.Migrate(t.Context(), store.Migrations(db.Dialect())); err != nil {
			t.Fatal(err)
		}
		indexAll(t, s)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Bulk().Rebuild(t.Context(), 1) })
		storetest.Check(t, s)
		for id, want := range map[int64]int64{1: 70, 2: 90} {
			c, err := s.Channels().Channel(t.Context(), 1, domain.Ref{ID: id})
			if err != nil || !c.UpdatedAt.Equal(time.UnixMicro(want)) {
				t.Errorf("channel %d was changed at %v, %v", id, c.UpdatedAt.UnixMicro(), err)
			}
		}
		l := ownerContents(t, s, store.OwnerContentsQuery{Owner: domain.UserRef(1), Page: domain.Page{Number: 1, Per: 10},
			Sort: domain.SearchSort{Key: domain.SearchByUpdated, Desc: true}})
		if len(l.Items) != 2 || l.Items[0].ID != 2 || l.Items[1].ID != 1 {
			t.Errorf("the list by the time of change: %v", l.Items)
		}
	})
}
