package database

import (
	"context"

	"vitrine/internal/database/postgres"
)

// Observer is called with each statement just before it runs, in the same goroutine. It is not called
// for the begin and end of transactions. Statements that are sent together are all reported before
// they are sent; joined is true for all but the first of them.
type Observer func(ctx context.Context, query string, joined bool)

// watched wraps a handle for the observer and the tracer, if there are any.
func (db *DB) watched(h handle) handle {
	if db.observe == nil && db.trace == nil {
		return h
	}
	return watchedHandle{handle: h, db: db}
}

// watchedIn is like watched for a handle of the transaction or view of a context. Its statements are
// traced under that context, even if they run with another one.
func (db *DB) watchedIn(within context.Context, h handle) handle {
	if db.observe == nil && db.trace == nil {
		return h
	}
	return watchedHandle{h, db, within}
}

type watchedHandle struct {
	handle
	db     *DB
	within context.Context // parent of all statements; nil to use the context of each statement
}

// begin reports a statement; joined is as in Observer. The returned function reports its end. It is nil if nothing is traced.
func (w watchedHandle) begin(ctx context.Context, query string, joined bool) func(error) {
	if w.db.observe != nil {
		w.db.observe(ctx, query, joined)
	}
	if w.db.trace == nil {
		return nil
	}
	if w.within != nil {
		ctx = w.within
	}
	_, end := w.db.trace(ctx, TracedStatement, query)
	return end
}

// watchedAll reports statements that are sent together. The returned function reports their end.
func watchedAll(ctx context.Context, h handle, all []postgres.Statement) func(error) {
	var ends []func(error)
	if w, ok := h.(watchedHandle); ok {
		for i, s := range all {
			if s.Quiet {
				continue
			}
			if end := w.begin(ctx, s.Query, i > 0); end != nil {
				ends = append(ends, end)
			}
		}
	}
	return func(err error) {
		for _, end := range ends {
			end(err)
		}
	}
}

func (w watchedHandle) query(ctx context.Context, query string, args []any) (Rows, error) {
	end := w.begin(ctx, query, false)
	rows, err := w.handle.query(ctx, query, args)
	if end == nil {
		return rows, err
	}
	if err != nil {
		end(err)
		return nil, err
	}
	return tracedUntil(rows, end), nil
}

func (w watchedHandle) queryRow(ctx context.Context, query string, args []any) Row {
	end := w.begin(ctx, query, false)
	row := w.handle.queryRow(ctx, query, args)
	if end == nil {
		return row
	}
	return TracedRow{Row: row, End: end}
}

func (w watchedHandle) exec(ctx context.Context, query string, args []any) (Result, error) {
	end := w.begin(ctx, query, false)
	res, err := w.handle.exec(ctx, query, args)
	if end != nil {
		end(err)
	}
	return res, err
}
