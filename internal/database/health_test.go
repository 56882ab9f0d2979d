package database_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// serverOfVersion starts a server that says its version, and answers nothing but empty statements.
func serverOfVersion(t *testing.T, version string) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				b := pgproto3.NewBackend(conn, conn)
				if _, err := b.ReceiveStartupMessage(); err != nil {
					return
				}
				b.Send(&pgproto3.AuthenticationOk{})
				b.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: version})
				b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				for b.Flush() == nil {
					m, err := b.Receive()
					if err != nil {
						return
					}
					if _, ok := m.(*pgproto3.Query); ok {
						b.Send(&pgproto3.EmptyQueryResponse{})
						b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
					}
				}
			}()
		}
	}()
	return "postgres://postgres@" + l.Addr().String() + "/postgres?sslmode=disable"
}

// A server that is too old is refused with its version and the required one.
func TestOldPostgres(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"12.22 (Debian 12.22-1.pgdg120+1)": "PostgreSQL 12.22 (Debian 12.22-1.pgdg120+1) is too old: version 13 or later is required",
		"9.6.24":                           "PostgreSQL 9.6.24 is too old",
		"13.0":                             "", "13beta1": "", "18.4": "", "19devel": "", "": "", "CockroachDB": "",
	} {
		db, err := database.Open(t.Context(), database.Options{URL: serverOfVersion(t, version)})
		if err == nil {
			_ = db.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", version, err, want)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		h, err := db.Health(t.Context())
		if err != nil || h.Version == "" || len(h.Collations) > 0 || db.Dialect() == database.Postgres && (h.Encoding != "UTF8" || h.Clock.IsZero()) {
			t.Errorf("%+v, %v", h, err)
		}
		if faults, err := db.QuickCheck(t.Context()); err != nil || len(faults) > 0 {
			t.Errorf("faults %q, %v", faults, err)
		}
	})
}

// A damaged page of a file is found.
func TestQuickCheck(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "v.db")
	db := open(t, database.Options{URL: path})
	migrate(t, db, files(createItems))
	exec(t, db, "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO items SELECT i, 'a name ' || i FROM n")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(content[len(content)-4096:], strings.Repeat("x", 64))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if faults, err := open(t, database.Options{URL: path}).QuickCheck(t.Context()); err == nil && len(faults) == 0 {
		t.Error("a damaged file is intact")
	}
}
