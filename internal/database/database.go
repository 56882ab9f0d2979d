// Package database opens SQLite or PostgreSQL behind one small interface. It
// knows no schema: it gives pools, transactions that are retried on conflicts,
// classified errors, and a runner for migrations. Statements are written once,
// with $1, $2, … as placeholders, for both databases.
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

	"vitrine/internal/database/line"
	"vitrine/internal/database/lite"
	"vitrine/internal/database/pooler"
	"vitrine/internal/database/replica"
	"vitrine/internal/database/traced"
)

// Dialect says which database a DB speaks to.
type Dialect int

// The two dialects.
const (
	SQLite Dialect = iota
	Postgres
)

// String gives "sqlite" or "postgres".
func (d Dialect) String() string {
	switch d {
	case SQLite:
		return "sqlite"
	case Postgres:
		return "postgres"
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

// Options say which database to open, and how.
type Options struct {
	// URL is "postgres://…", "sqlite:/path/file.db", or the plain path of an
	// SQLite file. A missing file is made, and its folder too.
	URL string

	// DirectURL is where PostgreSQL itself is reached if URL is that of a pooler which lends
	// its sessions for a transaction at a time, such as PgBouncer: what needs a session of
	// its own goes there, and the pool keeps nothing in sessions. "" if there is no pooler.
	DirectURL string

	// Program is what PostgreSQL knows the connections by, as ProgramName makes it, unless the
	// URL has an application_name; default: "vitrine".
	Program string

	// Version is the version of the program, which is the number of its last migration. Transactions
	// that write fail if the schema no longer serves it. 0 turns the check off, for programs that
	// create or migrate a schema.
	Version int64

	// Synchronous is what SQLite does before a commit counts: "FULL" (the
	// default) survives a loss of power, "NORMAL" may lose the last commits
	// then, "OFF" may lose the whole file and is for tests. PostgreSQL keeps to
	// its own setting.
	Synchronous string

	// MaxConns bounds the pool: the readers of SQLite (default: twice
	// GOMAXPROCS, at least 4), all connections of PostgreSQL (default: what the
	// URL says in pool_max_conns, otherwise four times GOMAXPROCS, at least 10; never
	// fewer than 2).
	MaxConns int

	// Replicas are standbys of PostgreSQL, at which requests read that may (package reads).
	Replicas Replicas

	// Observe, if set, is called with every statement. It is for tests that count
	// them; nothing is wrapped without it.
	Observe Observer

	// Trace, if set, is told of statements and transactions, and what they take.
	Trace traced.Tracer

	dial func(pgconn.DialFunc) pgconn.DialFunc // of a replica
}

// Readers is how many statements can read at once: the connections of the pool.
func (db *DB) Readers() int {
	if db.dialect == Postgres {
		return int(db.pool.Config().MaxConns)
	}
	return db.readers.Size()
}

// Line is how many transactions share a commit at most, while they wait without a connection: 0 on
// PostgreSQL, where each has one.
func (db *DB) Line() int {
	if db.dialect == Postgres {
		return 0
	}
	return db.groups.most
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	dialect Dialect
	handle  *sql.DB // for libraries; on PostgreSQL also for ourselves

	pool     *pgxpool.Pool   // PostgreSQL
	replicas *replica.Set    // nil for none
	direct   *pgx.ConnConfig // of a session past a pooler; nil if there is none

	// SQLite
	writer      *lite.Pool       // the one connection that writes
	readers     *lite.Pool       // all others
	line        line.Line[group] // who waits to write on SQLite
	groups      groups
	views       chan struct{} // places for views, which go in the order of coming
	viewing     lite.Waits    // for these
	checkpoints *lite.Checkpoints
	path        string // of the file
	synchronous string // as in Options

	observe  Observer
	trace    traced.Tracer
	patience time.Duration // how long conflicts are retried
	giveWays time.Duration // how long a migration gives way to others
	tracked  atomic.Bool   // the table of versions has been seen
	version  int64         // as in Options
	fit      fit
	close    func() error // may be called several times
}

// ErrPooler says that what answers takes no settings of a session, as PgBouncer does, and that
// Options name no DirectURL.
var ErrPooler = errors.New("this is a pooler, which takes no settings of sessions")

// Open opens the database and checks that it answers.
func Open(ctx context.Context, o Options) (*DB, error) {
	dialect, target, err := ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	db := &DB{dialect: dialect, observe: o.Observe, trace: o.Trace, version: o.Version, patience: defaultPatience, giveWays: defaultGiveWays,
		groups: groups{most: groupMembers, longest: groupTime}}
	if dialect == Postgres {
		err = db.openPostgres(ctx, o)
	} else {
		err = db.openSQLite(ctx, target, o)
	}
	if err != nil {
		return nil, fmt.Errorf("database: open %s: %w", dialect, err)
	}
	err = db.ping(ctx)
	switch {
	case err == nil && db.direct != nil:
		err = pooler.Same(ctx, db.pool, db.Session())
	case pooler.Refused(err):
		err = fmt.Errorf("%w: %w", ErrPooler, err)
	}
	if err != nil { // shown to an operator, as it is
		return nil, errors.Join(fmt.Errorf("database: open %s: %w", dialect, err), db.Close())
	}
	return db, db.openReplicas(ctx, o.Replicas)
}

// ParseURL returns the dialect of a URL as in Options, and for SQLite the path of the file.
func ParseURL(url string) (Dialect, string, error) {
	scheme, rest, found := strings.Cut(url, ":")
	switch {
	case url == "":
		return 0, "", errors.New("database: no URL given")
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

// Dialect returns which database this is.
func (db *DB) Dialect() Dialect { return db.dialect }

// Close ends all connections; calling it again does nothing.
func (db *DB) Close() error { return db.close() }

// Ping checks that the database answers. It does not wait for SQLite's writer.
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

// SQL gives the database/sql handle that writes, for a library that wants one:
// on SQLite its statements and transactions each wait for the only connection that
// writes, so a transaction held open on it blocks every other writer. Our own code
// uses Transact.
func (db *DB) SQL() *sql.DB { return db.handle }

// Pool gives the pool of PostgreSQL connections, for a library that speaks pgx;
// nil on SQLite.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// Session gives the settings of a connection to PostgreSQL that has a session for itself as
// long as it lives, whatever stands before the pool.
func (db *DB) Session() *pgx.ConnConfig {
	if db.direct != nil {
		return db.direct.Copy()
	}
	return db.pool.Config().ConnConfig
}

// Path gives the file of an SQLite database; "" on PostgreSQL.
func (db *DB) Path() string { return db.path }
