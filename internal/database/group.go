package database

import (
	"cmp"
	"context"
	"errors"
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
