package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	goosedb "github.com/pressly/goose/v3/database"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/postgres"
	"vitrine/internal/domain"
)

// A program that the schema no longer supports must not write, because it may derive wrong values.
// A periodic check is not enough: a migration can commit between the check and the write.
// So each transaction of Transact checks the schema in a way that excludes concurrent migrations:
//
//   - On SQLite it reads the version while it holds the write lock.
//   - On PostgreSQL it takes a lock that allows other writers but blocks the commit of a migration
//     (versions.note takes the conflicting lock), and then checks the version. Both statements are sent
//     with the last statements of the transaction and the commit, so they cost no round trip.
//
// Options.Version enables the check.

const versionQuery = "SELECT version_id, serves FROM " + versionTable + " ORDER BY version_id DESC LIMIT 1"

// The conflicting table locks on PostgreSQL. Readers, such as backups, conflict with neither.
const (
	writersLock    = "LOCK TABLE " + versionTable + " IN ROW SHARE MODE"
	migrationsLock = "LOCK TABLE " + versionTable + " IN EXCLUSIVE MODE"
)

// fitFor is both the cache time of Fit and its timeout.
const fitFor = time.Second

// fit caches whether the schema supports this program.
type fit struct {
	mu       sync.Mutex
	at       time.Time // of the last check
	checking bool
	err      error // ErrNewerSchema, ErrOlderSchema, or nil
}

// Fit returns nil if the schema supports Options.Version, or else ErrNewerSchema or ErrOlderSchema.
// It queries the database at most once a second. If the database does not answer, Fit returns the
// last result, because it does not report outages.
func (db *DB) Fit(ctx context.Context) error {
	if db.version == 0 {
		return nil
	}
	f := &db.fit
	f.mu.Lock()
	if f.checking || time.Since(f.at) < fitFor {
		defer f.mu.Unlock()
		return f.err
	}
	f.checking = true
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, fitFor)
	defer cancel()
	var s Served
	err := db.unwatched().QueryRow(ctx, versionQuery).Scan(&s.Version, &s.From)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checking, f.at = false, time.Now()
	if err == nil {
		f.err = s.check(db.version)
	}
	return f.err
}

// unwatched returns an unobserved reader of the primary.
func (db *DB) unwatched() Querier {
	if db.dialect == Postgres {
		return querier{poolHandle(Pool(db))}
	}
	return querier{liteHandle{db.readers}}
}

// admit returns an error of the kind domain.Unavailable if the schema does not support this program.
func (db *DB) admit(s Served) error {
	err := s.check(db.version)
	if err == nil {
		return nil
	}
	db.fit.mu.Lock()
	db.fit.err, db.fit.at = err, time.Now()
	db.fit.mu.Unlock()
	return domain.NewUnavailable(err)
}

// fenceLite checks the schema at the start of a write transaction.
func (db *DB) fenceLite(conn *lite.Conn) error {
	if db.version == 0 {
		return nil
	}
	var s Served
	err := liteHandle{conn}.queryRow(context.Background(), versionQuery, nil).Scan(&s.Version, &s.From)
	if err != nil && !errors.Is(err, ErrNoRows) {
		return err
	}
	return db.admit(s)
}

// fenceQuery fails with a division by zero unless the schema supports program $1, so that a commit can be sent with it.
const fenceQuery = "SELECT 1 / (1 - count(*)) FROM (" + versionQuery + ") AS v WHERE NOT ($1 BETWEEN v.serves AND v.version_id)"

// fencePostgres returns the statements that check the schema, and unless always is set also the mode, before a commit.
func (db *DB) fencePostgres(always bool) []postgres.Statement {
	if db.version == 0 {
		return nil
	}
	query := fenceQuery
	if !always && db.readOnlyTable != "" {
		query += " OR EXISTS (SELECT 1 FROM " + db.readOnlyTable + ")"
	}
	return []postgres.Statement{{Query: writersLock, Quiet: true}, {Query: query, Args: []any{db.version}, Quiet: true}}
}

// fenced replaces the error of a commit if the schema does not support this program, or the site is read-only.
func (db *DB) fenced(ctx context.Context, err error) error {
	if !hasCode(err, "22012") && !hasCode(err, "42P01") { // an old schema has no table for the mode
		return err
	}
	var s Served
	if failed := db.unwatched().QueryRow(ctx, versionQuery).Scan(&s.Version, &s.From); failed != nil {
		return err
	}
	if unfit := db.admit(s); unfit != nil {
		return unfit
	}
	m, failed := db.readOnly(ctx, poolHandle(Pool(db)))
	switch {
	case failed != nil:
		return err
	case m == nil: // the mode has just ended
		return domain.NewUnavailable(err)
	}
	return m.Refusal(time.Now())
}

// versionTable contains a row for each applied migration. The column serves of the last row is the oldest
// program version that runs correctly on the schema.
//
// Programs that are older than this table read goose's own table, which has the same versions. They
// require exactly their own version there, and print it when they refuse to start.
const versionTable = "schema_versions"

