package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine/internal/backup"
	"vitrine/internal/blob"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// copySuffix ends the names of PostgreSQL databases that a rehearsal may migrate, so that nobody names the
// database of the site by mistake.
const copySuffix = "_upgrade"

// rehearsing is the application_name of a rehearsal.
const rehearsing = "vitrine-rehearsal"

// Rehearsal is the result of an upgrade of a copy.
type Rehearsal struct {
	Database    string              `json:"database"`
	From        int64               `json:"from"` // version of the schema
	To          int64               `json:"to"`
	Migrations  []RehearsedStep     `json:"migrations"`
	Copying     float64             `json:"copy_seconds"`
	Migrating   float64             `json:"migrate_seconds"`
	Checking    float64             `json:"check_seconds"`
	Before      int64               `json:"bytes_before"`
	After       int64               `json:"bytes_after"`
	Oldest      int64               `json:"oldest_program"` // that works with the new schema
	Reversible  bool                `json:"reversible"`     // the program of the old schema is not older than that
	Ends        []string            `json:"irreversible"`   // migrations after which it no longer works
	Backfills   []RehearsedBackfill `json:"backfills"`
	Differences []string            `json:"differences"`
}

// RehearsedStep is a migration with its duration.
type RehearsedStep struct {
	Version int64   `json:"version"`
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// RehearsedBackfill is work that servers finish after the upgrade.
type RehearsedBackfill struct {
	Kind   string `json:"kind"`
	Rows   int64  `json:"rows"`
	AtMost bool   `json:"at_most,omitempty"`
}

// RehearseOptions configure a rehearsal.
type RehearseOptions struct {
	From    string // a data folder, a backup, or the URL of a copy in PostgreSQL
	At      string // id of the backup; "" for the newest
	Scratch string // folder for the copy; "" for that of temporary files
	Keys    backup.Keys
	Tell    func(what string) // called at the beginning of each part
}

// Rehearse upgrades a copy of a site, and checks and measures the result. It only reads the source, unless that is
// a copy in PostgreSQL.
func Rehearse(ctx context.Context, o RehearseOptions) (r Rehearsal, err error) {
	r.Migrations, r.Ends, r.Backfills, r.Differences = []RehearsedStep{}, []string{}, []RehearsedBackfill{}, []string{}
	if strings.HasPrefix(o.From, "postgres://") || strings.HasPrefix(o.From, "postgresql://") {
		db, err := openCopy(ctx, o.From)
		if err != nil {
			return r, err
		}
		return r, errors.Join(r.upgrade(ctx, db, o), db.Close())
	}
	scratch, err := os.MkdirTemp(o.Scratch, "vitrine-upgrade-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	file := filepath.Join(scratch, "vitrine.db")
	source := filepath.Join(o.From, filepath.Base(file))
	if _, missing := os.Stat(source); missing != nil {
		return r, r.restore(ctx, o, scratch, file)
	}
	if unrestored, err := backup.Unrestored(o.From); err != nil || unrestored {
		return r, errors.Join(err, fmt.Errorf("%s contains an unfinished `vitrine restore`", o.From))
	}
	if err := r.copy(ctx, o, source, file); err != nil {
		return r, err
	}
	db, err := database.Open(ctx, database.Options{URL: "sqlite:" + file, AnyDisk: true})
	if err != nil {
		return r, err
	}
	return r, errors.Join(r.upgrade(ctx, db, o), db.Close())
}

// openCopy opens a copy in PostgreSQL, and refuses what may be the database of a site.
func openCopy(ctx context.Context, url string) (*database.DB, error) {
	db, err := database.Open(ctx, database.Options{URL: url, Program: rehearsing})
	if err != nil {
		return nil, err
	}
	if err := requireCopy(ctx, db); err != nil {
		return nil, joinClose(err, db)
	}
	return db, nil
}

func requireCopy(ctx context.Context, db *database.DB) error {
	var name string
	if err := db.Reader().QueryRow(ctx, "SELECT CAST(current_database() AS TEXT)").Scan(&name); err != nil {
		return err
	}
	if !strings.HasSuffix(name, copySuffix) {
		return fmt.Errorf("the rehearsal migrates the database %q itself, so its name must end in %s: copy the database of the site to one with such a name", name, copySuffix)
	}
	programs, err := db.Programs(ctx)
	if err == nil && len(programs) > 0 {
		err = fmt.Errorf("%s uses the database %q: name a copy that nothing uses", programs[0], name)
	}
	return err
}

// copy copies the SQLite file of a data folder, after it has checked that the disk has space for the copy and its
// migration.
func (r *Rehearsal) copy(ctx context.Context, o RehearseOptions, source, file string) error {
	size, err := database.FileSize(source)
	if err != nil {
		return err
	}
	space, known, err := blob.FreeSpace(filepath.Dir(file))
	if err != nil {
		return err
	}
	if needed := 2*size + 64<<20; known && space.Free < needed {
		return fmt.Errorf("%s has %s free, and the rehearsal needs up to %s: name another folder with --scratch", filepath.Dir(filepath.Dir(file)),
			domain.FormatBytes(space.Free), domain.FormatBytes(needed))
	}
	o.Tell("copying the database")
	began := time.Now()
	err = database.CopyFile(ctx, source, file)
	r.Copying = time.Since(began).Seconds()
	return err
}

// upgrade migrates and checks a copy.
func (r *Rehearsal) upgrade(ctx context.Context, db *database.DB, o RehearseOptions) (err error) {
	r.Database = db.Dialect().String()
	if r.Before, err = databaseSize(ctx, db); err != nil {
		return err
	}
	served, err := db.Served(ctx)
	if err != nil {
		return err
	}
	if served.Version == 0 {
		return errors.New("the database has no schema of Vitrine")
	}
	r.From = served.Version
	o.Tell("migrating the copy")
	began := time.Now()
	_, err = db.MigrateCopy(ctx, store.Migrations(db.Dialect()), r.applied)
	if err == nil {
		_, err = jobs.Migrate(ctx, db)
	}
	r.Migrating = time.Since(began).Seconds()
	if err != nil {
		return err
	}
	o.Tell("checking the copy")
	began = time.Now()
	differences, err := store.New(db).Check(ctx, 100)
	if err != nil {
		return err
	}
	faults, err := db.QuickCheck(ctx)
	if err != nil {
		return err
	}
	r.Differences = append(r.Differences, faults...)
	r.Checking = time.Since(began).Seconds()
	return r.finish(ctx, db, differences)
}

func (r *Rehearsal) applied(a database.Applied) {
	r.Migrations = append(r.Migrations, RehearsedStep{Version: a.Version, Name: a.Name, Seconds: a.Took.Seconds()})
}

// restore restores the rows of a backup to a file, which migrates and checks them.
func (r *Rehearsal) restore(ctx context.Context, o RehearseOptions, scratch, file string) error {
	from, err := backup.ToRead(ctx, o.From, o.Keys)
	if err != nil {
		return fmt.Errorf("%w (there is no vitrine.db in it either)", err)
	}
	o.Tell("restoring the backup, and migrating and checking the copy")
	began := time.Now()
	folder := filepath.Join(scratch, "restored")
	restored, err := backup.Restore(ctx, from, o.At, backup.Target{Folder: folder, SQLite: filepath.Join(folder, filepath.Base(file)), Files: filepath.Join(folder, "files"),
		Database: database.Options{URL: "sqlite:" + filepath.Join(folder, filepath.Base(file)), AnyDisk: true}, RowsOnly: true, Applied: r.applied}, func(backup.Progress) {})
	if err != nil {
		return err
	}
	for _, m := range r.Migrations {
		r.Migrating += m.Seconds
	}
	r.Copying = time.Since(began).Seconds() - r.Migrating
	r.Database, r.From = "sqlite", restored.Manifest.Schema
	db, err := database.Open(ctx, database.Options{URL: "sqlite:" + filepath.Join(folder, filepath.Base(file)), AnyDisk: true})
	if err != nil {
		return err
	}
	return errors.Join(r.finish(ctx, db, restored.Differences), db.Close())
}

// finish describes the migrated copy.
func (r *Rehearsal) finish(ctx context.Context, db *database.DB, differences []store.Difference) (err error) {
	for _, d := range differences {
		r.Differences = append(r.Differences, d.String())
	}
	served, err := db.Served(ctx)
	if err != nil {
		return err
	}
	r.To, r.Oldest, r.Reversible = served.Version, served.From, served.From <= r.From
	for _, m := range r.Migrations {
		if raise, err := database.ServesFrom(store.Migrations(db.Dialect()), m.Version); err != nil {
			return err
		} else if raise > r.From {
			r.Ends = append(r.Ends, m.Name)
		}
	}
	left, err := store.New(db).Backfills().Backfills(ctx)
	if err != nil {
		return err
	}
	for _, b := range left {
		if b.Rows > 0 {
			r.Backfills = append(r.Backfills, RehearsedBackfill(b))
		}
	}
	r.After, err = databaseSize(ctx, db)
	return err
}

// databaseSize returns the size of a database in bytes.
func databaseSize(ctx context.Context, db *database.DB) (size int64, err error) {
	if db.Dialect() == database.SQLite {
		return database.FileSize(db.Path())
	}
	err = db.Reader().QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&size)
	return size, err
}
