package apptest

import (
	"context"
	"sync"

	"vitrine/internal/database/pipeline"
)

// watch reports the server's SQL statements to a listener.
type watch struct {
	mu     sync.Mutex
	listen func(ctx context.Context, query string)
}

func (w *watch) observe(ctx context.Context, query string) {
	w.mu.Lock()
	listen := w.listen
	w.mu.Unlock()
	if listen != nil {
		listen(ctx, query)
	}
}

// Intercept calls fn before every SQL statement of the server, in the goroutine of its request,
// until end is called. fn may interrupt a use case, such as by panicking.
func (r *Rig) Intercept(fn func(ctx context.Context, query string)) (end func()) {
	set := func(fn func(ctx context.Context, query string)) {
		r.watch.mu.Lock()
		defer r.watch.mu.Unlock()
		r.watch.listen = fn
	}
	set(fn)
	return func() { set(nil) }
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
	end := r.Intercept(func(ctx context.Context, query string) {
		mu.Lock()
		defer mu.Unlock()
		statements = append(statements, query)
		if !pipeline.Joined(ctx) {
			trips++
		}
	})
	defer end()
	do()
	mu.Lock()
	defer mu.Unlock()
	return statements, trips
}