// Served describes which program versions a schema supports. The version of a program is that of its
// last migration.
type Served struct {
	Version int64 // of the schema
	From    int64 // the oldest supported program version; at most Version
}

// check returns nil if the schema supports a program version, or else an error that wraps
// ErrNewerSchema or ErrOlderSchema and has the reason.
func (s Served) check(program int64) error {
	switch {
	case program < s.From:
		return fmt.Errorf("%w: it is at version %d and serves programs from version %d on, this one knows %d; start the newer program, or restore a backup of before",
			ErrNewerSchema, s.Version, s.From, program)
	case program > s.Version:
		return fmt.Errorf("%w: it is at version %d, the program needs %d", ErrOlderSchema, s.Version, program)
	}
	return nil
}

// Served returns the versions that the database supports, or zeros if it was never migrated. It runs one
// small query.
func (db *DB) Served(ctx context.Context) (s Served, err error) {
	exists := db.hasVersions.Load()
	if !exists {
		if exists, err = db.hasTable(ctx, versionTable); err != nil {
			return s, err
		}
		db.hasVersions.Store(exists)
	}
	q := versionQuery
	if !exists { // never migrated, or only by an older program, which did not record a range
		if exists, err = db.hasTable(ctx, goose.DefaultTablename); err != nil || !exists {
			return s, err
		}
		q = "SELECT version_id, version_id FROM " + goose.DefaultTablename + " ORDER BY version_id DESC LIMIT 1"
	}
	err = db.Reader().QueryRow(ctx, q).Scan(&s.Version, &s.From)
	if errors.Is(err, ErrNoRows) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("database: read schema version: %w", err)
	}
	return s, nil
}

// versions records applied migrations for goose.
type versions struct {
	goosedb.Store
	dialect Dialect
	before  goosedb.Store // goose's own table
	raises  []Raise
}

func newVersions(d Dialect, migrations fs.FS) (v versions, err error) {
	name := goosedb.DialectPostgres
	if d == SQLite {
		name = goosedb.DialectSQLite3
	}
	v.dialect = d
	if v.Store, err = goosedb.NewStore(name, versionTable); err != nil {
		return v, err
	}
	if v.before, err = goosedb.NewStore(name, goose.DefaultTablename); err != nil {
		return v, err
	}
	v.raises, err = raises(migrations)
	return v, err
}

// TableExists implements goose's StoreExtender.
func (v versions) TableExists(ctx context.Context, tx goosedb.DBTxConn) (bool, error) {
	return tableExists(ctx, tx, v.dialect, versionTable)
}

func tableExists(ctx context.Context, tx goosedb.DBTxConn, d Dialect, name string) (exists bool, err error) {
	err = tx.QueryRowContext(ctx, tableQuery(d), name).Scan(&exists)
	return exists, err
}

// CreateVersionTable creates the table and copies the rows of goose's own table. It runs in a
// transaction.
func (v versions) CreateVersionTable(ctx context.Context, tx goosedb.DBTxConn) error {
	if err := v.Store.CreateVersionTable(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "ALTER TABLE "+versionTable+" ADD COLUMN serves BIGINT NOT NULL DEFAULT 0"); err != nil {
		return err
	}
	exists, err := tableExists(ctx, tx, v.dialect, goose.DefaultTablename)
	if err != nil {
		return err
	}
	if !exists {
		return v.before.CreateVersionTable(ctx, tx)
	}
	made, err := v.before.ListMigrations(ctx, tx) // latest first
	if err != nil {
		return err
	}
	for _, m := range slices.Backward(made) {
		if m.Version == 0 { // goose inserts it next
			continue
		}
		if err := v.note(ctx, tx, m.Version); err != nil {
			return err
		}
	}
	return nil
}

// Insert records a version, and the programs that it supports, at the end of its migration.
func (v versions) Insert(ctx context.Context, tx goosedb.DBTxConn, req goosedb.InsertRequest) error {
	if v.dialect == SQLite {
		if err := checkForeignKeys(ctx, tx, fmt.Sprintf("version %d", req.Version)); err != nil {
			return err
		}
	}
	return v.note(ctx, tx, req.Version)
}

func (v versions) note(ctx context.Context, tx goosedb.DBTxConn, version int64) error {
	serves := oldestVersion(v.raises, version)
	if v.dialect == Postgres && slices.ContainsFunc(v.raises, func(r Raise) bool { return r.Version == version }) {
		if _, err := tx.ExecContext(ctx, migrationsLock); err != nil { // see fence.go
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO "+versionTable+" (version_id, is_applied, serves) VALUES ($1, TRUE, $2)", version, serves)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO "+goose.DefaultTablename+" (version_id, is_applied) SELECT version_id, TRUE FROM "+versionTable+
		" WHERE version_id NOT IN (SELECT version_id FROM "+goose.DefaultTablename+") ORDER BY version_id")
	return err
}
