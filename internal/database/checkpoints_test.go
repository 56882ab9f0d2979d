package database_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

const page = 4096

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Checkpoints run concurrently with the writer. Under continuous writes the log is restarted regularly,
// unless a reader still needs it.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	path := dbtest.SQLitePath(t)
	db := open(t, database.Options{URL: path, Synchronous: "OFF"})
	exec(t, db, "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
	write := func(pages int) {
		for range pages / 100 {
			exec(t, db, "INSERT INTO notes (text) VALUES ('"+strings.Repeat("x", 100*page)+"')")
		}
	}
	write(2_000)
	for fileSize(t, path) < 1_000*page { // wait for the background checkpoint
		runtime.Gosched()
	}
	write(30_000)
	const most = 8_400 * page // 8,000 pages, and one transaction
	if size := fileSize(t, path+"-wal"); size > most {
		t.Errorf("the log has %d bytes, want %d at most", size, most)
	}
	before := fileSize(t, path+"-wal")
	err := db.View(t.Context(), func(q database.Querier) error {
		n := number(t, q, "SELECT count(*) FROM notes")
		write(12_000)
		if again := number(t, q, "SELECT count(*) FROM notes"); again != n {
			t.Errorf("a view sees %d rows, and then %d", n, again)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	grown := fileSize(t, path+"-wal")
	if grown < before+3_000*page {
		t.Errorf("the log has %d bytes while somebody reads it, and %d before", grown, before)
	}
	write(30_000)
	if size := fileSize(t, path+"-wal"); size > grown+2_000*page {
		t.Errorf("the log has grown on, from %d to %d bytes", grown, size)
	}
}
