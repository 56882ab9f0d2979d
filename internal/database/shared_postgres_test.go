package database_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/database"
)

// near starts a first transaction with a key, and then others, which share its commit. The first one commits once all
// others wait. The functions and the results are in the same order, the first one first.
func near(t *testing.T, db *database.DB, all ...func(tx *database.Tx) error) []error {
	t.Helper()
	const key = 7
	results := make([]error, len(all))
	started, finish := make(chan struct{}), make(chan struct{})
	var once sync.Once // the first one may run again
	var done sync.WaitGroup
	done.Go(func() {
		results[0] = db.TransactNear(t.Context(), key, func(tx *database.Tx) error {
			once.Do(func() {
				close(started)
				<-finish
			})
			return all[0](tx)
		})
	})
	<-started
	for i, fn := range all[1:] {
		done.Go(func() { results[i+1] = db.TransactNear(t.Context(), key, fn) })
		database.AwaitNear(db, key, i+1)
	}
	close(finish)
	done.Wait()
	return results
}

// put returns a transaction that inserts a row.
func put(t *testing.T, n int64) func(tx *database.Tx) error {
	return func(tx *database.Tx) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO later (n) VALUES ($1)", n)
		return err
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		second  func(t *testing.T, db *database.DB) func(tx *database.Tx) error
		fails   func(error) bool // nil if the second transaction succeeds
		commits []int            // numbers of members
		rows    []int64
	}{
		"all succeed": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error { return put(t, 2) }, nil, []int{3}, []int64{1, 2, 3}},
		"a queued statement": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error {
				return func(tx *database.Tx) error { return later(t.Context(), tx, insert(2)) }
			}, nil, []int{3}, []int64{1, 2, 3}},
		"a refusal": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error {
				return func(tx *database.Tx) error { return errors.Join(put(t, 2)(tx), broken) }
			}, func(err error) bool { return errors.Is(err, broken) }, []int{2}, []int64{1, 3}},
		"a refusal before the first statement": {
			func(*testing.T, *database.DB) func(tx *database.Tx) error {
				return func(*database.Tx) error { return broken }
			}, func(err error) bool { return errors.Is(err, broken) }, []int{2}, []int64{1, 3}},
		"a failed statement": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error { return put(t, 1) }, database.IsUnique, []int{2}, []int64{1, 3}},
		"a failed queued statement": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error {
				return func(tx *database.Tx) error { return later(t.Context(), tx, insert(1)) }
			}, database.IsUnique, []int{2}, []int64{1, 3}},
		"a statement that cannot be prepared": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error {
				return func(tx *database.Tx) error {
					_, err := tx.Exec(t.Context(), "INSERT INTO missing VALUES (1)")
					return err
				}
			}, func(err error) bool { return strings.Contains(fmt.Sprint(err), "42P01") }, []int{1, 1}, []int64{1, 3}},
		"a commit that fails": {
			func(t *testing.T, db *database.DB) func(tx *database.Tx) error {
				exec(t, db, "CREATE TABLE parts (of BIGINT REFERENCES later (n) DEFERRABLE INITIALLY DEFERRED)")
				return func(tx *database.Tx) error {
					_, err := tx.Exec(t.Context(), "INSERT INTO parts VALUES (99)")
					return err
				}
			}, func(err error) bool { return strings.Contains(fmt.Sprint(err), "23503") }, []int{1, 1}, []int64{1, 3}},
		"a lost connection": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error {
				tries := 0
				return func(tx *database.Tx) error {
					if tries++; tries == 1 {
						_, err := tx.Exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())")
						return err
					}
					return put(t, 2)(tx)
				}
			}, func(err error) bool { return err != nil }, nil, []int64{1, 3}},
		"a library": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error {
				return func(tx *database.Tx) error {
					_, err := tx.SQL().ExecContext(t.Context(), "INSERT INTO later (n) VALUES (2)")
					return err
				}
			}, nil, []int{3}, []int64{1, 2, 3}},
		"a cancelled request": {
			func(t *testing.T, _ *database.DB) func(tx *database.Tx) error {
				return func(tx *database.Tx) error {
					ctx, cancel := context.WithCancel(t.Context())
					cancel()
					_, err := tx.Exec(ctx, "INSERT INTO later (n) VALUES (2)")
					return err
				}
			}, func(err error) bool { return errors.Is(err, context.Canceled) }, nil, []int64{1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := onPostgres(t, func(*database.Options) {})
			var mu sync.Mutex
			var commits []int
			database.WatchGroups(db, func(members int) {
				mu.Lock()
				defer mu.Unlock()
				commits = append(commits, members)
			})
			got := near(t, db, put(t, 1), c.second(t, db), put(t, 3))
			if got[0] != nil || got[2] != nil || c.fails == nil && got[1] != nil || c.fails != nil && !c.fails(got[1]) {
				t.Errorf("results %v", got)
			}
			if c.commits != nil && !slices.Equal(commits, c.commits) {
				t.Errorf("commits of %v transactions, want %v", commits, c.commits)
			}
			var rows []int64
			found, err := db.Reader().Query(t.Context(), "SELECT n FROM later ORDER BY n")
			if err != nil {
				t.Fatal(err)
			}
			for found.Next() {
				var n int64
				if err := found.Scan(&n); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, n)
			}
			if err := found.Err(); err != nil || !slices.Equal(rows, c.rows) {
				t.Errorf("rows %v, want %v (%v)", rows, c.rows, err)
			}
		})
	}
}

