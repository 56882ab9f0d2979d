// Package dbtest creates temporary databases for tests: SQLite files, and PostgreSQL databases that are
// dropped when the test ends.
//
// PostgreSQL tests need the environment variable VITRINE_TEST_POSTGRES with the URL of a server that
// allows creating databases. Without it they are skipped, or fail if VITRINE_TEST_REQUIRE_POSTGRES is set.
package dbtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"vitrine/internal/database"
)

// Env is the environment variable with the URL of the PostgreSQL server.
const Env = "VITRINE_TEST_POSTGRES"

// RequireEnv is the environment variable that, if not empty, makes tests fail instead of skipping them
// when there is no server.
const RequireEnv = "VITRINE_TEST_REQUIRE_POSTGRES"

// OnlyEnv is the environment variable that restricts Each to one database, "sqlite" or "postgres".
const OnlyEnv = "VITRINE_TEST_ONLY"

// testConns keeps many parallel tests within the default limit of a hundred server connections.
const testConns = 5

// Each runs f in parallel subtests "sqlite" and "postgres", each with its own empty database.
func Each(t *testing.T, f func(t *testing.T, o database.Options)) {
	t.Helper()
	new(Template).Each(t, f)
}

// SQLitePath returns the path of an SQLite file that does not exist yet.
func SQLitePath(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "vitrine.db")
}

// PostgresURL returns the URL of an empty PostgreSQL database, or skips the test.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return new(Template).PostgresURL(t)
}

// Template is a prepared database that is copied for each test, so that a test run builds a schema only
// once per dialect. Create one with NewTemplate.
type Template struct {
	prepare  func(o database.Options) error
	sqlite   once
	postgres once
}

// NewTemplate returns a template that prepare fills. prepare opens the database, fills it and closes it.
func NewTemplate(prepare func(o database.Options) error) *Template {
	return &Template{prepare: prepare}
}

// once holds the result of a preparation: the content of a file or the name of a database.
type once struct {
	sync.Once
	value string
	err   error
}

// Each is like the function Each, but uses copies of the template.
func (tp *Template) Each(t *testing.T, f func(t *testing.T, o database.Options)) {
	t.Helper()
	databases := map[string]func(testing.TB) database.Options{"sqlite": tp.SQLite, "postgres": tp.Postgres}
	only := os.Getenv(OnlyEnv)
	if only != "" && databases[only] == nil {
		t.Fatalf("dbtest: %s names no database: %q", OnlyEnv, only)
	}
	for name, open := range databases {
		if only != "" && only != name {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t))
		})
	}
}

// SQLite returns options for an SQLite copy that is fast but not durable.
func (tp *Template) SQLite(t testing.TB) database.Options {
	t.Helper()
	return options(tp.SQLitePath(t))
}

// Postgres returns options for a PostgreSQL copy, or skips the test.
func (tp *Template) Postgres(t testing.TB) database.Options {
	t.Helper()
	o := options(tp.PostgresURL(t))
	if os.Getenv(PoolerEnv) != "" {
		through(t, &o)
	}
	return o
}

func options(url string) database.Options {
	return database.Options{URL: url, Synchronous: "OFF", MaxConns: testConns}
}

// SQLitePath returns the path of an SQLite copy.
func (tp *Template) SQLitePath(t testing.TB) string {
	t.Helper()
	path := SQLitePath(t)
	if tp.prepare == nil {
		return path
	}
	tp.sqlite.Do(func() { tp.sqlite.value, tp.sqlite.err = prepareFile(tp.prepare) })
	if tp.sqlite.err != nil {
		t.Fatalf("dbtest: prepare the SQLite template: %v", tp.sqlite.err)
	}
	if err := os.WriteFile(path, []byte(tp.sqlite.value), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// prepareFile returns the content of a prepared SQLite file.
func prepareFile(prepare func(o database.Options) error) (content string, err error) {
	dir, err := os.MkdirTemp("", "vitrine-template-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "template.db")
	if err := prepare(options(path)); err != nil {
		return "", err
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		return "", errors.New("prepare has left the database open")
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// PostgresURL returns the URL of a PostgreSQL copy, or skips the test.
func (tp *Template) PostgresURL(t testing.TB) string {
	t.Helper()
	if os.Getenv(Env) == "" {
		missing(t)
	}
	s, err := connect()
	if err != nil {
		t.Fatalf("dbtest: %v", err)
	}
	ctx := context.Background()
	template := "template0"
	if tp.prepare != nil {
		tp.postgres.Do(func() { tp.postgres.value, tp.postgres.err = s.prepare(ctx, tp.prepare) })
		if tp.postgres.err != nil {
			t.Fatalf("dbtest: prepare the PostgreSQL template: %v", tp.postgres.err)
		}
		template = tp.postgres.value
	}
	name, err := s.create(ctx, template)
	if err != nil {
		t.Fatalf("dbtest: %v", err)
	}
	t.Cleanup(func() {
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("dbtest: %v", err)
		}
	})
	return s.url(name)
}

// missing skips or fails a test that has no server.
func missing(t testing.TB) {
	t.Helper()
	end := t.Skipf
	if os.Getenv(RequireEnv) != "" {
		end = t.Fatalf
	}
	end("no PostgreSQL to test on: %s holds no server's URL", Env)
}
