package database

import (
	"context"
	"errors"
	"fmt"
)

// Library is a third-party library with its own tables and migrations.
type Library struct {
	Name   string // for messages and the names of backup copies
	Table  string // has one row per applied version, in a column "version"
	Target int64  // the version that Up migrates to
	Latest int64  // the latest version that the program works with; at least Target
	// Up applies pending migrations. It runs while no other program migrates.
	Up func(ctx context.Context) error
}

// check returns nil if the program works with a version of the tables, or else an error that wraps
// ErrNewerSchema or ErrOlderSchema.
func (l Library) check(version int64) error {
	return Served{version, version}.check(max(l.Target, min(version, l.Latest)))
}

// MigrateLibrary migrates a library's tables to the target version, and leaves later ones that the program
// works with unchanged. Like Migrate, it lets only one program migrate at a time, refuses a newer version
// with ErrNewerSchema, and first copies an SQLite file that already has tables of the library.
func (db *DB) MigrateLibrary(ctx context.Context, l Library) (MigrateResult, error) {
	from, err := db.libraryVersion(ctx, l)
	if err == nil {
		err = l.check(from)
	}
	if !errors.Is(err, ErrOlderSchema) {
		if err != nil {
			err = fmt.Errorf("database: %s: %w", l.Name, err)
		}
		return MigrateResult{From: from, To: from}, err
	}
	unlock, err := db.lockMigrations(ctx)
	if err != nil {
		return MigrateResult{From: from, To: from}, fmt.Errorf("database: wait for other migrations: %w", db.explainFull(ctx, err))
	}
	defer unlock()
	if from, err = db.libraryVersion(ctx, l); err != nil || from >= l.Target { // another program may have migrated
		return MigrateResult{From: from, To: from}, err
	}
	res := MigrateResult{From: from, To: l.Target}
	if from > 0 {
		if res.BackupPath, err = db.backup(ctx, fmt.Sprintf("%s-%d-to-%d", l.Name, from, l.Target)); err != nil {
			return res, fmt.Errorf("database: back up before migrating %s: %w", l.Name, db.explainFull(ctx, err))
		}
	}
	if err := l.Up(ctx); err != nil {
		return res, fmt.Errorf("database: migrate %s from %d to %d: %w", l.Name, from, l.Target, db.explainFull(ctx, err))
	}
	return res, nil
}

// CheckLibrary is like CheckSchema, but for the tables of a library.
func (db *DB) CheckLibrary(ctx context.Context, l Library) error {
	have, err := db.libraryVersion(ctx, l)
	if err == nil {
		err = l.check(have)
	}
	if err != nil {
		return fmt.Errorf("database: %s: %w", l.Name, err)
	}
	return nil
}

func (db *DB) libraryVersion(ctx context.Context, l Library) (version int64, err error) {
	exists, err := db.hasTable(ctx, l.Table)
	if err != nil || !exists {
		return 0, err
	}
	err = db.Reader().QueryRow(ctx, "SELECT COALESCE(MAX(version), 0) FROM "+l.Table).Scan(&version)
	return version, err
}
