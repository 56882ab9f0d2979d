package database

import "context"

// uninterruptible is the context of one statement that ends by itself. It can be cancelled while
// the statement waits for a connection, and not while SQLite runs it.
type uninterruptible struct {
	context.Context
	running bool
}

// Uninterruptible gives the context for one statement that reads some rows by keys or along an
// index, a page at most, and so ends in far less time than anybody would wait: there
// is nothing to interrupt. On SQLite, where database/sql and the driver each start a
// goroutine for a statement that can be cancelled, this halves what such a statement
// costs. PostgreSQL, which a network may keep from answering, is not concerned.
func Uninterruptible(ctx context.Context) context.Context { return &uninterruptible{Context: ctx} }

// Done implements context.Context.
func (u *uninterruptible) Done() <-chan struct{} {
	if u.running {
		return nil
	}
	return u.Context.Done()
}

// begin tells an uninterruptible context that its statement runs from now on, unless it is done.
func begin(ctx context.Context) error {
	u, ok := ctx.(*uninterruptible)
	if !ok {
		return nil
	}
	u.running = true
	return u.Err()
}
