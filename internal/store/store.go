// Package store holds all SQL: one text for SQLite and PostgreSQL, with the few
// dialect differences in dialect.go. Queries that depend on who looks take the
// viewer as $1.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
)

//go:embed migrations
var migrations embed.FS

// Migrations are the schema changes for a dialect, in order.
func Migrations(d database.Dialect) fs.FS {
	sub, err := fs.Sub(migrations, "migrations/"+d.String())
	if err != nil {
		panic(err) // the folder is embedded at build time
	}
	return sub
}

// Queries are the statements that the Store, a Snapshot and a Tx share.
type Queries struct {
	q    database.Querier
	d    dialect
	feed FeedLimits

	search      SearchLimits
	transitions TransitionLimits
}

// Store reads outside a transaction, and begins transactions.
type Store struct {
	Queries
	db    *database.DB
	queue *jobs.Queue
}

// Snapshot reads one consistent state.
type Snapshot struct{ Queries }

// Tx reads and writes in one transaction.
type Tx struct {
	Queries
	tx       *database.Tx
	queue    *jobs.Queue
	enqueued bool // there are jobs that wait for the commit

	counts        counterDeltas[countKey] // what is to be added to counts
	adders        counterDeltas[adderKey]
	updated       counterDeltas[updatedKey]
	bytes         counterDeltas[domain.UserID]
	movedChannels []domain.ChannelID // whose rows in lists have an older updated_at
	movedInGroup  bool               // a group owns one of them
	carried       int64              // connections that have changed with their channels
}

// New makes a store on an open, migrated database.
func New(db *database.DB) *Store {
	return &Store{Queries: Queries{q: db.Reader(), d: dialect{db.Dialect()}, feed: DefaultFeedLimits, search: DefaultSearchLimits,
		transitions: DefaultTransitionLimits},
		db: db, queue: jobs.NewQueue(db)}
}

// InTx runs fn in a write transaction; it may run several times when transactions
// collide.
func (s *Store) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	var enqueued bool
	err := s.db.Transact(ctx, func(tx *database.Tx) error {
		t := &Tx{Queries: Queries{q: tx, d: s.d, feed: s.feed, search: s.search, transitions: s.transitions}, tx: tx, queue: s.queue}
		err := fn(t)
		if err == nil {
			err = t.writeMoved(ctx)
		}
		if err == nil {
			err = t.writeCounts(ctx)
		}
		enqueued = t.enqueued
		return err
	})
	if err == nil && enqueued {
		s.queue.Wake()
	}
	return err
}

// InSnapshot runs fn on one consistent state of the database.
func (s *Store) InSnapshot(ctx context.Context, fn func(v *Snapshot) error) error {
	return s.db.View(ctx, func(q database.Querier) error {
		return fn(&Snapshot{Queries{q: q, d: s.d, feed: s.feed, search: s.search}})
	})
}

// Database names the kind of the database: sqlite or postgres.
func (s *Store) Database() string { return s.db.Dialect().String() }

// Ready reports whether the database answers and has the schema of this program.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.db.Ping(ctx); err != nil {
		return err
	}
	return s.db.CheckSchema(ctx, Migrations(s.db.Dialect()))
}

// scanner is a row of one or of many.
type scanner interface{ Scan(dest ...any) error }

// collect reads all rows with scan and closes them.
func collect[T any](ctx context.Context, rows *sql.Rows, err error, scan func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	row := &weighed{rows, ctx}
	var all []T
	for rows.Next() {
		v, err := scan(row)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, database.Classify(ctx, rows.Err())
}

// gather is collect for a page of things that are large: n is how many there may be, and
// scan writes each in its place. Growing and copying cost a page a fifth of its allocations.
func gather[T any](ctx context.Context, rows *sql.Rows, err error, n int, scan func(scanner, *T) error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	row := &weighed{rows, ctx}
	all := make([]T, 0, n)
	for rows.Next() {
		var zero T
		all = append(all, zero)
		if err := scan(row, &all[len(all)-1]); err != nil {
			return nil, err
		}
	}
	return all, database.Classify(ctx, rows.Err())
}

// byID indexes rows by their ids.
func byID[K comparable, V any](all []V, id func(V) K) map[K]V {
	index := make(map[K]V, len(all))
	for _, v := range all {
		index[id(v)] = v
	}
	return index
}

func scanInt64(row scanner) (v int64, err error) {
	err = row.Scan(&v)
	return v, err
}

func scanString(row scanner) (v string, err error) {
	err = row.Scan(&v)
	return v, err
}

// found turns a missing row into domain.NotFound.
func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return domain.NewNotFound()
	}
	return err
}

// limit is a LIMIT that the parameter p gives. The cast is for SQLite, which would
// parse a statement again for each value that a bare parameter has here.
func limit(p string) string { return " LIMIT CAST(" + p + " AS BIGINT)" }

// exec runs a statement whose result does not matter.
func (q Queries) exec(ctx context.Context, query string, args ...any) error {
	_, err := q.q.Exec(ctx, query, args...)
	return err
}

// execOne runs a statement that must change exactly one row.
func (q Queries) execOne(ctx context.Context, query string, args ...any) error {
	res, err := q.q.Exec(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n != 1 {
		err = fmt.Errorf("store: statement changed %d rows, not one", n)
	}
	return err
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(us int64) time.Time { return time.UnixMicro(us).UTC() }

func instantPtr(us *int64) *time.Time {
	if us == nil {
		return nil
	}
	t := instant(*us)
	return &t
}
