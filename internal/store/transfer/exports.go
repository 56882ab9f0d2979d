// Package transfer stores imports and exports: their progress, the items that could not be
// imported, the files of exports, the origins of imported items, so that importing them again
// creates no duplicates, and the feeds whose entries are added to channels.
package transfer

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// ExportReads contains the statements that change nothing.
type ExportReads struct{ db sqlx.Conn }

// NewExportReads returns the statements on a connection.
func NewExportReads(db sqlx.Conn) ExportReads { return ExportReads{db} }

// ExportWrites contains the statements of a transaction.
type ExportWrites struct{ ExportReads }

// NewExportWrites returns the statements on the connection of a transaction.
func NewExportWrites(db sqlx.Conn) ExportWrites { return ExportWrites{NewExportReads(db)} }

const exportColumns = `id, user_id, state, attempts, object, size, expected, done, channels, blocks, files, bytes, left_out, created_at, ended_at, expires_at`

func exportScan(row sqlx.Row) (e domain.Export, err error) {
	var created, expires int64
	var ended *int64
	c := &e.Counts
	err = row.Scan(&e.ID, &e.UserID, &e.State, &e.Attempts, &e.Object, &e.Size, &c.Expected, &c.Done, &c.Channels, &c.Blocks, &c.Files, &c.Bytes, &c.LeftOut,
		&created, &ended, &expires)
	e.CreatedAt, e.EndedAt, e.ExpiresAt = sqlx.Time(created), sqlx.TimePtr(ended), sqlx.Time(expires)
	return e, sqlx.Found(err)
}

// Export reads an export of a user that has not expired.
func (r ExportReads) Export(ctx context.Context, user domain.UserID, id domain.ExportID, now time.Time) (domain.Export, error) {
	return exportScan(r.db.QueryRow(ctx, "SELECT "+exportColumns+" FROM exports WHERE id = $1 AND user_id = $2 AND expires_at > $3", id, user, sqlx.Micros(now)))
}

// Exports reads a user's exports that have not expired, newest first. There are only a few.
func (r ExportReads) Exports(ctx context.Context, user domain.UserID, now time.Time) ([]domain.Export, error) {
	rows, err := r.db.Query(ctx, "SELECT "+exportColumns+" FROM exports WHERE user_id = $1 AND expires_at > $2 ORDER BY id DESC", user, sqlx.Micros(now))
	return sqlx.Collect(ctx, rows, err, exportScan)
}

// AddExport adds an export for a job to create; ok is false if the user has an unfinished one.
func (w ExportWrites) AddExport(ctx context.Context, user domain.UserID, now, expires time.Time) (id domain.ExportID, ok bool, err error) {
	rows, err := w.db.Query(ctx, `INSERT INTO exports (user_id, state, created_at, expires_at) VALUES ($1, 'queued', $2, $3)
		ON CONFLICT DO NOTHING RETURNING id`, user, sqlx.Micros(now), sqlx.Micros(expires))
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(ids) == 0 {
		return 0, false, err
	}
	return domain.ExportID(ids[0]), true, nil
}

// BeginExport counts an attempt and returns the export with the object that the previous attempt
// may have written. It returns NotFound if the export was deleted or has ended.
func (w ExportWrites) BeginExport(ctx context.Context, id domain.ExportID, object string) (e domain.Export, before string, err error) {
	// The first update locks the row, so it returns the previous object.
	err = w.db.QueryRow(ctx, `UPDATE exports SET attempts = attempts + 1, state = 'running' WHERE id = $1 AND ended_at IS NULL RETURNING object`, id).Scan(&before)
	if err != nil {
		return e, "", sqlx.Found(err)
	}
	e, err = exportScan(w.db.QueryRow(ctx, `UPDATE exports SET object = $2, expected = 0, done = 0, channels = 0, blocks = 0, files = 0, bytes = 0, left_out = 0
		WHERE id = $1 RETURNING `+exportColumns, id, object))
	return e, before, err
}

// UndoExportAttempt subtracts the attempt that BeginExport counted.
func (w ExportWrites) UndoExportAttempt(ctx context.Context, id domain.ExportID) error {
	return w.db.Exec(ctx, `UPDATE exports SET attempts = attempts - 1 WHERE id = $1 AND ended_at IS NULL AND attempts > 0`, id)
}

// NoteExport stores the progress of the attempt with an object. It returns false if a newer attempt
// replaced it.
func (w ExportWrites) NoteExport(ctx context.Context, id domain.ExportID, object string, c domain.ExportCounts) (bool, error) {
	return w.changed(ctx, `UPDATE exports SET expected = $3, done = $4, channels = $5, blocks = $6, files = $7, bytes = $8, left_out = $9
		WHERE id = $1 AND object = $2 AND ended_at IS NULL RETURNING id`, id, object, c.Expected, c.Done, c.Channels, c.Blocks, c.Files, c.Bytes, c.LeftOut)
}

// EndExport ends the attempt with an object. It returns false if a newer attempt replaced it.
func (w ExportWrites) EndExport(ctx context.Context, id domain.ExportID, object string, state domain.ExportState, size int64, now, expires time.Time) (bool, error) {
	return w.changed(ctx, `UPDATE exports SET state = $3, size = $4, ended_at = $5, expires_at = $6
		WHERE id = $1 AND object = $2 AND ended_at IS NULL RETURNING id`, id, object, state, size, sqlx.Micros(now), sqlx.Micros(expires))
}

func (w ExportWrites) changed(ctx context.Context, query string, args ...any) (bool, error) {
	rows, err := w.db.Query(ctx, query, args...)
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	return len(ids) > 0, err
}

// DeleteExport deletes an export of a user and returns its object.
func (w ExportWrites) DeleteExport(ctx context.Context, user domain.UserID, id domain.ExportID) (object string, err error) {
	err = w.db.QueryRow(ctx, `DELETE FROM exports WHERE id = $1 AND user_id = $2 RETURNING object`, id, user).Scan(&object)
	return object, sqlx.Found(err)
}

// SweepExports deletes at most `limit` expired exports and returns their objects and their number.
func (w ExportWrites) SweepExports(ctx context.Context, now time.Time, limit int) (objects []string, n int, err error) {
	rows, err := w.db.Query(ctx, `DELETE FROM exports WHERE id IN (SELECT id FROM exports WHERE expires_at <= $1 ORDER BY expires_at`+sqlx.Limit("$2")+
		`) RETURNING object`, sqlx.Micros(now), limit)
	all, err := sqlx.Collect(ctx, rows, err, sqlx.ScanString)
	return named(all), len(all), err
}

// ForgetExports deletes the exports of a user and returns their objects.
func (w ExportWrites) ForgetExports(ctx context.Context, user domain.UserID) ([]string, error) {
	rows, err := w.db.Query(ctx, `DELETE FROM exports WHERE user_id = $1 RETURNING object`, user)
	all, err := sqlx.Collect(ctx, rows, err, sqlx.ScanString)
	return named(all), err
}

// named omits the empty names of exports that no job has started.
func named(objects []string) (all []string) {
	for _, object := range objects {
		if object != "" {
			all = append(all, object)
		}
	}
	return all
}
