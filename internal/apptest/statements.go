package apptest

import (
	"context"
	"sync"

	"vitrine/internal/database"
)

// watch reports the server's SQL statements to a listener.
type watch struct {
	mu     sync.Mutex
	listen database.Observer
}

func (w *watch) observe(ctx context.Context, query string, joined bool) {
	w.mu.Lock()
	listen := w.listen
	w.mu.Unlock()
	if listen != nil {
		listen(ctx, query, joined)
	}
}

// Intercept calls fn before every SQL statement of the server, in the goroutine of its request,
// until end is called. fn may interrupt a use case, such as by panicking.
func (r *Rig) Intercept(fn func(ctx context.Context, query string)) (end func()) {
	return r.watch.set(func(ctx context.Context, query string, _ bool) { fn(ctx, query) })
}

// set sets the listener until end is called.
func (w *watch) set(listen database.Observer) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listen = listen
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.listen = nil
	}
}

// Statements returns the SQL statements that the server runs during do.
func (r *Rig) Statements(do func()) []string {
	seen, _ := r.RoundTrips(do)
	return seen
}

// RoundTrips returns the SQL statements that the server runs during do, and how often it waits for
// the database: once for a pipeline of several statements on PostgreSQL. The begin and end of a
// transaction are not counted.
func (r *Rig) RoundTrips(do func()) (statements []string, trips int) {
	var mu sync.Mutex
	end := r.watch.set(func(_ context.Context, query string, joined bool) {
		mu.Lock()
		defer mu.Unlock()
		statements = append(statements, query)
		if !joined {
			trips++
		}
	})
	defer end()
	do()
	mu.Lock()
	defer mu.Unlock()
	return statements, trips
}
