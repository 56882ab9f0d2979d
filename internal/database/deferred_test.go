package database_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// left is a deferred write of a number. The numbers of one call of Write are stored in one row, as
// "1 2 3".
type left struct {
	n     int
	fails func() error // nil if it succeeds
}

func (l left) Concerns(query string) bool { return strings.Contains(query, "left_notes") }

func (l left) Write(ctx context.Context, tx *database.Tx, others []database.Deferred) error {
	var all []string
	for _, d := range append([]database.Deferred{l}, others...) {
		if fails := d.(left).fails; fails != nil {
			if err := fails(); err != nil {
				return err
			}
		}
		all = append(all, fmt.Sprint(d.(left).n))
	}
	_, err := tx.Exec(ctx, "INSERT INTO left_notes (text) VALUES ($1)", strings.Join(all, " "))
	return err
}

func newLeavers(t *testing.T) *callers {
	t.Helper()
	c := newCallers(t)
	c.hold <- nil
	c.all.Wait()
	exec(t, c.db, "CREATE TABLE left_notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
	c.commits = nil
	held := make(chan struct{}, 9)
	c.all.Go(func() {
		_ = c.db.Transact(t.Context(), func(*database.Tx) error {
			held <- struct{}{}
			return <-c.hold
		})
	})
	<-held
	return c
}

// leave writes a note in a transaction and defers another one, unless then fails.
func (c *callers) leave(l left, then ...func(tx *database.Tx) error) func(tx *database.Tx) error {
	return func(tx *database.Tx) error {
		if err := c.note(l.n)(tx); err != nil {
			return err
		}
		for _, do := range then {
			if err := do(tx); err != nil {
				return err
			}
		}
		tx.Defer(l)
		return nil
	}
}

func (c *callers) left(want ...string) {
	c.Helper()
	rows, err := c.db.Reader().Query(c.Context(), "SELECT text FROM left_notes ORDER BY id")
	if err != nil {
		c.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			c.Fatal(err)
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) || rows.Err() != nil {
		c.Errorf("what was left is written as %q (%v), want %q", got, rows.Err(), want)
	}
}

// The deferred work of a group is written once, without that of members that failed.
func TestDeferredIsWrittenOnce(t *testing.T) {
	t.Parallel()
	c := newLeavers(t)
	wrong := errors.New("wrong")
	c.join(t.Context(), c.leave(left{n: 0}))
	c.join(t.Context(), c.leave(left{n: 1}, func(*database.Tx) error { return wrong }))
	c.join(t.Context(), c.note(2))
	c.join(t.Context(), c.leave(left{n: 3}))
	c.release([]int{4}, []int{0, 2, 3}, 1)
	c.left("0 3")
}

// A statement that depends on deferred work of earlier members sees it. If the member rolls back, the
// work is deferred again.
func TestDeferredIsWrittenBeforeWhatItConcerns(t *testing.T) {
	t.Parallel()
	c := newLeavers(t)
	wrong := errors.New("wrong")
	seen := make([]int, 4)
	look := func(by int) func(tx *database.Tx) error {
		return func(tx *database.Tx) error {
			return tx.QueryRow(c.Context(), "SELECT count(*) FROM left_notes").Scan(&seen[by])
		}
	}
	c.join(t.Context(), c.leave(left{n: 0}))
	c.join(t.Context(), c.leave(left{n: 1}))
	c.join(t.Context(), c.leave(left{n: 2}, look(0), func(*database.Tx) error { return wrong }))
	c.join(t.Context(), c.leave(left{n: 3}))
	c.join(t.Context(), c.leave(left{n: 4}, look(1), look(2)))
	c.join(t.Context(), c.leave(left{n: 5}))
	c.release([]int{6}, []int{0, 1, 3, 4, 5}, 2)
	if want := []int{1, 1, 1, 0}; !slices.Equal(seen, want) {
		t.Errorf("seen %v rows, want %v", seen, want)
	}
	c.left("0 1 3", "4 5")
}

// If the deferred work fails, all members run again separately, and only the one that deferred it fails.
func TestDeferredFails(t *testing.T) {
	for what, fails := range map[string]func() error{
		"an error": func() error { return errors.New("wrong") },
		"a panic":  func() error { panic("wrong") },
	} {
		for where, others := range map[string]func(*callers) func(tx *database.Tx) error{
			"at the end": func(c *callers) func(tx *database.Tx) error { return c.leave(left{n: 3}) },
			"before a statement": func(c *callers) func(tx *database.Tx) error {
				return c.leave(left{n: 3}, func(tx *database.Tx) error {
					var n int
					return tx.QueryRow(c.Context(), "SELECT count(*) FROM left_notes").Scan(&n)
				})
			},
		} {
			t.Run(what+" "+where, func(t *testing.T) {
				t.Parallel()
				c := newLeavers(t)
				c.again = true
				c.join(t.Context(), c.leave(left{n: 0}))
				c.join(t.Context(), c.leave(left{n: 1, fails: fails}))
				c.join(t.Context(), c.leave(left{n: 2}))
				c.join(t.Context(), others(c))
				c.release([]int{1, 1, 1, 1}, []int{0, 2, 3}, 1)
				if err := c.errs[1]; !strings.Contains(err.Error(), "wrong") {
					t.Errorf("who left it is told %v", err)
				}
			})
		}
	}
}

// Without other members, and on PostgreSQL, a transaction writes its own deferred work.
func TestDeferredAlone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		exec(t, db, "CREATE TABLE left_notes (text TEXT NOT NULL)")
		var ran atomic.Int32
		for n := range 2 {
			err := db.Transact(t.Context(), func(tx *database.Tx) error {
				tx.Defer(left{n: n, fails: func() error {
					if ran.Add(1); n == 1 {
						return errors.New("wrong")
					}
					return nil
				}})
				return nil
			})
			if (err != nil) != (n == 1) {
				t.Errorf("%d: %v", n, err)
			}
		}
		var text string
		if err := db.Reader().QueryRow(t.Context(), "SELECT text FROM left_notes").Scan(&text); err != nil || text != "0" || ran.Load() != 2 {
			t.Errorf("%q, %v after %d calls", text, err, ran.Load())
		}
	})
}
