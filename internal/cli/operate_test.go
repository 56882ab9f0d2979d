package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/server"
)

// database returns the options to open the place's database.
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
		if r := p.run("migrate").ok(); !regexp.MustCompile(`^The database schema is at version \d+ and supports programs from version \d+ on\.\n$`).MatchString(r.out) {
			t.Errorf("%q", r.out)
		}
	}
	file := filepath.Join(p.flags[1], "vitrine.db")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// A migration that would break a running program is refused with the program's name, unless forced.
func TestMigrateLeavesBehind(t *testing.T) {
	t.Parallel()
	url := dbtest.PostgresURL(t)
	old, err := database.Open(t.Context(), database.Options{URL: url, Program: "vitrine/1 old"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	first := fstest.MapFS{"00001_first.sql": {Data: []byte("-- +goose Up\n-- serves: 1\nCREATE TABLE first (id BIGINT);\n")}}
	if _, err := old.Migrate(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	p := place{t, []string{"--database-url", url, "--data-dir", t.TempDir()}}
	if r := p.run("migrate"); r.code != 1 || !strings.Contains(r.err, "older ones are still running: vitrine/1 old") || !strings.Contains(r.err, "--force") {
		t.Errorf("exit code %d\n%s", r.code, r.err)
	}
	if s, err := old.Served(t.Context()); err != nil || s.Version != 1 {
		t.Errorf("at %d, %v", s.Version, err)
	}
	// The forced migration fails later, because only that table exists.
	if r := p.run("migrate", "--force"); r.code != 1 || strings.Contains(r.err, "still running") {
		t.Errorf("exit code %d\n%s", r.code, r.err)
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
		p.exec("INSERT INTO schema_versions (version_id, is_applied, serves) VALUES (9999, TRUE, 9999)")
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
		if r := p.run("check").ok(); r.out != "All derived values are correct.\n" {
			t.Errorf("%q", r.out)
		}
		if r := p.run("check").ok(); r.err != "" {
			t.Errorf("a check that finds nothing says %q", r.err)
		}
		if r := p.run("check", "--verbose").ok(); strings.Count(r.err, ": 0 differ (") < 50 {
			t.Errorf("%q", r.err)
		}
		var found struct{ Differences []string }
		if p.run("check", "--json").json(&found); found.Differences == nil || len(found.Differences) != 0 {
			t.Errorf("%v", found)
		}
		p.exec("UPDATE users SET open_channels = 7")
		const complaint = "vitrine: the database contains wrong derived values\n"
		if r := p.run("check"); r.code != 1 || r.out != "users.open_channels of 1: stored 7, actual 0\n" || !strings.HasSuffix(r.err, "\n"+complaint) ||
			!strings.Contains(r.err, ": users.open_channels: 1 differs (") {
			t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
		}
		r := p.run("check", "--json")
		if r.code != 1 || !strings.Contains(r.out, `"users.open_channels of 1: stored 7, actual 0"`) || !strings.HasSuffix(r.err, "\n"+complaint) {
			t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
		}
		if r := p.run("check", "--repair").ok(); r.out != "1 row was repaired.\nAll derived values are correct.\n" {
			t.Errorf("%q", r.out)
		}
		p.run("check").ok()
		p.exec("UPDATE users SET slug = 'other'") // not a derived value
		if r := p.run("check", "--repair"); r.code != 1 || !strings.HasPrefix(r.out, "users.slug without its claim of 1") {
			t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
		}
		p.run("check", "--quick").fails(2, "--quick: requires --files")
	})
}

// Commands work on the database of a running server, which applies their changes immediately.
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
		p.operator()
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

// The healthcheck reaches a server on a Unix socket, and one with a path in its public address.
func TestHealthcheckOverSocket(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.BaseURL, c.SiteURL = apptest.Base+"/vitrine", apptest.Base+"/vitrine" })
	dir, err := os.MkdirTemp("", "v") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	addr := "unix:" + filepath.Join(dir, "s")
	if h := run(t, "healthcheck", "--addr", addr); h.code != 1 || !strings.Contains(h.err, "no such file") {
		t.Errorf("without a server: exit code %d, %s", h.code, h.err)
	}
	l, err := server.Listen("addr", addr, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.S.Start(l); err != nil {
		t.Fatal(err)
	}
	if h := run(t, "healthcheck", "--addr", addr).ok(); h.out != "ready\n" {
		t.Errorf("%q", h.out)
	}
	if h := run(t, "healthcheck", "--addr", addr, "--base-url", apptest.Base+"/vitrine").ok(); h.out != "ready\n" {
		t.Errorf("%q", h.out)
	}
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
	// A server without a usable database is not healthy.
	rig := apptest.New(t)
	addr = rig.Listen()
	rig.Exec("INSERT INTO schema_versions (version_id, is_applied, serves) VALUES ($1, TRUE, $1)", 9999)
	r = run(t, "healthcheck", "--addr", addr)
	r.fails(1, "the server responded 503 Service Unavailable")
}

// `check --files` compares stored files with the database while a server runs.
func TestCheckFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("migrate").ok()
		data := p.flags[len(p.flags)-1]
		r := apptest.Boot(t, p.database(), func(c *config.Config) { c.DataDir = data })
		if r := p.run("check", "--files").ok(); !strings.HasSuffix(r.out, "All stored files exist, and there are no others.\n") {
			t.Errorf("%q", r.out)
		}
		r.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 50, 40)))
		r.Web("example.com/b.png", apptest.Serve("image/png", apptest.PNG(t, 60, 40)))
		channel := r.Channel("ada", "Pictures", "closed")
		r.Block("ada", "https://example.com/a.png", channel)
		r.Block("ada", "https://example.com/b.png", channel)
		r.WorkJobs()
		p.run("check", "--files").ok()

		stored, err := filepath.Glob(data + "/files/originals/*/*")
		if err != nil || len(stored) != 2 {
			t.Fatalf("%q, %v", stored, err)
		}
		name := func(i int) string { return strings.TrimPrefix(stored[i], data+"/files/") }
		whole, err := os.ReadFile(stored[0])
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(err)
		finds := func(lines ...string) {
			t.Helper()
			r := p.run("check", "--files")
			got := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
			slices.Sort(got)
			slices.Sort(lines)
			if r.code != 1 || !slices.Equal(got, lines) || !strings.Contains(r.err, "the stored files and the database do not agree: ") {
				t.Errorf("exit code %d, found %q, want %q\n%s", r.code, got, lines, r.err)
			}
		}
		other := slices.Clone(whole)
		other[len(other)-1] ^= 1
		must(os.WriteFile(stored[0], other, 0o600))
		p.run("check", "--files", "--quick").ok() // sizes are unchanged
		sum := sha256.Sum256(other)
		finds(name(0) + ": has other content: its SHA-256 is " + hex.EncodeToString(sum[:]))
		must(os.WriteFile(stored[0], whole[1:], 0o600))
		must(os.Remove(stored[1]))
		must(os.WriteFile(data+"/files/originals/stray", nil, 0o600))
		must(os.MkdirAll(data+"/files/versions/aa/stray", 0o700))
		must(os.WriteFile(data+"/files/versions/aa/stray/small.jpg", nil, 0o600))
		size := len(whole)
		finds(fmt.Sprintf("%s: has %d bytes, not %d", name(0), size-1, size), name(1)+": is missing",
			"originals/stray: belongs to nothing in the database", "versions/aa/stray/small.jpg: belongs to nothing in the database")
		var found struct {
			Files []struct{ Object, Why string }
		}
		if r := p.run("check", "--files", "--quick", "--json"); r.code != 1 || json.Unmarshal([]byte(r.out), &found) != nil || len(found.Files) != 4 {
			t.Errorf("exit code %d\n%s", r.code, r.out)
		}
	})
}
