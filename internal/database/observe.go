package database

import (
	"context"
	"database/sql"
)

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

func (w watchedHandle) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	w.observe(ctx, query)
	return w.handle.QueryContext(ctx, query, args...)
}

func (w watchedHandle) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	w.observe(ctx, query)
	return w.handle.QueryRowContext(ctx, query, args...)
}

func (w watchedHandle) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	w.observe(ctx, query)
	return w.handle.ExecContext(ctx, query, args...)
}
