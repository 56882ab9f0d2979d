package database_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/database/postgres"
	"vitrine/internal/domain"
)

func TestOutagesAreUnavailable(t *testing.T) {
	t.Parallel()
	state := func(code string) error { return fmt.Errorf("query: %w", &pgconn.PgError{Code: code}) }
	tests := map[string]struct {
		err  error
		want domain.Kind
	}{
		"shut down":           {state("57P01"), domain.Unavailable},
		"crashed":             {state("57P02"), domain.Unavailable},
		"starting":            {state("57P03"), domain.Unavailable},
		"disk full":           {state("53100"), domain.Unavailable},
		"connections":         {state("53300"), domain.Unavailable},
		"connection lost":     {state("08006"), domain.Unavailable},
		"disk broken":         {state("58030"), domain.Unavailable},
		"standby":             {state("25006"), domain.Unavailable},
		"on one server alone": {postgres.ErrUnconfirmed, domain.Unavailable},
		"refused":             {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, domain.Unavailable},
		"ended":               {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), domain.Unavailable},
		"cancelled there":     {state("57014"), domain.Internal},
		"a defect":            {state("42601"), domain.Internal},
		"unique":              {state("23505"), domain.Internal},
		"no rows":             {sql.ErrNoRows, domain.Internal},
		"of ours":             {domain.NewNotFound(), domain.NotFound},
		"none of a driver":    {errors.New("no"), domain.Internal},
		"once is enough":      {domain.NewUnavailable(io.EOF), domain.Unavailable},
		"deadlocked for ever": {state("40P01"), domain.Unavailable},
	}
	for name, test := range tests {
		got := database.Classify(t.Context(), test.err)
		if kind := domain.KindOf(got); kind != test.want || !errors.Is(got, test.err) {
			t.Errorf("%s: kind %d, want %d (%v)", name, kind, test.want, got)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := database.Classify(ended, state("57P01")); domain.KindOf(got) != domain.Internal || !errors.Is(got, context.Canceled) {
		t.Errorf("when the caller has gone: %v", got)
	}
}

func TestClosedIsUnavailable(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		nothing := func(*database.Tx) error { return nil }
		var n int
		for name, err := range map[string]error{
			"write": db.Transact(t.Context(), nothing),
			"view":  db.View(t.Context(), func(database.Querier) error { return nil }),
			"read":  db.Reader().QueryRow(t.Context(), "SELECT 1").Scan(&n),
			"ping":  db.Ping(t.Context()),
		} {
			if domain.KindOf(err) != domain.Unavailable {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// On a full disk a write fails as unavailable and changes nothing. Reads still work, and writes work
// again when there is space.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Options{URL: t.TempDir() + "/full.db"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	write := func(statement string, args ...any) error {
		return db.Transact(t.Context(), func(tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), statement, args...)
			return err
		})
	}
	room := func(pages int) {
		t.Helper()
		if _, err := db.SQL().ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	if err := write("CREATE TABLE notes (text TEXT)"); err != nil {
		t.Fatal(err)
	}
	room(3)
	long := strings.Repeat("x", 1<<20)
	for range 2 {
		if err := write("INSERT INTO notes VALUES ($1)", long); domain.KindOf(err) != domain.Unavailable {
			t.Errorf("a write: %v", err)
		}
	}
	var n int
	if err := db.Reader().QueryRow(t.Context(), "SELECT count(*) FROM notes").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows, %v", n, err)
	}
	room(1_000_000)
	if err := write("INSERT INTO notes VALUES ($1)", long); err != nil {
		t.Errorf("with room: %v", err)
	}
}
