package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"vitrine/internal/database/postgres"
	"vitrine/internal/domain"
)

// A program that the schema no longer supports must not write, because it may derive wrong values.
// A periodic check is not enough: a migration can commit between the check and the write.
// So each transaction of Transact checks the schema in a way that excludes concurrent migrations:
//
//   - On SQLite it reads the version while it holds the write lock.
//   - On PostgreSQL it takes a lock that allows other writers but blocks the commit of a migration
//     (versions.note takes the conflicting lock), and then reads the version. Both statements are sent
//     with the last statements of the transaction, so they rarely cost a round trip.
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
		return querier{sqlHandle{db.handle}}
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
func (db *DB) fenceLite(g *group) error {
	if db.version == 0 {
		return nil
	}
	var s Served
	err := liteHandle{g.conn}.queryRow(context.Background(), versionQuery, nil).Scan(&s.Version, &s.From)
	if err != nil && !errors.Is(err, ErrNoRows) {
		return err
	}
	return db.admit(s)
}

// fencePostgres adds the schema check to the statements that the transaction still has to send.
func (db *DB) fencePostgres(t *Tx) {
	if db.version == 0 {
		return
	}
	t.line.Add(postgres.Statement{Query: writersLock, Quiet: true})
	t.line.Add(postgres.Statement{Query: versionQuery, Quiet: true, Each: func(row postgres.Row) error {
		var s Served
		if err := row.Scan(&s.Version, &s.From); err != nil {
			return err
		}
		return db.admit(s)
	}})
}
