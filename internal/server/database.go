package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"vitrine/internal/backup"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/database/lockfile"
	"vitrine/internal/database/schema"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// Open opens the database of a configuration without looking at its schema.
func Open(ctx context.Context, cfg config.Config) (*database.DB, error) {
	return open(ctx, cfg, watching{}, database.Replicas{})
}

func open(ctx context.Context, cfg config.Config, look watching, replicas database.Replicas) (*database.DB, error) {
	if err := RequireRestored(cfg); err != nil {
		return nil, err
	}
	o := databaseOptions(cfg)
	o.Observe, o.Trace, o.Replicas, o.Version = look.observe, look.trace, replicas, SchemaVersion()
	db, err := database.Open(ctx, o)
	if err != nil {
		return db, withRemedy(cfg.DataDir, err)
	}
	if err := requireRestored(ctx, cfg, db); err != nil {
		return nil, joinClose(err, db)
	}
	return db, nil
}

func errUnrestored(cfg config.Config) error {
	return fmt.Errorf("%s contains an unfinished `vitrine restore`, which was interrupted or is still running: run it again to start over, or empty the folder", cfg.DataDir)
}

// RequireRestored fails if a restore into the data folder was interrupted or is still running. The
// folder is not a complete site then, and a new site would be in the way of the restore. With
// PostgreSQL only the database records whether a restore was finished: see requireRestored.
func RequireRestored(cfg config.Config) error {
	unrestored, err := backup.Unrestored(cfg.DataDir)
	if err != nil || !unrestored || cfg.DatabaseURL != "" {
		return err
	}
	if info, err := os.Stat(cfg.SQLitePath()); err != nil || info.Size() == 0 {
		return errUnrestored(cfg)
	}
	_ = backup.Forget(cfg.DataDir) // the database, which is restored last, is in place
	return nil
}

func requireRestored(ctx context.Context, cfg config.Config, db *database.DB) error {
	unrestored, err := backup.Unrestored(cfg.DataDir)
	if err != nil || !unrestored {
		return err
	}
	served, err := db.Served(ctx)
	if err != nil {
		return err
	}
	if served.Version == 0 {
		return errUnrestored(cfg)
	}
	_ = backup.Forget(cfg.DataDir)
	return nil
}

func databaseOptions(cfg config.Config) database.Options {
	url := cfg.DatabaseURL
	if url == "" {
		url = "sqlite:" + cfg.SQLitePath()
	}
	return database.Options{URL: url, DirectURL: cfg.DatabaseDirectURL, Program: database.ProgramName(SchemaVersion()), Synchronous: strings.ToUpper(cfg.SQLiteSynchronous)}
}

// RestoreTarget is where a backup is restored: into what a server of this configuration uses.
func RestoreTarget(cfg config.Config) (t backup.Target, err error) {
	t = backup.Target{Folder: cfg.DataDir, Database: databaseOptions(cfg)}
	if cfg.DatabaseURL == "" {
		t.SQLite = cfg.SQLitePath()
	}
	if o := &t.Database; o.DirectURL != "" { // what is restored is in a schema that sessions are set to
		o.URL, o.DirectURL = o.DirectURL, ""
	}
	if cfg.Blob.URL == "" {
		t.Files = cfg.FilesPath()
	} else {
		t.Bucket, err = OpenBlobs(cfg)
	}
	return t, err
}

// RequireDatabase fails where there is no SQLite file to open, which opening would make:
// a command in the wrong folder is to say so.
func RequireDatabase(cfg config.Config) error {
	if err := RequireRestored(cfg); err != nil || cfg.DatabaseURL != "" {
		return err
	}
	info, err := os.Stat(cfg.SQLitePath())
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return fmt.Errorf("there is no database in %s: name its folder with --data-dir, or make one with `vitrine serve` or `vitrine migrate`", cfg.DataDir)
	}
	return err
}

// Claim makes this program the only one that serves an SQLite file, until it releases it
// or ends. Any number of servers share a PostgreSQL database.
func Claim(ctx context.Context, cfg config.Config) (release func(), err error) {
	if err := RequireRestored(cfg); err != nil {
		return nil, err
	}
	if cfg.DatabaseURL != "" {
		return func() {}, nil
	}
	release, err = lockfile.Claim(ctx, cfg.SQLitePath())
	if errors.Is(err, lockfile.ErrInUse) {
		err = fmt.Errorf("%w: stop it, or give this one another --data-dir", err)
	}
	return release, withRemedy(cfg.DataDir, err)
}

// OpenReady opens the database, which is there (RequireDatabase), and sees to its schema:
// SQLite is migrated, after a copy of what is there; PostgreSQL, which several programs
// share, is refused when it does not serve this program's version.
func OpenReady(ctx context.Context, cfg config.Config, log *slog.Logger) (*database.DB, error) {
	if err := RequireDatabase(cfg); err != nil {
		return nil, err
	}
	return OpenOrMake(ctx, cfg, log)
}

