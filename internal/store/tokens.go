package store

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// Holder is whom a token acts for.
type Holder struct {
	TokenID   domain.TokenID
	Actor     domain.Actor
	Suspended bool
}

// TokenHolder reads who holds the live token with this hash: a user, with the application
// that acts for them if it is one's, or an application itself, of the tier free.
// Suspended is the user, or who registered the application. What is of a deleted user or
// application is NotFound.
func (q Queries) TokenHolder(ctx context.Context, hash []byte) (h Holder, err error) {
	err = q.q.QueryRow(database.Uninterruptible(ctx), `SELECT t.id, COALESCE(t.user_id, 0), COALESCE(t.application_id, 0), t.scope,
			CASE WHEN t.user_id IS NULL THEN 'free' ELSE u.tier END, u.suspended_at IS NOT NULL
		FROM tokens t LEFT JOIN users u
			ON u.id = COALESCE(t.user_id, (SELECT a.user_id FROM applications a WHERE a.id = t.application_id))
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND u.deleted_at IS NULL AND NOT EXISTS
			(SELECT 1 FROM applications a WHERE a.id = t.application_id AND a.deleted_at IS NOT NULL)`, hash).
		Scan(&h.TokenID, &h.Actor.UserID, &h.Actor.ApplicationID, &h.Actor.Scope, &h.Actor.Tier, &h.Suspended)
	return h, found(err)
}

// CreateToken keeps the hash of a new token.
func (tx *Tx) CreateToken(ctx context.Context, t domain.Token, hash []byte) (domain.TokenID, error) {
	var id domain.TokenID
	err := tx.q.QueryRow(ctx, `INSERT INTO tokens (user_id, name, hash, hint, scope, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
		t.UserID, t.Name, hash, t.Hint, t.Scope, micros(t.CreatedAt)).Scan(&id)
	return id, err
}

// Tokens lists the personal access tokens of a user, newest first, revoked ones too.
func (q Queries) Tokens(ctx context.Context, user domain.UserID) ([]domain.Token, error) {
	rows, err := q.q.Query(ctx, `SELECT id, user_id, name, hint, scope, last_used_at, revoked_at, created_at
		FROM tokens WHERE user_id = $1 AND application_id IS NULL ORDER BY id DESC`, user)
	return collect(ctx, rows, err, func(row scanner) (t domain.Token, err error) {
		var used, revoked *int64
		var created int64
		err = row.Scan(&t.ID, &t.UserID, &t.Name, &t.Hint, &t.Scope, &used, &revoked, &created)
		t.LastUsedAt, t.RevokedAt, t.CreatedAt = instantPtr(used), instantPtr(revoked), instant(created)
		return t, err
	})
}

// RevokeToken ends a token. Ending it again changes nothing. It answers NotFound
// for an id that was never given.
func (tx *Tx) RevokeToken(ctx context.Context, id domain.TokenID, now time.Time) error {
	var got domain.TokenID
	err := tx.q.QueryRow(ctx, `UPDATE tokens SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1 RETURNING id`,
		id, micros(now)).Scan(&got)
	return found(err)
}

// TokenUsed notes when a token was last used; earlier times change nothing.
func (tx *Tx) TokenUsed(ctx context.Context, id domain.TokenID, at time.Time) error {
	return tx.exec(ctx, `UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND COALESCE(last_used_at, 0) < $2`,
		id, micros(at))
}
