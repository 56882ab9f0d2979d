package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/postgres"
)

// Transactions that wait for each other share a commit, because most of the cost of a commit is the disk sync: on SQLite
// all that wait for the only writing connection, on PostgreSQL those of TransactNear (shared_postgres.go). The
// connection passes from caller to caller in order of arrival. Each one runs its function in its own goroutine, inside a savepoint, and passes the open
// transaction on. The last one commits, and only then does Transact return for all of them. Callers
// that arrive later join the next group. No transaction waits for others to join.

// Limits of a group, so that its first member does not wait long for the last one.
const (
	groupMembers  = 64
	sharedMembers = 32 // on PostgreSQL, which keeps at most 64 savepoints of a transaction in shared memory
	groupTime     = 10 * time.Millisecond
	sharedTime    = 30 * time.Millisecond // the same on PostgreSQL, where each statement is a round trip
)

// errGroupLost is returned to members that succeeded although their group was rolled back.
// SQLite rolls back on its own after some failures, such as a full disk or an interrupted write. PostgreSQL does if
// the connection is lost.
var errGroupLost = errors.New("database: the transaction was rolled back with its group")

// sharedTx is a transaction that members of a group share.
type sharedTx interface {
	// savepoint, release and undo begin, keep and roll back the changes of a member.
	savepoint() error
	release() error
	undo() error
	// member returns the transaction for a member, and a function that ends it but not the shared one.
	member(ctx context.Context, g *group) (t *Tx, end func())
	// refusal returns the error for members that must not write while the site is read-only, or nil.
	refusal() error
	// finisher returns the transaction for deferred work, and its context, which the caller cancels.
	finisher(ctx context.Context) (context.Context, context.CancelFunc, *Tx)
	// resume continues with the current member after deferred work.
	resume()
	// commit commits the transaction, or rolls it back if that fails.
	commit(ctx context.Context) error
	// rollback ends the transaction and releases the connection.
	rollback()
}

// group is a transaction that is used by one member at a time.
type group struct {
	sharedTx
	line    *turns[group]
	started time.Time
	kept    int  // members with changes in the transaction
	lost    bool // it can no longer be committed
	closed  bool // nobody may join it any more

	deferred []Deferred // pending work of the kept members
	written  []Deferred // the part of it written within the savepoint of the current member

	ended   chan struct{} // closed once outcome is set
	outcome error         // nil if the changes are durable
}

// groups holds the limits of a group.
type groups struct {
	maxMembers int               // members
	maxTime    time.Duration     // how long a group accepts new members
	committed  func(members int) // called after each commit, for tests
}

// transactShared runs fn in a group. If another member causes the group to be lost, it runs fn again in
// a group of its own, so that this happens at most once.
func (db *DB) transactShared(ctx context.Context, line *turns[group], ownCommit bool, fn func(tx *Tx) error) error {
	err := db.inGroup(ctx, line, ownCommit, fn)
	if errors.Is(err, errGroupLost) {
		err = db.inGroup(ctx, line, true, fn)
	}
	return err
}

func (db *DB) inGroup(ctx context.Context, line *turns[group], ownCommit bool, fn func(tx *Tx) error) error {
	g, err := line.Enter(ctx, ownCommit)
	if err != nil {
		return Classify(ctx, err)
	}
	if g == nil {
		if g, err = db.beginGroup(ctx, line); err != nil {
			line.Next()
			return Classify(ctx, err)
		}
	}
	err, final := db.runMember(ctx, g, ownCommit, fn)
	if !final {
		// Errors wait too, because they may depend on changes of others that are not durable yet.
		err = cmp.Or(db.await(ctx, g), err)
	}
	return classifyCallback(ctx, err)
}

// await waits for the outcome of a group. On PostgreSQL, where a server may never answer, it ends with ctx, and the
// outcome is then unknown, like that of a commit that was not answered.
func (db *DB) await(ctx context.Context, g *group) error {
	if db.dialect == SQLite {
		<-g.ended
		return g.outcome
	}
	select {
	case <-g.ended:
		return g.outcome
	case <-ctx.Done():
		return ctx.Err()
	}
}

// beginGroup begins a transaction that does not depend on ctx.
func (db *DB) beginGroup(ctx context.Context, line *turns[group]) (*group, error) {
	begin := db.beginLite
	if db.dialect == Postgres {
		begin = db.beginShared
	}
	tx, err := begin(ctx)
	if err != nil {
		return nil, err
	}
	return &group{sharedTx: tx, line: line, started: time.Now(), ended: make(chan struct{})}, nil
}

