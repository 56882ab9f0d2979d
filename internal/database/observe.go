package database

import "context"

// Observer is called with each statement just before it runs, in the goroutine that
// runs it. Beginning and ending a transaction are no statements.
type Observer func(ctx context.Context, query string)

// watched returns a handle that reports to the observer, if there is one.
func (db *DB) watched(h handle) handle {
	if db.observe == nil {
		return h
	}
	return watchedHandle{h, db.observe}
}

type watchedHandle struct {
	handle
	observe Observer
}

func (w watchedHandle) query(ctx context.Context, query string, args []any) (Rows, error) {
	w.observe(ctx, query)
	return w.handle.query(ctx, query, args)
}

func (w watchedHandle) queryRow(ctx context.Context, query string, args []any) Row {
	w.observe(ctx, query)
	return w.handle.queryRow(ctx, query, args)
}

func (w watchedHandle) exec(ctx context.Context, query string, args []any) (Result, error) {
	w.observe(ctx, query)
	return w.handle.exec(ctx, query, args)
}
