package database

import (
	"context"

	"vitrine/internal/database/lite"
)

// Uninterruptible returns a context for a single statement that reads a few rows by key or along an
// index, at most a page. It is too fast to be worth interrupting. When ctx ends, the wait for a
// connection ends and the statement does not start, but a running statement is not interrupted. That
// makes it cheaper on SQLite, where interrupting a statement requires watching its context, except in a
// View or Transact with the same context, which is already watched. It has no effect on PostgreSQL,
// where the network may delay any answer.
func Uninterruptible(ctx context.Context) context.Context { return lite.Uninterruptible{Context: ctx} }
