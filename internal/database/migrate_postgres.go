package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"vitrine/internal/database/schema"
)

// migrationLock is the number of PostgreSQL's advisory lock for migrations:
// "vitrine" in ASCII.
const migrationLock int64 = 0x76697472696e65

// A migration that changes a table waits until nobody uses it, and whoever comes after
// waits behind the migration: one report that reads for an hour would stop all writers.
// So a migration waits for a short time only, then lets the others through, and tries
// again after a pause.
const (
	lockWait        = 500 * time.Millisecond
	lockPause       = 2 * time.Second
	defaultGiveWays = 10 * time.Minute // and no longer
)

// lockServer takes an advisory lock that lives as long as its session. goose has
// such a lock too, but asks for it every few seconds instead of waiting.
func (db *DB) lockServer(ctx context.Context) (unlock func(), err error) {
	conn, err := pgx.ConnectConfig(ctx, db.Session()) // ending it gives the lock back whatever happens
	if err != nil {
		return nil, err
	}
	unlock = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// sessionForMigration gives a handle with one session, so that settings stay.
func (db *DB) sessionForMigration() *sql.DB {
	target := stdlib.OpenDB(*db.Session())
	target.SetMaxOpenConns(1)
	return target
}

// upPostgres applies what is missing, one migration after another.
func (m migrating) upPostgres(ctx context.Context, target *sql.DB, provider *goose.Provider) error {
	var since time.Time // when the migration that is next gave way for the first time
	for {
		err := m.next(ctx, target, provider)
		switch {
		case errors.Is(err, goose.ErrNoNextVersion):
			return nil
		case err == nil:
			since = time.Time{}
			continue
		case !isLockTimeout(err) && !IsRetryable(err):
			return err
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > m.db.giveWays:
			return fmt.Errorf("gave way to others for %s, and nothing of it is done: look in pg_stat_activity for what keeps a transaction open, and begin again: %w", m.db.giveWays, err)
		}
		m.gaveWay(err)
		if pause := pauseFor(ctx, lockPause); pause != nil {
			return pause
		}
	}
}

// next applies the next migration; goose.ErrNoNextVersion if there is none.
func (m migrating) next(ctx context.Context, target *sql.DB, provider *goose.Provider) error {
	current, err := provider.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	wait := lockWait
	for _, source := range provider.ListSources() {
		if source.Version <= current {
			continue
		}
		if indexes, ok := m.beside[source.Version]; ok {
			wait = 0 // nobody waits behind it
			if err := dropInvalid(ctx, target, indexes); err != nil {
				return err
			}
		}
		break
	}
	if _, err := target.ExecContext(ctx, fmt.Sprintf("SET lock_timeout = %d", wait.Milliseconds())); err != nil {
		return err
	}
	_, err = provider.UpByOne(ctx)
	return err
}

// dropInvalid drops those of some indexes that were begun beside writers and never
// finished: they cost every write and serve no read, and IF NOT EXISTS takes them for
// what is wanted.
func dropInvalid(ctx context.Context, target *sql.DB, indexes []string) error {
	if _, err := target.ExecContext(ctx, "SET lock_timeout = 0"); err != nil {
		return err
	}
	for _, name := range indexes {
		var invalid bool
		err := target.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			WHERE c.relname = $1 AND c.relnamespace = CAST(current_schema() AS REGNAMESPACE) AND NOT i.indisvalid)`, name).Scan(&invalid)
		if err == nil && invalid {
			_, err = target.ExecContext(ctx, "DROP INDEX CONCURRENTLY "+quote(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isLockTimeout reports whether a statement has waited for a lock for as long as it may.
func isLockTimeout(err error) bool { return hasCode(err, "55P03") }

// A migration without a transaction may end half way, and runs again as a whole. So all
// that it may do is what can be repeated: make and drop indexes.
var (
	noTransaction = regexp.MustCompile(`(?i)\+goose\s+NO\s+TRANSACTION`)
	makesIndex    = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS ([a-z0-9_]+) ON `)
	dropsIndex    = regexp.MustCompile(`^DROP INDEX CONCURRENTLY IF EXISTS [a-z0-9_]+$`)
	lineComment   = regexp.MustCompile(`(?m)--.*$`)
)

// besideWriters finds the migrations that run without a transaction, and gives the names of
// the indexes that each makes. It refuses those that do anything else.
func besideWriters(d Dialect, migrations fs.FS) (map[int64][]string, error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return nil, err
	}
	all := map[int64][]string{}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			return nil, err
		}
		if !noTransaction.Match(text) {
			continue
		}
		if d == SQLite {
			return nil, fmt.Errorf("database: migration %s must run in a transaction", name)
		}
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("database: migration %s: %w", name, err)
		}
		if schema.SaysServes(text) { // fence.go needs a transaction for it
			return nil, fmt.Errorf("database: migration %s does not run in a transaction: put `-- serves:` into a separate file", name)
		}
		all[version] = []string{}
		for statement := range strings.SplitSeq(lineComment.ReplaceAllString(string(text), ""), ";") {
			statement = strings.Join(strings.Fields(statement), " ")
			if made := makesIndex.FindStringSubmatch(statement); made != nil {
				all[version] = append(all[version], made[1])
			} else if statement != "" && !dropsIndex.MatchString(statement) {
				return nil, fmt.Errorf("database: migration %s runs in no transaction, and so may only "+
					"CREATE INDEX CONCURRENTLY IF NOT EXISTS and DROP INDEX CONCURRENTLY IF EXISTS: %s", name, statement)
			}
		}
	}
	return all, nil
}
