package database

import (
	"context"

	"vitrine/internal/database/lite"
)

// Uninterruptible gives the context for one statement that reads some rows by keys or
// along an index, a page at most, and so ends in far less time than anybody would wait:
// there is nothing to interrupt. The end of ctx ends the wait for a connection, and keeps
// the statement from beginning. On SQLite, where somebody has to watch a context for a
// statement that can be interrupted, such a statement costs less, unless it runs in a
// View or a Transact of the same context, which is watched once for all. PostgreSQL, which
// a network may keep from answering, is not concerned.
func Uninterruptible(ctx context.Context) context.Context { return lite.Uninterruptible{Context: ctx} }
