package blobs

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// StartProcessing makes a block wait for its content, from uploads unless they are 0.
func (w Writes) StartProcessing(ctx context.Context, id domain.BlockID, from domain.BlockUploads, now time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO processings (block_id, state, upload_id, poster_upload_id, created_at, updated_at)
		VALUES ($1, 'waiting', NULLIF($2, 0), NULLIF($3, 0), $4, $4)`, id, from.UploadID, from.PosterID, sqlx.Micros(now))
}

// Processing reads the state of processing a block's content. It returns NotFound for blocks
// created from text.
func (r Reads) Processing(ctx context.Context, id domain.BlockID) (p domain.ProcessingStatus, err error) {
	var updated int64
	err = r.db.QueryRow(ctx, `SELECT p.block_id, p.state, p.attempts, p.reason, COALESCE(p.upload_id, 0), COALESCE(p.poster_upload_id, 0), p.created_at, p.updated_at
		FROM processings p WHERE p.block_id = $1`, id).
		Scan(&p.BlockID, &p.State, &p.Attempts, &p.Reason, &p.UploadID, &p.PosterID, &p.Round, &updated)
	p.UpdatedAt = sqlx.Time(updated)
	return p, sqlx.Found(err)
}

// BeginAttempt counts an attempt to fetch the content of a block. It returns NotFound if the block does
// not wait for its content, or waits in another round than the given one. Round 0 matches any.
func (w Writes) BeginAttempt(ctx context.Context, id domain.BlockID, round int64, now time.Time) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `UPDATE processings SET attempts = attempts + 1, updated_at = $3
		WHERE block_id = $1 AND state = 'waiting' AND (created_at = $2 OR CAST($2 AS BIGINT) = 0) RETURNING attempts`, id, round, sqlx.Micros(now)))
	return sqlx.Found(err)
}

// UndoAttempt subtracts an attempt that could not be made.
func (w Writes) UndoAttempt(ctx context.Context, id domain.BlockID) error {
	return w.db.Exec(ctx, `UPDATE processings SET attempts = attempts - 1
		WHERE block_id = $1 AND state = 'waiting' AND attempts > 0`, id)
}

// AttemptFailed records why an attempt failed.
func (w Writes) AttemptFailed(ctx context.Context, id domain.BlockID, reason string, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE processings SET reason = $2, updated_at = $3 WHERE block_id = $1 AND state = 'waiting'`,
		id, reason, sqlx.Micros(now))
}

// EndProcessing ends the processing of a locked block, once. It returns NotFound if the block was
// not waiting. The reason is nil unless processing failed.
func (w Writes) EndProcessing(ctx context.Context, id domain.BlockID, state domain.ProcessingState, reason *string, now time.Time) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `UPDATE processings SET state = $2, reason = $3, updated_at = $4
		WHERE block_id = $1 AND state = 'waiting' RETURNING block_id`, id, state, reason, sqlx.Micros(now)))
	return sqlx.Found(err)
}

// RestartProcessing starts another round of attempts for a locked block. Jobs of earlier rounds then have
// nothing to do.
func (w Writes) RestartProcessing(ctx context.Context, id domain.BlockID, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE processings SET state = 'waiting', attempts = 0, reason = NULL, updated_at = $2,
			created_at = CASE WHEN created_at < $2 THEN $2 ELSE created_at + 1 END
		WHERE block_id = $1`, id, sqlx.Micros(now))
}
