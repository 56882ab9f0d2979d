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

// Views of SQLite go in the order in which they came, though there are more of them than
// connections, and leave a connection to statements that stand alone. No other test runs beside this
// one, whose views would be counted among those that wait.
func TestViewsGoInOrder(t *testing.T) {
	db := open(t, database.Options{URL: dbtest.SQLitePath(t), MaxConns: 2})
	exec(t, db, "CREATE TABLE items (id INTEGER PRIMARY KEY)")
	begun, end := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	var order []int
	view := func(i int, wait bool) {
		if err := db.View(t.Context(), func(q database.Querier) error {
			order = append(order, i) // one view at a time
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
		for late := time.Now().Add(time.Minute); waitingViews() < i; time.Sleep(time.Millisecond) { // has not come
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

// waitingViews is how many goroutines wait for their place.
func waitingViews() (n int) {
	text := make([]byte, 8<<20)
	for _, g := range strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n") {
		state, calls, _ := strings.Cut(g, "\n")
		if frame, _, _ := strings.Cut(calls, "\n"); strings.Contains(state, "[select") && strings.Contains(frame, "placeOfView") {
			n++
		}
	}
	return n
}
