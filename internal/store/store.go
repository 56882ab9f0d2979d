// Package store contains all SQL: one text for SQLite and PostgreSQL, with the few differences in
// sqlx/dialect.go. Queries that depend on the viewer take them as $1.
package store

import (
	"context"
	"embed"
	"io/fs"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/reads"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/documents"
	"vitrine/internal/store/nearby"
	"vitrine/internal/store/redo"
	"vitrine/internal/store/sqlx"
)

//go:embed migrations
var migrations embed.FS

// Migrations returns the schema changes for a dialect, in order.
func Migrations(d database.Dialect) fs.FS {
	sub, err := fs.Sub(migrations, "migrations/"+d.String())
	if err != nil {
		panic(err) // the folder is embedded at build time
	}
	return sub
}

// Shared is a channel and the number of items that it shares with another.
type Shared = nearby.Shared

// Mark is a position in a list of a user's blocks.
type Mark = contents.Mark

// Queries contains the statements that the Store, a Snapshot and a Tx share.
type Queries struct {
	db          sqlx.Conn
	search      SearchLimits
	transitions TransitionLimits
}

// use runs the statements on a Querier: the pool, a snapshot or a transaction.
func (q *Queries) use(on database.Querier) { q.db.Querier = on }

// Store reads outside of transactions, and begins transactions.
type Store struct {
	Queries
	pool  *database.DB
	queue *jobs.Queue
	texts TextBound
}

// Snapshot reads one consistent state.
type Snapshot struct{ Queries }

// Tx reads and writes in one transaction.
type Tx struct {
	Queries

	tx       *database.Tx
	queue    *jobs.Queue
	enqueued bool // jobs wait for the commit

	derived   derived.Derived // which contains the next two
	deltas    *counters.Deltas
	documents *documents.Index
	carried   int64 // number of connections updated together with their channels
	texts     TextBound
	growing   map[domain.UserID]bool // users whose texts became longer
}

func (tx *Tx) use(on database.Querier) {
	tx.Queries.use(on)
	tx.derived.Use(tx.tx, tx.db)
}

// New returns a store on an open, migrated database.
func New(db *database.DB) *Store {
	s := &Store{Queries: Queries{db: sqlx.Conn{Dialect: sqlx.Dialect(db.Dialect())}, search: DefaultSearchLimits,
		transitions: DefaultTransitionLimits}, pool: db, queue: jobs.NewQueue(db)}
	s.use(db.Reader())
	return s
}

// InTx runs fn in a write transaction, several times if transactions collide. The first
// transaction of a request with an idempotency key (redo.WithClaim) also claims the key.
func (s *Store) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	var enqueued bool
	by := reads.From(ctx)
	by.Writes()
	claim := redo.ClaimOf(ctx)
	err := s.pool.Transact(ctx, func(tx *database.Tx) error {
		t := &Tx{Queries: s.Queries, tx: tx, queue: s.queue, texts: s.texts}
		t.deltas, t.documents = &t.derived.Deltas, &t.derived.Documents
		t.use(tx)
		err := claim.Take(ctx, t.Redo())
		if err == nil {
			err = fn(t)
		}
		if err == nil {
			err = t.checkTexts(ctx)
		}
		if s.pool.Replicas() != nil {
			t.derived.Writer = domain.UserID(by.Account())
		}
		if err == nil {
			err = t.derived.Defer(ctx)
		}
		enqueued = t.enqueued
		return err
	})
	if err == nil {
		claim.Commit()
	}
	if err == nil && enqueued {
		s.queue.Wake()
	}
	return err
}

// InSnapshot runs fn on one consistent state of the database.
func (s *Store) InSnapshot(ctx context.Context, fn func(v *Snapshot) error) error {
	return s.pool.View(ctx, func(q database.Querier) error {
		v := &Snapshot{Queries: s.Queries}
		v.use(q)
		return fn(v)
	})
}

// Database returns the kind of the database: sqlite or postgres.
func (s *Store) Database() string { return s.pool.Dialect().String() }

// Ready reports whether the database is reachable and its schema matches this program.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.pool.Ping(ctx); err != nil {
		return err
	}
	return s.pool.CheckSchema(ctx, Migrations(s.pool.Dialect()))
}

// PutSecret stores a secret under a name, replacing the previous value.
func (s *Store) PutSecret(ctx context.Context, name string, value []byte) error {
	return s.InTx(ctx, func(tx *Tx) error { return tx.Account().PutSecret(ctx, name, value) })
}

// DeleteSecret deletes the secret with a name, if there is one.
func (s *Store) DeleteSecret(ctx context.Context, name string) error {
	return s.InTx(ctx, func(tx *Tx) error { return tx.Account().DeleteSecret(ctx, name) })
}

// EnsureSecret returns the secret with a name, and stores fresh first if the secret does not exist.
// It starts a transaction only to store it.
func (s *Store) EnsureSecret(ctx context.Context, name string, fresh []byte) (value []byte, err error) {
	value, err = s.Account().Secret(reads.AtPrimary(ctx), name)
	if domain.KindOf(err) != domain.NotFound {
		return value, err
	}
	err = s.InTx(redo.WithClaim(ctx, nil), func(tx *Tx) error { // the secret is independent of the request, so it must not claim its key
		value, err = tx.Account().EnsureSecret(ctx, name, fresh)
		return err
	})
	return value, err
}

// StableUpTo returns an id up to which the list of activities changes only by deletion.
func (s *Store) StableUpTo(ctx context.Context) (domain.ActivityID, error) {
	return activity.StableUpTo(ctx, s.db)
}
