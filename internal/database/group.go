package database

import (
	"cmp"
	"context"
	"errors"
	"time"

	"vitrine/internal/database/lite"
)

// On SQLite the transactions of different callers that wait for the only writing
// connection share a commit, since what a commit costs is mostly the sync of the disk. The
// connection goes from caller to caller in the order of coming: each runs its function in
// its own goroutine, within a savepoint, and passes the open transaction on. The last one
// commits, and only then is anybody told. Whoever comes meanwhile is of the next group.
// Nobody ever waits for company.

// A group ends with the member by which it reaches one of these, so that the first does
// not wait long for the last.
const (
	groupMembers = 64
	groupTime    = 10 * time.Millisecond
)

// errGroupLost tells members whose own work was fine that their group was rolled back.
// SQLite does so by itself after some failures, such as a full disk or a write that is
// interrupted.
var errGroupLost = errors.New("database: the transaction was rolled back with its group")

// group is one transaction on the writing connection, used by one member at a time.
type group struct {
	writing
	begun time.Time
	kept  int  // members whose changes are in it
	lost  bool // it cannot be committed any more

	deferred []Deferred // what members that were kept have left
	written  []Deferred // of it, what was written within the savepoint of the present member

	ended   chan struct{} // closed once outcome is set
	outcome error         // nil: what was kept is durable
}

// groups is how large they may be.
type groups struct {
	most      int               // members
	longest   time.Duration     // from when a group begins until it takes no more
	committed func(members int) // for tests: called after each commit
}

type apartKey struct{}

// Apart gives a context in which a transaction shares its commit with no other on SQLite.
// It is for work in the background, whose transactions may take long: nobody whose change
// is already made waits for one.
func Apart(ctx context.Context) context.Context { return context.WithValue(ctx, apartKey{}, true) }

// transactSQLite runs fn in a group. A caller whose group is lost through another runs
// again, by itself, so that this happens once at most.
func (db *DB) transactSQLite(ctx context.Context, fn func(tx *Tx) error) error {
	apart, _ := ctx.Value(apartKey{}).(bool)
	err := db.inGroup(ctx, apart, fn)
	if errors.Is(err, errGroupLost) {
		err = db.inGroup(ctx, true, fn)
	}
	return err
}

func (db *DB) inGroup(ctx context.Context, apart bool, fn func(tx *Tx) error) error {
	g, err := db.line.Enter(ctx, apart)
	if err != nil {
		return Classify(ctx, err)
	}
	if g == nil {
		if g, err = db.beginGroup(ctx); err != nil {
			db.line.Next()
			return Classify(ctx, err)
		}
	}
	err, final := db.runMember(ctx, g, apart, fn)
	if !final {
		// A refusal waits too: it may rest on changes of others that are not durable yet.
		<-g.ended
		err = cmp.Or(g.outcome, err)
	}
	return classifyCallback(ctx, err)
}

// beginGroup waits for the connection, which libraries use too, and begins a transaction
// that the end of ctx does not touch.
func (db *DB) beginGroup(ctx context.Context) (*group, error) {
	conn, err := db.writer.Take(ctx)
	if err != nil {
		return nil, err
	}
	if err := conn.Run("BEGIN IMMEDIATE"); err != nil {
		db.writer.Give(conn)
		return nil, err
	}
	g := &group{writing: writing{conn, db.writer, db.checkpoints}, begun: time.Now(), ended: make(chan struct{})}
	if err := db.fenceLite(g); err != nil {
		g.rollback()
		return nil, err
	}
	return g, nil
}

// runMember runs fn in the group, takes its changes back unless it succeeds, and passes
// the group on, also when fn panics; the panic goes on. An error is final if it stands
// whatever becomes of the group: that of a caller who has gone, or who has lost the group.
func (db *DB) runMember(ctx context.Context, g *group, apart bool, fn func(tx *Tx) error) (err error, final bool) {
	first, keep := g.kept == 0, false
	var left Deferred
	defer func() {
		e := g.settle(first, keep, left)
		if err == nil {
			err = e
		}
		final = err != nil && (e != nil || ctx.Err() != nil)
		db.pass(ctx, g, apart)
	}()
	if !first {
		if err := g.savepoint(); err != nil {
			g.lost = true
			return errGroupLost, false
		}
	}
	if left, err = db.liteTx(ctx, g, apart, fn); err == nil {
		err = ctx.Err()
	}
	keep = err == nil
	return err, false
}

// settle keeps the changes of a member, or takes them back. The first has the transaction
// to itself, so that one who meets nobody pays for no savepoint. An error says that this
// member has lost the group; SQLite then knows the savepoint no more. What a member leaves to
// be written is left by the group from then on.
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

// pass hands the group to the next who may join it, or ends it and has the next begin one.
func (db *DB) pass(ctx context.Context, g *group, apart bool) {
	full := g.kept >= db.groups.most || time.Since(g.begun) >= db.groups.longest
	if g.kept > 0 && !g.lost && !apart && !full && db.line.Hand(g) {
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
	db.line.Next()
	close(g.ended)
}

// writing is a transaction on the writing connection, with a savepoint in it at times.
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

// commit ends the transaction, in any case.
func (w *writing) commit() error {
	defer w.rollback() // where that fails
	if err := w.conn.Run("COMMIT"); err != nil {
		return err
	}
	w.log.Wrote(w.conn)
	return nil
}

// rollback ends the transaction. It is no error that SQLite has done so before.
func (w *writing) rollback() {
	w.conn.Rollback()
	w.pool.Give(w.conn)
}
