package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/storetest"
)

// texts returns the bytes of texts that count towards the quota of a user.
func texts(t *testing.T, s *store.Store, user domain.UserID) int64 {
	t.Helper()
	u, err := s.Counters().ByteUsage(t.Context(), user, storetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	return u.Texts
}

// In every table with texts, inserted, changed, moved and deleted rows count for the right user.
func TestTextsAreCounted(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		group := storetest.Group(t, s, "Guild", ada, bob)
		channel := storetest.Channel(t, s, ada, "Ferns", domain.Public)
		shared := storetest.OwnedChannel(t, s, domain.GroupRef(group), bob, "Mosses", domain.Public)
		block := storetest.Block(t, s, ada, "x")
		storetest.Connect(t, s, bob, channel, domain.BlockRef(block), 0)
		comment := storetest.Comment(t, s, bob, block, "y")
		for _, step := range []struct {
			do       string
			ada, bob int64 // expected difference in bytes
			args     []any
		}{
			{"UPDATE blocks SET title = 'äöü', metadata = '{}' WHERE id = $1", 8, 0, []any{block}},
			{"UPDATE blocks SET title = NULL WHERE id = $1", -6, 0, []any{block}},
			{"UPDATE blocks SET embed = '苔', description_html = '<p>' WHERE id = $1", 6, 0, []any{block}},
			{"UPDATE comments SET body_markdown = '苔苔' WHERE id = $1", 0, 5, []any{comment}},
			{"UPDATE channels SET metadata = '{\"a\":1}' WHERE id = $1", 7, 0, []any{channel}},
			{"UPDATE channels SET description_plain = 'four' WHERE id = $1", 0, 4, []any{shared}},
			{"UPDATE channels SET owner_type = 'User', owner_id = $2 WHERE id = $1", 10, -10, []any{shared, ada}},
			{"UPDATE channels SET state = 'deleted' WHERE id = $1", -10, 0, []any{shared}},
			{"UPDATE connections SET metadata = '{}' WHERE channel_id = $1", 0, 2, []any{channel}},
			{"UPDATE groups SET description_markdown = 'about' WHERE id = $1", 5, 0, []any{group}},
			{"UPDATE groups SET owner_id = $2 WHERE id = $1", -10, 10, []any{group, bob}},
			{"UPDATE users SET bio_html = '<p>I</p>' WHERE id = $1", 0, 8, []any{bob}},
			{"INSERT INTO once_keys (hash, user_id, kind, made_id, created_at, expires_at) VALUES ($2, $1, '', 0, 1, 1)", 0, 0, []any{bob, []byte("k")}},
			{"UPDATE once_keys SET answer = $2 WHERE user_id = $1", 0, 3, []any{bob, []byte{0, 1, 255}}},
			{"DELETE FROM once_keys WHERE user_id = $1", 0, -3, []any{bob}},
			{"UPDATE blocks SET open_count = open_count WHERE id = $1", 0, 0, []any{block}},
		} {
			wasAda, wasBob := texts(t, s, ada), texts(t, s, bob)
			storetest.Exec(t, db, step.do, step.args...)
			if isAda, isBob := texts(t, s, ada), texts(t, s, bob); isAda-wasAda != 2*step.ada || isBob-wasBob != 2*step.bob {
				t.Errorf("%s: %d and %d more, want %d and %d", step.do, isAda-wasAda, isBob-wasBob, 2*step.ada, 2*step.bob)
			}
		}
		storetest.Exec(t, db, "UPDATE groups SET owner_id = $2 WHERE id = $1", group, ada)
		storetest.Exec(t, db, "UPDATE channels SET owner_type = 'Group', owner_id = $2, state = 'available', description_plain = NULL WHERE id = $1", shared, group)
		had := texts(t, s, ada)
		storetest.Exec(t, db, "UPDATE byte_usage SET texts = 17, texts_counted = FALSE")
		if left, err := s.Backfills().Backfills(t.Context()); err != nil || !slices.Contains(left, derived.BackfillLeft{Kind: "count_texts", Rows: 2}) {
			t.Errorf("%+v, %v", left, err)
		}
		storetest.Check(t, s) // skips users who are not counted yet
		for _, want := range []int{1, 1, 0} {
			storetest.In(t, s, func(tx *store.Tx) error {
				n, err := tx.Counters().CountTexts(t.Context(), 1)
				if n != want {
					t.Errorf("counted %d, want %d", n, want)
				}
				return err
			})
		}
		if is := texts(t, s, ada); is != had {
			t.Errorf("recounted %d, want %d", is, had)
		}
	})
}