// OpenOrMake is OpenReady, but creates the SQLite file if it is missing.
func OpenOrMake(ctx context.Context, cfg config.Config, log *slog.Logger) (*database.DB, error) {
	db, err := Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return ready(ctx, db, log)
}

// awaitReady is OpenReady for a server, which makes an SQLite file that is not there, and waits
// for a PostgreSQL that is away.
func awaitReady(ctx context.Context, cfg config.Config, log *slog.Logger, look watching) (db *database.DB, err error) {
	atMost := cfg.WaitFor
	if cfg.DatabaseURL == "" { // another program's lock is no outage
		atMost = 0
	}
	err = await(ctx, atMost, log, "the database", func(ctx context.Context) (err error) {
		db, err = open(ctx, cfg, look, replicasOf(cfg, log))
		return err
	})
	if err != nil {
		return nil, err
	}
	if cfg.DatabaseDirectURL != "" {
		adviseOnPooler(ctx, db, log)
	}
	return ready(ctx, db, log)
}

// adviseOnPooler warns if the sessions that a pooler lends compile statements, or run those
// that nobody waits for to their end. A connection with a session of its own sees to both.
func adviseOnPooler(ctx context.Context, db *database.DB, log *slog.Logger) {
	for setting, c := range map[string]struct{ bad, good, why string }{
		"jit":                              {"on", "off", "PostgreSQL compiles statements behind the pooler, which takes longer than running them"},
		"client_connection_check_interval": {"0", "'1s'", "PostgreSQL runs statements behind the pooler to their end if nobody waits for them any more"},
	} {
		var is *string // NULL before version 14
		err := db.Reader().QueryRow(ctx, "SELECT current_setting($1, true)", setting).Scan(&is)
		if err == nil && is != nil && *is == c.bad {
			log.WarnContext(ctx, c.why, "remedy", "ALTER ROLE "+db.Session().User+" SET "+setting+" = "+c.good+", then RECONNECT in PgBouncer")
		}
	}
}

// ready sees to the schema of an open database, and closes one that is refused.
func ready(ctx context.Context, db *database.DB, log *slog.Logger) (_ *database.DB, err error) {
	if db.Dialect() == database.Postgres {
		err = checkSchema(ctx, db)
		if errors.Is(err, database.ErrOlderSchema) {
			err = fmt.Errorf("%w; run `vitrine migrate` first", err)
		}
	} else {
		err = Migrate(ctx, db, log)
	}
	if err != nil {
		return nil, joinClose(err, db)
	}
	return db, nil
}

// SchemaVersion is the version of the schema that this program brings a database to, by which
// a database says which programs it serves.
func SchemaVersion() int64 {
	version, err := schema.Latest(store.Migrations(database.SQLite))
	if err != nil {
		panic(err) // the files are embedded at build time
	}
	return version
}

// checkSchema refuses a database whose tables do not serve this program's version, or whose
// queue is not of it.
func checkSchema(ctx context.Context, db *database.DB) error {
	if err := db.CheckSchema(ctx, store.Migrations(db.Dialect())); err != nil {
		return err
	}
	return jobs.CheckSchema(ctx, db)
}

// RefuseToLeaveBehind fails if Migrate would take away what programs need that still work on the
// database, and names them.
func RefuseToLeaveBehind(ctx context.Context, db *database.DB) error {
	names, serves, err := db.LeftBehind(ctx, store.Migrations(db.Dialect()))
	if err != nil || len(names) == 0 {
		return err
	}
	return fmt.Errorf("the new schema serves programs from version %d on, and older ones still run: %s; upgrade or stop them first, or leave them behind with --force",
		serves, strings.Join(names, ", "))
}

// Migrate brings the schema of a database, and that of the queue in it, to this
// program's version, or leaves it at a later one that serves this program.
func Migrate(ctx context.Context, db *database.DB, log *slog.Logger) error {
	r, err := db.MigrateNotify(ctx, store.Migrations(db.Dialect()), func(err error) {
		log.WarnContext(ctx, "a migration gives way to others, and tries again soon", "error", err)
	})
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if r.From == 0 { // on a new site, the greeting should be the first output
		level = slog.LevelDebug
	}
	if r.From != r.To {
		log.Log(ctx, level, "migrated the database", "from", r.From, "to", r.To, "backup", r.BackupPath)
	}
	if r, err = jobs.Migrate(ctx, db); err == nil && r.From != r.To {
		log.Log(ctx, level, "migrated the queue of jobs", "from", r.From, "to", r.To, "backup", r.BackupPath)
	}
	return err
}
