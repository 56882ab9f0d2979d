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
)

// migrationLock is the key of the advisory lock for migrations: "vitrine" in ASCII.
const migrationLock int64 = 0x76697472696e65

// A migration that changes a table waits until the table is unused, and all later statements on the
// table queue up behind the migration. A single report that reads for an hour would block all writers.
// So a migration waits only briefly for its locks, lets the others proceed, and retries after a pause.
const (
	lockWait             = 500 * time.Millisecond
	lockPause            = 2 * time.Second
	defaultLockRetryTime = 10 * time.Minute // total time of retries
)

// lockServer acquires a session-level advisory lock. It does not use goose's lock, which polls every few
// seconds instead of waiting.
func (db *DB) lockServer(ctx context.Context) (unlock func(), err error) {
	conn, err := pgx.ConnectConfig(ctx, db.Session()) // closing the connection releases the lock
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

// sessionForMigration returns a handle with a single session, so that SET has a lasting effect.
func (db *DB) sessionForMigration() *sql.DB {
	target := stdlib.OpenDB(*db.Session())
	target.SetMaxOpenConns(1)
	return target
}

// upPostgres applies pending migrations one after another.
func (m migrating) upPostgres(ctx context.Context, target *sql.DB, provider *goose.Provider) error {
	var since time.Time // when the pending migration first failed to get its locks
	for {
		err := m.next(ctx, target, provider)
		switch {
		case errors.Is(err, goose.ErrNoNextVersion):
			return nil
		case err == nil:
			since = time.Time{}
			continue
		case !IsLockTimeout(err) && !IsRetryable(err):
			return err
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > m.db.lockRetryTime:
			return fmt.Errorf("gave up after waiting %s for locks, and changed nothing: find the open transaction in pg_stat_activity, end it, and start the migration again: %w", m.db.lockRetryTime, err)
		}
		m.retrying(err)
		if pause := pauseFor(ctx, lockPause); pause != nil {
			return pause
		}
	}
}

// next applies the next migration, or returns goose.ErrNoNextVersion.
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
		if indexes, ok := m.concurrent[source.Version]; ok {
			wait = 0 // CONCURRENTLY blocks no one
			if err := dropInvalid(ctx, target, indexes); err != nil {
				return err
			}
		}
		break
	}
	if _, err := target.ExecContext(ctx, fmt.Sprintf("SET lock_timeout = %d", wait.Milliseconds())); err != nil {
		return err
	}
	result, err := provider.UpByOne(ctx)
	m.report(result)
	return err
}

// dropInvalid drops indexes whose concurrent creation did not finish. They slow down every write, no
// query uses them, and CREATE INDEX IF NOT EXISTS would keep them.
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

// IsLockTimeout reports whether a statement exceeded lock_timeout.
func IsLockTimeout(err error) bool { return hasCode(err, "55P03") }

// A migration without a transaction can stop halfway and then runs again from the start. So it may only
// contain statements that can be repeated: creating and dropping indexes.
var (
	noTransaction = regexp.MustCompile(`(?i)\+goose\s+NO\s+TRANSACTION`)
	makesIndex    = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS ([a-z0-9_]+) ON `)
	dropsIndex    = regexp.MustCompile(`^DROP INDEX CONCURRENTLY IF EXISTS [a-z0-9_]+$`)
	lineComment   = regexp.MustCompile(`(?m)--.*$`)
)

// concurrentIndexes finds the migrations that run without a transaction, and returns the indexes that each
// of them creates. It rejects migrations that contain anything else.
func concurrentIndexes(d Dialect, migrations fs.FS) (map[int64][]string, error) {
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
		if hasServesLine(text) { // fence.go requires a transaction
			return nil, fmt.Errorf("database: migration %s does not run in a transaction: put `-- serves:` into a separate file", name)
		}
		all[version] = []string{}
		for statement := range strings.SplitSeq(lineComment.ReplaceAllString(string(text), ""), ";") {
			statement = strings.Join(strings.Fields(statement), " ")
			if made := makesIndex.FindStringSubmatch(statement); made != nil {
				all[version] = append(all[version], made[1])
			} else if statement != "" && !dropsIndex.MatchString(statement) {
				return nil, fmt.Errorf("database: migration %s runs without a transaction, so it may only "+
					"CREATE INDEX CONCURRENTLY IF NOT EXISTS and DROP INDEX CONCURRENTLY IF EXISTS: %s", name, statement)
			}
		}
	}
	return all, nil
}
