package blobs

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// SnapshotRequest reads the copy of a block's page that this server takes or failed to take. It returns NotFound if there is
// none.
func (r Reads) SnapshotRequest(ctx context.Context, block domain.BlockID) (q domain.SnapshotRequest, err error) {
	var updated int64
	err = r.db.QueryRow(ctx, `SELECT block_id, user_id, state = 'failed', attempts, reason, round, updated_at FROM snapshot_requests WHERE block_id = $1`, block).
		Scan(&q.Block, &q.User, &q.Failed, &q.Attempts, &q.Reason, &q.Round, &updated)
	q.UpdatedAt = sqlx.Time(updated)
	return q, sqlx.Found(err)
}

// RequestSnapshot makes a copy of a locked block's page wait to be taken for a user, and returns the round that its job needs.
// It returns NotFound if one waits already.
func (w Writes) RequestSnapshot(ctx context.Context, block domain.BlockID, user domain.UserID, now time.Time) (round int64, err error) {
	round, err = sqlx.ScanInt64(w.db.QueryRow(ctx, `INSERT INTO snapshot_requests (block_id, user_id, state, round, updated_at)
		VALUES ($1, $2, 'waiting', $3, $3)
		ON CONFLICT (block_id) DO UPDATE SET user_id = $2, state = 'waiting', attempts = 0, reason = '', updated_at = $3,
			round = CASE WHEN snapshot_requests.round < $3 THEN $3 ELSE snapshot_requests.round + 1 END
		WHERE snapshot_requests.state = 'failed' RETURNING round`, block, user, sqlx.Micros(now)))
	return round, sqlx.Found(err)
}

// BeginSnapshot counts an attempt to take a copy. It returns NotFound if none waits in this round.
func (w Writes) BeginSnapshot(ctx context.Context, block domain.BlockID, round int64, now time.Time) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `UPDATE snapshot_requests SET attempts = attempts + 1, updated_at = $3
		WHERE block_id = $1 AND round = $2 AND state = 'waiting' RETURNING attempts`, block, round, sqlx.Micros(now)))
	return sqlx.Found(err)
}

// UndoSnapshotAttempt subtracts an attempt that could not be made.
func (w Writes) UndoSnapshotAttempt(ctx context.Context, block domain.BlockID, round int64) error {
	return w.db.Exec(ctx, `UPDATE snapshot_requests SET attempts = attempts - 1
		WHERE block_id = $1 AND round = $2 AND state = 'waiting' AND attempts > 0`, block, round)
}

// NoteSnapshotFailure records why an attempt failed. After the last one the copy waits no more.
func (w Writes) NoteSnapshotFailure(ctx context.Context, block domain.BlockID, round int64, reason string, last bool, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE snapshot_requests SET reason = $3, updated_at = $5, state = CASE WHEN CAST($4 AS BOOLEAN) THEN 'failed' ELSE state END
		WHERE block_id = $1 AND round = $2 AND state = 'waiting'`, block, round, reason, last, sqlx.Micros(now))
}

// EndSnapshotRequest ends the wait for a copy that was taken, once. It returns NotFound if none waits in this round.
func (w Writes) EndSnapshotRequest(ctx context.Context, block domain.BlockID, round int64) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `DELETE FROM snapshot_requests WHERE block_id = $1 AND round = $2 AND state = 'waiting' RETURNING block_id`, block, round))
	return sqlx.Found(err)
}
