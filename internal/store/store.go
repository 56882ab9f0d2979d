// Package store contains all SQL: one text for SQLite and PostgreSQL, with the few differences in
// sqlx/dialect.go. Queries that depend on the viewer take them as $1.
package store

import (
	"context"
	"embed"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/reads"
	"vitrine/internal/scope"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/changes"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/redo"
	"vitrine/internal/store/search"
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
type Shared = contents.Shared

// Mark is a position in a list of a user's blocks.
type Mark = contents.Mark

// Queries contains the statements that the Store, a Snapshot and a Tx share.
type Queries struct {
	db          sqlx.Conn
	search      SearchLimits
	known       *search.Known
	spelled     *search.Spelled
	feeds       *activity.Feeds
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
	wrote *atomic.Pointer[func()] // called after commits with changes
	mode  *atomic.Pointer[domain.ReadOnly]

	primary bool // never reads at a replica
}

// Snapshot reads one consistent state.
type Snapshot struct{ Queries }

// Tx reads and writes in one transaction.
type Tx struct {
	Queries

	tx       *database.Tx
	scope    scope.Scope
	queue    *jobs.Queue
	enqueued bool // jobs wait for the commit

	derived *derived.Derived // nil unless the transaction changes something from which values derive
	carried int64            // number of connections updated together with their channels
	texts   TextBound
	sources map[domain.Subject]int64  // locked early, with their numbers of followers
	growing map[domain.UserID]*stored // by users whose texts became longer
	changes []changes.Entry           // written at the end
	changed bool                      // changes were written
}

// derive returns what the transaction writes at its end.
func (tx *Tx) derive() *derived.Derived {
	if tx.derived == nil {
		tx.derived = new(derived.Derived)
		tx.derived.Use(tx.tx, tx.db, tx.spelled)
	}
	return tx.derived
}

// deltas returns what the transaction adds to counts.
func (tx *Tx) deltas() *counters.Deltas { return &tx.derive().Deltas }

// documents returns the search documents that the transaction changes.
func (tx *Tx) documents() *search.Index { return &tx.derive().Documents }

// New returns a store on an open, migrated database.
func New(db *database.DB) *Store {
	s := &Store{Queries: Queries{db: sqlx.Conn{Dialect: sqlx.Dialect(db.Dialect())}, search: DefaultSearchLimits, known: search.NewKnown(),
		spelled:     search.NewSpelled(),
		feeds:       activity.NewFeeds(activity.DefaultFeedLimits),
		transitions: DefaultTransitionLimits}, pool: db, queue: jobs.NewQueue(db), wrote: new(atomic.Pointer[func()]),
		mode: new(atomic.Pointer[domain.ReadOnly])}
	s.use(limitedReader{joining{db.ReaderFor(requestOf)}, s.db.Dialect})
	return s
}

// joining reads within the transaction that the work of a context takes part in, if any.
type joining struct{ database.Querier }

func (j joining) of(ctx context.Context) database.Querier {
	if outer := outerOf(ctx); outer != nil {
		return outer.tx
	}
	return j.Querier
}

// Query implements database.Querier, like the next methods.
func (j joining) Query(ctx context.Context, query string, args ...any) (database.Rows, error) {
	return j.of(ctx).Query(ctx, query, args...)
}

func (j joining) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	return j.of(ctx).QueryRow(ctx, query, args...)
}

// outerOf returns the transaction that the work of a context takes part in, or nil.
func outerOf(ctx context.Context) *Tx {
	tx, _ := scope.Of(ctx).Within.(*Tx)
	return tx
}

// Together runs fn in one transaction. All transactions and reads of work whose scope has tx as Within take part in it. fn
// may run several times, like that of InTx. On SQLite the transaction does not share its commit, since it may take long.
func (s *Store) Together(ctx context.Context, fn func(tx *Tx) error) error {
	within := scope.Of(ctx)
	within.OwnCommit = true
	return s.inTx(ctx, within, s.pool.Transact, fn)
}

// join runs fn as a part of the transaction.
func (tx *Tx) join(ctx context.Context, within scope.Scope, fn func(tx *Tx) error) error {
	err := tx.run(ctx, within.Match, fn)
	if err == nil {
		tx.growing = nil
		within.Match.Passed()
	}
	return err
}

// run checks the condition of the request, runs fn, then checks and records what it changed.
func (tx *Tx) run(ctx context.Context, m *scope.Match, fn func(tx *Tx) error) error {
	if err := tx.met(ctx, m); err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.checkLimits(ctx); err != nil {
		return err
	}
	if err := tx.checkTexts(ctx); err != nil {
		return err
	}
	return tx.recordChanges(ctx)
}

// met checks the condition of the request, unless a transaction that met it was committed before.
func (tx *Tx) met(ctx context.Context, m *scope.Match) error {
	if m == nil || m.Met {
		return nil
	}
	return m.Check(ctx, tx)
}

// recordChanges writes the changes so far.
func (tx *Tx) recordChanges(ctx context.Context) error {
	if len(tx.changes) == 0 {
		return nil
	}
	all := tx.changes
	tx.changes, tx.changed = nil, true
	return changes.NewWrites(tx.db).Record(ctx, all)
}

