package database_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// Views on SQLite are served in order of arrival even if there are more of them than connections, and
// leave one connection for single statements. This test is not parallel, because it counts all waiting
// views.
func TestViewsGoInOrder(t *testing.T) {
	db := open(t, database.Options{URL: dbtest.SQLitePath(t), MaxConns: 2})
	exec(t, db, "CREATE TABLE items (id INTEGER PRIMARY KEY)")
	begun, end := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	var order []int
	view := func(i int, wait bool) {
		if err := db.View(t.Context(), func(q database.Querier) error {
			order = append(order, i) // only one view runs at a time
			if wait {
				close(begun)
				<-end
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	group.Go(func() { view(0, true) })
	<-begun
	for i := 1; i <= 20; i++ {
		group.Go(func() { view(i, false) })
		for late := time.Now().Add(time.Minute); waitingViews() < i; time.Sleep(time.Millisecond) {
			if time.Now().After(late) {
				close(end)
				t.Fatalf("view %d does not wait for a place", i)
			}
		}
	}
	if n := number(t, db.Reader(), "SELECT count(*) FROM items"); n != 0 {
		t.Errorf("%d rows", n)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.View(gone, func(database.Querier) error { return nil }); err == nil {
		t.Error("a view began that nobody waits for")
	}
	close(end)
	group.Wait()
	for i, got := range order {
		if got != i {
			t.Fatalf("the order is %v", order)
		}
	}
}

// waitingViews returns the number of goroutines that wait to start a view.
func waitingViews() (n int) {
	text := make([]byte, 8<<20)
	for _, g := range strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n") {
		state, calls, _ := strings.Cut(g, "\n")
		if frame, _, _ := strings.Cut(calls, "\n"); strings.Contains(state, "[select") && strings.Contains(frame, "waitForView") {
			n++
		}
	}
	return n
}
