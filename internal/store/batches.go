package store

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// Locks: the row of a batch before those of its items, and before channels.

// AddBatch notes a batch, whose id must be fresh. Where it goes and each block to make
// are texts that only the caller understands.
func (tx *Tx) AddBatch(ctx context.Context, b domain.Batch, channels string, inputs []string) error {
	err := tx.exec(ctx, `INSERT INTO batches (id, user_id, tier, scope, channels, total, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		b.ID, b.By.UserID, b.By.Tier, b.By.Scope, channels, len(inputs), micros(b.CreatedAt))
	if err != nil {
		return err
	}
	n := 0
	for rows := range slices.Chunk(inputs, bulkRows) {
		args := make([]any, 0, 3*len(rows))
		for _, input := range rows {
			args = append(args, b.ID, n, input)
			n++
		}
		err := tx.exec(ctx, "INSERT INTO batch_items (batch_id, n, input) VALUES "+placeholders(len(rows), 3), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Batch reads a batch of a user that was made after a time, with its items so far.
func (q Queries) Batch(ctx context.Context, user domain.UserID, id string, after time.Time) (b domain.Batch, err error) {
	b.ID = id
	var created int64
	var started, completed *int64
	err = q.q.QueryRow(ctx, `SELECT ba.user_id, ba.tier, ba.scope, ba.total, ba.attempts, ba.error,
			ba.created_at, ba.started_at, ba.completed_at
		FROM batches ba WHERE ba.id = $1 AND ba.user_id = $2 AND ba.created_at > $3`, id, user, micros(after)).
		Scan(&b.By.UserID, &b.By.Tier, &b.By.Scope, &b.Total, &b.Attempts, &b.Error, &created, &started, &completed)
	if err != nil {
		return b, found(err)
	}
	b.CreatedAt, b.StartedAt, b.EndedAt = instant(created), instantPtr(started), instantPtr(completed)
	rows, err := q.q.Query(ctx, `SELECT n, COALESCE(block_id, 0), error FROM batch_items
		WHERE batch_id = $1 AND (block_id IS NOT NULL OR error IS NOT NULL) ORDER BY n`, id)
	b.Items, err = collect(ctx, rows, err, func(row scanner) (i domain.BatchItem, err error) {
		err = row.Scan(&i.N, &i.BlockID, &i.Error)
		return i, err
	})
	return b, err
}

// BeginBatch counts an attempt to make what is left of a batch, and gives for whom and
// where to; NotFound means that there is nothing to do.
func (tx *Tx) BeginBatch(ctx context.Context, id string, now time.Time) (b domain.Batch, channels string, err error) {
	b.ID = id
	err = tx.q.QueryRow(ctx, `UPDATE batches SET attempts = attempts + 1, started_at = COALESCE(started_at, $2)
		WHERE id = $1 AND completed_at IS NULL RETURNING user_id, tier, scope, total, attempts, channels`, id, micros(now)).
		Scan(&b.By.UserID, &b.By.Tier, &b.By.Scope, &b.Total, &b.Attempts, &channels)
	return b, channels, found(err)
}

// UndoBatchAttempt takes an attempt back that could not be finished.
func (tx *Tx) UndoBatchAttempt(ctx context.Context, id string) error {
	return tx.exec(ctx, `UPDATE batches SET attempts = attempts - 1
		WHERE id = $1 AND completed_at IS NULL AND attempts > 0`, id)
}

// OpenItem is the next block of a batch.
type OpenItem struct {
	N         int64
	Input     string
	Suspended bool // the batch's user is, or deleted
}

// NextOfBatch reads what is to be made next; NotFound if there is nothing.
func (q Queries) NextOfBatch(ctx context.Context, id string) (i OpenItem, err error) {
	err = q.q.QueryRow(ctx, `SELECT i.n, i.input, u.suspended_at IS NOT NULL OR u.deleted_at IS NOT NULL
		FROM batches ba JOIN users u ON u.id = ba.user_id JOIN batch_items i ON i.batch_id = ba.id
		WHERE ba.id = $1 AND ba.completed_at IS NULL AND i.block_id IS NULL AND i.error IS NULL
		ORDER BY i.n LIMIT 1`, id).Scan(&i.N, &i.Input, &i.Suspended)
	return i, found(err)
}

// LockBatchItem locks a batch until the transaction ends, and reports whether an item of
// it is still to be made.
func (tx *Tx) LockBatchItem(ctx context.Context, id string, n int64) (open bool, err error) {
	if tx.d.locks() {
		rows, err := tx.q.Query(ctx, "SELECT ba.user_id FROM batches ba WHERE ba.id = $1"+tx.d.lock("ba"), id)
		if _, err = collect(ctx, rows, err, scanInt64); err != nil {
			return false, err
		}
	}
	left, err := scanInt64(tx.q.QueryRow(ctx, `SELECT count(*) FROM batches ba JOIN batch_items i ON i.batch_id = ba.id
		WHERE ba.id = $1 AND ba.completed_at IS NULL AND i.n = $2 AND i.block_id IS NULL AND i.error IS NULL`, id, n))
	return left > 0, err
}

// BatchItemMade notes the block that a locked, open item has become.
func (tx *Tx) BatchItemMade(ctx context.Context, id string, n int64, block domain.BlockID) error {
	return tx.execOne(ctx, `UPDATE batch_items SET block_id = $3, input = ''
		WHERE batch_id = $1 AND n = $2 AND block_id IS NULL AND error IS NULL`, id, n, block)
}

// BatchItemFailed notes why a locked, open item becomes no block.
func (tx *Tx) BatchItemFailed(ctx context.Context, id string, n int64, reason string) error {
	return tx.execOne(ctx, `UPDATE batch_items SET error = $3, input = ''
		WHERE batch_id = $1 AND n = $2 AND block_id IS NULL AND error IS NULL`, id, n, reason)
}

// EndBatch ends a batch, unless it has ended: completed, or failed with what is left of
// it for a reason.
func (tx *Tx) EndBatch(ctx context.Context, id string, reason *string, now time.Time) error {
	rows, err := tx.q.Query(ctx, `UPDATE batches SET completed_at = $2, error = $3
		WHERE id = $1 AND completed_at IS NULL RETURNING user_id`, id, micros(now), reason)
	ended, err := collect(ctx, rows, err, scanInt64)
	if err != nil || reason == nil || len(ended) == 0 {
		return err
	}
	return tx.exec(ctx, `UPDATE batch_items SET error = $2, input = ''
		WHERE batch_id = $1 AND block_id IS NULL AND error IS NULL`, id, *reason)
}

// SweepBatches forgets batches made at a time or before it, at most `most` of them, and
// tells how many they were. Their blocks stay.
func (tx *Tx) SweepBatches(ctx context.Context, until time.Time, most int) (int, error) {
	rows, err := tx.q.Query(ctx, `DELETE FROM batches WHERE id IN (
		SELECT ba.id FROM batches ba WHERE ba.created_at <= $1 ORDER BY ba.created_at`+limit("$2")+`) RETURNING id`,
		micros(until), most)
	gone, err := collect(ctx, rows, err, scanString)
	return len(gone), err
}
