package store

import (
	"context"
	"time"
)

// Attempt counts one attempt under a key, in a window that begins with the first, and
// gives how many there were, this one included, and when the window ends.
func (tx *Tx) Attempt(ctx context.Context, key []byte, now time.Time, window time.Duration) (count int64, end time.Time, err error) {
	var until int64
	err = tx.q.QueryRow(ctx, `INSERT INTO attempts (key, count, expires_at) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			count = CASE WHEN attempts.expires_at <= $3 THEN 1 ELSE attempts.count + 1 END,
			expires_at = CASE WHEN attempts.expires_at <= $3 THEN $2 ELSE attempts.expires_at END
		RETURNING count, expires_at`, key, micros(now.Add(window)), micros(now)).Scan(&count, &until)
	return count, instant(until), err
}

// ForgetAttempts forgets those under a key.
func (tx *Tx) ForgetAttempts(ctx context.Context, key []byte) error {
	return tx.exec(ctx, `DELETE FROM attempts WHERE key = $1`, key)
}

// TakeBackAttempt takes one attempt under a key back.
func (tx *Tx) TakeBackAttempt(ctx context.Context, key []byte) error {
	return tx.exec(ctx, `UPDATE attempts SET count = count - 1 WHERE key = $1 AND count > 0`, key)
}

// SweepAttempts forgets some of the windows that have ended, and tells how many.
func (tx *Tx) SweepAttempts(ctx context.Context, now time.Time, most int) (int, error) {
	return tx.sweepExpired(ctx, "attempts", "key", now, most)
}