// requestOf returns where the work of a context may read.
func requestOf(ctx context.Context) *reads.Request { return scope.Of(ctx).Reads }

// AtPrimary returns a store that reads at the primary, for data that is kept longer than a request.
func (s *Store) AtPrimary() *Store {
	at := *s
	at.primary = true
	at.use(limitedReader{joining{s.pool.Reader()}, s.db.Dialect})
	return &at
}

// InTx runs fn in a write transaction, several times if transactions collide. The first
// transaction of a request with an idempotency key also claims the key.
func (s *Store) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	return s.inTx(ctx, scope.Of(ctx), s.pool.Transact, fn)
}

// InTxAlways is InTx for the few writes that work while the site is read-only: sessions, the attempts and audit entries of
// signing in, the records of backups, and the operators' means to announce and end the mode.
func (s *Store) InTxAlways(ctx context.Context, fn func(tx *Tx) error) error {
	return s.always(ctx, false, fn)
}

func (s *Store) always(ctx context.Context, ownCommit bool, fn func(tx *Tx) error) error {
	within := scope.Of(ctx)
	within.Always, within.OwnCommit = true, within.OwnCommit || ownCommit
	return s.inTx(ctx, within, s.pool.Transact, fn)
}

// InTxNear is InTx for a short transaction that adds to one channel. Those that add to the same channel at the same time
// share a commit (database.TransactNear).
func (s *Store) InTxNear(ctx context.Context, channel domain.Ref, fn func(tx *Tx) error) error {
	key := uint64(channel.ID)
	if channel.Slug != "" {
		key = xxhash.Sum64String(channel.Slug)
	}
	return s.inTx(ctx, scope.Of(ctx), func(ctx context.Context, fn func(tx *database.Tx) error) error {
		return s.pool.TransactNear(ctx, key, fn)
	}, fn)
}

// InTxClaiming is InTx with a claim of an idempotency key instead of the one in the scope of ctx.
func (s *Store) InTxClaiming(ctx context.Context, claim *scope.Claim, fn func(tx *Tx) error) error {
	within := scope.Of(ctx)
	within.Claim = claim
	return s.inTx(ctx, within, s.pool.Transact, fn)
}

func (s *Store) inTx(ctx context.Context, within scope.Scope, transact func(context.Context, func(tx *database.Tx) error) error,
	fn func(tx *Tx) error) error {
	if outer, ok := within.Within.(*Tx); ok {
		return outer.join(ctx, within, fn)
	}
	if mode := s.ReadOnly(); mode != nil && !within.Always { // before any work; the database checks it too
		return mode.Refusal(time.Now())
	}
	var enqueued, changed bool
	var written *derived.Derived
	within.Reads.Writes()
	if within.OwnCommit {
		transact = s.pool.TransactAlone
	}
	err := transact(ctx, func(tx *database.Tx) error {
		t := &Tx{Queries: s.Queries, tx: tx, scope: within, queue: s.queue, texts: s.texts}
		t.use(tx)
		if within.Always {
			tx.AllowReadOnly()
		}
		err := redo.Take(ctx, within.Claim, t.Redo())
		if err == nil {
			err = t.run(ctx, within.Match, fn)
		}
		if s.pool.Replicas() != nil {
			t.derive().Writer = domain.UserID(within.Reads.Account())
		}
		if err == nil && t.derived != nil {
			err = t.derived.Defer(ctx)
		}
		enqueued, changed, written = t.enqueued, t.changed, t.derived
		return err
	})
	if err == nil && written != nil {
		written.Committed()
	}
	if err == nil && within.Claim != nil {
		within.Claim.Committed = true
	}
	if err == nil {
		within.Match.Passed()
	}
	if err == nil && enqueued {
		s.queue.Wake()
	}
	if wrote := s.wrote.Load(); err == nil && changed && wrote != nil {
		(*wrote)()
	}
	return err
}

// RecordChanges adds changes to those that the transaction writes at its end, in one statement.
func (tx *Tx) RecordChanges(all ...changes.Entry) { tx.changes = append(tx.changes, all...) }

// OnChanges sets a function that is called after each commit of this process that recorded changes. It must not block.
func (s *Store) OnChanges(wrote func()) { s.wrote.Store(&wrote) }

// Origin returns the origin of the transaction, for the audit log.
func (tx *Tx) Origin() domain.Origin { return tx.scope.Origin }

// WrittenBy sets the account whose writes the request makes from now on, after it has signed in.
func (tx *Tx) WrittenBy(user domain.UserID) { tx.scope.Reads.For(reads.Asks{Account: int64(user)}) }

