package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"vitrine/internal/database/pipeline"
	"vitrine/internal/domain"
)

// A program that the schema no longer serves must not write, because the values that it derives may
// be wrong there. Checking now and then is not enough: a migration can commit between the check and
// the write. So each transaction of Transact checks the schema itself, in a way that no migration can
// overtake:
//
//   - On SQLite it reads the version after it has begun to write, when nobody else can.
//   - On PostgreSQL it takes a lock that allows other writers but not the end of a migration
//     (versions.note takes the other side), and then reads the version. Both are sent together with
//     the last statements of the transaction, so they rarely cost a round trip.
//
// Options.Version turns this on.

const versionQuery = "SELECT version_id, serves FROM " + versionTable + " ORDER BY version_id DESC LIMIT 1"

// The two sides of the lock on PostgreSQL. Readers, such as backups, conflict with neither.
const (
	writersLock    = "LOCK TABLE " + versionTable + " IN ROW SHARE MODE"
	migrationsLock = "LOCK TABLE " + versionTable + " IN EXCLUSIVE MODE"
)

// fitFor is how long Fit remembers an answer, and how long it waits for one.
const fitFor = time.Second

// fit is what is known of whether the schema serves this program.
type fit struct {
	mu     sync.Mutex
	at     time.Time // of the last answer
	asking bool
	err    error // ErrNewerSchema, ErrOlderSchema, or nil
}

// Fit returns nil if the schema serves a program of Options.Version, and otherwise an error that is
// ErrNewerSchema or ErrOlderSchema. It asks the database once a second at most. It also returns nil
// if the database does not answer, because that is not what it reports.
func (db *DB) Fit(ctx context.Context) error {
	if db.version == 0 {
		return nil
	}
	f := &db.fit
	f.mu.Lock()
	if f.asking || time.Since(f.at) < fitFor {
		defer f.mu.Unlock()
		return f.err
	}
	f.asking = true
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, fitFor)
	defer cancel()
	var s Served
	err := db.unwatched().QueryRow(ctx, versionQuery).Scan(&s.Version, &s.From)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asking, f.at = false, time.Now()
	if err == nil {
		f.err = s.check(db.version)
	}
	return f.err
}

// unwatched is Reader at the primary, without observers.
func (db *DB) unwatched() Querier {
	if db.dialect == Postgres {
		return querier{sqlHandle{db.handle}}
	}
	return querier{liteHandle{db.readers}}
}

// admit returns an error of the kind domain.Unavailable unless a schema serves this program.
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

// fenceLite checks the schema at the beginning of a transaction that writes.
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

// fencePostgres checks the schema together with the statements that the transaction still has to send.
func (db *DB) fencePostgres(t *Tx) {
	if db.version == 0 {
		return
	}
	t.line.Add(pipeline.Statement{Query: writersLock, Quiet: true})
	t.line.Add(pipeline.Statement{Query: versionQuery, Quiet: true, Each: func(row pipeline.Row) error {
		var s Served
		if err := row.Scan(&s.Version, &s.From); err != nil {
			return err
		}
		return db.admit(s)
	}})
}
