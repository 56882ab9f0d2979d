// Package backups notes which backups are made and were made, and has the storage of files
// keep everything meanwhile.
package backups

import (
	"context"
	"crypto/rand"
	"time"

	"vitrine/internal/store/sqlx"
)

// A backup holds all files for holdFor, and does so anew every HoldEvery.
const (
	HoldEvery = time.Minute
	holdFor   = 15 * time.Minute
)

// rememberedFor is how long a backup is remembered.
const rememberedFor = 180 * 24 * time.Hour

// soonest is how long after a scheduled backup that failed the next is tried.
const soonest = 15 * time.Minute

// Ended is what a backup came to.
type Ended struct {
	Copy                                 string // its name where it is kept
	Rows, Files, Bytes, Written, Missing int64
	Error                                string // empty if it is whole
}

// Backup is one that was begun.
type Backup struct {
	Ended
	Scheduled bool
	StartedAt time.Time
	EndedAt   time.Time // zero while it is made
	Died      bool      // it has not ended, and nobody makes it
}

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes are the statements of a transaction.
type Writes struct{ db sqlx.Conn }

// NewWrites gives the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{db} }

// NotHeld is the condition under which files may be removed, with the time as a parameter.
func NotHeld(now string) string {
	return "NOT EXISTS (SELECT 1 FROM backups WHERE ended_at IS NULL AND held_until > " + now + ")"
}

// BeginBackup notes a backup, which holds all files from now on, and gives its name.
func (w Writes) BeginBackup(ctx context.Context, now time.Time) (id string, err error) {
	id = rand.Text()
	return id, w.db.Exec(ctx, `INSERT INTO backups (id, scheduled, started_at, held_until) VALUES ($1, FALSE, $2, $3)`,
		id, sqlx.Micros(now), sqlx.Micros(now.Add(holdFor)))
}

// ClaimBackup is BeginBackup for a backup that is made every so often, by whoever comes
// first: the name is empty where none is due.
func (w Writes) ClaimBackup(ctx context.Context, every time.Duration, now time.Time) (id string, err error) {
	err = w.db.Exec(ctx, `UPDATE backups SET ended_at = $1, error = 'it was cut off'
		WHERE scheduled AND ended_at IS NULL AND held_until <= $1`, sqlx.Micros(now))
	if err == nil {
		err = w.db.Exec(ctx, `DELETE FROM backups WHERE started_at < $1 AND held_until < $1`, sqlx.Micros(now.Add(-rememberedFor)))
	}
	if err != nil {
		return "", err
	}
	id = rand.Text()
	n, err := w.db.ExecCount(ctx, `INSERT INTO backups (id, scheduled, started_at, held_until)
		SELECT $1, TRUE, CAST($2 AS BIGINT), CAST($3 AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM backups
			WHERE scheduled AND (started_at > $4 AND error = '' OR started_at > $5))
		ON CONFLICT DO NOTHING`, id, sqlx.Micros(now), sqlx.Micros(now.Add(holdFor)),
		sqlx.Micros(now.Add(-every)), sqlx.Micros(now.Add(-min(every, soonest))))
	if err != nil || n == 0 {
		id = ""
	}
	return id, err
}

// HoldBackup has a backup that is being made hold all files for longer.
func (w Writes) HoldBackup(ctx context.Context, id string, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE backups SET held_until = $2 WHERE id = $1 AND ended_at IS NULL`, id, sqlx.Micros(now.Add(holdFor)))
}

// EndBackup notes what a backup came to. It holds nothing any more.
func (w Writes) EndBackup(ctx context.Context, id string, e Ended, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE backups SET ended_at = $2, copy = $3, row_count = $4, file_count = $5, file_bytes = $6,
		written = $7, missing = $8, error = $9 WHERE id = $1`,
		id, sqlx.Micros(now), e.Copy, e.Rows, e.Files, e.Bytes, e.Written, e.Missing, e.Error)
}

// LastBackup gives the last backup that is whole, nil if none is remembered.
func (r Reads) LastBackup(ctx context.Context, now time.Time) (*Backup, error) {
	return r.last(ctx, "ended_at IS NOT NULL AND error = ''", now)
}

// LastFailure gives the last backup that failed or died, nil if none is remembered.
func (r Reads) LastFailure(ctx context.Context, now time.Time) (*Backup, error) {
	return r.last(ctx, "(error <> '' OR ended_at IS NULL AND held_until <= $1)", now)
}

func (r Reads) last(ctx context.Context, where string, now time.Time) (*Backup, error) {
	rows, err := r.db.Query(ctx, `SELECT scheduled, started_at, COALESCE(ended_at, 0), ended_at IS NULL AND held_until <= $1, copy,
			row_count, file_count, file_bytes, written, missing, error
		FROM backups WHERE `+where+` ORDER BY started_at DESC LIMIT 1`, sqlx.Micros(now))
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (b Backup, err error) {
		var started, ended int64
		err = row.Scan(&b.Scheduled, &started, &ended, &b.Died, &b.Copy, &b.Rows, &b.Files, &b.Bytes, &b.Written, &b.Missing, &b.Error)
		b.StartedAt = sqlx.Time(started)
		if ended > 0 {
			b.EndedAt = sqlx.Time(ended)
		}
		return b, err
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}
