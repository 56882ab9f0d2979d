package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/postgres"
	"vitrine/internal/domain"
	"vitrine/internal/reads"
)

// View runs fn on a read-only snapshot: all statements see the database as it was at the first of
// them. fn may run again after a conflict on PostgreSQL, so it must reset its results at the start.
func (db *DB) View(ctx context.Context, fn func(q Querier) error) error {
	return db.ViewFor(ctx, nil, fn)
}

// ViewFor is View for a request that may read at a replica.
func (db *DB) ViewFor(ctx context.Context, r *reads.Request, fn func(q Querier) error) error {
	ctx, end := db.trace.Begin(ctx, TracedView)
	return end(db.view(ctx, r, fn))
}

func (db *DB) view(ctx context.Context, request *reads.Request, fn func(q Querier) error) error {
	if db.dialect == SQLite {
		return db.retry(ctx, func() error { return db.viewSQLite(ctx, fn) })
	}
	if r := db.replicas.For(ctx, request); r != nil {
		return db.viewReplica(ctx, r, request, fn)
	}
	return db.retry(ctx, func() error { return db.viewPostgres(ctx, db.handle, fn) })
}

// viewPostgres runs a View on a pool. The snapshot is taken by the first statement.
func (db *DB) viewPostgres(ctx context.Context, pool *sql.DB, fn func(q Querier) error) error {
	line, err := postgres.Begin(ctx, ctx, pool, postgres.Snapshot)
	if err != nil {
		return Classify(ctx, err)
	}
	defer line.End() // the view wrote nothing
	return classifyCallback(ctx, fn(querier{db.watchedIn(ctx, lineHandle(line))}))
}

// viewSQLite leaves a connection for single statements. Views wait in order of arrival. Without that
// order, the slowest of a hundred searches took twice as long.
func (db *DB) viewSQLite(ctx context.Context, fn func(q Querier) error) error {
	if err := db.waitForView(ctx); err != nil {
		return Classify(ctx, err)
	}
	defer func() { <-db.views }()
	conn, err := db.readers.Take(ctx)
	if err != nil {
		return Classify(ctx, err)
	}
	defer db.readers.Give(conn)
	if err := conn.Run("BEGIN"); err != nil {
		return Classify(ctx, err)
	}
	defer conn.Rollback()
	defer conn.Watch(ctx)()
	if err := fn(querier{db.watchedIn(ctx, liteHandle{conn})}); err != nil {
		return classifyCallback(ctx, err)
	}
	return Classify(ctx, conn.Run("COMMIT")) // the view wrote nothing; this is faster than rolling back
}

