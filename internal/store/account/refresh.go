package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Refresh is the current refresh token of a family, without the token itself (RFC 6749 section 1.5).
type Refresh struct {
	ID            domain.RefreshID
	ApplicationID domain.ApplicationID
	UserID        domain.UserID
	CodeHash      []byte
	Family        []byte // hash of the part that all tokens of the family share
	Hash          []byte
	Previous      []byte    // hash of the token before; nil if it cannot be sent again
	RotatedAt     time.Time // of Previous
	Scope         domain.Scope
	Audience      domain.TokenAudience
	Limits        *domain.TokenLimits
	CreatedAt     time.Time
	ExpiresAt     time.Time // if it is not used before
	EndsAt        time.Time // of the family
}

// CreateRefreshToken stores the first token of a family. It deletes all but the newest `keep` families that the
// application has for the same user. Their access tokens are deleted, too.
func (w Writes) CreateRefreshToken(ctx context.Context, t Refresh, keep int) (id domain.RefreshID, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO refresh_tokens (application_id, user_id, code_hash, family, hash, scope, limits, audience,
			created_at, expires_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`,
		t.ApplicationID, t.UserID, t.CodeHash, t.Family, t.Hash, t.Scope, t.Limits.String(), t.Audience,
		sqlx.Micros(t.CreatedAt), sqlx.Micros(t.ExpiresAt), sqlx.Micros(t.EndsAt)).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, w.db.Exec(ctx, `DELETE FROM refresh_tokens WHERE application_id = $1 AND user_id = $2 AND id <=
		(SELECT id FROM refresh_tokens WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC`+sqlx.Limit("1")+` OFFSET $3)`,
		t.ApplicationID, t.UserID, keep)
}

const refreshColumns = `r.id, r.application_id, r.user_id, r.code_hash, r.family, r.hash, r.previous, COALESCE(r.rotated_at, 0),
	r.scope, r.limits, r.audience, r.created_at, r.expires_at, r.ends_at`

func scanRefresh(row sqlx.Row) (t Refresh, err error) {
	var rotated, created, expires, ends int64
	var limits string
	err = row.Scan(&t.ID, &t.ApplicationID, &t.UserID, &t.CodeHash, &t.Family, &t.Hash, &t.Previous, &rotated,
		&t.Scope, &limits, &t.Audience, &created, &expires, &ends)
	t.Limits = domain.StoredTokenLimits(limits)
	t.RotatedAt, t.CreatedAt, t.ExpiresAt, t.EndsAt = sqlx.Time(rotated), sqlx.Time(created), sqlx.Time(expires), sqlx.Time(ends)
	return t, sqlx.Found(err)
}

// RefreshToken reads the current token of a family, even if it has expired.
func (r Reads) RefreshToken(ctx context.Context, family []byte) (Refresh, error) {
	return scanRefresh(r.db.QueryRow(ctx, "SELECT "+refreshColumns+" FROM refresh_tokens r WHERE r.family = $1", family))
}

// LockRefreshToken is RefreshToken, and prevents other transactions from using a token of the family until the
// transaction ends.
func (w Writes) LockRefreshToken(ctx context.Context, family []byte) (Refresh, error) {
	return scanRefresh(w.db.QueryRow(ctx, "SELECT "+refreshColumns+" FROM refresh_tokens r WHERE r.family = $1"+w.db.ForUpdate("r"), family))
}

// RotateRefreshToken replaces the current token of a locked family. The old one becomes the previous one.
func (w Writes) RotateRefreshToken(ctx context.Context, t Refresh, hash []byte, now, expires time.Time) error {
	return w.db.Exec(ctx, `UPDATE refresh_tokens SET previous = hash, hash = $2, rotated_at = $3, expires_at = $4 WHERE id = $1`,
		t.ID, hash, sqlx.Micros(now), sqlx.Micros(expires))
}

// EndPreviousRefreshToken records that the previous token of a locked family must not be sent again.
func (w Writes) EndPreviousRefreshToken(ctx context.Context, id domain.RefreshID) error {
	return w.db.Exec(ctx, `UPDATE refresh_tokens SET previous = NULL WHERE id = $1`, id)
}

// DeleteRefreshToken deletes a family with all its tokens.
func (w Writes) DeleteRefreshToken(ctx context.Context, id domain.RefreshID) error {
	return w.db.Exec(ctx, `DELETE FROM refresh_tokens WHERE id = $1`, id)
}

// SweepRefreshTokens deletes at most `limit` expired families and returns their number.
func (w Writes) SweepRefreshTokens(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "refresh_tokens", "id", now, limit)
}

// SweepTokens deletes at most `limit` expired access tokens of families and returns their number. Personal access tokens
// stay in the list of their user.
func (w Writes) SweepTokens(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM tokens WHERE id IN (SELECT id FROM tokens
		WHERE refresh_id IS NOT NULL AND expires_at <= $1 ORDER BY expires_at`+sqlx.Limit("$2")+`)`, sqlx.Micros(now), limit)
	return int(n), err
}
