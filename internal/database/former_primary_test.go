package database_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// No writes go to a former primary after another server was promoted, although it is reachable, believes
// to be the primary and is listed first. This holds for open connections and for new programs.
func TestFormerPrimaryIsLeft(t *testing.T) {
	t.Parallel()
	pair := dbtest.NewPair(t)
	pair.Exec(dbtest.Primary, "CREATE DATABASE former")
	pair.Catch()
	u, err := url.Parse(pair.URL(dbtest.Primary, "former"))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	folder := query.Get("host")
	query.Set("host", folder+","+folder)
	query.Set("port", "5432,5433")
	query.Set("target_session_attrs", "read-write")
	u.RawQuery = query.Encode()
	opened := func() *database.DB { return open(t, database.Options{URL: u.String()}) }

	db := opened()
	port := func(db *database.DB) (port string, err error) {
		err = db.Reader().QueryRow(t.Context(), "SELECT current_setting('port')").Scan(&port)
		return port, err
	}
	if at, err := port(db); err != nil || at != "5432" {
		t.Fatalf("the first server that takes writes is at %s (%v)", at, err)
	}
	exec(t, db, "CREATE TABLE t (n INTEGER)")
	pair.Catch()
	pair.Exec(dbtest.Primary, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	pair.Exec(dbtest.Primary, "SELECT pg_reload_conf()")
	waiting := make(chan error, 1) // a write that the former primary will not acknowledge
	go func() {
		waiting <- db.Transact(t.Context(), func(tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO t VALUES (1)")
			return err
		})
	}()
	pair.Promote()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for at := ""; at != "5433"; {
		if ctx.Err() != nil {
			t.Fatalf("the program still asks the server at %s", at)
		}
		at, _ = port(db) // fails when the connection is closed
	}
	select {
	case <-waiting:
	case <-ctx.Done():
		t.Error("a write still waits for the former primary")
	}
	if at, err := port(opened()); err != nil || at != "5433" {
		t.Errorf("a program that starts later asks the server at %s (%v)", at, err)
	}
}
