package database_test

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// dead returns the names that db considers dead.
func dead(t *testing.T, db *database.DB, names ...string) []string {
	t.Helper()
	got, err := db.Dead(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A name is alive from Announce to Release for all observers, and leaves nothing behind.
func TestPresence(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		present(t, open(t, o), open(t, o))
	})
}

func present(t *testing.T, db, other *database.DB) {
	t.Helper()
	first, err := db.Announce(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := other.Announce(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Release()
	if first.Name() == second.Name() {
		t.Errorf("both are %s", first.Name())
	}
	for _, db := range []*database.DB{db, other} {
		if got := dead(t, db, first.Name(), second.Name(), "", "somebody", "vitrine/else"); len(got) != 0 {
			t.Errorf("dead are %q", got)
		}
	}
	for _, p := range []*database.Presence{first, second} {
		if err := p.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	first.Release()
	first.Release()
	for len(dead(t, other, first.Name())) == 0 { // PostgreSQL notices closed connections with a delay
	}
	if got := dead(t, db, second.Name()); len(got) != 0 {
		t.Errorf("dead are %q", got)
	}
	second.Release()
	if left, err := filepath.Glob(db.Path() + ".alive-*"); db.Path() != "" && (err != nil || len(left) > 0) {
		t.Errorf("left behind are %q, %v", left, err)
	}
}

// The lock file of a killed process is removed by the next one that starts, and the path to the database
// does not matter.
func TestPresenceFiles(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		if db.Dialect() != database.SQLite {
			t.Skip("has no files")
		}
		exec(t, db, "CREATE TABLE t (n INTEGER)")
		stale := db.Path() + ".alive-00000001"
		check(t, os.WriteFile(stale, nil, 0o600))
		link := filepath.Join(t.TempDir(), "link.db")
		check(t, os.Symlink(db.Path(), link))
		present(t, db, open(t, database.Options{URL: link, Synchronous: "OFF"}))
		if left, err := filepath.Glob(db.Path() + ".alive-*"); err != nil || len(left) > 0 {
			t.Errorf("left behind are %q, %v", left, err)
		}
	})
}

// Behind a pooler, which invents process ids for its clients, a transaction holds the lock, so that the
// pooler cannot assign the session to another client.
func TestPresenceBehindPooler(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		direct := open(t, o)
		if direct.Dialect() != database.Postgres {
			t.Skip("has no poolers")
		}
		o.URL, o.DirectURL = renumbering(t, cmp.Or(o.DirectURL, o.URL)), ""
		behind := open(t, o)
		const open = `SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
			WHERE locktype = 'advisory' AND datname = current_database() AND state = 'idle in transaction'
				AND backend_xmin IS NULL AND backend_xid IS NULL`
		for db, want := range map[*database.DB]int64{direct: 0, behind: 1} {
			p, err := db.Announce(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Check(t.Context()); err != nil {
				t.Error(err)
			}
			if got := number(t, direct.Reader(), open); got != want {
				t.Errorf("%d transactions hold a lock, want %d", got, want)
			}
			p.Release()
			for len(dead(t, direct, p.Name())) == 0 {
			}
		}
		present(t, behind, direct)
	})
}

// renumbering starts a proxy for a PostgreSQL server that changes the process ids that clients see.
func renumbering(t *testing.T, server string) (itsURL string) {
	t.Helper()
	config, err := pgx.ParseConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	network, address := pgxAddress(config)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			behind, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(behind, client); _ = behind.Close() }()
			go func() { renumber(client, behind); _ = client.Close() }()
		}
	}()
	u := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path: "/" + config.Database, RawQuery: "sslmode=disable"}
	return u.String()
}

func pgxAddress(config *pgx.ConnConfig) (network, address string) {
	if filepath.IsAbs(config.Host) {
		return "unix", filepath.Join(config.Host, ".s.PGSQL."+strconv.Itoa(int(config.Port)))
	}
	return "tcp", net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}

// renumber copies messages, and changes the process id in messages of type K.
func renumber(to io.Writer, from io.Reader) {
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(from, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		if head[0] == 'K' {
			binary.BigEndian.PutUint32(body, binary.BigEndian.Uint32(body)+1_000_000)
		}
		if _, err := to.Write(append(head, body...)); err != nil {
			return
		}
	}
}

// A process notices that its lock is gone.
func TestPresenceLost(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		p, err := db.Announce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer p.Release()
		if db.Dialect() == database.SQLite {
			files, err := filepath.Glob(db.Path() + ".alive-????????")
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			check(t, os.Remove(files[0]))
		} else {
			exec(t, db, "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
		}
		if err := p.Check(t.Context()); !errors.Is(err, database.ErrAbsent) {
			t.Errorf("got %v", err)
		}
		if got := dead(t, db, p.Name()); len(got) != 1 {
			t.Errorf("dead are %q", got)
		}
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
