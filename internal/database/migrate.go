package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/pressly/goose/v3"
	goosedb "github.com/pressly/goose/v3/database"
)

// MigrateResult is the result of Migrate. If From equals To, nothing was done. BackupPath is the
// copy of the SQLite file that was created first, or "".
type MigrateResult struct {
	From, To   int64
	BackupPath string
}

// Migrate migrates the database to the latest version of migrations, which are the files
// NNNN_name.sql at the root. Each runs in its own transaction. If several programs migrate at the
// same time, one does the work and the others wait. A newer database is left unchanged if it supports
// programs with these migrations. Otherwise Migrate returns ErrNewerSchema.
//
// A line "-- serves: N" in a file raises the oldest program version that the schema supports. On
// PostgreSQL, a file with a line "-- +goose NO TRANSACTION" creates or drops indexes without blocking
// writers, see migrate_postgres.go.
//
// An SQLite database that is not empty is first copied to "<file>.before-<from>-to-<to>". SQLite
// migrations run with foreign keys off, so that a table can be rebuilt without triggering the actions
// of its references. Foreign keys are checked before each commit.
func (db *DB) Migrate(ctx context.Context, migrations fs.FS) (MigrateResult, error) {
	return db.MigrateNotify(ctx, migrations, func(error) {})
}

// MigrateNotify is like Migrate, and calls retrying whenever a migration on PostgreSQL could not get
// its locks and is about to retry after a pause.
func (db *DB) MigrateNotify(ctx context.Context, migrations fs.FS, retrying func(err error)) (MigrateResult, error) {
	return db.migrate(ctx, migrations, migrating{retrying: retrying, applied: func(Applied) {}})
}

// Applied is a migration that was applied.
type Applied struct {
	Version int64
	Name    string // of the file
	Took    time.Duration
}

// MigrateCopy is like Migrate for a copy, which it does not copy again, and calls applied after each migration.
func (db *DB) MigrateCopy(ctx context.Context, migrations fs.FS, applied func(Applied)) (MigrateResult, error) {
	return db.migrate(ctx, migrations, migrating{retrying: func(error) {}, applied: applied, isCopy: true})
}

func (db *DB) migrate(ctx context.Context, migrations fs.FS, m migrating) (MigrateResult, error) {
	to, err := LatestVersion(migrations)
	if err != nil {
		return MigrateResult{}, err
	}
	m.db, m.files, m.to = db, migrations, to
	if m.versions, err = newVersions(db.dialect, migrations); err != nil {
		return MigrateResult{}, err
	}
	if m.concurrent, err = concurrentIndexes(db.dialect, migrations); err != nil {
		return MigrateResult{}, err
	}
	if err := db.dropUnfinished(ctx); err != nil {
		return MigrateResult{}, fmt.Errorf("database: remove an unfinished copy: %w", db.explainFull(ctx, err))
	}
	res, behind, err := m.check(ctx)
	if !behind {
		return res, err
	}
	unlock, err := db.lockMigrations(ctx)
	if err != nil {
		return res, fmt.Errorf("database: wait for other migrations: %w", db.explainFull(ctx, err))
	}
	defer unlock()
	return m.run(ctx)
}

// migrating is the state of one call of Migrate.
type migrating struct {
	db         *DB
	files      fs.FS
	to         int64 // the latest version of files
	versions   versions
	concurrent map[int64][]string // the indexes that are created concurrently, by version
	retrying   func(error)
	applied    func(Applied)
	isCopy     bool
}

// report passes on the migrations of a result of goose.
func (m migrating) report(results ...*goose.MigrationResult) {
	for _, r := range results {
		if r != nil && r.Error == nil && r.Source != nil {
			m.applied(Applied{Version: r.Source.Version, Name: path.Base(r.Source.Path), Took: r.Duration})
		}
	}
}

// check reports whether the database needs to be migrated.
func (m migrating) check(ctx context.Context) (res MigrateResult, behind bool, err error) {
	s, err := m.db.Served(ctx)
	if err == nil {
		err = s.check(m.to)
	}
	res = MigrateResult{From: s.Version, To: s.Version}
	if errors.Is(err, ErrOlderSchema) {
		return res, true, nil
	}
	return res, false, err
}

func (m migrating) run(ctx context.Context) (MigrateResult, error) {
	db := m.db
	res, behind, err := m.check(ctx) // another program may have migrated
	if !behind {
		return res, err
	}
	if m.isCopy {
		res.BackupPath = ""
	} else if res.BackupPath, err = db.backup(ctx, fmt.Sprintf("%d-to-%d", res.From, m.to)); err != nil {
		return res, fmt.Errorf("database: back up before migrating: %w", db.explainFull(ctx, err))
	}
	failure := db.explainFull(ctx, m.up(ctx))
	if res.To, err = db.SchemaVersion(context.WithoutCancel(ctx)); err != nil {
		return res, errors.Join(failure, err)
	}
	if failure == nil {
		return res, nil
	}
	if res.To == res.From && res.BackupPath != "" {
		// The schema did not change. Remove the copy: otherwise a service that restarts in a loop
		// would fill the disk.
		failure = errors.Join(failure, os.Remove(res.BackupPath))
		res.BackupPath = ""
	}
	return res, fmt.Errorf("database: migrate from %d to %d: %w", res.From, m.to, failure)
}

// up applies pending migrations.
func (m migrating) up(ctx context.Context) (err error) {
	open := m.db.openForMigration
	if m.db.dialect == Postgres {
		open = m.db.sessionForMigration
	}
	target := open()
	defer func() { err = errors.Join(err, target.Close()) }()
	provider, err := goose.NewProvider(goosedb.DialectCustom, target, m.files,
		goose.WithStore(m.versions),
		goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	if m.db.dialect == Postgres {
		return m.upPostgres(ctx, target, provider)
	}
	results, err := provider.Up(ctx)
	m.report(results...)
	return err
}

// lockMigrations waits until no other program migrates this database.
func (db *DB) lockMigrations(ctx context.Context) (unlock func(), err error) {
	if db.dialect == SQLite {
		return db.lockFile(ctx)
	}
	return db.lockServer(ctx)
}
