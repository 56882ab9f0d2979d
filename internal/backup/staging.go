package backup

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
	"vitrine/internal/durable"
)

// errDatabaseNotEmpty reports that the destination already contains something.
var errDatabaseNotEmpty = errors.New("the database is not empty")

// stagingSchema is the PostgreSQL schema in which a database is created before it is moved.
const stagingSchema = "vitrine_restoring"

// restoreLock is the key of the advisory lock that protects stagingSchema. It follows that of migrations.
const restoreLock = 0x76697472696e65 + 1

// restoreLockWait is how long a restore waits for the lock. A restore that was killed holds it until the server
// notices that its session has ended.
const restoreLockWait = "10s"

// StagedDatabase is a database that is created next to its destination, and moved there in one step when it
// is complete. Until then, and if the program dies, the destination stays empty. The next call of OpenStaged
// removes the leftovers of a program that died.
type StagedDatabase struct {
	*database.DB
	put, drop func(ctx context.Context) error
}

// Put moves the database to its destination and closes it.
func (d *StagedDatabase) Put(ctx context.Context) error { return d.put(ctx) }

// Drop removes the database unless Put was called.
func (d *StagedDatabase) Drop(ctx context.Context) error { return d.drop(ctx) }

// OpenStaged creates an empty database for the destination in the options. It returns errDatabaseNotEmpty if something
// is there. An SQLite file is created in folder, which must be on the same disk. Nothing is synced to
// disk before Put.
func OpenStaged(ctx context.Context, o database.Options, folder string) (*StagedDatabase, error) {
	dialect, path, err := database.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if dialect == database.Postgres {
		return openSchema(ctx, o)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(errDatabaseNotEmpty, err)
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
	return &StagedDatabase{DB: db, put: put, drop: drop}, nil
}

func openSchema(ctx context.Context, o database.Options) (a *StagedDatabase, err error) {
	conn, err := pgx.Connect(ctx, o.URL)
	if err != nil {
		return nil, database.Classify(ctx, err)
	}
	end := func(ctx context.Context) error { // releases the lock, too
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return conn.Close(ctx)
	}
	defer func() {
		if err != nil {
			err = errors.Join(database.Classify(ctx, err), end(ctx))
		}
	}()
	if err := lockRestores(ctx, conn); err != nil {
		return nil, err
	}
	var place *string
	if err := conn.QueryRow(ctx, "SELECT CAST(current_schema() AS TEXT)").Scan(&place); err != nil {
		return nil, err
	}
	if place == nil {
		return nil, errors.New("database: no schema of the search path exists")
	}
	if err := emptySchema(ctx, conn, *place); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+stagingSchema+" CASCADE"); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "CREATE SCHEMA "+stagingSchema); err != nil {
		return nil, err
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("database: the URL is malformed")
	}
	query := u.Query()
	query.Set("search_path", stagingSchema)
	query.Set("synchronous_commit", "off") // moveSchema commits synchronously on another connection
	u.RawQuery = query.Encode()
	o.URL = u.String()
	db, err := database.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a = &StagedDatabase{DB: db}
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
			_, e := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+stagingSchema+" CASCADE")
			err = errors.Join(err, e, end(ctx))
		}
		return err
	}
	return a, nil
}

// lockRestores acquires restoreLock for the session.
func lockRestores(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "SET lock_timeout = '"+restoreLockWait+"'"); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", restoreLock)
	if database.IsLockTimeout(err) {
		return fmt.Errorf("%w: another restore into it is running", database.ErrInUse)
	}
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "RESET lock_timeout")
	return err
}

// querying is implemented by pgx connections and transactions.
type querying interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// emptySchema returns errDatabaseNotEmpty if a schema contains anything that is not part of an extension.
func emptySchema(ctx context.Context, q querying, schema string) error {
	var used bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM (
			SELECT oid FROM pg_class WHERE relnamespace = CAST(quote_ident($1) AS REGNAMESPACE)
			UNION ALL SELECT oid FROM pg_proc WHERE pronamespace = CAST(quote_ident($1) AS REGNAMESPACE)) AS o
		WHERE NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e'))`, schema).Scan(&used)
	if err == nil && used {
		err = errDatabaseNotEmpty
	}
	return err
}

// moving is a query for the statements that move everything from one schema to another. Objects that
// belong to a table move with it. Routines come first, because they are identified by the types of their
// arguments.
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
		rows, err := tx.Query(ctx, moving, stagingSchema, to)
		if err != nil {
			return err
		}
		statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, s := range append(statements, "DROP SCHEMA "+stagingSchema) {
			if _, err := tx.Exec(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}
