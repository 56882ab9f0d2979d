// Package database opens SQLite or PostgreSQL behind one small interface. It is independent of the
// schema and provides connection pools, transactions that are retried on conflicts, classified errors
// and a migration runner. Each statement is written once for both databases, with the placeholders
// $1, $2, …
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/postgres"
	"vitrine/internal/database/replica"
)

// Dialect identifies the kind of database behind a DB.
type Dialect int

// The supported dialects.
const (
	SQLite Dialect = iota
	Postgres
)

// String returns "sqlite" or "postgres".
func (d Dialect) String() string {
	switch d {
	case SQLite:
		return "sqlite"
	case Postgres:
		return "postgres"
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

// Options configure Open.
type Options struct {
	// URL is "postgres://…", "sqlite:/path/file.db", or the plain path of an
	// SQLite file. A missing file is created, including its folder.
	URL string

	// DirectURL is the address of PostgreSQL itself. It is required if URL points to a pooler in
	// transaction mode, such as PgBouncer. Work that needs a session uses DirectURL, and connections of
	// the pool then keep no session state.
	DirectURL string

	// Program is the application_name of PostgreSQL connections, usually from ProgramName, unless the
	// URL sets one. The default is "vitrine".
	Program string

	// Version is the version of the program, which is the number of its last migration. Write
	// transactions fail if the schema no longer supports it. 0 turns the check off, for programs that
	// create or migrate a schema.
	Version int64

	// ReadOnlyTable is a table that has a row with reason, since and until while write transactions fail (readonly.go). ""
	// for no such table, for programs that create or migrate a schema.
	ReadOnlyTable string

	// Synchronous is SQLite's synchronous setting. With "FULL", the default, commits survive a power
	// failure. With "NORMAL", the last commits may be lost, and with "OFF", which is for tests, the whole
	// file. It has no effect on PostgreSQL.
	Synchronous string

	// AnyDisk allows SQLite on network file systems, see CheckFileSystem.
	AnyDisk bool

	// MaxConns limits the pool. On SQLite it is the number of readers (default: twice GOMAXPROCS, at
	// least 4), on PostgreSQL the number of all connections (default: pool_max_conns of the URL, or else
	// four times GOMAXPROCS, at least 10; never less than 2).
	MaxConns int

	// Replicas are PostgreSQL standbys for read-only requests that may use them (see package reads).
	Replicas Replicas

	// Observe, if set, is called with every statement. Tests use it to count statements.
	Observe Observer

	// Trace, if set, is called at the start and end of statements and transactions.
	Trace Tracer

	dial func(pgconn.DialFunc) pgconn.DialFunc // wraps the dialer; set for replicas
}

// Readers returns the maximum number of concurrent read statements, which is the size of the pool.
func (db *DB) Readers() int {
	if db.dialect == Postgres {
		return int(db.pool.Config().MaxConns)
	}
	return db.readers.Size()
}

// GroupSize returns the maximum number of SQLite transactions that share a commit. It returns 0 on
// PostgreSQL, because most transactions use their own connection there.
func (db *DB) GroupSize() int {
	if db.dialect == Postgres {
		return 0
	}
	return db.groups.maxMembers
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	dialect Dialect
	handle  *sql.DB // for libraries; on PostgreSQL this package uses it too

	pool     pgxPool         // PostgreSQL
	replicas *replica.Set    // nil without replicas
	direct   *pgx.ConnConfig // bypasses the pooler; nil without one
	lines    []turns[group]  // for transactions that share a commit

	// SQLite
	writer      *lite.Pool    // the only connection that writes
	readers     *lite.Pool    // all other connections
	queue       turns[group]  // writers waiting for their turn
	views       chan struct{} // limits concurrent views, first come first served
	viewing     lite.Waits    // time spent waiting for views
	checkpoints *lite.Checkpoints
	path        string // of the database file
	synchronous string // as in Options

	groups        groups
	observe       Observer
	trace         Tracer
	retryTime     time.Duration // how long conflicts are retried
	lockRetryTime time.Duration // how long a migration retries to get its locks
	hasVersions   atomic.Bool   // versionTable is known to exist
	version       int64         // as in Options
	readOnlyTable string        // as in Options
	fit           fit
	close         func() error // idempotent
}

// ErrPooler reports that the server rejects session settings, as PgBouncer does, although Options has
// no DirectURL.
var ErrPooler = errors.New("the address is a connection pooler, which rejects session settings")

// Open opens the database and checks that it is reachable.
func Open(ctx context.Context, o Options) (*DB, error) {
	dialect, target, err := ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	db := &DB{dialect: dialect, observe: o.Observe, trace: o.Trace, version: o.Version, readOnlyTable: o.ReadOnlyTable, retryTime: defaultRetryTime, lockRetryTime: defaultLockRetryTime,
		groups: groups{maxMembers: groupMembers, maxTime: groupTime}}
	if dialect == Postgres {
		err = db.openPostgres(ctx, o)
	} else {
		err = db.openSQLite(ctx, target, o)
	}
	if err != nil {
		return nil, fmt.Errorf("database: open %s: %w", dialect, err)
	}
	err = db.ping(ctx)
	if err == nil && dialect == Postgres {
		err = db.requireVersion(ctx)
	}
	switch {
	case err == nil && db.direct != nil:
		err = postgres.SameServer(ctx, db.pool, db.Session())
	case postgres.RefusedByPooler(err):
		err = fmt.Errorf("%w: %w", ErrPooler, err)
	}
	if err != nil { // shown to the operator as is
		return nil, errors.Join(fmt.Errorf("database: open %s: %w", dialect, err), db.Close())
	}
	return db, db.openReplicas(ctx, o.Replicas)
}

// ParseURL returns the dialect of a URL as in Options, and the path of the file for SQLite.
func ParseURL(url string) (Dialect, string, error) {
	scheme, rest, found := strings.Cut(url, ":")
	switch {
	case url == "":
		return 0, "", errors.New("database: the URL is empty")
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return Postgres, url, nil
	case found && scheme == "sqlite":
		url = strings.TrimPrefix(rest, "//")
	case strings.Contains(url, "://"):
		return 0, "", fmt.Errorf("database: unknown scheme %q: want postgres or sqlite", scheme)
	}
	if url == "" || strings.HasPrefix(url, ":memory:") {
		return 0, "", errors.New("database: SQLite needs the path of a file")
	}
	return SQLite, url, nil
}

// Dialect returns the kind of the database.
func (db *DB) Dialect() Dialect { return db.dialect }

// Close closes all connections. It can be called more than once.
func (db *DB) Close() error { return db.close() }

// Ping checks that the database is reachable. On SQLite it does not wait for the writer.
func (db *DB) Ping(ctx context.Context) error {
	return Classify(ctx, db.ping(ctx))
}

func (db *DB) ping(ctx context.Context) error {
	if db.dialect == Postgres {
		return db.handle.PingContext(ctx)
	}
	_, err := db.readers.Exec(ctx, "SELECT 1", nil)
	return err
}

// SQL returns a database/sql handle that can write, for libraries that need one. On SQLite each
// statement and transaction of the handle waits for the only writing connection, so an open
// transaction blocks all other writers. Use Transact in our own code.
func (db *DB) SQL() *sql.DB { return db.handle }

// pgxPool is a *pgxpool.Pool, which consists of generic types. They would be compiled again in every package
// that uses a DB if this were not an interface, and if Pool were a method.
type pgxPool interface {
	postgres.Querier
	Config() *pgxpool.Config
	Stat() *pgxpool.Stat
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
	Reset()
	Close()
}

// Pool returns the pgx connection pool of a database, for libraries that use pgx. It is nil on SQLite.
func Pool(db *DB) *pgxpool.Pool {
	pool, _ := db.pool.(*pgxpool.Pool)
	return pool
}

// Session returns the configuration of a PostgreSQL connection with its own session, which does not
// go through a pooler.
func (db *DB) Session() *pgx.ConnConfig {
	if db.direct != nil {
		return db.direct.Copy()
	}
	return db.pool.Config().ConnConfig
}

// Path returns the path of the SQLite file, or "" on PostgreSQL.
func (db *DB) Path() string { return db.path }
