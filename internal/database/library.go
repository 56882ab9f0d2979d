package database

import (
	"context"
	"errors"
	"fmt"
)

// Library is a library that keeps tables of its own and brings its own migrations.
type Library struct {
	Name   string // for messages and the names of copies
	Table  string // where it notes its versions, a row each, in a column "version"
	Latest int64  // the version that the library in this program knows
	// Up applies what is missing. It runs while no other program migrates.
	Up func(ctx context.Context) error
}

// MigrateLibrary brings a library's tables to its latest version, as Migrate does
// with ours: one program at a time, a newer version is refused with
// ErrNewerSchema, and an SQLite file in which the library has tables already is
// copied first.
func (db *DB) MigrateLibrary(ctx context.Context, l Library) (MigrateResult, error) {
	from, err := db.libraryVersion(ctx, l)
	if err == nil {
		err = Served{from, from}.check(l.Latest)
	}
	if !errors.Is(err, ErrOlderSchema) {
		if err != nil {
			err = fmt.Errorf("database: %s: %w", l.Name, err)
		}
		return MigrateResult{From: from, To: from}, err
	}
	unlock, err := db.lockMigrations(ctx)
	if err != nil {
		return MigrateResult{From: from, To: from}, fmt.Errorf("database: wait for other migrations: %w", db.withRoom(ctx, err))
	}
	defer unlock()
	if from, err = db.libraryVersion(ctx, l); err != nil || from == l.Latest { // others may have worked meanwhile
		return MigrateResult{From: from, To: from}, err
	}
	res := MigrateResult{From: from, To: l.Latest}
	if from > 0 {
		if res.BackupPath, err = db.backup(ctx, fmt.Sprintf("%s-%d-to-%d", l.Name, from, l.Latest)); err != nil {
			return res, fmt.Errorf("database: back up before migrating %s: %w", l.Name, db.withRoom(ctx, err))
		}
	}
	if err := l.Up(ctx); err != nil {
		return res, fmt.Errorf("database: migrate %s from %d to %d: %w", l.Name, from, l.Latest, db.withRoom(ctx, err))
	}
	return res, nil
}

// CheckLibrary is CheckSchema for a library's tables.
func (db *DB) CheckLibrary(ctx context.Context, l Library) error {
	have, err := db.libraryVersion(ctx, l)
	if err == nil {
		err = Served{have, have}.check(l.Latest)
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