// beginLite waits for the writing connection, which libraries use too.
func (db *DB) beginLite(ctx context.Context) (sharedTx, error) {
	conn, err := db.writer.Take(ctx)
	if err != nil {
		return nil, err
	}
	w := &writing{db: db, conn: conn}
	if err := conn.Run("BEGIN IMMEDIATE"); err != nil {
		db.writer.Give(conn)
		return nil, err
	}
	if err := db.fenceLite(conn); err != nil {
		w.rollback()
		return nil, err
	}
	if w.closed, err = db.closedLite(conn); err != nil {
		w.rollback()
		return nil, err
	}
	return w, nil
}

// runMember runs fn in the group, rolls its changes back unless it succeeds, and passes the group
// on. It does so even if fn panics. An error is final if it does not depend on the outcome of the
// group: ctx is done, or this member caused the group to be lost.
func (db *DB) runMember(ctx context.Context, g *group, ownCommit bool, fn func(tx *Tx) error) (err error, final bool) {
	first, keep := g.kept == 0, false
	var left Deferred
	defer func() {
		e := g.settle(first, keep, left)
		if err == nil {
			err = e
		}
		final = err != nil && (e != nil || ctx.Err() != nil)
		db.pass(ctx, g, ownCommit)
	}()
	if !first {
		if err := g.savepoint(); err != nil {
			g.lost = true
			return errGroupLost, false
		}
	}
	if left, err = db.runIn(ctx, g, ownCommit, fn); err == nil {
		err = ctx.Err()
	}
	keep = err == nil
	if !first && IsLockTimeout(err) {
		err = errTooLong
	}
	return err, false
}

// runIn runs fn in the transaction of a group, and returns its deferred work for the group. If nobody waits to join the
// group and it has no deferred work, runIn does the deferred work itself.
func (db *DB) runIn(ctx context.Context, g *group, ownCommit bool, fn func(tx *Tx) error) (left Deferred, err error) {
	t, end := g.member(ctx, g)
	defer end()
	if err := fn(t); err != nil {
		return nil, err
	}
	if refused := g.refusal(); refused != nil && !t.always {
		return nil, refused
	}
	last := ownCommit || g.line.Waiting() == 0
	if last && len(g.deferred) == 0 {
		if err := t.writeDeferred(ctx); err != nil {
			return nil, err
		}
	}
	if t.line == nil {
		return t.deferred, t.failed
	}
	// The statements of the last member can be sent with the commit. Those of the others must not fail later.
	if g.closed = last; last {
		return t.deferred, t.settle(ctx)
	}
	return t.deferred, t.Sync(ctx)
}

// settle keeps or rolls back the changes of a member, and adds its deferred work to the group. The
// first member needs no savepoint, so a transaction without company does not pay for one. After an
// error the group is lost because of this member, and SQLite has dropped the savepoint.
func (g *group) settle(first, keep bool, left Deferred) error {
	var err error
	switch {
	case g.lost:
		return nil
	case keep && !first:
		err = g.release()
	case !keep && !first:
		err = g.undo()
	}
	switch {
	case err != nil:
		g.lost = true
	case !keep:
		g.deferred = append(g.written, g.deferred...)
	default:
		g.kept++
		if left != nil {
			g.deferred = append(g.deferred, left)
		}
	}
	g.written = nil
	return err
}

// pass hands the group to the next waiting member that may join it, or ends the group.
func (db *DB) pass(ctx context.Context, g *group, ownCommit bool) {
	full := g.kept >= db.groups.maxMembers || time.Since(g.started) >= db.groups.maxTime
	if g.kept > 0 && !g.lost && !ownCommit && !full && !g.closed && g.line.HandOver(g) {
		return
	}
	if !g.lost && db.finish(ctx, g) != nil {
		g.lost = true
	}
	switch {
	case g.lost:
		g.rollback()
		g.outcome = errGroupLost
	case g.kept == 0:
		g.rollback()
	default:
		g.outcome = g.commit(ctx)
		if g.kept > 1 && postgres.NotCommitted(g.outcome) {
			g.outcome = errGroupLost // each member runs again, and gets its own error
		}
		if db.groups.committed != nil && g.outcome == nil {
			db.groups.committed(g.kept)
		}
	}
	g.line.Next()
	close(g.ended)
}

// writing is a transaction on the writing connection of SQLite, sometimes with a savepoint.
type writing struct {
	db     *DB
	conn   *lite.Conn
	closed error // for changes; nil if the site is writable
}

func (w *writing) refusal() error { return w.closed }

func (w *writing) savepoint() error { return w.run("SAVEPOINT member") }
func (w *writing) release() error   { return w.run("RELEASE member") }
func (w *writing) undo() error      { return w.run("ROLLBACK TO member", "RELEASE member") }

