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
	"vitrine/internal/store/account"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/audit"
	"vitrine/internal/store/backfills"
	"vitrine/internal/store/backups"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/bulk"
	"vitrine/internal/store/comments"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/documents"
	"vitrine/internal/store/exports"
	"vitrine/internal/store/hiding"
	"vitrine/internal/store/identity"
	"vitrine/internal/store/imports"
	"vitrine/internal/store/membership"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/nearby"
	"vitrine/internal/store/origins"
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

// Each subpackage of the store has Reads, which Queries embeds, and Writes, which only a Tx
// embeds. Some have Lists, which count and read a page, and which only a Snapshot embeds. The
// names let Go embed several of them. They are unexported so that a subpackage is only used
// through its store.
type (
	accountReads     = account.Reads
	accountLists     = account.Lists
	accountWrites    = account.Writes
	activityReads    = activity.Reads
	activityLists    = activity.Lists
	activityWrites   = activity.Writes
	auditReads       = audit.Reads
	auditWrites      = audit.Writes
	backfillReads    = backfills.Reads
	backupReads      = backups.Reads
	backupWrites     = backups.Writes
	bulkReads        = bulk.Reads
	bulkWrites       = bulk.Writes
	commentReads     = comments.Reads
	commentLists     = comments.Lists
	membershipReads  = membership.Reads
	membershipLists  = membership.Lists
	membershipWrites = membership.Writes
	moderationReads  = moderation.Reads
	moderationWrites = moderation.Writes
	nearbyReads      = nearby.Reads
	nearbyWrites     = nearby.Writes
	originReads      = origins.Reads
	originWrites     = origins.Writes
	blobReads        = blobs.Reads
	blobWrites       = blobs.Writes
	contentsReads    = contents.Reads
	contentsLists    = contents.Lists
	countersReads    = counters.Reads
	countersWrites   = counters.Writes
	documentWrites   = documents.Writes
	exportReads      = exports.Reads
	exportWrites     = exports.Writes
	hidingReads      = hiding.Reads
	hidingWrites     = hiding.Writes
	identityReads    = identity.Reads
	identityWrites   = identity.Writes
	importReads      = imports.Reads
	importLists      = imports.Lists
	importWrites     = imports.Writes
	redoReads        = redo.Reads
	redoWrites       = redo.Writes
)

// Shared is a channel and the number of items that it shares with another.
type Shared = nearby.Shared

// Mark is a position in a list of a user's blocks.
type Mark = contents.Mark

// Queries contains the statements that the Store, a Snapshot and a Tx share.
type Queries struct {
	accountReads
	activityReads
	auditReads
	backupReads
	bulkReads
	commentReads
	membershipReads
	moderationReads
	nearbyReads
	originReads
	blobReads
	contentsReads
	countersReads
	exportReads
	hidingReads
	backfillReads
	identityReads
	importReads
	redoReads

	db          sqlx.Conn
	search      SearchLimits
	transitions TransitionLimits
}

// use runs the statements on a Querier: the pool, a snapshot or a transaction.
func (q *Queries) use(on database.Querier) {
	q.db.Querier = on
	q.accountReads = account.NewReads(q.db)
	q.activityReads = activity.NewReads(q.db)
	q.auditReads = audit.NewReads(q.db)
	q.backfillReads = backfills.NewReads(q.db)
	q.backupReads = backups.NewReads(q.db)
	q.bulkReads = bulk.NewReads(q.db)
	q.commentReads = comments.NewReads(q.db)
	q.membershipReads = membership.NewReads(q.db)
	q.moderationReads = moderation.NewReads(q.db)
	q.nearbyReads = nearby.NewReads(q.db)
	q.originReads = origins.NewReads(q.db)
	q.blobReads = blobs.NewReads(q.db)
	q.contentsReads = contents.NewReads(q.db)
	q.countersReads = counters.NewReads(q.db)
	q.exportReads = exports.NewReads(q.db)
	q.hidingReads = hiding.NewReads(q.db)
	q.identityReads = identity.NewReads(q.db)
	q.importReads = imports.NewReads(q.db)
	q.redoReads = redo.NewReads(q.db)
}

