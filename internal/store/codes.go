package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// Code is an authorization code without the code itself (RFC 6749 section 4.1.2).
type Code struct {
	Hash          []byte
	ApplicationID domain.ApplicationID
	UserID        domain.UserID
	RedirectURI   string // as the request had it; "" for none
	Challenge     string // of the S256 method; "" for none
	Scope         domain.Scope
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// CreateCode keeps a code.
func (tx *Tx) CreateCode(ctx context.Context, c Code) error {
	return tx.exec(ctx, `INSERT INTO authorization_codes
			(hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, c.Hash, c.ApplicationID, c.UserID, c.RedirectURI, c.Challenge, c.Scope,
		micros(c.CreatedAt), micros(c.ExpiresAt))
}

// Code reads a code, used or not, expired or not.
func (q Queries) Code(ctx context.Context, hash []byte) (c Code, err error) {
	var created, expires int64
	err = q.q.QueryRow(ctx, `SELECT hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at
		FROM authorization_codes WHERE hash = $1`, hash).
		Scan(&c.Hash, &c.ApplicationID, &c.UserID, &c.RedirectURI, &c.Challenge, &c.Scope, &created, &expires)
	c.CreatedAt, c.ExpiresAt = instant(created), instant(expires)
	return c, found(err)
}

// UseCode marks a code as used, and reports whether it was not before: of any number of
// calls, in parallel too, one is first.
func (tx *Tx) UseCode(ctx context.Context, hash []byte, now time.Time) (first bool, err error) {
	res, err := tx.q.Exec(ctx, `UPDATE authorization_codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL`, hash, micros(now))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// RevokeCode ends what a code has given.
func (tx *Tx) RevokeCode(ctx context.Context, hash []byte) error {
	return tx.exec(ctx, `DELETE FROM tokens WHERE code_hash = $1`, hash)
}

// SweepCodes forgets some of the codes that have expired, and tells how many.
func (tx *Tx) SweepCodes(ctx context.Context, now time.Time, most int) (int, error) {
	return tx.sweepExpired(ctx, "authorization_codes", "hash", now, most)
}
