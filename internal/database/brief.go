package database

import "context"

// brief is the context of one statement that ends by itself. It can be cancelled while
// the statement waits for a connection, and not while SQLite runs it.
type brief struct {
	context.Context
	running bool
}

// Brief gives the context for one statement that reads some rows by keys or along an
// index, a page at most, and so ends in far less time than anybody would wait: there
// is nothing to interrupt. On SQLite, where database/sql and the driver each start a
// goroutine for a statement that can be cancelled, this halves what such a statement
// costs. PostgreSQL, which a network may keep from answering, is not concerned.
func Brief(ctx context.Context) context.Context { return &brief{Context: ctx} }

// Done implements context.Context.
func (b *brief) Done() <-chan struct{} {
	if b.running {
		return nil
	}
	return b.Context.Done()
}

// begin tells a brief context that its statement runs from now on, unless it is done.
func begin(ctx context.Context) error {
	b, ok := ctx.(*brief)
	if !ok {
		return nil
	}
	b.running = true
	return b.Err()
}
