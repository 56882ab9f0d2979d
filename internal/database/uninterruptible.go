package database

import "context"

// uninterruptible is the context of one statement that ends by itself. Until SQLite runs
// the statement it is the caller's context, which may end the wait for a connection. From
// then on it is detached: Done never fires, and so Err, Deadline and context.Cause report
// nothing either, as the contract of context.Context wants it. database/sql asks Done
// anew at each of the two stages; nothing holds the channel of the first past begin.
type uninterruptible struct{ context.Context }

// Uninterruptible gives the context for one statement that reads some rows by keys or
// along an index, a page at most, and so ends in far less time than anybody would wait:
// there is nothing to interrupt. On SQLite, where database/sql and the driver each start a
// goroutine for a statement that can be cancelled, this halves what such a statement
// costs. PostgreSQL, which a network may keep from answering, is not concerned.
func Uninterruptible(ctx context.Context) context.Context { return &uninterruptible{ctx} }

// begin detaches such a context, whose statement runs from now on, unless it is done.
func begin(ctx context.Context) error {
	u, ok := ctx.(*uninterruptible)
	if !ok {
		return nil
	}
	if err := u.Err(); err != nil {
		return err
	}
	u.Context = context.WithoutCancel(u.Context)
	return nil
}
