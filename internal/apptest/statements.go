package apptest

import (
	"context"
	"sync"

	"vitrine/internal/database/pipeline"
)

// watch passes the server's SQL statements on to whoever listens.
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

// Intercept calls fn before every SQL statement of the server, in the goroutine of
// its request, until the given function is called. What fn does to the request, such
// as panicking, happens in the midst of a use case.
func (r *Rig) Intercept(fn func(ctx context.Context, query string)) (end func()) {
	set := func(fn func(ctx context.Context, query string)) {
		r.watch.mu.Lock()
		defer r.watch.mu.Unlock()
		r.watch.listen = fn
	}
	set(fn)
	return func() { set(nil) }
}

// Statements gives the SQL statements that the server runs while do runs.
func (r *Rig) Statements(do func()) []string {
	seen, _ := r.RoundTrips(do)
	return seen
}

// RoundTrips gives the SQL statements that the server runs while do runs, and how often it waits
// for the database to answer them: once for those that it sends together, as it does on
// PostgreSQL. Beginning and ending a transaction are not counted.
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