// Store reads outside of transactions, and begins transactions.
type Store struct {
	Queries
	pool  *database.DB
	queue *jobs.Queue
	texts TextBound
}

// Snapshot reads one consistent state.
type Snapshot struct {
	Queries
	accountLists
	activityLists
	commentLists
	contentsLists
	importLists
	membershipLists
}

func (v *Snapshot) use(on database.Querier) {
	v.Queries.use(on)
	v.accountLists = account.NewLists(v.db)
	v.activityLists = activity.NewLists(v.db)
	v.commentLists = comments.NewLists(v.db)
	v.contentsLists = contents.NewLists(v.db, v.search.Listed)
	v.importLists = imports.NewLists(v.db)
	v.membershipLists = membership.NewLists(v.db)
}

// Tx reads and writes in one transaction.
type Tx struct {
	Queries
	accountWrites
	activityWrites
	auditWrites
	backupWrites
	bulkWrites
	membershipWrites
	moderationWrites
	nearbyWrites
	originWrites
	blobWrites
	countersWrites
	documentWrites
	exportWrites
	hidingWrites
	identityWrites
	importWrites
	redoWrites

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
	tx.deltas, tx.documents = &tx.derived.Deltas, &tx.derived.Documents
	tx.accountWrites = account.NewWrites(tx.db)
	tx.activityWrites = activity.NewWrites(tx.db, tx)
	tx.auditWrites = audit.NewWrites(tx.db)
	tx.backupWrites = backups.NewWrites(tx.db)
	tx.bulkWrites = bulk.NewWrites(tx.db, tx.deltas, tx.documents)
	tx.membershipWrites = membership.NewWrites(tx.db)
	tx.moderationWrites = moderation.NewWrites(tx.db)
	tx.nearbyWrites = nearby.NewWrites(tx.db)
	tx.originWrites = origins.NewWrites(tx.db)
	tx.blobWrites = blobs.NewWrites(tx.db, tx.deltas)
	tx.countersWrites = counters.NewWrites(tx.db)
	tx.documentWrites = documents.NewWrites(tx.documents)
	tx.exportWrites = exports.NewWrites(tx.db)
	tx.hidingWrites = hiding.NewWrites(tx.db)
	tx.identityWrites = identity.NewWrites(tx.db)
	tx.importWrites = imports.NewWrites(tx.db)
	tx.redoWrites = redo.NewWrites(tx.db)
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
		t.use(tx)
		err := claim.Take(ctx, t.redoWrites)
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
	return s.InTx(ctx, func(tx *Tx) error { return tx.PutSecret(ctx, name, value) })
}

// DeleteSecret deletes the secret with a name, if there is one.
func (s *Store) DeleteSecret(ctx context.Context, name string) error {
	return s.InTx(ctx, func(tx *Tx) error { return tx.DeleteSecret(ctx, name) })
}

// EnsureSecret returns the secret with a name, and stores fresh first if the secret does not exist.
// It starts a transaction only to store it.
func (s *Store) EnsureSecret(ctx context.Context, name string, fresh []byte) (value []byte, err error) {
	value, err = s.Secret(reads.AtPrimary(ctx), name)
	if domain.KindOf(err) != domain.NotFound {
		return value, err
	}
	err = s.InTx(redo.WithClaim(ctx, nil), func(tx *Tx) error { // the secret is independent of the request, so it must not claim its key
		value, err = tx.EnsureSecret(ctx, name, fresh)
		return err
	})
	return value, err
}

// StableUpTo returns an id up to which the list of activities changes only by deletion.
func (s *Store) StableUpTo(ctx context.Context) (domain.ActivityID, error) {
	return activity.StableUpTo(ctx, s.db)
}
