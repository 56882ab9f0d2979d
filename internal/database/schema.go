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

// SchemaVersion gives the version the database was migrated to, 0 when it never
// was. It costs one small query once there is a version.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	if !db.tracked.Load() {
		exists, err := db.hasTable(ctx, goose.DefaultTablename)
		if err != nil || !exists {
			return 0, err
		}
		db.tracked.Store(true)
	}
	var version int64
	err := db.Reader().QueryRow(ctx, "SELECT COALESCE(MAX(version_id), 0) FROM "+goose.DefaultTablename).Scan(&version)
	if err != nil {
		return 0, fmt.Errorf("database: read schema version: %w", err)
	}
	return version, nil
}

func (db *DB) hasTable(ctx context.Context, name string) (exists bool, err error) {
	query := "SELECT COUNT(*) > 0 FROM sqlite_schema WHERE type = 'table' AND name = $1"
	if db.dialect == Postgres {
		query = "SELECT to_regclass($1) IS NOT NULL"
	}
	if err := db.Reader().QueryRow(ctx, query, name).Scan(&exists); err != nil {
		return false, fmt.Errorf("database: look for schema version: %w", err)
	}
	return exists, nil
}

// CheckSchema returns nil if the database is at the version of migrations, else
// an error that is ErrNewerSchema or ErrOlderSchema and names both versions.
func (db *DB) CheckSchema(ctx context.Context, migrations fs.FS) error {
	want, err := LatestVersion(migrations)
	if err != nil {
		return err
	}
	have, err := db.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	return compareVersions(have, want)
}

func compareVersions(have, want int64) error {
	switch {
	case have > want:
		return fmt.Errorf("%w: it is at version %d, the program knows %d", ErrNewerSchema, have, want)
	case have < want:
		return fmt.Errorf("%w: it is at version %d, the program needs %d", ErrOlderSchema, have, want)
	}
	return nil
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
