package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pressly/goose/v3"
	goosedb "github.com/pressly/goose/v3/database"

	"vitrine/internal/database/schema"
)

// MigrateResult is what Migrate did: nothing when From equals To. BackupPath
// is the copy made of an SQLite file beforehand, "" if there was none to make.
type MigrateResult struct {
	From, To   int64
	BackupPath string
}

// Migrate brings the database to the latest version of migrations, the files
// NNNN_name.sql at its root, each in a transaction of its own. When several
// programs do so at once, one works and the others wait for it. A database that is newer
// is left alone where it serves programs that know these migrations, and otherwise refused
// with ErrNewerSchema.
//
// A file with a line "-- serves: N" raises the oldest version of the program that the
// schema serves; others leave it as it is. On PostgreSQL a file with a line "-- +goose NO
// TRANSACTION" makes or drops indexes beside writers, see migrate_postgres.go.
//
// On SQLite a database with anything in it is first copied to
// "<file>.before-<from>-to-<to>". Migrations run there with foreign keys not
// enforced, so that a table can be rebuilt without its references' actions; each
// is held to all foreign keys before it commits.
func (db *DB) Migrate(ctx context.Context, migrations fs.FS) (MigrateResult, error) {
	return db.MigrateTelling(ctx, migrations, func(error) {})
}

// MigrateTelling is Migrate that calls gaveWay whenever a migration has given way to
// others on PostgreSQL, and is about to try again after a pause.
func (db *DB) MigrateTelling(ctx context.Context, migrations fs.FS, gaveWay func(err error)) (MigrateResult, error) {
	to, err := schema.Latest(migrations)
	if err != nil {
		return MigrateResult{}, err
	}
	m := migrating{db: db, files: migrations, to: to, gaveWay: gaveWay}
	if m.versions, err = newVersions(db.dialect, migrations); err != nil {
		return MigrateResult{}, err
	}
	if m.beside, err = besideWriters(db.dialect, migrations); err != nil {
		return MigrateResult{}, err
	}
	if err := db.dropUnfinished(ctx); err != nil {
		return MigrateResult{}, fmt.Errorf("database: remove an unfinished copy: %w", db.withRoom(ctx, err))
	}
	res, behind, err := m.look(ctx)
	if !behind {
		return res, err
	}
	unlock, err := db.lockMigrations(ctx)
	if err != nil {
		return res, fmt.Errorf("database: wait for other migrations: %w", db.withRoom(ctx, err))
	}
	defer unlock()
	return m.run(ctx)
}

// migrating is one call of Migrate.
type migrating struct {
	db       *DB
	files    fs.FS
	to       int64 // their latest version
	versions versions
	beside   map[int64][]string // by version, the indexes that are made beside writers
	gaveWay  func(error)
}

// look reports whether the database is to be migrated.
func (m migrating) look(ctx context.Context) (res MigrateResult, behind bool, err error) {
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
	res, behind, err := m.look(ctx) // others may have worked meanwhile
	if !behind {
		return res, err
	}
	if res.BackupPath, err = db.backup(ctx, fmt.Sprintf("%d-to-%d", res.From, m.to)); err != nil {
		return res, fmt.Errorf("database: back up before migrating: %w", db.withRoom(ctx, err))
	}
	failure := db.withRoom(ctx, m.up(ctx))
	if res.To, err = db.SchemaVersion(context.WithoutCancel(ctx)); err != nil {
		return res, errors.Join(failure, err)
	}
	if failure == nil {
		return res, nil
	}
	if res.To == res.From && res.BackupPath != "" {
		// Nothing has changed. A service that restarts itself again and again
		// would fill the disk with such copies.
		failure = errors.Join(failure, os.Remove(res.BackupPath))
		res.BackupPath = ""
	}
	return res, fmt.Errorf("database: migrate from %d to %d: %w", res.From, m.to, failure)
}

// up applies what is missing.
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
	_, err = provider.Up(ctx)
	return err
}

// lockMigrations waits until no other program migrates this database.
func (db *DB) lockMigrations(ctx context.Context) (unlock func(), err error) {
	if db.dialect == SQLite {
		return db.lockFile(ctx)
	}
	return db.lockServer(ctx)
}
