package database

import "context"

// brief is the context of one statement that ends by itself. Until SQLite runs the
// statement it is the caller's context, which may end the wait for a connection. From
// then on it is detached: Done never fires, and so Err, Deadline and context.Cause report
// nothing either, as the contract of context.Context wants it. database/sql asks Done
// anew at each of the two stages; nothing holds the channel of the first past begin.
type brief struct{ context.Context }

// Brief gives the context for one statement that reads some rows by keys or along an
// index, a page at most, and so ends in far less time than anybody would wait: there
// is nothing to interrupt. On SQLite, where database/sql and the driver each start a
// goroutine for a statement that can be cancelled, this halves what such a statement
// costs. PostgreSQL, which a network may keep from answering, is not concerned.
func Brief(ctx context.Context) context.Context { return &brief{ctx} }

// begin detaches a brief context, whose statement runs from now on, unless it is done.
func begin(ctx context.Context) error {
	b, ok := ctx.(*brief)
	if !ok {
		return nil
	}
	if err := b.Err(); err != nil {
		return err
	}
	b.Context = context.WithoutCancel(b.Context)
	return nil
}