func (w *writing) run(statements ...string) error {
	for _, s := range statements {
		if err := w.conn.Run(s); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) member(ctx context.Context, g *group) (*Tx, func()) {
	unwatch := w.conn.Watch(ctx)
	t := &Tx{conn: w.conn, group: g, run: w.db.watchedIn(ctx, liteHandle{w.conn})}
	return t, func() {
		if t.tx != nil {
			_ = t.tx.Rollback() // does not affect the transaction of the group
		}
		unwatch()
	}
}

// finisher ignores the cancellation of ctx, because the caller also commits for the other members.
func (w *writing) finisher(ctx context.Context) (context.Context, context.CancelFunc, *Tx) {
	ctx = context.WithoutCancel(ctx)
	return ctx, func() {}, &Tx{conn: w.conn, run: w.db.watchedIn(ctx, liteHandle{w.conn})}
}

func (w *writing) resume() {}

func (w *writing) commit(context.Context) error {
	defer w.rollback() // does nothing after a commit
	if err := w.conn.Run("COMMIT"); err != nil {
		return err
	}
	w.db.checkpoints.Wrote(w.conn)
	return nil
}

// rollback ends the transaction and releases the connection. SQLite may have rolled back already.
func (w *writing) rollback() {
	w.conn.Rollback()
	w.db.writer.Give(w.conn)
}

// turns is a queue of callers. They pass on values of type *T.
type turns[T any] struct {
	mu      sync.Mutex
	busy    bool // a caller has its turn or is about to get it
	waiting []*member[T]
	waits   lite.Waits
}

type member[T any] struct {
	separate bool
	turn     chan *T // receives the value that is passed on, or nil to start a new one
}

// Enter waits for the caller's turn. It returns the value that was passed on, or nil if the caller must
// start a new one. It always returns nil if separate is set.
func (q *turns[T]) Enter(ctx context.Context, separate bool) (*T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	if !q.busy {
		q.busy = true
		q.mu.Unlock()
		return nil, nil
	}
	m := &member[T]{separate: separate, turn: make(chan *T, 1)}
	q.waiting = append(q.waiting, m)
	q.mu.Unlock()
	defer q.waits.Begin()()
	select {
	case t := <-m.turn:
		return t, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, m)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // the turn came at the same moment
		return <-m.turn, nil
	}
	return nil, ctx.Err()
}

// HandOver passes t to the next caller. It returns false if no one waits or the next caller set separate.
func (q *turns[T]) HandOver(t *T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 || q.waiting[0].separate {
		return false
	}
	q.shift().turn <- t
	return true
}

// Next starts the turn of the next caller, with nil.
func (q *turns[T]) Next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy = len(q.waiting) > 0; q.busy {
		q.shift().turn <- nil
	}
}

// shift removes and returns the first waiting caller. The lock must be held.
func (q *turns[T]) shift() *member[T] {
	m := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return m
}

// Waiting returns the number of waiting callers.
func (q *turns[T]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Waits returns statistics about the time callers waited.
func (q *turns[T]) Waits() *lite.Waits { return &q.waits }

// Deferred is work that a transaction postpones until just before its commit. Transactions that share a
// commit also share this work: values that each of them would write, such as a count or
// an index segment, are written once, after the last transaction.
type Deferred interface {
	// Concerns reports whether a statement reads or changes data with pending writes, which
	// then have to be written first.
	Concerns(query string) bool
	// Write writes this work and that of others, in order.
	Write(ctx context.Context, tx *Tx, others []Deferred) error
}

// Defer postpones d until just before the commit. Call it at most once, at the end of a transaction.
func (t *Tx) Defer(d Deferred) { t.deferred = d }

// writeDeferred writes the deferred work of this transaction.
func (t *Tx) writeDeferred(ctx context.Context) error {
	d := t.deferred
	if t.deferred = nil; d == nil || t.failed != nil {
		return t.failed
	}
	return d.Write(ctx, t, nil)
}

// before writes the deferred work of earlier group members if a statement depends on it. The writes
// are inside the savepoint of the current member, so they are pending again if it rolls back.
func (g *group) before(ctx context.Context, query string) error {
	if !slices.ContainsFunc(g.deferred, func(d Deferred) bool { return d.Concerns(query) }) {
		return nil
	}
	all := g.deferred
	g.deferred, g.written = nil, append(g.written, all...)
	if err := g.write(ctx, all); err != nil {
		g.lost = true
		return fmt.Errorf("%w: %w", errGroupLost, err)
	}
	g.resume()
	return nil
}

// finish writes the deferred work of all members.
func (db *DB) finish(ctx context.Context, g *group) error {
	if len(g.deferred) == 0 {
		return nil
	}
	all := g.deferred
	g.deferred = nil
	return g.write(ctx, all)
}

// write writes all deferred work in a transaction that defers nothing. It converts a panic into an
// error: all members then run again separately, and the one that caused the panic gets it.
func (g *group) write(ctx context.Context, all []Deferred) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("database: panic in deferred work: %v", p)
		}
	}()
	ctx, cancel, t := g.finisher(ctx)
	defer cancel()
	if err := all[0].Write(ctx, t, all[1:]); err != nil {
		return err
	}
	return t.failed
}
