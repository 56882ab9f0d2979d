package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"
)

var (
	// ErrNewerSchema says that the database was migrated by a newer program.
	ErrNewerSchema = errors.New("the database is newer than this program")
	// ErrOlderSchema says that the database wants to be migrated first.
	ErrOlderSchema = errors.New("the database is older than this program")
)

// LatestVersion gives the highest version among the files NNNN_name.sql at the
// root of migrations.
func LatestVersion(migrations fs.FS) (int64, error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return 0, err
	}
	var latest int64
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("database: migration %s: %w", name, err)
		}
		latest = max(latest, version)
	}
	if latest == 0 {
		return 0, errors.New("database: there are no migrations")
	}
	return latest, nil
}

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

// UpTo has those of migrations that make a schema of a version.
func UpTo(migrations fs.FS, version int64) fs.FS { return upTo{migrations, version} }

type upTo struct {
	fs.FS
	version int64
}

// Glob implements fs.GlobFS.
func (m upTo) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(m.FS, pattern)
	return slices.DeleteFunc(names, func(name string) bool {
		version, err := goose.NumericComponent(name)
		return err != nil || version > m.version
	}), err
}
