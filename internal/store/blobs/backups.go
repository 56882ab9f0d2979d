package blobs

import (
	"context"
	"crypto/rand"
	"strconv"
	"time"

	"vitrine/internal/store/sqlx"
)

// A backup holds all files for holdFor and extends that every HoldBackupEvery.
const (
	HoldBackupEvery = time.Minute
	holdFor         = 15 * time.Minute
)

// rememberedFor is how long a backup is remembered.
const rememberedFor = 180 * 24 * time.Hour

// soonest is how long after a failed scheduled backup the next one starts.
const soonest = 15 * time.Minute

// EndedBackup is the result of a backup.
type EndedBackup struct {
	Copy                                 string // its name where it is stored
	Rows, Files, Bytes, Written, Missing int64
	Error                                string // empty if the backup is complete
}

// Backup is a backup that was started.
type Backup struct {
	EndedBackup
	Scheduled bool
	StartedAt time.Time
	EndedAt   time.Time // zero while it is being made
	Died      bool      // unfinished, and no server is making it any more
}

// BackupReads contains the statements that change nothing.
type BackupReads struct{ db sqlx.Conn }

// NewBackupReads returns the statements on a connection.
func NewBackupReads(db sqlx.Conn) BackupReads { return BackupReads{db} }

// BackupWrites contains the statements of a transaction.
type BackupWrites struct{ BackupReads }

// NewBackupWrites returns the statements on the connection of a transaction.
func NewBackupWrites(db sqlx.Conn) BackupWrites { return BackupWrites{NewBackupReads(db)} }

// notHeldByBackup returns the condition under which files may be removed. The parameter is the time.
func notHeldByBackup(now string) string {
	return "NOT EXISTS (SELECT 1 FROM backups WHERE ended_at IS NULL AND held_until > " + now + ")"
}

// BeginBackup records a backup, which holds all files from now on, and returns its id.
func (w BackupWrites) BeginBackup(ctx context.Context, now time.Time) (id string, err error) {
	id = rand.Text()
	return id, w.db.Exec(ctx, `INSERT INTO backups (id, scheduled, started_at, held_until) VALUES ($1, FALSE, $2, $3)`,
		id, sqlx.Micros(now), sqlx.Micros(now.Add(holdFor)))
}

// ClaimBackup starts the scheduled backup if one is due and no other node has claimed it.
// Otherwise it returns an empty id.
func (w BackupWrites) ClaimBackup(ctx context.Context, every time.Duration, now time.Time) (id string, err error) {
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
			WHERE scheduled AND (started_at > $4 AND error = '' OR started_at > $5 OR ended_at IS NULL))
		ON CONFLICT DO NOTHING`, id, sqlx.Micros(now), sqlx.Micros(now.Add(holdFor)),
		sqlx.Micros(now.Add(-every)), sqlx.Micros(now.Add(-min(every, soonest))))
	if err != nil || n == 0 {
		id = ""
	}
	return id, err
}

// HoldBackup extends the time for which a running backup holds all files.
func (w BackupWrites) HoldBackup(ctx context.Context, id string, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE backups SET held_until = $2 WHERE id = $1 AND ended_at IS NULL`, id, sqlx.Micros(now.Add(holdFor)))
}

// EndBackup records the result of a backup, which no longer holds files.
func (w BackupWrites) EndBackup(ctx context.Context, id string, e EndedBackup, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE backups SET ended_at = $2, copy = $3, row_count = $4, file_count = $5, file_bytes = $6,
		written = $7, missing = $8, error = $9 WHERE id = $1`,
		id, sqlx.Micros(now), e.Copy, e.Rows, e.Files, e.Bytes, e.Written, e.Missing, e.Error)
}

// Backups lists backups, newest first, from the beginning or below one that started at a time.
func (r BackupReads) Backups(ctx context.Context, now, before time.Time, limit int) ([]Backup, error) {
	if before.IsZero() {
		return r.list(ctx, "started_at > 0", now, limit)
	}
	return r.list(ctx, "started_at < $2", now, limit, before)
}

// LastBackup returns the last complete backup, nil if none is recorded.
func (r BackupReads) LastBackup(ctx context.Context, now time.Time) (*Backup, error) {
	return r.last(ctx, "ended_at IS NOT NULL AND error = ''", now)
}

// LastFailure returns the last backup that failed or died, nil if none is recorded.
func (r BackupReads) LastFailure(ctx context.Context, now time.Time) (*Backup, error) {
	return r.last(ctx, "(error <> '' OR ended_at IS NULL AND held_until <= $1)", now)
}

func (r BackupReads) last(ctx context.Context, where string, now time.Time) (*Backup, error) {
	all, err := r.list(ctx, where, now, 1)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// list reads backups that meet a condition, in which $1 is the current time and $2 another one.
func (r BackupReads) list(ctx context.Context, where string, now time.Time, limit int, more ...time.Time) ([]Backup, error) {
	args := []any{sqlx.Micros(now)}
	for _, t := range more {
		args = append(args, sqlx.Micros(t))
	}
	rows, err := r.db.Query(ctx, `SELECT scheduled, started_at, COALESCE(ended_at, 0), ended_at IS NULL AND held_until <= $1, copy,
			row_count, file_count, file_bytes, written, missing, error
		FROM backups WHERE `+where+` ORDER BY started_at DESC LIMIT `+strconv.Itoa(limit), args...)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (b Backup, err error) {
		var started, ended int64
		err = row.Scan(&b.Scheduled, &started, &ended, &b.Died, &b.Copy, &b.Rows, &b.Files, &b.Bytes, &b.Written, &b.Missing, &b.Error)
		b.StartedAt = sqlx.Time(started)
		if ended > 0 {
			b.EndedAt = sqlx.Time(ended)
		}
		return b, err
	})
}
