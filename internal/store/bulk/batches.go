package bulk

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Lock order: the row of a batch, then its items, then channels.

// AddBatch creates a batch with a new id. The channels and inputs are opaque to the store.
func (tx Writes) AddBatch(ctx context.Context, b domain.Batch, channels string, inputs []string) error {
	err := tx.db.Exec(ctx, `INSERT INTO batches (id, user_id, tier, scope, channels, total, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		b.ID, b.By.UserID, b.By.Tier, b.By.Scope, channels, len(inputs), sqlx.Micros(b.CreatedAt))
	if err != nil {
		return err
	}
	n := 0
	for rows := range slices.Chunk(inputs, sqlx.BatchRows) {
		args := make([]any, 0, 3*len(rows))
		for _, input := range rows {
			args = append(args, b.ID, n, input)
			n++
		}
		err := tx.db.Exec(ctx, "INSERT INTO batch_items (batch_id, n, input) VALUES "+sqlx.Tuples(len(rows), 3), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Batch reads a batch that a user created after a time, with the items processed so far.
func (q Reads) Batch(ctx context.Context, user domain.UserID, id string, after time.Time) (b domain.Batch, err error) {
	b.ID = id
	var created int64
	var started, completed *int64
	err = q.db.QueryRow(ctx, `SELECT ba.user_id, ba.tier, ba.scope, ba.total, ba.attempts, ba.error,
			ba.created_at, ba.started_at, ba.completed_at
		FROM batches ba WHERE ba.id = $1 AND ba.user_id = $2 AND ba.created_at > $3`, id, user, sqlx.Micros(after)).
		Scan(&b.By.UserID, &b.By.Tier, &b.By.Scope, &b.Total, &b.Attempts, &b.Error, &created, &started, &completed)
	if err != nil {
		return b, sqlx.Found(err)
	}
	b.CreatedAt, b.StartedAt, b.EndedAt = sqlx.Time(created), sqlx.TimePtr(started), sqlx.TimePtr(completed)
	rows, err := q.db.Query(ctx, `SELECT n, COALESCE(block_id, 0), error FROM batch_items
		WHERE batch_id = $1 AND (block_id IS NOT NULL OR error IS NOT NULL) ORDER BY n`, id)
	b.Items, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (i domain.BatchItem, err error) {
		err = row.Scan(&i.N, &i.BlockID, &i.Error)
		return i, err
	})
	return b, err
}

// BeginBatch counts an attempt to process the rest of a batch and returns the batch with its
// channels. NotFound means that there is nothing to do.
func (tx Writes) BeginBatch(ctx context.Context, id string, now time.Time) (b domain.Batch, channels string, err error) {
	b.ID = id
	err = tx.db.QueryRow(ctx, `UPDATE batches SET attempts = attempts + 1, started_at = COALESCE(started_at, $2)
		WHERE id = $1 AND completed_at IS NULL RETURNING user_id, tier, scope, total, attempts, channels`, id, sqlx.Micros(now)).
		Scan(&b.By.UserID, &b.By.Tier, &b.By.Scope, &b.Total, &b.Attempts, &channels)
	return b, channels, sqlx.Found(err)
}

// UndoBatchAttempt subtracts an attempt that could not be finished.
func (tx Writes) UndoBatchAttempt(ctx context.Context, id string) error {
	return tx.db.Exec(ctx, `UPDATE batches SET attempts = attempts - 1
		WHERE id = $1 AND completed_at IS NULL AND attempts > 0`, id)
}

// PendingItem is the next item of a batch.
type PendingItem struct {
	N         int64
	Input     string
	Suspended bool // the user of the batch is suspended or deleted
}

// NextOfBatch reads the next item to process. It returns NotFound if no item is left.
func (q Reads) NextOfBatch(ctx context.Context, id string) (i PendingItem, err error) {
	err = q.db.QueryRow(ctx, `SELECT i.n, i.input, u.suspended_at IS NOT NULL OR u.deleted_at IS NOT NULL
		FROM batches ba JOIN users u ON u.id = ba.user_id JOIN batch_items i ON i.batch_id = ba.id
		WHERE ba.id = $1 AND ba.completed_at IS NULL AND i.block_id IS NULL AND i.error IS NULL
		ORDER BY i.n LIMIT 1`, id).Scan(&i.N, &i.Input, &i.Suspended)
	return i, sqlx.Found(err)
}

// LockBatchItem locks a batch until the transaction ends and reports whether an item of it is
// still open.
func (tx Writes) LockBatchItem(ctx context.Context, id string, n int64) (open bool, err error) {
	if tx.db.LocksRows() {
		rows, err := tx.db.Query(ctx, "SELECT ba.user_id FROM batches ba WHERE ba.id = $1"+tx.db.ForUpdate("ba"), id)
		if _, err = sqlx.Collect(ctx, rows, err, sqlx.ScanInt64); err != nil {
			return false, err
		}
	}
	left, err := sqlx.ScanInt64(tx.db.QueryRow(ctx, `SELECT count(*) FROM batches ba JOIN batch_items i ON i.batch_id = ba.id
		WHERE ba.id = $1 AND ba.completed_at IS NULL AND i.n = $2 AND i.block_id IS NULL AND i.error IS NULL`, id, n))
	return left > 0, err
}

// BatchItemMade records the block created for a locked, open item.
func (tx Writes) BatchItemMade(ctx context.Context, id string, n int64, block domain.BlockID) error {
	return tx.db.ExecOne(ctx, `UPDATE batch_items SET block_id = $3, input = ''
		WHERE batch_id = $1 AND n = $2 AND block_id IS NULL AND error IS NULL`, id, n, block)
}

// BatchItemFailed records why no block was created for a locked, open item.
func (tx Writes) BatchItemFailed(ctx context.Context, id string, n int64, reason string) error {
	return tx.db.ExecOne(ctx, `UPDATE batch_items SET error = $3, input = ''
		WHERE batch_id = $1 AND n = $2 AND block_id IS NULL AND error IS NULL`, id, n, reason)
}

// EndBatch ends a batch unless it has ended. With a reason, all open items fail for that reason.
func (tx Writes) EndBatch(ctx context.Context, id string, reason *string, now time.Time) error {
	rows, err := tx.db.Query(ctx, `UPDATE batches SET completed_at = $2, error = $3
		WHERE id = $1 AND completed_at IS NULL RETURNING user_id`, id, sqlx.Micros(now), reason)
	ended, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || reason == nil || len(ended) == 0 {
		return err
	}
	return tx.db.Exec(ctx, `UPDATE batch_items SET error = $2, input = ''
		WHERE batch_id = $1 AND block_id IS NULL AND error IS NULL`, id, *reason)
}

// SweepBatches deletes at most `limit` batches created until a time and returns their number. Their
// blocks remain.
func (tx Writes) SweepBatches(ctx context.Context, until time.Time, limit int) (int, error) {
	rows, err := tx.db.Query(ctx, `DELETE FROM batches WHERE id IN (
		SELECT ba.id FROM batches ba WHERE ba.created_at <= $1 ORDER BY ba.created_at`+sqlx.Limit("$2")+`) RETURNING id`,
		sqlx.Micros(until), limit)
	gone, err := sqlx.Collect(ctx, rows, err, sqlx.ScanString)
	return len(gone), err
}
