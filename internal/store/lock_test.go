package store_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// encounter is two transactions on PostgreSQL. The second begins while the first holds some locks,
// and the first continues when the second waits. Neither may have to be retried.
type encounter struct {
	name   string
	first  func(ctx context.Context, tx *store.Tx, comes func()) error
	second func(ctx context.Context, tx *store.Tx) error
}

func (e encounter) run(t *testing.T, s *store.Store, db *database.DB) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var firsts, seconds atomic.Int32
	done := make(chan error, 1)
	err := s.InTx(ctx, func(tx *store.Tx) error {
		again := firsts.Add(1) > 1
		return e.first(ctx, tx, func() {
			if again {
				return
			}
			go func() {
				done <- s.InTx(ctx, func(tx *store.Tx) error {
					seconds.Add(1)
					return e.second(ctx, tx)
				})
			}()
			for waiting(ctx, t, db) == 0 && ctx.Err() == nil {
				continue
			}
		})
	})
	if err != nil {
		t.Fatal("first: ", err)
	}
	if err := <-done; err != nil {
		t.Fatal("second: ", err)
	}
	if firsts.Load() != 1 || seconds.Load() != 1 {
		t.Errorf("the first ran %d times, the second %d times", firsts.Load(), seconds.Load())
	}
}

// waiting returns the number of connections to the database that wait for a lock.
func waiting(ctx context.Context, t *testing.T, db *database.DB) (n int) {
	t.Helper()
	err := db.Reader().QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
	if err != nil {
		t.Error(err)
	}
	return n
}

func TestNoDeadlocks(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	ada := storetest.User(t, s, "Ada")
	parent := storetest.Channel(t, s, ada, "Parent", domain.Closed)
	child := storetest.Channel(t, s, ada, "Child", domain.Closed)
	block, other := storetest.Block(t, s, ada, "x"), storetest.Block(t, s, ada, "y")
	inParent := storetest.Connect(t, s, ada, parent, domain.ChannelRef(child), 0)
	storetest.Connect(t, s, ada, child, domain.ChannelRef(parent), 0)
	inChild := storetest.Connect(t, s, ada, child, domain.BlockRef(block), 0)
	storetest.Connect(t, s, ada, child, domain.BlockRef(other), 0)
	otherInParent := storetest.Connect(t, s, ada, parent, domain.BlockRef(other), 0)

	turn := func(ctx context.Context, tx *store.Tx, id domain.ChannelID, v domain.Visibility) error {
		was, err := tx.Channels().Channel(ctx, ada, domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		c := was
		c.Visibility = v
		return tx.Channels().UpdateChannel(ctx, was, c, storetest.Now)
	}
	for _, e := range []encounter{
		{"a block is changed while it is removed from a channel",
			func(ctx context.Context, tx *store.Tx, comes func()) error {
				if err := tx.Blocks().LockBlock(ctx, block); err != nil {
					return err
				}
				comes()
				b, err := tx.Blocks().Block(ctx, ada, block)
				if err != nil {
					return err
				}
				return tx.Blocks().UpdateBlock(ctx, b, &b, storetest.Now)
			},
			func(ctx context.Context, tx *store.Tx) error {
				if err := tx.Channels().LockChannels(ctx, child); err != nil {
					return err
				}
				c, err := tx.Contents().Connection(ctx, inChild)
				if err != nil {
					return err
				}
				return tx.Connections().Disconnect(ctx, c, storetest.Now)
			}},
		{"a channel is moved within another while it turns private",
			func(ctx context.Context, tx *store.Tx, comes func()) error {
				if err := tx.Channels().LockChannels(ctx, parent); err != nil {
					return err
				}
				comes()
				c, err := tx.Contents().Connection(ctx, inParent)
				if err != nil {
					return err
				}
				return tx.Connections().Move(ctx, &c, 1, 2, 2, storetest.Now)
			},
			func(ctx context.Context, tx *store.Tx) error {
				if err := tx.Channels().LockWithParents(ctx, child); err != nil {
					return err
				}
				return turn(ctx, tx, child, domain.Private)
			}},
		{"a block is removed from a channel while another with it turns open",
			func(ctx context.Context, tx *store.Tx, comes func()) error {
				if err := tx.Channels().LockChannels(ctx, parent); err != nil {
					return err
				}
				comes()
				c, err := tx.Contents().Connection(ctx, otherInParent)
				if err != nil {
					return err
				}
				return tx.Connections().Disconnect(ctx, c, storetest.Now)
			},
			func(ctx context.Context, tx *store.Tx) error {
				if err := tx.Channels().LockWithParents(ctx, child); err != nil {
					return err
				}
				return turn(ctx, tx, child, domain.Closed)
			}},
		{"two channels that are in each other turn private",
			func(ctx context.Context, tx *store.Tx, comes func()) error {
				if err := tx.Channels().LockWithParents(ctx, parent); err != nil {
					return err
				}
				comes()
				return turn(ctx, tx, parent, domain.Private)
			},
			func(ctx context.Context, tx *store.Tx) error {
				if err := tx.Channels().LockWithParents(ctx, child); err != nil {
					return err
				}
				return turn(ctx, tx, child, domain.Private)
			}},
		{"a channel and one in it are deleted, of one owner",
			func(ctx context.Context, tx *store.Tx, comes func()) error {
				if err := tx.Channels().LockWithParents(ctx, parent); err != nil {
					return err
				}
				comes()
				c, err := tx.Channels().Channel(ctx, ada, domain.Ref{ID: int64(parent)})
				if err != nil {
					return err
				}
				return tx.Channels().DeleteChannel(ctx, c, storetest.Now)
			},
			func(ctx context.Context, tx *store.Tx) error {
				if err := tx.Channels().LockWithParents(ctx, child); err != nil {
					return err
				}
				c, err := tx.Channels().Channel(ctx, ada, domain.Ref{ID: int64(child)})
				if err != nil {
					return err
				}
				return tx.Channels().DeleteChannel(ctx, c, storetest.Now)
			}},
	} {
		if !t.Run(e.name, func(t *testing.T) { e.run(t, s, db) }) {
			break
		}
	}
	storetest.Check(t, s)
}

// Counting the links for signing up waits for a transaction that counted them before and then creates one.
func TestCountedSignUpLinks(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	count := func(ctx context.Context, tx *store.Tx, want int) error {
		n, err := tx.Account().CountSignUpLinks(ctx, storetest.Now)
		if n != want {
			t.Errorf("%d links, want %d", n, want)
		}
		return err
	}
	encounter{"",
		func(ctx context.Context, tx *store.Tx, comes func()) error {
			if err := count(ctx, tx, 0); err != nil {
				return err
			}
			comes()
			_, err := tx.Account().CreateSignUpLink(ctx, 0, domain.SignUpLink{Places: 1, CreatedAt: storetest.Now, ExpiresAt: storetest.Now.Add(time.Hour)}, []byte("hash"))
			return err
		},
		func(ctx context.Context, tx *store.Tx) error { return count(ctx, tx, 1) },
	}.run(t, s, db)
}
