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
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// Open opens the database of a configuration without checking its schema.
func Open(ctx context.Context, cfg config.Config) (*database.DB, error) {
	return open(ctx, cfg, statementHooks{}, database.Replicas{})
}

func open(ctx context.Context, cfg config.Config, hooks statementHooks, replicas database.Replicas) (*database.DB, error) {
	if err := RequireRestored(cfg); err != nil {
		return nil, err
	}
	o := databaseOptions(cfg)
	o.Observe, o.Trace, o.Replicas, o.Version = hooks.observe, hooks.trace, replicas, SchemaVersion()
	o.ReadOnlyTable = store.ReadOnlyTable
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
	return database.Options{URL: url, DirectURL: cfg.DatabaseDirectURL, Program: database.ProgramName(SchemaVersion()), Synchronous: strings.ToUpper(cfg.SQLiteSynchronous),
		AnyDisk: cfg.SQLiteAnyDisk}
}

// RestoreTarget returns the target of a restore: the database and files that a server with this
// configuration uses.
func RestoreTarget(cfg config.Config) (t backup.Target, err error) {
	t = backup.Target{Folder: cfg.DataDir, Database: databaseOptions(cfg)}
	if cfg.DatabaseURL == "" {
		t.SQLite = cfg.SQLitePath()
	}
	if o := &t.Database; o.DirectURL != "" { // restoring sets search_path, which poolers do not support
		o.URL, o.DirectURL = o.DirectURL, ""
	}
	if cfg.Blob.URL == "" {
		t.Files = cfg.FilesPath()
	} else {
		t.Bucket, err = OpenBlobs(cfg)
	}
	return t, err
}

// RequireDatabase fails if the SQLite file does not exist. Opening would create it, which would
// hide that a command runs in the wrong folder.
func RequireDatabase(cfg config.Config) error {
	if err := RequireRestored(cfg); err != nil || cfg.DatabaseURL != "" {
		return err
	}
	info, err := os.Stat(cfg.SQLitePath())
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return fmt.Errorf("there is no database in %s: set its folder with --data-dir, or create one with `vitrine serve` or `vitrine migrate`", cfg.DataDir)
	}
	return err
}

// Claim makes this program the only server of an SQLite file until it calls release or ends.
// PostgreSQL databases can be shared, so there Claim does nothing.
func Claim(ctx context.Context, cfg config.Config) (release func(), err error) {
	if err := RequireRestored(cfg); err != nil {
		return nil, err
	}
	if cfg.DatabaseURL != "" {
		return func() {}, nil
	}
	if !cfg.SQLiteAnyDisk {
		if err := database.CheckFileSystem(cfg.DataDir); err != nil {
			return nil, withRemedy(cfg.DataDir, err)
		}
	}
	release, err = database.ClaimLock(ctx, cfg.SQLitePath())
	if errors.Is(err, database.ErrInUse) {
		err = fmt.Errorf("%w: stop it, or use another --data-dir", err)
	}
	return release, withRemedy(cfg.DataDir, err)
}

// OpenReady opens an existing database and makes sure that its schema fits. It migrates SQLite,
// after making a copy. PostgreSQL may be shared with other programs, so OpenReady fails if its
// schema does not support this version.
func OpenReady(ctx context.Context, cfg config.Config, log *slog.Logger) (*database.DB, error) {
	if err := RequireDatabase(cfg); err != nil {
		return nil, err
	}
	return OpenOrCreate(ctx, cfg, log)
}

// OpenOrCreate is OpenReady, but creates the SQLite file if it is missing.
func OpenOrCreate(ctx context.Context, cfg config.Config, log *slog.Logger) (*database.DB, error) {
	db, err := Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return ready(ctx, db, log)
}

// awaitReady is OpenReady for a server. It creates a missing SQLite file, and waits for PostgreSQL
// if it is unreachable.
func awaitReady(ctx context.Context, cfg config.Config, log *slog.Logger, hooks statementHooks) (db *database.DB, err error) {
	maxWait := cfg.WaitFor
	if cfg.DatabaseURL == "" { // another program's lock is not an outage
		maxWait = 0
	}
	err = await(ctx, maxWait, log, "the database", func(ctx context.Context) (err error) {
		db, err = open(ctx, cfg, hooks, replicasOf(cfg, log))
		return err
	})
	if err != nil {
		return nil, err
	}
	if cfg.DatabaseDirectURL != "" {
		warnAboutPooler(ctx, db, log)
	}
	return ready(ctx, db, log)
}

// warnAboutPooler warns if the pooler's sessions have settings that slow down Vitrine: JIT
// compilation, or no check whether the client is still connected. On direct connections Vitrine
// sets both itself.
func warnAboutPooler(ctx context.Context, db *database.DB, log *slog.Logger) {
	for setting, c := range map[string]struct{ bad, good, why string }{
		"jit":                              {"on", "off", "PostgreSQL compiles statements from the pooler (JIT), which takes longer than running them"},
		"client_connection_check_interval": {"0", "'1s'", "PostgreSQL finishes statements from the pooler even after the client has gone"},
	} {
		var is *string // NULL before version 14
		err := db.Reader().QueryRow(ctx, "SELECT current_setting($1, true)", setting).Scan(&is)
		if err == nil && is != nil && *is == c.bad {
			log.WarnContext(ctx, c.why, "remedy", "ALTER ROLE "+db.Session().User+" SET "+setting+" = "+c.good+", then RECONNECT in PgBouncer")
		}
	}
}

// ready prepares the schema of an open database, or closes the database on error.
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

// SchemaVersion returns the schema version that this program migrates to. Databases use it to tell
// which programs they support.
func SchemaVersion() int64 {
	version, err := database.LatestVersion(store.Migrations(database.SQLite))
	if err != nil {
		panic(err) // the files are embedded at build time
	}
	return version
}

// checkSchema fails if the schema of the tables or of the job queue does not support this program's
// version.
func checkSchema(ctx context.Context, db *database.DB) error {
	if err := db.CheckSchema(ctx, store.Migrations(db.Dialect())); err != nil {
		return err
	}
	return jobs.CheckSchema(ctx, db)
}

// RefuseToLeaveBehind fails if programs are still running that would not work with the new schema,
// and lists them.
func RefuseToLeaveBehind(ctx context.Context, db *database.DB) error {
	names, serves, err := db.LeftBehind(ctx, store.Migrations(db.Dialect()))
	if err != nil || len(names) == 0 {
		return err
	}
	return fmt.Errorf("the new schema supports programs from version %d on, and older ones are still running: %s; upgrade or stop them first, or use --force",
		serves, strings.Join(names, ", "))
}

// Migrate migrates the schemas of a database and its job queue to this program's version. It leaves
// later versions that support this program unchanged.
func Migrate(ctx context.Context, db *database.DB, log *slog.Logger) error {
	r, err := db.MigrateNotify(ctx, store.Migrations(db.Dialect()), func(err error) {
		log.WarnContext(ctx, "a migration was blocked by other programs and will be retried", "error", err)
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
		log.Log(ctx, level, "migrated the job queue", "from", r.From, "to", r.To, "backup", r.BackupPath)
	}
	return err
}
