package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"vitrine/internal/database/schema"
)

var (
	// ErrNewerSchema says that the database was migrated by a newer program.
	ErrNewerSchema = errors.New("the database is newer than this program")
	// ErrOlderSchema says that the database wants to be migrated first.
	ErrOlderSchema = errors.New("the database is older than this program")
)

// SchemaVersion gives the version the database was migrated to, 0 when it never was.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	s, err := db.Served(ctx)
	return s.Version, err
}

// tableQuery asks whether there is a table.
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

// CheckSchema returns nil if the database serves a program that knows these migrations, else
// an error that is ErrNewerSchema or ErrOlderSchema and names the versions.
func (db *DB) CheckSchema(ctx context.Context, migrations fs.FS) error {
	program, err := schema.Latest(migrations)
	if err != nil {
		return err
	}
	s, err := db.Served(ctx)
	if err != nil {
		return err
	}
	return s.check(program)
}
