package database_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
)

// callers are callers of Transact that wait in a known order behind one that holds the writer
// until all of them have queued up.
type callers struct {
	*testing.T
	db      *database.DB
	commits []int // number of members of each commit
	errs    []error
	waiting int
	again   bool // some callers run again, behind others
	hold    chan error
	all     sync.WaitGroup
}

func newCallers(t *testing.T) *callers {
	t.Helper()
	c := &callers{T: t, db: open(t, database.Options{URL: dbtest.SQLitePath(t)}), hold: make(chan error, 2)}
	exec(t, c.db, "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL, text TEXT)")
	database.WatchGroups(c.db, func(members int) { c.commits = append(c.commits, members) })
	held := make(chan struct{}, 2)
	c.all.Go(func() {
		_ = c.db.Transact(t.Context(), func(*database.Tx) error {
			held <- struct{}{}
			return <-c.hold
		})
	})
	<-held
	return c
}

// join queues fn behind the earlier callers.
func (c *callers) join(ctx context.Context, fn func(tx *database.Tx) error) {
	c.joinBy(ctx, c.db.Transact, fn)
}

// joinBy is join by Transact or TransactAlone.
func (c *callers) joinBy(ctx context.Context, transact func(context.Context, func(tx *database.Tx) error) error, fn func(tx *database.Tx) error) {
	i := len(c.errs)
	c.errs = append(c.errs, errors.New("not run"))
	c.all.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				c.errs[i] = fmt.Errorf("panic: %v", p)
			}
		}()
		c.errs[i] = transact(ctx, fn)
	})
	c.waiting++
	database.AwaitLine(c.db, c.waiting)
}

// release lets all callers run, and checks the commits (unless nil), the rows, and which callers failed.
// Rows are compared in the order of the writes unless callers had to run again.
func (c *callers) release(commits []int, rows []int, failed ...int) {
	c.Helper()
	close(c.hold) // returns nil unless the test has sent an error
	c.all.Wait()
	for i, err := range c.errs {
		if (err != nil) != slices.Contains(failed, i) {
			c.Errorf("caller %d: %v", i, err)
		}
	}
	if commits != nil && !slices.Equal(c.commits, commits) {
		c.Errorf("commits of %v members, want %v", c.commits, commits)
	}
	var got []int
	for n := range numbers(c.T, c.db.Reader(), "SELECT n FROM notes ORDER BY id") {
		got = append(got, n)
	}
	if c.again {
		slices.Sort(got)
	}
	if !slices.Equal(got, rows) {
		c.Errorf("rows %v, want %v", got, rows)
	}
}

func numbers(t *testing.T, q database.Querier, query string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		rows, err := q.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				t.Fatal(err)
			}
			if !yield(n) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *callers) note(n int) func(tx *database.Tx) error {
	return func(tx *database.Tx) error {
		_, err := tx.Exec(c.Context(), "INSERT INTO notes (n) VALUES ($1)", n)
		return err
	}
}