// waitForView waits until fewer views are running than the limit.
func (db *DB) waitForView(ctx context.Context) error {
	select {
	case db.views <- struct{}{}:
		return nil
	default:
	}
	defer db.viewing.Begin()()
	select {
	case db.views <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Transact runs fn in a write transaction, and commits if fn returns nil. On SQLite the transaction
// holds the only writing connection from the start. On PostgreSQL it is READ COMMITTED, so lock rows
// that you read in order to change them. After a conflict with another transaction fn runs again, for a
// few seconds or until ctx is done. So fn must have no side effects except through tx. It must not call
// Transact, because on SQLite that would deadlock. The change is durable when Transact returns nil.
//
// After a failed statement the transaction rejects further statements and cannot commit, as PostgreSQL
// does on its own. Avoid expected failures with ON CONFLICT, or return them from fn.
func (db *DB) Transact(ctx context.Context, fn func(tx *Tx) error) error {
	return db.transact(ctx, false, fn)
}

// TransactAlone is Transact for background work with long transactions: on SQLite they do not share a
// commit, so that no other caller has to wait for it.
func (db *DB) TransactAlone(ctx context.Context, fn func(tx *Tx) error) error {
	return db.transact(ctx, true, fn)
}

func (db *DB) transact(ctx context.Context, ownCommit bool, fn func(tx *Tx) error) error {
	ctx, end := db.trace.Begin(ctx, TracedTransaction)
	return end(db.transactIn(ctx, ownCommit, fn))
}

func (db *DB) transactIn(ctx context.Context, ownCommit bool, fn func(tx *Tx) error) error {
	if db.dialect == SQLite {
		return db.retry(ctx, func() error { return db.transactShared(ctx, &db.queue, ownCommit, fn) })
	}
	return db.retry(ctx, func() error { return db.transactAlone(ctx, fn) })
}

// TransactNear is Transact for a short transaction that locks one of the rows that many others lock too, such as a
// popular channel. On PostgreSQL, transactions with the same key that wait for each other in this process share a
// commit, as all do on SQLite. Other rows that they lock should differ, or be locked by deferred work.
func (db *DB) TransactNear(ctx context.Context, key uint64, fn func(tx *Tx) error) error {
	if db.dialect == SQLite {
		return db.Transact(ctx, fn)
	}
	ctx, end := db.trace.Begin(ctx, TracedTransaction)
	line := &db.lines[key%uint64(len(db.lines))]
	return end(db.retry(ctx, func() error {
		err := db.transactShared(ctx, line, false, fn)
		if errors.Is(err, errTooLong) {
			err = db.transactShared(ctx, line, true, fn)
		}
		return err
	}))
}

// transactAlone runs fn in a transaction of PostgreSQL that nobody joins.
func (db *DB) transactAlone(ctx context.Context, fn func(tx *Tx) error) error {
	line, err := postgres.Begin(ctx, ctx, db.handle, postgres.ReadWrite)
	if err != nil {
		return Classify(ctx, err)
	}
	defer line.End()
	t := &Tx{line: line, run: db.watchedIn(ctx, lineHandle(line))}
	if err := fn(t); err != nil {
		return classifyCallback(ctx, err)
	}
	if err := t.writeDeferred(ctx); err != nil {
		return classifyCallback(ctx, err)
	}
	if err := t.settle(ctx); err != nil {
		return classifyCallback(ctx, err)
	}
	return Classify(ctx, db.commitPostgres(ctx, t))
}

// inTx runs fn in a transaction of database/sql. It commits if fn returns nil, and rolls back otherwise, also on panic.
func inTx(ctx context.Context, pool *sql.DB, fn func(tx *sql.Tx) error) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return Classify(ctx, err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := fn(tx); err != nil {
		return classifyCallback(ctx, err)
	}
	return Classify(ctx, tx.Commit())
}

// Tx is a transaction in progress, for one goroutine.
type Tx struct {
	run      handle       // observed if necessary
	line     *postgres.Tx // PostgreSQL
	conn     *lite.Conn   // SQLite
	group    *group       // with the deferred work of other members; nil without a group
	tx       *sql.Tx      // set when a library needs it
	deferred Deferred
	always   bool // commits while the site is read-only
	failed   error
}

// Later queues a statement whose result the caller does not need now, and reports whether it did. On
// SQLite it never does, since there are no round trips to save, and the caller runs the statement. The
// queue is sent with the next statement, or by Sync. s.Then may run at any time from now on, in the
// goroutine of the transaction.
func (t *Tx) Later(ctx context.Context, s postgres.Statement) (taken bool, err error) {
	switch {
	case t.failed != nil:
		return true, t.refusal()
	case t.line == nil:
		return false, nil
	case t.line.Add(s):
		return true, t.Sync(ctx)
	}
	return true, nil
}

// Sync sends the queued statements, and returns the first error.
func (t *Tx) Sync(ctx context.Context) error {
	for t.failed == nil && t.line != nil {
		all := t.line.Take()
		if len(all) == 0 {
			return nil
		}
		end := watchedAll(ctx, t.run, all)
		err := t.line.Send(ctx, all)
		end(err)
		if t.note(ctx, err) != nil {
			return t.failed
		}
		for _, s := range all {
			if s.Then == nil {
				continue
			}
			if err := s.Then(ctx); err != nil {
				return err
			}
		}
	}
	return t.failed
}

// settle sends the queued statements if the result of one of them may refuse the transaction. The others can be sent
// with the commit.
func (t *Tx) settle(ctx context.Context) error {
	if t.failed == nil && t.line != nil && slices.ContainsFunc(t.line.Queue(), postgres.Statement.MayRefuse) {
		return t.Sync(ctx)
	}
	return t.failed
}

// SQL returns the transaction for libraries that use database/sql, such as the job queue. Do not commit
// it or roll it back.
func (t *Tx) SQL() *sql.Tx {
	if t.tx == nil {
		var err error
		if t.line != nil {
			t.tx, err = t.line.SQL()
		} else {
			t.tx, err = t.conn.Joined()
		}
		if err != nil {
			panic(err) // cannot fail: it neither opens a connection nor begins a transaction
		}
	}
	return t.tx
}

// errAborted is returned for statements after a failed one.
var errAborted = errors.New("database: transaction is aborted by an earlier error")

func (t *Tx) refusal() error { return fmt.Errorf("%w: %w", errAborted, t.failed) }

// ready prepares the transaction for a statement. It sends queued statements first if more must be done after one of
// them. On PostgreSQL it returns the others, which are sent with the statement.
func (t *Tx) ready(ctx context.Context, query string) (queued []postgres.Statement, err error) {
	if t.failed != nil {
		return nil, t.refusal()
	}
	if t.group != nil {
		if t.failed = t.group.before(ctx, query); t.failed != nil {
			return nil, t.failed
		}
	}
	if t.line == nil {
		return nil, nil
	}
	if slices.ContainsFunc(t.line.Queue(), func(s postgres.Statement) bool { return s.Then != nil }) {
		return nil, t.Sync(ctx)
	}
	return t.line.Take(), nil
}

// note records the first failure. After some failures SQLite rolls back on its own, and further
// statements would each commit separately.
func (t *Tx) note(ctx context.Context, err error) error {
	err = Classify(ctx, err)
	if t.failed == nil && err != nil {
		t.failed = err
	}
	return err
}

// with returns a handle that sends queued statements with the next one.
func (t *Tx) with(ctx context.Context, queued []postgres.Statement) handle {
	if len(queued) == 0 {
		return t.run
	}
	sent := watchedAll(ctx, t.run, queued)
	h := pgxHandle(func(ctx context.Context, query string, args []any) (*postgres.Rows, error) {
		rows, err := t.line.Query(ctx, queued, query, args)
		sent(err)
		return rows, err
	})
	if w, ok := t.run.(watchedHandle); ok {
		w.handle, w.joined = h, true
		return w
	}
	return h
}

// Query implements Querier.
func (t *Tx) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	queued, err := t.ready(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := t.with(ctx, queued).query(ctx, query, args)
	return rows, t.note(ctx, err)
}

// QueryRow implements Querier.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) Row {
	queued, err := t.ready(ctx, query)
	if err != nil {
		return failedRow{err}
	}
	return &txRow{tx: t, ctx: ctx, row: t.with(ctx, queued).queryRow(ctx, query, args)}
}

// Exec implements Querier.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (Result, error) {
	queued, err := t.ready(ctx, query)
	if err != nil {
		return nil, err
	}
	res, err := t.with(ctx, queued).exec(ctx, query, args)
	return res, t.note(ctx, err)
}

