package database

import (
	"context"
	"fmt"
)

// Deferred is what a transaction leaves to be written right before its commit. On SQLite
// those that share a commit have it written together, after the last of them: what each
// would write for itself, such as a count or a segment of an index, is then written once.
type Deferred interface {
	// Concerns reports whether a statement reads or changes what is yet to be written, so
	// that this has to be written first.
	Concerns(query string) bool
	// Write writes it, and what others have left after it, in their order.
	Write(ctx context.Context, tx *Tx, others []Deferred) error
}

// Defer leaves something to be written before the commit. It comes last in a transaction,
// and once.
func (t *Tx) Defer(d Deferred) { t.deferred = d }

// writeDeferred writes what the transaction itself has left.
func (t *Tx) writeDeferred(ctx context.Context) error {
	d := t.deferred
	if t.deferred = nil; d == nil || t.failed != nil {
		return t.failed
	}
	return d.Write(ctx, t, nil)
}

// before writes what earlier members of the group have left if a statement concerns it. It
// is then within the savepoint of the present one, and left again if that one is undone.
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

// finish writes what all members have left. Whoever commits for the others does not interrupt
// it by leaving.
func (db *DB) finish(ctx context.Context, g *group) error {
	if len(g.deferred) == 0 {
		return nil
	}
	all := g.deferred
	g.deferred = nil
	ctx = context.WithoutCancel(ctx)
	return g.write(ctx, all, db.watchedIn(ctx, liteHandle{g.conn}))
}

// write writes what was left, by a transaction that defers nothing. A panic is that of who left
// it: all run again by themselves, and meet their own.
func (g *group) write(ctx context.Context, all []Deferred, run handle) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("database: panic in what a transaction left: %v", p)
		}
	}()
	t := &Tx{conn: g.conn, run: run}
	if err := all[0].Write(ctx, t, all[1:]); err != nil {
		return err
	}
	return t.failed
}
