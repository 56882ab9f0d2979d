package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// GrantScope reads what a user lets an application do; NotFound if nothing.
func (r Reads) GrantScope(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, err error) {
	err = r.db.QueryRow(ctx, `SELECT scope FROM grants WHERE application_id = $1 AND user_id = $2`, app, user).Scan(&s)
	return s, sqlx.Found(err)
}

// ShareGrant reads what a user lets an application do, and keeps it from being taken
// back before the transaction ends.
func (w Writes) ShareGrant(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, err error) {
	err = w.db.QueryRow(ctx, `SELECT g.scope FROM grants g WHERE g.application_id = $1 AND g.user_id = $2`+
		w.db.ForShare("g"), app, user).Scan(&s)
	return s, sqlx.Found(err)
}

// Grant lets an application act for a user. What it may do already, it still may.
func (w Writes) Grant(ctx context.Context, app domain.ApplicationID, user domain.UserID, s domain.Scope, now time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO grants (application_id, user_id, scope, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (application_id, user_id) DO UPDATE SET updated_at = excluded.updated_at,
			scope = CASE WHEN grants.scope = 'write' THEN grants.scope ELSE excluded.scope END`, app, user, s, sqlx.Micros(now))
}

// Grants lists what a user lets applications do, newest first.
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

// DeleteGrant takes a grant of a user back, and with it the codes and tokens of the
// application for them. NotFound if they have no such.
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

// DeleteGrantsOf takes back all that a user lets applications do.
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
	RedirectURI   string // as the request had it; "" for none
	Challenge     string // of the S256 method; "" for none
	Scope         domain.Scope
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// CreateCode keeps a code.
func (w Writes) CreateCode(ctx context.Context, c Code) error {
	return w.db.Exec(ctx, `INSERT INTO authorization_codes
			(hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, c.Hash, c.ApplicationID, c.UserID, c.RedirectURI, c.Challenge, c.Scope,
		sqlx.Micros(c.CreatedAt), sqlx.Micros(c.ExpiresAt))
}

// Code reads a code, used or not, expired or not.
func (r Reads) Code(ctx context.Context, hash []byte) (c Code, err error) {
	var created, expires int64
	err = r.db.QueryRow(ctx, `SELECT hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at
		FROM authorization_codes WHERE hash = $1`, hash).
		Scan(&c.Hash, &c.ApplicationID, &c.UserID, &c.RedirectURI, &c.Challenge, &c.Scope, &created, &expires)
	c.CreatedAt, c.ExpiresAt = sqlx.Time(created), sqlx.Time(expires)
	return c, sqlx.Found(err)
}

// UseCode marks a code as used, and reports whether it was not before: of any number of
// calls, in parallel too, one is first.
func (w Writes) UseCode(ctx context.Context, hash []byte, now time.Time) (first bool, err error) {
	n, err := w.db.ExecCount(ctx, `UPDATE authorization_codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL`, hash, sqlx.Micros(now))
	return n == 1, err
}

// RevokeCode ends what a code has given, and reports whether that was there still.
func (w Writes) RevokeCode(ctx context.Context, hash []byte) (live bool, err error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM tokens WHERE code_hash = $1`, hash)
	return n > 0, err
}

// SweepCodes forgets some of the codes that have expired, and tells how many.
func (w Writes) SweepCodes(ctx context.Context, now time.Time, most int) (int, error) {
	return w.db.SweepExpired(ctx, "authorization_codes", "hash", now, most)
}