func to(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// Waits for the writer and for readers are counted.
func TestStats(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	for n := range 8 {
		c.join(t.Context(), c.note(n))
	}
	c.release([]int{9}, to(8))
	for _, p := range c.db.Stats() {
		waited := p.Name == "write"
		if p.InUse != 0 || p.Max < 1 || p.Waits > 0 != waited || p.Waited > 0 != waited {
			t.Errorf("%+v", p)
		}
		if waited && p.Waits < 8 {
			t.Errorf("%d waited, want 8", p.Waits)
		}
	}
}

func TestGroupSharesACommit(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	for n := range 32 {
		c.join(t.Context(), c.note(n))
	}
	c.release([]int{33}, to(32))
}

func TestGroupIsBounded(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	for n := range 100 {
		c.join(t.Context(), c.note(n))
	}
	c.release([]int{64, 37}, to(100))
}

// Background work has its own commit, and keeps its place in the queue.
func TestGroupLeavesOutWhatIsApart(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	for n, ownCommit := range []bool{false, true, true, false, false} {
		transact := c.db.Transact
		if ownCommit {
			transact = c.db.TransactAlone
		}
		c.joinBy(t.Context(), transact, c.note(n))
	}
	c.release([]int{2, 1, 1, 2}, to(5))
}

// A caller that fails, panics, ignores a failure, or is cancelled only loses its own changes.
func TestGroupIsolatesFailures(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	ctx := t.Context()
	wrong := errors.New("wrong")
	gone, leave := context.WithCancel(ctx)
	ending, end := context.WithCancel(ctx)
	after := func(n int, then func(tx *database.Tx) error) func(tx *database.Tx) error {
		return func(tx *database.Tx) error {
			if err := c.note(n)(tx); err != nil {
				return err
			}
			return then(tx)
		}
	}
	c.join(ctx, c.note(0))
	c.join(ctx, after(1, func(*database.Tx) error { return wrong }))
	c.join(ctx, c.note(2))
	c.join(ctx, after(3, func(*database.Tx) error { panic(wrong) }))
	c.join(ctx, c.note(4))
	c.join(ctx, after(5, func(tx *database.Tx) error {
		_, _ = tx.Exec(ctx, "INSERT INTO notes (n) VALUES (NULL)")
		return nil
	}))
	c.join(gone, func(*database.Tx) error {
		t.Error("a cancelled caller was run")
		return nil
	})
	c.join(ctx, c.note(7))
	c.join(ending, after(8, func(tx *database.Tx) error {
		end()
		return nil
	}))
	c.join(ctx, c.note(9))
	c.join(ctx, after(10, func(*database.Tx) error { return wrong })) // the last member commits for the others
	leave()
	database.AwaitLine(c.db, c.waiting-1)
	c.release([]int{6}, []int{0, 2, 4, 7, 9}, 1, 3, 5, 6, 8, 10)
	for i, want := range map[int]string{1: "wrong", 3: "panic: wrong", 10: "wrong"} {
		if c.errs[i].Error() != want {
			t.Errorf("caller %d: %v, want %s", i, c.errs[i], want)
		}
	}
	for _, i := range []int{6, 8} {
		if !errors.Is(c.errs[i], context.Canceled) {
			t.Errorf("caller %d: %v", i, c.errs[i])
		}
	}
	exec(t, c.db, "INSERT INTO notes (n) VALUES (11)") // the queue still works
}

// The first member has no savepoint. If it fails, the next one begins a new transaction.
func TestGroupAfterItsFirstFails(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	for n := range 3 {
		c.join(t.Context(), c.note(n))
	}
	c.hold <- errors.New("wrong")
	c.release([]int{3}, to(3))
}

// If the disk is full, some statements make SQLite roll back the whole transaction. The other members
// then run again separately.
func TestGroupLost(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	ctx := t.Context()
	c.again = true
	var runs [5]atomic.Int32
	for n := range 5 {
		c.join(ctx, func(tx *database.Tx) error {
			if runs[n].Add(1); n != 3 {
				return c.note(n)(tx)
			}
			if _, err := tx.Exec(ctx, "PRAGMA max_page_count = 10"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO notes (n, text) VALUES (3, $1)", strings.Repeat("x", 1<<20))
			return err
		})
	}
	// The caller that holds the writer runs again, too.
	c.release([]int{1, 1, 1, 1, 1}, []int{0, 1, 2, 4}, 3)
	if domain.KindOf(c.errs[3]) != domain.Unavailable {
		t.Errorf("the full disk: %v", c.errs[3])
	}
	for n, want := range []int32{2, 2, 2, 1, 1} {
		if got := runs[n].Load(); got != want {
			t.Errorf("caller %d ran %d times, want %d", n, got, want)
		}
	}
}

// An interrupted write makes SQLite roll back the whole transaction. An interrupted read does not.
func TestGroupAfterAnInterruption(t *testing.T) {
	t.Parallel()
	for name, endless := range map[string]string{
		"write": "INSERT INTO notes (n) WITH RECURSIVE c (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
		"read":  "WITH RECURSIVE c (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCallers(t)
			c.again = true
			ending, end := context.WithCancel(t.Context())
			c.join(t.Context(), c.note(0))
			c.join(ending, func(tx *database.Tx) error {
				time.AfterFunc(20*time.Millisecond, end) // most likely while the statement is running
				_, err := tx.Exec(ending, endless)
				return err
			})
			c.join(t.Context(), c.note(2))
			c.release(nil, []int{0, 2}, 1)
			if !errors.Is(c.errs[1], context.Canceled) {
				t.Errorf("the interrupted: %v", c.errs[1])
			}
		})
	}
}

// No member succeeds if the commit fails.
func TestGroupCommitFails(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	ctx := t.Context()
	c.join(ctx, func(tx *database.Tx) error {
		for _, s := range []string{"CREATE TABLE parents (id INTEGER PRIMARY KEY)",
			"CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)",
			"INSERT INTO children VALUES (1)"} {
			if _, err := tx.Exec(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
	for n := range 3 {
		c.join(ctx, c.note(n))
	}
	c.release([]int{}, nil, 0, 1, 2, 3)
	exec(t, c.db, "INSERT INTO notes (n) VALUES (11)")
}

// A library that uses the connection directly gets its turn between continuous writers.
func TestGroupsLeaveTurnsToLibraries(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.SQLitePath(t), Synchronous: "OFF"})
	exec(t, db, counterTable, "INSERT INTO counters VALUES (1, 0), (2, 0)")
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var done atomic.Int64
	for range 4 {
		group.Go(func() {
			for ctx.Err() == nil {
				if err := increment(t.Context(), db, 1); err != nil {
					t.Error(err)
				}
				done.Add(1)
			}
		})
	}
	for range 20 {
		tx, err := db.SQL().BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE counters SET n = n + 1 WHERE id = 2"); err != nil {
			t.Error(err)
		}
		runtime.Gosched()
		if err := tx.Commit(); err != nil {
			t.Error(err)
		}
	}
	stop()
	group.Wait()
	for id, want := range map[int]int64{1: done.Load(), 2: 20} {
		if n := number(t, db.Reader(), "SELECT n FROM counters WHERE id = $1", id); n != want {
			t.Errorf("counter %d is %d, want %d", id, n, want)
		}
	}
}
