package dbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/database"
)

// prefix is the prefix of the names of all test databases. The creation time in hex and a random suffix
// follow.
const prefix = "vitrine_test_"

// leftAfter is the age after which a database must be left over from a killed test run. Templates are
// never dropped earlier, because no test is known to be the last one.
const leftAfter = time.Hour

// server is the PostgreSQL server of the environment, connected to its maintenance database. It stays
// open until the process ends.
type server struct {
	base *url.URL
	pool *pgxpool.Pool
}

// connect returns the server of this process.
var connect = sync.OnceValues(func() (*server, error) {
	base, err := url.Parse(os.Getenv(Env))
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL", Env)
	}
	config, err := pgxpool.ParseConfig(base.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Env, err)
	}
	config.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	s := &server{base: base, pool: pool}
	return s, s.sweep(context.Background())
})

// url returns the server's URL with another database.
func (s *server) url(name string) string {
	u := *s.base
	u.Path = "/" + name
	return u.String()
}

// create creates a database as a copy of template.
func (s *server) create(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s%x_%s", prefix, time.Now().Unix(), strings.ToLower(rand.Text()[:12]))
	var version int
	if err := s.pool.QueryRow(ctx, "SELECT CAST(current_setting('server_version_num') AS INTEGER)").Scan(&version); err != nil {
		return name, err
	}
	strategy := " STRATEGY FILE_COPY"
	if version < 150000 { // knows no other one
		strategy = ""
	}
	_, err := s.pool.Exec(ctx, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(template)+strategy)
	return name, err
}

func (s *server) drop(ctx context.Context, name string) error {
	_, err := s.pool.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
	return err
}

// prepare creates a template and disallows connections to it, because they would prevent copying it.
func (s *server) prepare(ctx context.Context, fill func(o database.Options) error) (string, error) {
	name, err := s.create(ctx, "template0")
	if err != nil {
		return "", err
	}
	if err := fill(options(s.url(name))); err != nil {
		return "", errors.Join(err, s.drop(ctx, name))
	}
	_, err = s.pool.Exec(ctx, "ALTER DATABASE "+quote(name)+" WITH ALLOW_CONNECTIONS false")
	return name, err
}

// sweep drops the leftovers of earlier runs.
func (s *server) sweep(ctx context.Context) error {
	rows, err := s.pool.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", prefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		stamp, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
		made, err := strconv.ParseInt(stamp, 16, 64)
		if err != nil || time.Since(time.Unix(made, 0)) < leftAfter {
			continue
		}
		// Another process may be sweeping too. A database that remains is dropped by a later run.
		_ = s.drop(ctx, name)
	}
	return nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