// PostgreSQL inserts a row for each change of a text, and moves them to the user's count before there are many.
func TestChangesOfTextsAreSummedUp(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		if db.Dialect() != database.Postgres {
			t.Skip("SQLite changes the count itself")
		}
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		had := texts(t, s, ada)
		const many = `INSERT INTO blocks (user_id, type, state, title, created_at, updated_at)
			SELECT $1 + n % 2, 'Text', 'available', 'moss', 1, 1 FROM generate_series(1, 3000) AS n`
		for _, query := range []string{many, "UPDATE blocks SET title = 'ferns' WHERE user_id >= $1", "DELETE FROM blocks WHERE user_id >= $1 AND id % 4 > 1"} {
			storetest.Exec(t, db, query, ada)
			if left := additions(t, db); left > 256 {
				t.Errorf("%s: %d rows are left", query, left)
			}
		}
		if is := texts(t, s, ada); bob != ada+1 || is != had+2*5*750 {
			t.Errorf("%d bytes more, want %d", is-had, 2*5*750)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Counters().LockByteUsage(t.Context(), ada, "", storetest.Now)
			return err
		})
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Counters().LockByteUsage(t.Context(), bob, "", storetest.Now)
			return err
		})
		if left := additions(t, db); left != 0 {
			t.Errorf("%d rows are left after locking the counts", left)
		}
		if is := texts(t, s, ada); is != had+2*5*750 {
			t.Errorf("%d bytes more after locking the count, want %d", is-had, 2*5*750)
		}
		storetest.Exec(t, db, "DELETE FROM blocks")
	})
}

// additions returns the number of changes that are not part of a user's count yet.
func additions(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	if err := db.Reader().QueryRow(t.Context(), "SELECT count(*) FROM text_additions").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A transaction commits texts of a user while another one is about to commit, and while the user's count is locked.
func TestTextsWaitForNobody(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		if db.Dialect() != database.Postgres {
			t.Skip("SQLite has one writer")
		}
		ada := storetest.User(t, s, "ada")
		storetest.Block(t, s, ada, "the first text, which creates the row of the counts")
		had := texts(t, s, ada)
		const add = `INSERT INTO blocks (user_id, type, state, title, created_at, updated_at)
			SELECT $1, 'Text', 'available', 'moss', 1, 1 FROM generate_series(1, 200) AS n`
		for _, lock := range []string{"SET CONSTRAINTS ALL IMMEDIATE", "UPDATE byte_usage SET unused = unused"} {
			err := db.Transact(t.Context(), func(tx *database.Tx) error {
				if _, err := tx.Exec(t.Context(), add, ada); err != nil {
					return err
				}
				if _, err := tx.Exec(t.Context(), lock); err != nil {
					return err
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				return db.Transact(ctx, func(other *database.Tx) error {
					_, err := other.Exec(ctx, add, ada)
					return err
				})
			})
			if err != nil {
				t.Fatal(lock, err)
			}
		}
		if is := texts(t, s, ada); is != had+2*4*800 {
			t.Errorf("%d bytes more, want %d", is-had, 2*4*800)
		}
		storetest.Exec(t, db, "DELETE FROM blocks WHERE title = 'moss'")
	})
}

