package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// GrantScope reads the scope that a user granted to an application, NotFound if there is no grant.
func (r Reads) GrantScope(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, err error) {
	err = r.db.QueryRow(ctx, `SELECT scope FROM grants WHERE application_id = $1 AND user_id = $2`, app, user).Scan(&s)
	return s, sqlx.Found(err)
}

// ShareGrant is GrantScope, and prevents the grant from being revoked until the transaction ends.
func (w Writes) ShareGrant(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, err error) {
	err = w.db.QueryRow(ctx, `SELECT g.scope FROM grants g WHERE g.application_id = $1 AND g.user_id = $2`+
		w.db.ForShare("g"), app, user).Scan(&s)
	return s, sqlx.Found(err)
}

// Grant lets an application act for a user. It never narrows an existing grant.
func (w Writes) Grant(ctx context.Context, app domain.ApplicationID, user domain.UserID, s domain.Scope, now time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO grants (application_id, user_id, scope, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (application_id, user_id) DO UPDATE SET updated_at = excluded.updated_at,
			scope = CASE WHEN grants.scope = 'write' THEN grants.scope ELSE excluded.scope END`, app, user, s, sqlx.Micros(now))
}

// Grants lists the grants of a user, newest first.
func (r Reads) Grants(ctx context.Context, user domain.UserID) ([]domain.Grant, error) {
	rows, err := r.db.Query(ctx, `SELECT g.id, g.scope, g.created_at,
			(SELECT MAX(t.last_used_at) FROM tokens t WHERE t.application_id = g.application_id AND t.user_id = g.user_id),
			`+applicationColumns+`
		FROM grants g JOIN applications a ON a.id = g.application_id WHERE g.user_id = $1 ORDER BY g.id DESC`, user)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (g domain.Grant, err error) {
		var r applicationRow
		var created int64
		var used *int64
		if err := row.Scan(append([]any{&g.ID, &g.Scope, &created, &used}, r.targets()...)...); err != nil {
			return g, err
		}
		g.CreatedAt, g.LastUsedAt = sqlx.Time(created), sqlx.TimePtr(used)
		g.Application, err = r.value()
		return g, err
	})
}

// DeleteGrant revokes a grant of a user, with the codes and tokens of its application for them. It
// returns NotFound if they have no such grant.
func (w Writes) DeleteGrant(ctx context.Context, id domain.GrantID, user domain.UserID) error {
	var app domain.ApplicationID
	err := w.db.QueryRow(ctx, `DELETE FROM grants WHERE id = $1 AND user_id = $2 RETURNING application_id`, id, user).Scan(&app)
	for _, table := range []string{"authorization_codes", "tokens"} {
		if err == nil {
			err = w.db.Exec(ctx, "DELETE FROM "+table+" WHERE application_id = $1 AND user_id = $2", app, user)
		}
	}
	return sqlx.Found(err)
}

// DeleteGrantsOf revokes all grants of a user.
func (w Writes) DeleteGrantsOf(ctx context.Context, user domain.UserID) error {
	err := w.db.Exec(ctx, `DELETE FROM grants WHERE user_id = $1`, user)
	if err == nil {
		err = w.db.Exec(ctx, `DELETE FROM authorization_codes WHERE user_id = $1`, user)
	}
	if err == nil {
		err = w.db.Exec(ctx, `DELETE FROM tokens WHERE user_id = $1 AND application_id IS NOT NULL`, user)
	}
	return err
}

// Code is an authorization code without the code itself (RFC 6749 section 4.1.2).
type Code struct {
	Hash          []byte
	ApplicationID domain.ApplicationID
	UserID        domain.UserID
	RedirectURI   string // as in the request; "" if it had none
	Challenge     string // for the method S256; "" if the request had no challenge
	Scope         domain.Scope
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// CreateCode stores a code.
func (w Writes) CreateCode(ctx context.Context, c Code) error {
	return w.db.Exec(ctx, `INSERT INTO authorization_codes
			(hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, c.Hash, c.ApplicationID, c.UserID, c.RedirectURI, c.Challenge, c.Scope,
		sqlx.Micros(c.CreatedAt), sqlx.Micros(c.ExpiresAt))
}

// Code reads a code, even if it is used or expired.
func (r Reads) Code(ctx context.Context, hash []byte) (c Code, err error) {
	var created, expires int64
	err = r.db.QueryRow(ctx, `SELECT hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at
		FROM authorization_codes WHERE hash = $1`, hash).
		Scan(&c.Hash, &c.ApplicationID, &c.UserID, &c.RedirectURI, &c.Challenge, &c.Scope, &created, &expires)
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
	return n > 0, err
}

// SweepCodes deletes at most `limit` expired codes and returns their number.
func (w Writes) SweepCodes(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "authorization_codes", "hash", now, limit)
}
