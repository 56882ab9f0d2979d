package database_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// Views of SQLite go in the order in which they came, though there are more of them than
// connections, and leave a connection to statements that stand alone.
func TestViewsGoInOrder(t *testing.T) {
	t.Parallel()
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
		time.Sleep(5 * time.Millisecond) // has come
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
