package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pressly/goose/v3"
	goosedb "github.com/pressly/goose/v3/database"
)

// MigrateResult is what Migrate did: nothing when From equals To. BackupPath
// is the copy made of an SQLite file beforehand, "" if there was none to make.
type MigrateResult struct {
	From, To   int64
	BackupPath string
}

// Migrate brings the database to the latest version of migrations, the files
// NNNN_name.sql at its root, each in a transaction of its own. When several
// programs do so at once, one works and the others wait for it. A database that
// is newer is refused with ErrNewerSchema.
//
// On SQLite a database with anything in it is first copied to
// "<file>.before-<from>-to-<to>". Migrations run there with foreign keys not
// enforced, so that a table can be rebuilt without its references' actions; each
// is held to all foreign keys before it commits.
func (db *DB) Migrate(ctx context.Context, migrations fs.FS) (MigrateResult, error) {
	to, err := LatestVersion(migrations)
	if err != nil {
		return MigrateResult{}, err
	}
	from, err := db.SchemaVersion(ctx)
	if err == nil {
		err = compareVersions(from, to)
	}
	if !errors.Is(err, ErrOlderSchema) {
		return MigrateResult{From: from, To: from}, err
	}
	if err := requireTransactions(migrations); err != nil {
		return MigrateResult{From: from, To: from}, err
	}
	unlock, err := db.lockMigrations(ctx)
	if err != nil {
		return MigrateResult{From: from, To: from}, fmt.Errorf("database: wait for other migrations: %w", Classify(ctx, err))
	}
	defer unlock()
	return db.migrateLocked(ctx, migrations, to)
}

func (db *DB) migrateLocked(ctx context.Context, migrations fs.FS, to int64) (MigrateResult, error) {
	from, err := db.SchemaVersion(ctx) // others may have worked meanwhile
	res := MigrateResult{From: from, To: from}
	if err == nil {
		err = compareVersions(from, to)
	}
	if !errors.Is(err, ErrOlderSchema) {
		return res, err
	}
	if res.BackupPath, err = db.backup(ctx, fmt.Sprintf("%d-to-%d", from, to)); err != nil {
		return res, fmt.Errorf("database: back up before migrating: %w", Classify(ctx, err))
	}
	failure := Classify(ctx, db.up(ctx, migrations))
	if res.To, err = db.SchemaVersion(context.WithoutCancel(ctx)); err != nil {
		return res, errors.Join(failure, err)
	}
	if failure == nil {
		return res, nil
	}
	if res.To == from && res.BackupPath != "" {
		// Nothing has changed. A service that restarts itself again and again
		// would fill the disk with such copies.
		failure = errors.Join(failure, os.Remove(res.BackupPath))
		res.BackupPath = ""
	}
	return res, fmt.Errorf("database: migrate from %d to %d: %w", from, to, failure)
}

// up applies what is missing.
func (db *DB) up(ctx context.Context, migrations fs.FS) (err error) {
	target, dialect := db.handle, goosedb.DialectPostgres
	if db.dialect == SQLite {
		dialect = goosedb.DialectSQLite3
		target = db.openForMigration()
		defer func() { err = errors.Join(err, target.Close()) }()
	}
	versions, err := goosedb.NewStore(dialect, goose.DefaultTablename)
	if err != nil {
		return err
	}
	if db.dialect == SQLite {
		versions = checkedStore{versions}
	}
	provider, err := goose.NewProvider(goosedb.DialectCustom, target, migrations,
		goose.WithStore(versions),
		goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// requireTransactions refuses goose's way out of a transaction: a migration that
// fails half way could neither be repeated nor taken back.
func requireTransactions(migrations fs.FS) error {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte("+goose NO TRANSACTION")) {
			return fmt.Errorf("database: migration %s must run in a transaction", name)
		}
	}
	return nil
}

// lockMigrations waits until no other program migrates this database.
func (db *DB) lockMigrations(ctx context.Context) (unlock func(), err error) {
	if db.dialect == SQLite {
		return db.lockFile(ctx)
	}
	return db.lockServer(ctx)
}
