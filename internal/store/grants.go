package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// GrantScope reads what a user lets an application do; NotFound if nothing.
func (q Queries) GrantScope(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, err error) {
	err = q.q.QueryRow(ctx, `SELECT scope FROM grants WHERE application_id = $1 AND user_id = $2`, app, user).Scan(&s)
	return s, found(err)
}

// ShareGrant reads what a user lets an application do, and keeps it from being taken
// back before the transaction ends.
func (tx *Tx) ShareGrant(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, err error) {
	err = tx.q.QueryRow(ctx, `SELECT g.scope FROM grants g WHERE g.application_id = $1 AND g.user_id = $2`+
		tx.d.share("g"), app, user).Scan(&s)
	return s, found(err)
}

// Grant lets an application act for a user. What it may do already, it still may.
func (tx *Tx) Grant(ctx context.Context, app domain.ApplicationID, user domain.UserID, s domain.Scope, now time.Time) error {
	return tx.exec(ctx, `INSERT INTO grants (application_id, user_id, scope, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (application_id, user_id) DO UPDATE SET updated_at = excluded.updated_at,
			scope = CASE WHEN grants.scope = 'write' THEN grants.scope ELSE excluded.scope END`, app, user, s, micros(now))
}

// Grants lists what a user lets applications do, newest first.
func (q Queries) Grants(ctx context.Context, user domain.UserID) ([]domain.Grant, error) {
	rows, err := q.q.Query(ctx, `SELECT g.id, g.scope, g.created_at,
			(SELECT MAX(t.last_used_at) FROM tokens t WHERE t.application_id = g.application_id AND t.user_id = g.user_id),
			`+applicationColumns+`
		FROM grants g JOIN applications a ON a.id = g.application_id WHERE g.user_id = $1 ORDER BY g.id DESC`, user)
	return collect(ctx, rows, err, func(row scanner) (g domain.Grant, err error) {
		var r applicationRow
		var created int64
		var used *int64
		if err := row.Scan(append([]any{&g.ID, &g.Scope, &created, &used}, r.targets()...)...); err != nil {
			return g, err
		}
		g.CreatedAt, g.LastUsedAt = instant(created), instantPtr(used)
		g.Application, err = r.value()
		return g, err
	})
}

// DeleteGrant takes a grant of a user back, and with it the codes and tokens of the
// application for them. NotFound if they have no such.
func (tx *Tx) DeleteGrant(ctx context.Context, id domain.GrantID, user domain.UserID) error {
	var app domain.ApplicationID
	err := tx.q.QueryRow(ctx, `DELETE FROM grants WHERE id = $1 AND user_id = $2 RETURNING application_id`, id, user).Scan(&app)
	for _, table := range []string{"authorization_codes", "tokens"} {
		if err == nil {
			err = tx.exec(ctx, "DELETE FROM "+table+" WHERE application_id = $1 AND user_id = $2", app, user)
		}
	}
	return found(err)
}

// DeleteGrantsOf takes back all that a user lets applications do.
func (tx *Tx) DeleteGrantsOf(ctx context.Context, user domain.UserID) error {
	err := tx.exec(ctx, `DELETE FROM grants WHERE user_id = $1`, user)
	if err == nil {
		err = tx.exec(ctx, `DELETE FROM authorization_codes WHERE user_id = $1`, user)
	}
	if err == nil {
		err = tx.exec(ctx, `DELETE FROM tokens WHERE user_id = $1 AND application_id IS NOT NULL`, user)
	}
	return err
}
