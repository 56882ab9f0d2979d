package database_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// stress reads and writes concurrently, with contexts that end at any moment. The text of each row is
// derived from its number, which reveals memory corruption.
type stress struct {
	*testing.T
	db *database.DB

	mu   sync.Mutex
	sure map[int]bool // whether the number is acknowledged
}

func textOf(n int) string { return fmt.Sprintf("%08d", n) + strings.Repeat("v", n%40*n%40) }

// TestStressSQLite opens a file several times, and closes it each time while it is in use.
func TestStressSQLite(t *testing.T) {
	t.Parallel()
	const rounds, people, acts = 5, 12, 25
	s := &stress{T: t, sure: map[int]bool{}}
	url := dbtest.SQLitePath(t)
	for round := range rounds {
		s.db = open(t, database.Options{URL: url, Synchronous: "OFF", MaxConns: 3})
		if round == 0 {
			exec(t, s.db, "CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, copy BLOB NOT NULL)")
		}
		var all sync.WaitGroup
		half := make(chan struct{}, people) // receives from everyone who is half done
		for p := range people {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(p)))
				for a := range acts {
					if a == acts/2 {
						half <- struct{}{}
					}
					s.act(r, (round*people+p)*acts+a)
				}
			})
		}
		for range people {
			<-half
		}
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
	}
	s.db = open(t, database.Options{URL: url})
	s.check()
}

// act runs one operation with a context that may end at any moment.
func (s *stress) act(r *rand.Rand, n int) {
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	if r.IntN(3) == 0 {
		defer time.AfterFunc(time.Duration(r.IntN(3000))*time.Microsecond, cancel).Stop()
	}
	switch r.IntN(8) {
	case 0:
		_ = s.db.View(ctx, func(q database.Querier) error { return s.read(ctx, q, q, r) })
	case 1:
		_ = s.read(ctx, s.db.Reader(), nil, r)
	case 2:
		time.AfterFunc(time.Duration(r.IntN(2000))*time.Microsecond, cancel)
		var count int
		if err := s.db.Reader().QueryRow(ctx, endless+"SELECT count(*) FROM c").Scan(&count); err == nil {
			s.Error("what has no end has ended")
		}
	case 3:
		s.write(ctx, s.db.TransactAlone, r, n)
	default:
		s.write(ctx, s.db.Transact, r, n)
	}
}

// read reads rows, often not to the end. If other is not nil, it is read in the meantime.
func (s *stress) read(ctx context.Context, q, other database.Querier, r *rand.Rand) error {
	rows, err := q.Query(ctx, "SELECT n, text FROM notes ORDER BY n DESC LIMIT 50")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var text string
		if err := rows.Scan(&n, &text); err != nil {
			return err
		}
		if text != textOf(n) {
			s.Errorf("row %d is %.40q", n, text)
		}
		if r.IntN(40) == 0 {
			return nil
		}
		if other == nil || r.IntN(10) != 0 {
			continue
		}
		var copied []byte
		if err := other.QueryRow(database.Uninterruptible(ctx), "SELECT copy FROM notes WHERE n = $1", n).Scan(&copied); err != nil {
			return err
		}
		if string(copied) != text {
			s.Errorf("the copy in row %d is %.40q", n, copied)
		}
	}
	return rows.Err()
}

// write inserts the row of a number in a random way. Some of the ways fail.
func (s *stress) write(ctx context.Context, transact func(context.Context, func(tx *database.Tx) error) error, r *rand.Rand, n int) {
	way := r.IntN(10)
	err := transact(ctx, func(tx *database.Tx) error {
		const insert = "INSERT INTO notes (n, text, copy) VALUES ($1, $2, $3)"
		args := []any{n, textOf(n), []byte(textOf(n))}
		if way == 0 { // as the job queue does
			if _, err := tx.SQL().ExecContext(ctx, insert, args...); err != nil {
				return err
			}
		} else if _, err := tx.Exec(ctx, insert, args...); err != nil {
			return err
		}
		switch way {
		case 1:
			return fmt.Errorf("the caller's own verdict on %d", n)
		case 2:
			_, err := tx.Exec(ctx, insert, args...) // violates the primary key
			return err
		case 3: // interrupts the write, and with it the group
			short, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(1000))*time.Microsecond)
			defer cancel()
			_, err := tx.Exec(short, "INSERT INTO notes (n, text, copy) "+endless+"SELECT -n, n, n FROM c")
			return err
		case 4:
			return s.read(ctx, tx, tx, r)
		}
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sure[n] = err == nil
}

// check compares the file with the results of the writers.
func (s *stress) check() {
	rows, err := s.db.Reader().Query(s.Context(), "SELECT n, text, copy FROM notes")
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close()
	there := map[int]bool{}
	for rows.Next() {
		var n int
		var text string
		var copied []byte
		if err := rows.Scan(&n, &text, &copied); err != nil {
			s.Fatal(err)
		}
		if there[n] = true; text != textOf(n) || string(copied) != text {
			s.Errorf("row %d is %.40q and %.40q", n, text, copied)
		}
	}
	if err := rows.Err(); err != nil {
		s.Fatal(err)
	}
	kept := 0
	for n, acknowledged := range s.sure {
		if acknowledged != there[n] {
			s.Errorf("row %d: its writer was told %t, it is there: %t", n, acknowledged, there[n])
		}
		if delete(there, n); acknowledged {
			kept++
		}
	}
	if len(there) > 0 || kept == 0 || kept == len(s.sure) {
		s.Errorf("%d rows of nobody; %d of %d writes were acknowledged", len(there), kept, len(s.sure))
	}
	var found string
	if err := s.db.Reader().QueryRow(s.Context(), "PRAGMA integrity_check").Scan(&found); err != nil || found != "ok" {
		s.Errorf("the file is %s, %v", found, err)
	}
}
