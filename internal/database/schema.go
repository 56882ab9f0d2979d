package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

var (
	// ErrNewerSchema reports that a newer program migrated the database.
	ErrNewerSchema = errors.New("the database is newer than this program")
	// ErrOlderSchema reports that the database needs to be migrated.
	ErrOlderSchema = errors.New("the database is older than this program")
)

// SchemaVersion returns the schema version of the database, or 0 if it was never migrated.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	s, err := db.Served(ctx)
	return s.Version, err
}

// tableQuery returns a query that checks whether a table exists.
func tableQuery(d Dialect) string {
	if d == Postgres {
		return "SELECT to_regclass($1) IS NOT NULL"
	}
	return "SELECT COUNT(*) > 0 FROM sqlite_schema WHERE type = 'table' AND name = $1"
}

func (db *DB) hasTable(ctx context.Context, name string) (exists bool, err error) {
	if err := db.Reader().QueryRow(ctx, tableQuery(db.dialect), name).Scan(&exists); err != nil {
		return false, fmt.Errorf("database: look for schema version: %w", err)
	}
	return exists, nil
}

// CheckSchema returns nil if the schema supports a program with these migrations, or else an error that
// wraps ErrNewerSchema or ErrOlderSchema and names the versions.
func (db *DB) CheckSchema(ctx context.Context, migrations fs.FS) error {
	program, err := LatestVersion(migrations)
	if err != nil {
		return err
	}
	s, err := db.Served(ctx)
	if err != nil {
		return err
	}
	return s.check(program)
}
