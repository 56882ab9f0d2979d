package database

import (
	"context"
	"fmt"
)

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
