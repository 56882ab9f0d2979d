package store

import (
	"context"

	"vitrine/internal/domain"
)

// CreateApplicationToken keeps the hash of a token of an application, for a user or (0)
// its own, with the code that gave it or nil. Of those that the application has for the
// same user only the newest, as many as `keep`, stay.
func (tx *Tx) CreateApplicationToken(ctx context.Context, t domain.Token, hash, code []byte, keep int) error {
	err := tx.exec(ctx, `INSERT INTO tokens (user_id, application_id, code_hash, name, hash, hint, scope, created_at)
		VALUES (NULLIF(CAST($1 AS BIGINT), 0), $2, $3, $4, $5, $6, $7, $8)`,
		int64(t.UserID), t.ApplicationID, code, t.Name, hash, t.Hint, t.Scope, micros(t.CreatedAt))
	if err != nil {
		return err
	}
	same, args := "application_id = $1 AND user_id IS NULL", []any{t.ApplicationID, keep}
	if t.UserID != 0 {
		same, args = "application_id = $1 AND user_id = $3", append(args, t.UserID)
	}
	return tx.exec(ctx, `DELETE FROM tokens WHERE `+same+` AND id <=
		(SELECT id FROM tokens WHERE `+same+` ORDER BY id DESC`+limit("1")+` OFFSET $2)`, args...)
}

// ApplicationToken reads a live token of an application by its hash.
func (q Queries) ApplicationToken(ctx context.Context, hash []byte) (t domain.Token, err error) {
	var created int64
	err = q.q.QueryRow(ctx, `SELECT t.id, COALESCE(t.user_id, 0), t.application_id, t.scope, t.created_at FROM tokens t
		JOIN applications a ON a.id = t.application_id LEFT JOIN users u ON u.id = COALESCE(t.user_id, a.user_id)
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND a.deleted_at IS NULL AND u.deleted_at IS NULL AND u.suspended_at IS NULL`,
		hash).Scan(&t.ID, &t.UserID, &t.ApplicationID, &t.Scope, &created)
	t.CreatedAt = instant(created)
	return t, found(err)
}

// DeleteApplicationToken ends a token of an application. Again changes nothing.
func (tx *Tx) DeleteApplicationToken(ctx context.Context, app domain.ApplicationID, hash []byte) error {
	return tx.exec(ctx, `DELETE FROM tokens WHERE application_id = $1 AND hash = $2`, app, hash)
}

// MayAct reports whether a user is there and neither suspended nor deleted, and keeps it
// so before the transaction ends.
func (tx *Tx) MayAct(ctx context.Context, user domain.UserID) (slug string, err error) {
	err = tx.q.QueryRow(ctx, `SELECT u.slug FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL AND u.suspended_at IS NULL`+
		tx.d.share("u"), user).Scan(&slug)
	return slug, found(err)
}
