package cli_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// database is where the place's database is.
func (p place) database() database.Options {
	if p.flags[0] == "--database-url" {
		return database.Options{URL: p.flags[1]}
	}
	return database.Options{URL: filepath.Join(p.flags[1], "vitrine.db")}
}

// exec changes the place's database.
func (p place) exec(query string) {
	p.t.Helper()
	db, err := database.Open(p.t.Context(), p.database())
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	err = db.Transact(p.t.Context(), func(tx *database.Tx) error {
		_, err := tx.Exec(p.t.Context(), query)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func TestMigrateSQLite(t *testing.T) {
	t.Parallel()
	p := folder(t)
	for range 2 {
		if r := p.run("migrate").ok(); r.out != "The database has the schema of this program.\n" {
			t.Errorf("%q", r.out)
		}
	}
	file := filepath.Join(p.flags[1], "vitrine.db")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// A PostgreSQL database is migrated by `migrate` and by nothing else.
func TestMigratePostgres(t *testing.T) {
	t.Parallel()
	p := place{t, []string{"--database-url", dbtest.PostgresURL(t), "--data-dir", t.TempDir()}}
	for _, args := range [][]string{{"user", "list"}, {"check"}, {"token", "list", "--user", "ada"}, {"serve", "--addr", "127.0.0.1:0"}, {"work"}, {"jobs"}} {
		r := p.run(args...)
		if r.code != 1 || !strings.Contains(r.err, "the database is older than this program") || !strings.Contains(r.err, "vitrine migrate") ||
			strings.Count(r.err, "\n") != 1 {
			t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
	p.run("migrate").ok()
	p.ada()
	p.run("check").ok()
}

// No command touches a database that a newer program has migrated.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		p.exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)")
		for _, args := range [][]string{{"user", "list"}, {"check"}, {"migrate"}, {"serve", "--addr", "127.0.0.1:0"}, {"work"}, {"jobs"}} {
			if r := p.run(args...); r.code != 1 || !strings.Contains(r.err, "newer than this program") {
				t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.out, r.err)
			}
		}
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		if r := p.run("check").ok(); r.out != "Every derived value is right.\n" {
			t.Errorf("%q", r.out)
		}
		var found struct{ Differences []string }
		if p.run("check", "--json").json(&found); found.Differences == nil || len(found.Differences) != 0 {
			t.Errorf("%v", found)
		}
		p.exec("UPDATE users SET open_channels = 7")
		const complaint = "vitrine: the database holds derived values that do not follow from its facts\n"
		if r := p.run("check"); r.code != 1 || r.out != "users.open_channels of 1: stored 7, actual 0\n" || r.err != complaint {
			t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
		}
		r := p.run("check", "--json")
		if r.code != 1 || !strings.Contains(r.out, `"users.open_channels of 1: stored 7, actual 0"`) || r.err != complaint {
			t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
		}
	})
}

// The commands work on the database of a server that runs, and it heeds them at once.
func TestCommandsBesideAServer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("migrate").ok()
		r := apptest.Boot(t, p.database())
		addr := r.Listen()
		p.ada()
		secret := strings.TrimSpace(p.run("token", "create", "--user", "ada", "--scope", "write").ok().out)
		ask := func() int {
			return r.Do("", "POST", "/v3/channels", `{"title":"x"}`, "Authorization", "Bearer "+secret).Status
		}
		if status := ask(); status != 201 {
			t.Errorf("status %d with a token that was just made", status)
		}
		p.run("user", "suspend", "ada").ok()
		if status := ask(); status != 401 {
			t.Errorf("status %d of a suspended user", status)
		}
		p.run("user", "suspend", "ada", "--undo").ok()
		if status := ask(); status != 201 {
			t.Errorf("status %d after the suspension", status)
		}
		p.run("token", "revoke", "1").ok()
		if status := ask(); status != 401 {
			t.Errorf("status %d with a revoked token", status)
		}
		if h := run(t, "healthcheck", "--addr", addr).ok(); h.out != "ready\n" {
			t.Errorf("%q", h.out)
		}
		p.run("check").ok()
	})
}

func TestHealthcheckOfNothing(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	r := run(t, "healthcheck", "--addr", addr)
	if r.code != 1 || !strings.Contains(r.err, "connection refused") || r.out != "" {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	// A server whose database is gone is not healthy.
	rig := apptest.New(t)
	addr = rig.Listen()
	rig.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, TRUE)", 9999)
	r = run(t, "healthcheck", "--addr", addr)
	r.fails(1, "the server answers 503 Service Unavailable")
}