type txRow struct {
	tx  *Tx
	ctx context.Context
	row Row
}

func (r *txRow) Scan(dest ...any) error {
	err := r.row.Scan(dest...)
	if errors.Is(err, ErrNoRows) {
		return Classify(r.ctx, err) // not a failure
	}
	return r.tx.note(r.ctx, err)
}

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

const (
	defaultRetryTime = 10 * time.Second
	firstPause       = 2 * time.Millisecond
	longestPause     = 100 * time.Millisecond
)

// retry repeats attempt while it fails with a concurrency conflict, until ctx is done or db.retryTime is
// over.
func (db *DB) retry(ctx context.Context, attempt func() error) error {
	var start time.Time
	for n, pause := 1, firstPause; ; n, pause = n+1, min(2*pause, longestPause) {
		err := attempt()
		if err == nil || !IsRetryable(err) {
			return err
		}
		if n == 1 {
			start = time.Now()
		} else if time.Since(start) > db.retryTime {
			return unavailable(fmt.Errorf("database: gave up after %d attempts: %w", n, err))
		}
		if pauseFor(ctx, pause) != nil {
			return Classify(ctx, err)
		}
	}
}

// pauseFor sleeps for a random time around d. It returns early with the error of ctx.
func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Uninterruptible returns a context for a single statement that reads a few rows by key or along an
// index, at most a page. It is too fast to be worth interrupting. When ctx ends, the wait for a
// connection ends and the statement does not start, but a running statement is not interrupted. That
// makes it cheaper on SQLite, where interrupting a statement requires watching its context. It has no
// effect on PostgreSQL, where the network may delay any answer, and in a View or Transact after another
// statement, which has started to watch the same context.
func Uninterruptible(ctx context.Context) context.Context { return lite.Uninterruptible{Context: ctx} }

// ErrNoRows is returned by Row.Scan when there is no row.
var ErrNoRows = sql.ErrNoRows

// IsUnique reports whether a statement violated a unique constraint.
func IsUnique(err error) bool {
	return hasCode(err, "23505", lite.Unique, lite.PrimaryKey)
}

// IsRetryable reports whether a transaction failed only because of concurrent transactions:
// all forms of SQLITE_BUSY and SQLITE_LOCKED, and 40001 (serialization_failure) and
// 40P01 (deadlock_detected) on PostgreSQL. Transact and View already retry these.
func IsRetryable(err error) bool {
	if e, ok := errors.AsType[*lite.Error](err); ok {
		primary := e.Code.Primary()
		return primary == lite.Busy || primary == lite.Locked
	}
	return hasCode(err, "40001") || hasCode(err, "40P01")
}

// hasCode reports whether err has an SQLSTATE or one of the extended result codes of SQLite.
func hasCode(err error, state string, codes ...lite.Code) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == state
	}
	e, ok := errors.AsType[*lite.Error](err)
	return ok && slices.Contains(codes, e.Code)
}

// Classify translates a driver error. If ctx is done, the result satisfies errors.Is(err, ctx.Err()),
// no matter how the driver reports it ("interrupted", 57014, a closed connection). If the database
// is unreachable or full, the result has the kind domain.Unavailable. All errors of this package are
// already classified, except those of Rows.
func Classify(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil:
		return unavailable(err)
	case errors.Is(err, ctx.Err()):
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// unavailable marks an error as domain.Unavailable if the database is unreachable or out of space.
func unavailable(err error) error {
	away := postgres.IsOutage(err) || IsRetryable(err) // retries are exhausted
	if !away || domain.KindOf(err) == domain.Unavailable {
		return err
	}
	return domain.NewUnavailable(err)
}

// classifyCallback classifies an error returned by a caller's function. Errors that do not come from
// a driver are returned unchanged.
func classifyCallback(ctx context.Context, err error) error {
	if err == nil || !fromDriver(err) {
		return err
	}
	return Classify(ctx, err)
}

func fromDriver(err error) bool {
	if _, ok := errors.AsType[*lite.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.PgError](err); ok {
		return true
	}
	return errors.Is(err, sql.ErrTxDone) || postgres.Lost(err)
}
