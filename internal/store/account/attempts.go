package account

import (
	"context"
	"time"

	"vitrine/internal/store/sqlx"
)

// Attempt counts one attempt for a key, in a window that begins with the first attempt. It returns
// the number of attempts including this one, and the end of the window.
func (w Writes) Attempt(ctx context.Context, key []byte, now time.Time, window time.Duration) (count int64, end time.Time, err error) {
	var until int64
	err = w.db.QueryRow(ctx, `INSERT INTO attempts (key, count, expires_at) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			count = CASE WHEN attempts.expires_at <= $3 THEN 1 ELSE attempts.count + 1 END,
			expires_at = CASE WHEN attempts.expires_at <= $3 THEN $2 ELSE attempts.expires_at END
		RETURNING count, expires_at`, key, sqlx.Micros(now.Add(window)), sqlx.Micros(now)).Scan(&count, &until)
	return count, sqlx.Time(until), err
}

// ForgetAttempts deletes the attempts for a key.
func (w Writes) ForgetAttempts(ctx context.Context, key []byte) error {
	return w.db.Exec(ctx, `DELETE FROM attempts WHERE key = $1`, key)
}

// TakeBackAttempt subtracts one attempt for a key.
func (w Writes) TakeBackAttempt(ctx context.Context, key []byte) error {
	return w.db.Exec(ctx, `UPDATE attempts SET count = count - 1 WHERE key = $1 AND count > 0`, key)
}

// SweepAttempts deletes at most `limit` expired windows and returns their number.
func (w Writes) SweepAttempts(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "attempts", "key", now, limit)
}
