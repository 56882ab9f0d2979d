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
)

// On SQLite, transactions that wait for the only writing connection share a commit, because most of
// the cost of a commit is the disk sync. The connection passes from caller to caller in order of
// arrival. Each one runs its function in its own goroutine, inside a savepoint, and passes the open
// transaction on. The last one commits, and only then does Transact return for all of them. Callers
// that arrive later join the next group. No transaction waits for others to join.

// Limits of a group, so that its first member does not wait long for the last one.
const (
	groupMembers = 64
	groupTime    = 10 * time.Millisecond
)

// errGroupLost is returned to members that succeeded although their group was rolled back.
// SQLite rolls back on its own after some failures, such as a full disk or an interrupted write.
var errGroupLost = errors.New("database: the transaction was rolled back with its group")

// group is one transaction on the writing connection, used by one member at a time.
type group struct {
	writing
	started time.Time
	kept    int  // members with changes in the transaction
	lost    bool // it can no longer be committed

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

// transactSQLite runs fn in a group. If another member causes the group to be lost, it runs fn again in
// a group of its own, so that this happens at most once.
func (db *DB) transactSQLite(ctx context.Context, ownCommit bool, fn func(tx *Tx) error) error {
	err := db.inGroup(ctx, ownCommit, fn)
	if errors.Is(err, errGroupLost) {
		err = db.inGroup(ctx, true, fn)
	}
	return err
}

func (db *DB) inGroup(ctx context.Context, ownCommit bool, fn func(tx *Tx) error) error {
	g, err := db.queue.Enter(ctx, ownCommit)
	if err != nil {
		return Classify(ctx, err)
	}
	if g == nil {
		if g, err = db.beginGroup(ctx); err != nil {
			db.queue.Next()
			return Classify(ctx, err)
		}
	}
	err, final := db.runMember(ctx, g, ownCommit, fn)
	if !final {
		// Errors wait too, because they may depend on changes of others that are not durable yet.
		<-g.ended
		err = cmp.Or(g.outcome, err)
	}
	return classifyCallback(ctx, err)
}

// beginGroup waits for the writing connection, which libraries use too, and begins a transaction that
// does not depend on ctx.
func (db *DB) beginGroup(ctx context.Context) (*group, error) {
	conn, err := db.writer.Take(ctx)
	if err != nil {
		return nil, err
	}
	if err := conn.Run("BEGIN IMMEDIATE"); err != nil {
		db.writer.Give(conn)
		return nil, err
	}
	g := &group{writing: writing{conn, db.writer, db.checkpoints}, started: time.Now(), ended: make(chan struct{})}
	if err := db.fenceLite(g); err != nil {
		g.rollback()
		return nil, err
	}
	return g, nil
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
	if left, err = db.liteTx(ctx, g, ownCommit, fn); err == nil {
		err = ctx.Err()
	}
	keep = err == nil
	return err, false
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
	if g.kept > 0 && !g.lost && !ownCommit && !full && db.queue.HandOver(g) {
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
		g.outcome = g.commit()
		if db.groups.committed != nil && g.outcome == nil {
			db.groups.committed(g.kept)
		}
	}
	db.queue.Next()
	close(g.ended)
}

// writing is a transaction on the writing connection, sometimes with a savepoint.
type writing struct {
	conn *lite.Conn
	pool *lite.Pool
	log  *lite.Checkpoints
}

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

// commit commits the transaction, or rolls it back if that fails.
func (w *writing) commit() error {
	defer w.rollback() // does nothing after a commit
	if err := w.conn.Run("COMMIT"); err != nil {
		return err
	}
	w.log.Wrote(w.conn)
	return nil
}

// rollback ends the transaction and releases the connection. SQLite may have rolled back already.
func (w *writing) rollback() {
	w.conn.Rollback()
	w.pool.Give(w.conn)
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

// Deferred is work that a transaction postpones until just before its commit. On SQLite, transactions
// that share a commit also share this work: values that each of them would write, such as a count or
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
func (g *group) before(ctx context.Context, query string, run handle) error {
	if len(g.deferred) == 0 || !g.deferred[0].Concerns(query) {
		return nil
	}
	all := g.deferred
	g.deferred, g.written = nil, append(g.written, all...)
	if err := g.write(ctx, all, run); err != nil {
		g.lost = true
		return fmt.Errorf("%w: %w", errGroupLost, err)
	}
	return nil
}

// finish writes the deferred work of all members. It ignores the cancellation of ctx, because the
// caller also commits for the other members.
func (db *DB) finish(ctx context.Context, g *group) error {
	if len(g.deferred) == 0 {
		return nil
	}
	all := g.deferred
	g.deferred = nil
	ctx = context.WithoutCancel(ctx)
	return g.write(ctx, all, db.watchedIn(ctx, liteHandle{g.conn}))
}

// write writes all deferred work in a transaction that defers nothing. It converts a panic into an
// error: all members then run again separately, and the one that caused the panic gets it.
func (g *group) write(ctx context.Context, all []Deferred, run handle) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("database: panic in deferred work: %v", p)
		}
	}()
	t := &Tx{conn: g.conn, run: run}
	if err := all[0].Write(ctx, t, all[1:]); err != nil {
		return err
	}
	return t.failed
}
