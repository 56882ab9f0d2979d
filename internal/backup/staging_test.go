package backup

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// The server keeps the lock of a restore that was killed until it notices. The next restore waits for it, but not
// for a restore that goes on.
func TestRestoresExcludeEachOther(t *testing.T) {
	t.Parallel()
	o := database.Options{URL: dbtest.PostgresURL(t)}
	other, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(t.Context()) }()
	if err := lockRestores(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStaged(t.Context(), o, ""); !errors.Is(err, database.ErrInUse) {
		t.Errorf("while another restore runs: error %v", err)
	}

	opened := make(chan error, 1)
	go func() {
		staged, err := OpenStaged(t.Context(), o, "")
		if err == nil {
			err = staged.Drop(t.Context())
		}
		opened <- err
	}()
	for waits := false; !waits; {
		err := other.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database"+
			" WHERE locktype = 'advisory' AND NOT granted AND datname = current_database())").Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if err := other.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}
