package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// OwnTokens lists the live personal access tokens of a user, newest first.
func (q Queries) OwnTokens(ctx context.Context, user domain.UserID) ([]domain.Token, error) {
	rows, err := q.q.Query(ctx, `SELECT id, user_id, name, hint, scope, last_used_at, created_at FROM tokens
		WHERE user_id = $1 AND application_id IS NULL AND revoked_at IS NULL ORDER BY id DESC`, user)
	return collect(ctx, rows, err, func(row scanner) (t domain.Token, err error) {
		var used *int64
		var created int64
		err = row.Scan(&t.ID, &t.UserID, &t.Name, &t.Hint, &t.Scope, &used, &created)
		t.LastUsedAt, t.CreatedAt = instantPtr(used), instant(created)
		return t, err
	})
}

// RevokeOwnToken ends a personal access token of a user; NotFound if they have no such
// that is live.
func (tx *Tx) RevokeOwnToken(ctx context.Context, user domain.UserID, id domain.TokenID, now time.Time) error {
	_, err := scanInt64(tx.q.QueryRow(ctx, `UPDATE tokens SET revoked_at = $3
		WHERE id = $1 AND user_id = $2 AND application_id IS NULL AND revoked_at IS NULL RETURNING id`, id, user, micros(now)))
	return found(err)
}