// If the connection is lost during the commit of a group, nobody knows its outcome. All members fail and none runs again.
func TestNearLostInCommit(t *testing.T) {
	t.Parallel()
	db := onPostgres(t, func(*database.Options) {})
	database.WatchGroups(db, func(int) {})
	exec(t, db, "CREATE FUNCTION lose() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'")
	exec(t, db, "CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose()")
	var ran atomic.Int64
	counted := func(n int64) func(tx *database.Tx) error {
		return func(tx *database.Tx) error {
			ran.Add(1)
			return put(t, n)(tx)
		}
	}
	results := near(t, db, counted(1), counted(2), counted(3))
	if n := ran.Load(); slices.Contains(results, nil) || n != 3 {
		t.Errorf("results %v of %d runs", results, n)
	}
	if n := number(t, db.Reader(), "SELECT count(*) FROM later"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// A member that waits for a lock keeps nobody else waiting, and runs again.
func TestNearAndLocks(t *testing.T) {
	t.Parallel()
	db := onPostgres(t, func(*database.Options) {})
	database.WatchGroups(db, func(int) {})
	exec(t, db, "INSERT INTO later (n) VALUES (1)")
	lock := func(tx *database.Tx) error {
		_, err := tx.Exec(t.Context(), "SELECT n FROM later WHERE n = 1 FOR UPDATE")
		return err
	}
	const key = 7
	tries := 0
	second := make(chan error, 1)
	err := db.Transact(t.Context(), func(tx *database.Tx) error { // holds the row until the first member has committed
		if err := lock(tx); err != nil {
			return err
		}
		started, finish, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			first <- db.TransactNear(t.Context(), key, func(tx *database.Tx) error {
				close(started)
				<-finish
				return put(t, 2)(tx)
			})
		}()
		<-started
		go func() {
			second <- db.TransactNear(t.Context(), key, func(tx *database.Tx) error {
				tries++
				return lock(tx)
			})
		}()
		database.AwaitNear(db, key, 1)
		close(finish)
		return <-first
	})
	if err := errors.Join(err, <-second); err != nil || tries != 2 {
		t.Errorf("%d tries, want 2: %v", tries, err)
	}
}

// Two nodes add to the same few rows, sometimes fail, and are sometimes cancelled. Each success counts once.
func TestNearStress(t *testing.T) {
	t.Parallel()
	one := onPostgres(t, func(*database.Options) {})
	two := open(t, database.Options{URL: one.Session().ConnString()})
	exec(t, one, "CREATE TABLE sums (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")
	exec(t, one, "INSERT INTO sums VALUES (0, 0), (1, 0), (2, 0)")
	broken := errors.New("broken")
	var mu sync.Mutex
	sums := map[int64]int64{}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			db := []*database.DB{one, two}[i%2]
			for range 20 {
				id, other, fate := rng.Int64N(3), rng.Int64N(3), rng.IntN(4)
				ctx, cancel := context.WithCancel(t.Context())
				err := db.TransactNear(ctx, uint64(id), func(tx *database.Tx) error {
					// Each locks in order, but the members of a group together do not.
					for _, id := range []int64{min(id, other), max(id, other)} {
						if _, err := tx.Exec(ctx, "UPDATE sums SET n = n + 1 WHERE id = $1", id); err != nil {
							return err
						}
					}
					switch fate {
					case 0:
						return broken
					case 1:
						cancel()
					}
					return nil
				})
				cancel()
				switch {
				case err == nil:
					mu.Lock()
					sums[id]++
					sums[other]++
					mu.Unlock()
				case !errors.Is(err, broken) && !errors.Is(err, context.Canceled):
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if len(sums) != 3 {
		t.Fatalf("successes in %d of 3 rows", len(sums))
	}
	for id, want := range sums {
		if got := number(t, one.Reader(), "SELECT n FROM sums WHERE id = $1", id); got != want {
			t.Errorf("row %d: %d, want %d", id, got, want)
		}
	}
}