// Every snapshot has the right counts while transactions add, change and delete texts of the same users, lock their
// counts, count them again, or fail.
func TestTextsAreExactWhileTheyChange(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		users := []domain.UserID{storetest.User(t, s, "ada"), storetest.User(t, s, "bob")}
		fails := errors.New("fails")
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				for n := range heavy.Count(30, 300) {
					user := users[(i+n)%2]
					err := s.InTx(t.Context(), func(tx *store.Tx) error {
						id, err := storetest.NewBlock(t.Context(), tx, user, strings.Repeat("m", n+1))
						if err == nil && n%3 == 0 {
							err = tx.Blocks().DeleteBlock(t.Context(), id, storetest.Later)
						}
						switch {
						case err != nil:
						case n%7 == i:
							_, err = tx.Counters().LockByteUsage(t.Context(), user, "", storetest.Now)
						case n%11 == i:
							err = tx.Counters().RecountBytes(t.Context(), user)
						case n%5 == i:
							err = fails
						}
						return err
					})
					if err != nil && !errors.Is(err, fails) {
						t.Error(err)
					}
				}
			})
		}
		all.Go(func() {
			for range heavy.Count(20, 200) {
				for _, c := range counters.ByteChecks {
					var id, stored, actual int64
					switch err := db.Reader().QueryRow(t.Context(), c.Query).Scan(&id, &stored, &actual); {
					case err == nil:
						t.Errorf("%s of %d: %d, want %d", c.What, id, stored, actual)
					case !errors.Is(err, database.ErrNoRows):
						t.Error(err)
					}
				}
			}
		})
		all.Wait()
	})
}

// Concurrent writes of texts never exceed the limit. Shortening and deleting still work at the
// limit, and free space.
func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	const bound = 20_000
	full := errors.New("full")
	storetest.EachDB(t, func(t *testing.T, s *store.Store, _ *database.DB) {
		s.BoundTexts(store.TextBound{Now: func() time.Time { return storetest.Now }, Available: func(u domain.ByteUsage) (int64, error) {
			return bound - u.Total, full
		}})
		ada := storetest.User(t, s, "ada")
		make := func(ctx context.Context) (id domain.BlockID, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) error {
				id, err = storetest.NewBlock(ctx, tx, ada, strings.Repeat("m", 500))
				return err
			})
			return id, err
		}
		var all sync.WaitGroup
		var made, refused atomic.Int64
		var first, second atomic.Int64 // ids of two created blocks
		for range 8 {
			all.Go(func() {
				for range 5 {
					switch id, err := make(t.Context()); {
					case err == nil:
						made.Add(1)
						second.Store(first.Swap(int64(id)))
					case errors.Is(err, full):
						refused.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		is := texts(t, s, ada)
		if each := is / max(made.Load(), 1); is > bound || is+each <= bound || refused.Load() == 0 {
			t.Errorf("%d blocks have %d bytes, %d were refused", made.Load(), is, refused.Load())
		}
		edit := func(content string) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				b, err := tx.Blocks().AnyBlock(t.Context(), domain.BlockID(first.Load()))
				if err != nil {
					return err
				}
				was := b
				b.Content = &domain.Text{Markdown: content, HTML: content, Plain: content}
				return tx.Blocks().UpdateBlock(t.Context(), was, &b, storetest.Later)
			})
		}
		if err := edit(strings.Repeat("l", 6000)); !errors.Is(err, full) || texts(t, s, ada) != is {
			t.Errorf("made longer: %v, %d bytes", err, texts(t, s, ada))
		}
		if err := edit("s"); err != nil {
			t.Errorf("made shorter: %v", err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Blocks().DeleteBlock(t.Context(), domain.BlockID(second.Load()), storetest.Later)
		})
		if _, err := make(t.Context()); err != nil {
			t.Errorf("with room again: %v", err)
		}
	})
}
