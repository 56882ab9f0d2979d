package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Code is an authorization code without the code itself (RFC 6749 section 4.1.2).
type Code struct {
	Hash          []byte
	ApplicationID domain.ApplicationID
	UserID        domain.UserID
	RedirectURI   string // as in the request; "" if it had none
	Challenge     string // for the method S256; "" if the request had no challenge
	Scope         domain.Scope
	Audience      domain.TokenAudience
	Limits        *domain.TokenLimits
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// CreateCode stores a code.
func (w Writes) CreateCode(ctx context.Context, c Code) error {
	return w.db.Exec(ctx, `INSERT INTO authorization_codes
			(hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at, audience, limits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, c.Hash, c.ApplicationID, c.UserID, c.RedirectURI, c.Challenge, c.Scope,
		sqlx.Micros(c.CreatedAt), sqlx.Micros(c.ExpiresAt), c.Audience, c.Limits.String())
}

// Code reads a code, even if it is used or expired.
func (r Reads) Code(ctx context.Context, hash []byte) (c Code, err error) {
	var created, expires int64
	var limits string
	err = r.db.QueryRow(ctx, `SELECT hash, application_id, user_id, redirect_uri, challenge, scope, audience, limits, created_at, expires_at
		FROM authorization_codes WHERE hash = $1`, hash).
		Scan(&c.Hash, &c.ApplicationID, &c.UserID, &c.RedirectURI, &c.Challenge, &c.Scope, &c.Audience, &limits, &created, &expires)
	c.Limits = domain.StoredTokenLimits(limits)
	c.CreatedAt, c.ExpiresAt = sqlx.Time(created), sqlx.Time(expires)
	return c, sqlx.Found(err)
}

// UseCode marks a code as used and reports whether it was unused. Exactly one of several
// concurrent calls gets true.
func (w Writes) UseCode(ctx context.Context, hash []byte, now time.Time) (first bool, err error) {
	n, err := w.db.ExecCount(ctx, `UPDATE authorization_codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL`, hash, sqlx.Micros(now))
	return n == 1, err
}

// RevokeCode deletes the tokens issued for a code and reports whether there were any.
func (w Writes) RevokeCode(ctx context.Context, hash []byte) (live bool, err error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM tokens WHERE code_hash = $1`, hash)
	if err != nil {
		return false, err
	}
	families, err := w.db.ExecCount(ctx, `DELETE FROM refresh_tokens WHERE code_hash = $1`, hash)
	return n+families > 0, err
}

// SweepCodes deletes at most `limit` expired codes and returns their number.
func (w Writes) SweepCodes(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "authorization_codes", "hash", now, limit)
}
