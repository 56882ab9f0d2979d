// Package aside makes databases beside the places that they are for.
package aside

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/database"
	"vitrine/internal/database/lockfile"
	"vitrine/internal/durable"
)

// ErrNotEmpty says that a database is not to be put in the place of what is there.
var ErrNotEmpty = errors.New("the database is not empty")

// asideSchema is where a database is made on PostgreSQL before it takes its place.
const asideSchema = "vitrine_restoring"

// restoreLock is the number of PostgreSQL's advisory lock for that, next to that of migrations.
const restoreLock = 0x76697472696e65 + 1

// Database is a database that is made beside its place, and put there at once when it is
// whole: until then, and if the program dies, its place is as empty as it was. What a
// program that died has left is removed by the next.
type Database struct {
	*database.DB
	put, drop func(ctx context.Context) error
}

// Put brings the database into its place and closes it.
func (d *Database) Put(ctx context.Context) error { return d.put(ctx) }

// Drop removes the database, unless it was put into its place.
func (d *Database) Drop(ctx context.Context) error { return d.drop(ctx) }

// Open makes an empty database, for the place that the options name; ErrNotEmpty if
// something is there. An SQLite file is made in a folder of its own, on the same disk.
// Nothing of it is brought to the disk before it is put into its place.
func Open(ctx context.Context, o database.Options, folder string) (*Database, error) {
	dialect, path, err := database.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if dialect == database.Postgres {
		return openSchema(ctx, o)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(ErrNotEmpty, err)
	}
	file := filepath.Join(folder, filepath.Base(path))
	db, err := database.Open(ctx, database.Options{URL: "sqlite:" + file, Synchronous: "OFF"})
	if err != nil {
		return nil, err
	}
	put := func(context.Context) error {
		if err := db.Close(); err != nil { // moves the write-ahead log into the file
			return err
		}
		if err := durable.SyncFile(file); err != nil {
			return err
		}
		return durable.Rename(file, path)
	}
	drop := func(context.Context) error {
		err := db.Close()
		for _, end := range []string{"", "-wal", "-shm"} {
			if e := os.Remove(file + end); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
		return err
	}
	return &Database{DB: db, put: put, drop: drop}, nil
}

func openSchema(ctx context.Context, o database.Options) (a *Database, err error) {
	conn, err := pgx.Connect(ctx, o.URL)
	if err != nil {
		return nil, database.Classify(ctx, err)
	}
	end := func(ctx context.Context) error { // and with it the lock
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return conn.Close(ctx)
	}
	defer func() {
		if err != nil {
			err = errors.Join(database.Classify(ctx, err), end(ctx))
		}
	}()
	var locked bool
	var place *string
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1), CAST(current_schema() AS TEXT)", restoreLock).Scan(&locked, &place); err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("%w: something else is restored into it", lockfile.ErrInUse)
	}
	if place == nil {
		return nil, errors.New("database: the user has no schema of the search path to make tables in")
	}
	if err := emptySchema(ctx, conn, *place); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+asideSchema+" CASCADE"); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "CREATE SCHEMA "+asideSchema); err != nil {
		return nil, err
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("database: the URL is malformed")
	}
	query := u.Query()
	query.Set("search_path", asideSchema)
	query.Set("synchronous_commit", "off") // until it is put
	u.RawQuery = query.Encode()
	o.URL = u.String()
	db, err := database.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a = &Database{DB: db}
	a.put = func(ctx context.Context) error {
		if err := db.Close(); err != nil {
			return err
		}
		if err := moveSchema(ctx, conn, *place); err != nil {
			return database.Classify(ctx, err)
		}
		return end(ctx)
	}
	a.drop = func(ctx context.Context) error {
		err := db.Close()
		if !conn.IsClosed() {
			_, e := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+asideSchema+" CASCADE")
			err = errors.Join(err, e, end(ctx))
		}
		return err
	}
	return a, nil
}

// querying is a connection or a transaction of pgx.
type querying interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// emptySchema fails with ErrNotEmpty if there is anything in a schema but what extensions
// have put there.
func emptySchema(ctx context.Context, q querying, schema string) error {
	var used bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM (
			SELECT oid FROM pg_class WHERE relnamespace = CAST(quote_ident($1) AS REGNAMESPACE)
			UNION ALL SELECT oid FROM pg_proc WHERE pronamespace = CAST(quote_ident($1) AS REGNAMESPACE)) AS o
		WHERE NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e'))`, schema).Scan(&used)
	if err == nil && used {
		err = ErrNotEmpty
	}
	return err
}

// moving lists the statements that bring everything of a schema into another. What belongs
// to a table goes with it. Routines are named by the types of their arguments, so they go first.
const moving = `
	SELECT format('ALTER ROUTINE %s SET SCHEMA %I', CAST(oid AS REGPROCEDURE), CAST($2 AS TEXT)) FROM pg_proc
	WHERE pronamespace = CAST(quote_ident($1) AS REGNAMESPACE)
	UNION ALL SELECT format('ALTER TABLE %I.%I SET SCHEMA %I', CAST($1 AS TEXT), relname, CAST($2 AS TEXT)) FROM pg_class c
	WHERE relnamespace = CAST(quote_ident($1) AS REGNAMESPACE) AND relkind IN ('r', 'p', 'v', 'm')
	UNION ALL SELECT format('ALTER SEQUENCE %I.%I SET SCHEMA %I', $1, relname, $2) FROM pg_class c
	WHERE relnamespace = CAST(quote_ident($1) AS REGNAMESPACE) AND relkind = 'S'
		AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i'))
	UNION ALL SELECT format('ALTER TYPE %I.%I SET SCHEMA %I', $1, typname, $2) FROM pg_type
	WHERE typnamespace = CAST(quote_ident($1) AS REGNAMESPACE) AND typtype IN ('e', 'd')`

func moveSchema(ctx context.Context, conn *pgx.Conn, to string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := emptySchema(ctx, tx, to); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, moving, asideSchema, to)
		if err != nil {
			return err
		}
		statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, s := range append(statements, "DROP SCHEMA "+asideSchema) {
			if _, err := tx.Exec(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}