// InSnapshot runs fn on one consistent state of the database.
func (s *Store) InSnapshot(ctx context.Context, fn func(v *Snapshot) error) error {
	if outer := outerOf(ctx); outer != nil {
		v := &Snapshot{Queries: outer.Queries}
		v.use(limitedReader{outer.tx, s.db.Dialect})
		return fn(v)
	}
	request := requestOf(ctx)
	if s.primary {
		request = nil
	}
	return s.pool.ViewFor(ctx, request, func(q database.Querier) error {
		v := &Snapshot{Queries: s.Queries}
		v.use(limitedReader{q, s.db.Dialect})
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
	return s.InTxAlways(ctx, func(tx *Tx) error { return tx.Account().PutSecret(ctx, name, value) })
}

// DeleteSecret deletes the secret with a name, if there is one.
func (s *Store) DeleteSecret(ctx context.Context, name string) error {
	return s.InTxAlways(ctx, func(tx *Tx) error { return tx.Account().DeleteSecret(ctx, name) })
}

// EnsureSecret returns the secret with a name, and stores fresh first if the secret does not exist.
// It starts a transaction only to store it.
func (s *Store) EnsureSecret(ctx context.Context, name string, fresh []byte) (value []byte, err error) {
	value, err = s.AtPrimary().Account().Secret(ctx, name)
	if domain.KindOf(err) != domain.NotFound {
		return value, err
	}
	within := scope.Of(ctx)
	within.Claim, within.Always = nil, true // the secret is independent of the request, and of what people may change
	err = s.inTx(ctx, within, s.pool.Transact, func(tx *Tx) error {
		value, err = tx.Account().EnsureSecret(ctx, name, fresh)
		return err
	})
	return value, err
}

// StableUpTo returns an id up to which the list of activities changes only by deletion.
func (s *Store) StableUpTo(ctx context.Context) (domain.ActivityID, error) {
	return activity.StableUpTo(ctx, s.db)
}

// TextBound limits the texts that users store. A nil Available means no limit.
type TextBound struct {
	Now       func() time.Time
	Available func(domain.ByteUsage) (left int64, refusal error) // left is negative if the user has stored too much
}

// nearBound is the distance from the limit within which a user's row is locked until the
// transaction ends, so that no other transaction can store anything. It is more than the texts of
// all requests that a user can have in progress at once.
const nearBound = 256 << 20

// BoundTexts sets the limit for texts. It must be called before the first transaction.
func (s *Store) BoundTexts(b TextBound) { s.texts = b }

// stored is what a user has stored.
type stored struct {
	asked bool  // the statement that reads it may wait to be sent
	read  bool  // it has run
	left  int64 // as of TextBound.Available
}

// grow records that a text of a user grows from was to is bytes. At its end the transaction is
// refused if the user's texts exceed the limit. Transactions that only shorten texts are never
// refused.
func (tx *Tx) grow(user domain.UserID, was, is int) {
	if is <= was || tx.texts.Available == nil {
		return
	}
	if tx.growing == nil {
		tx.growing = map[domain.UserID]*stored{}
	}
	if tx.growing[user] == nil {
		tx.growing[user] = new(stored)
	}
}

// readStored reads what the users with longer texts have stored. On PostgreSQL it takes part in the next round trip.
func (tx *Tx) readStored(ctx context.Context) error {
	for _, user := range slices.Sorted(maps.Keys(tx.growing)) {
		of := tx.growing[user]
		if of.asked {
			continue
		}
		of.asked = true
		err := tx.Counters().EachUsage(ctx, user, tx.texts.Now(), func(u domain.ByteUsage) {
			of.read = true
			of.left, _ = tx.texts.Available(u)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkTexts refuses the transaction if it made the texts of a user longer and they exceed the
// limit.
func (tx *Tx) checkTexts(ctx context.Context) error {
	if err := tx.readStored(ctx); err != nil {
		return err
	}
	for _, user := range slices.Sorted(maps.Keys(tx.growing)) {
		of := tx.growing[user]
		if !of.read {
			if err := tx.db.Sync(ctx); err != nil {
				return err
			}
		}
		if of.left > nearBound {
			continue
		}
		u, err := tx.Counters().LockByteUsage(ctx, user, "", tx.texts.Now())
		if err != nil {
			return err
		}
		if left, refusal := tx.texts.Available(u); left < 0 {
			return refusal
		}
	}
	return nil
}

// textBytes estimates the size of a text with Markdown, for comparison with another.
func textBytes(t *domain.Text, others ...*string) (n int) {
	if t != nil {
		n = max(len(t.Markdown), len(t.Plain))
	}
	for _, s := range others {
		if s != nil {
			n += len(*s)
		}
	}
	return n
}

func blockBytes(b domain.Block) int {
	n := textBytes(b.Description, b.Title, b.SourceURL, b.ValueURL) + textBytes(b.Content) + len(b.Metadata)
	for _, f := range domain.BlockTextFields {
		n += textBytes(nil, *f.Of(&b.BlockTexts))
	}
	return n
}

func channelBytes(c domain.Channel) int { return textBytes(c.Description, &c.Title) + len(c.Metadata) }

// channelPayer returns the user whose quota the texts of a channel count towards.
func channelPayer(owner domain.PrincipalRef, maker domain.UserID) domain.UserID {
	if owner.Type == domain.TypeUser {
		return domain.UserID(owner.ID)
	}
	return maker
}
