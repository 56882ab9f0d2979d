package account

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

const applicationColumns = `a.id, a.client_id, COALESCE(a.user_id, 0),
	COALESCE((SELECT o.slug FROM users o WHERE o.id = a.user_id), ''), a.name, a.redirect_uris,
	a.secret_hash IS NULL, a.for_v2, a.expiring, a.secret_hint, a.created_at, a.updated_at`

// applicationRow receives the columns of an application.
type applicationRow struct {
	a                domain.Application
	uris             string
	created, updated int64
}

func (r *applicationRow) targets() []any {
	return []any{&r.a.ID, &r.a.ClientID, &r.a.UserID, &r.a.Owner, &r.a.Name, &r.uris, &r.a.Public, &r.a.ForV2, &r.a.Expiring, &r.a.SecretHint,
		&r.created, &r.updated}
}

func (r *applicationRow) value() (domain.Application, error) {
	r.a.CreatedAt, r.a.UpdatedAt = sqlx.Time(r.created), sqlx.Time(r.updated)
	if err := json.Unmarshal([]byte(r.uris), &r.a.RedirectURIs); err != nil {
		return r.a, fmt.Errorf("store: redirect addresses of the application %d: %w", r.a.ID, err)
	}
	return r.a, nil
}

func scanApplication(row sqlx.Row) (domain.Application, error) {
	var r applicationRow
	if err := row.Scan(r.targets()...); err != nil {
		return r.a, sqlx.Found(err)
	}
	return r.value()
}

// Application reads a live application.
func (r Reads) Application(ctx context.Context, id domain.ApplicationID) (domain.Application, error) {
	return scanApplication(r.db.QueryRow(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.id = $1 AND a.deleted_at IS NULL", id))
}

// ApplicationByClientID reads a live application by its client_id.
func (r Reads) ApplicationByClientID(ctx context.Context, clientID string) (domain.Application, error) {
	return scanApplication(r.db.QueryRow(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.client_id = $1 AND a.deleted_at IS NULL", clientID))
}

// ApplicationSecret reads the hash of the secret of a live application, nil if it is public.
func (r Reads) ApplicationSecret(ctx context.Context, id domain.ApplicationID) (hash []byte, err error) {
	err = r.db.QueryRow(ctx, "SELECT secret_hash FROM applications WHERE id = $1 AND deleted_at IS NULL", id).Scan(&hash)
	return hash, sqlx.Found(err)
}

// ApplicationsOf lists the live applications that a user registered, newest first.
func (r Reads) ApplicationsOf(ctx context.Context, user domain.UserID) ([]domain.Application, error) {
	rows, err := r.db.Query(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.user_id = $1 AND a.deleted_at IS NULL ORDER BY a.id DESC", user)
	return sqlx.Collect(ctx, rows, err, scanApplication)
}

// Applications lists live applications whose id is above the given one, by id.
func (r Reads) Applications(ctx context.Context, after domain.ApplicationID, limit int) ([]domain.Application, error) {
	rows, err := r.db.Query(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.id > $1 AND a.deleted_at IS NULL ORDER BY a.id"+sqlx.Limit("$2"), after, limit)
	return sqlx.Collect(ctx, rows, err, scanApplication)
}

// CountApplications counts the live applications of a user. It locks the row of the user so that
// nobody else adds one before the transaction ends. It returns NotFound for a user who may not
// act.
func (w Writes) CountApplications(ctx context.Context, user domain.UserID) (n int, err error) {
	err = w.db.QueryRow(ctx, `SELECT u.id FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL AND u.suspended_at IS NULL`+
		w.db.ForUpdate("u"), user).Scan(&user)
	if err != nil {
		return 0, sqlx.Found(err)
	}
	err = w.db.QueryRow(ctx, `SELECT COUNT(*) FROM applications WHERE user_id = $1 AND deleted_at IS NULL`, user).Scan(&n)
	return n, err
}

// CreateApplication creates an application with the hash of its secret, nil if it is public.
func (w Writes) CreateApplication(ctx context.Context, a domain.Application, secret []byte) (id domain.ApplicationID, err error) {
	uris, err := json.Marshal(a.RedirectURIs)
	if err != nil {
		return 0, err
	}
	err = w.db.QueryRow(ctx, `INSERT INTO applications
			(client_id, user_id, name, redirect_uris, for_v2, expiring, secret_hash, secret_hint, created_at, updated_at)
		VALUES ($1, NULLIF(CAST($2 AS BIGINT), 0), $3, $4, $5, $6, $7, $8, $9, $9) RETURNING id`,
		a.ClientID, int64(a.UserID), a.Name, string(uris), a.ForV2, a.Expiring, secret, a.SecretHint, sqlx.Micros(a.CreatedAt)).Scan(&id)
	return id, err
}

// RestoreApplication creates a public application with a fixed client_id, or restores it if it was deleted. It reports
// whether it did: another request may have been first.
func (w Writes) RestoreApplication(ctx context.Context, a domain.Application) (bool, error) {
	uris, err := json.Marshal(a.RedirectURIs)
	if err != nil {
		return false, err
	}
	n, err := w.db.ExecCount(ctx, `INSERT INTO applications (client_id, name, redirect_uris, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (client_id) DO UPDATE SET deleted_at = NULL, updated_at = EXCLUDED.updated_at
			WHERE applications.deleted_at IS NOT NULL`, a.ClientID, a.Name, string(uris), sqlx.Micros(a.CreatedAt))
	return n > 0, err
}

// UpdateApplication updates the name, the redirect addresses, ForV2 and Expiring of a live application.
func (w Writes) UpdateApplication(ctx context.Context, a domain.Application, now time.Time) error {
	uris, err := json.Marshal(a.RedirectURIs)
	if err != nil {
		return err
	}
	err = w.db.QueryRow(ctx, `UPDATE applications SET name = $2, redirect_uris = $3, for_v2 = $4, expiring = $5, updated_at = $6
		WHERE id = $1 AND deleted_at IS NULL RETURNING id`, a.ID, a.Name, string(uris), a.ForV2, a.Expiring, sqlx.Micros(now)).Scan(&a.ID)
	return sqlx.Found(err)
}

// SetApplicationSecret replaces the secret of a confidential application.
func (w Writes) SetApplicationSecret(ctx context.Context, id domain.ApplicationID, hash []byte, hint string, now time.Time) error {
	err := w.db.QueryRow(ctx, `UPDATE applications SET secret_hash = $2, secret_hint = $3, updated_at = $4
		WHERE id = $1 AND deleted_at IS NULL AND secret_hash IS NOT NULL RETURNING id`, id, hash, hint, sqlx.Micros(now)).Scan(&id)
	return sqlx.Found(err)
}

// DeleteApplication deletes an application with its grants, codes and tokens. Deleting it again
// changes nothing.
func (w Writes) DeleteApplication(ctx context.Context, id domain.ApplicationID, now time.Time) error {
	err := w.db.Exec(ctx, `UPDATE applications SET deleted_at = COALESCE(deleted_at, $2) WHERE id = $1`, id, sqlx.Micros(now))
	for _, table := range []string{"grants", "authorization_codes", "tokens", "refresh_tokens"} {
		if err == nil {
			err = w.db.Exec(ctx, "DELETE FROM "+table+" WHERE application_id = $1", id)
		}
	}
	return err
}

// ShareApplication reads a live application and prevents its deletion or change until the
// transaction ends.
func (w Writes) ShareApplication(ctx context.Context, id domain.ApplicationID) (domain.Application, error) {
	return scanApplication(w.db.QueryRow(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.id = $1 AND a.deleted_at IS NULL"+w.db.ForShare("a"), id))
}

// MayAct returns the slug of a user who is neither suspended nor deleted, and prevents that from
// changing until the transaction ends. It returns NotFound for anyone else.
func (w Writes) MayAct(ctx context.Context, user domain.UserID) (slug string, err error) {
	err = w.db.QueryRow(ctx, `SELECT u.slug FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL AND u.suspended_at IS NULL`+
		w.db.ForShare("u"), user).Scan(&slug)
	return slug, sqlx.Found(err)
}

// Granted reads the scope that a user granted to an application, with its limits, NotFound if there is no grant.
func (r Reads) Granted(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, l *domain.TokenLimits, err error) {
	var limits string
	err = r.db.QueryRow(ctx, `SELECT scope, limits FROM grants WHERE application_id = $1 AND user_id = $2`, app, user).Scan(&s, &limits)
	l = domain.StoredTokenLimits(limits)
	return s, l, sqlx.Found(err)
}

// ShareGrant reads the scope of a grant, and prevents the grant from being revoked until the transaction ends.
func (w Writes) ShareGrant(ctx context.Context, app domain.ApplicationID, user domain.UserID) (s domain.Scope, err error) {
	err = w.db.QueryRow(ctx, `SELECT g.scope FROM grants g WHERE g.application_id = $1 AND g.user_id = $2`+
		w.db.ForShare("g"), app, user).Scan(&s)
	return s, sqlx.Found(err)
}

// Grant lets an application act for a user. It never narrows the scope of an existing grant, and never limits one without
// limits, except by those of an application that may operate the server, which stay visible; other limits are replaced, as
// each code has its own.
func (w Writes) Grant(ctx context.Context, c Code) error {
	return w.db.Exec(ctx, `INSERT INTO grants (application_id, user_id, scope, limits, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)
		ON CONFLICT (application_id, user_id) DO UPDATE SET updated_at = excluded.updated_at,
			scope = CASE WHEN grants.scope = 'write' THEN grants.scope ELSE excluded.scope END,
			limits = CASE WHEN excluded.limits LIKE '%admin:%' THEN excluded.limits WHEN grants.limits LIKE '%admin:%' THEN grants.limits
				WHEN grants.limits = '' THEN '' ELSE excluded.limits END`,
		c.ApplicationID, c.UserID, c.Scope, c.Limits.String(), sqlx.Micros(c.CreatedAt))
}

// Grants lists the grants of a user, newest first.
func (r Reads) Grants(ctx context.Context, user domain.UserID) ([]domain.Grant, error) {
	rows, err := r.db.Query(ctx, `SELECT g.id, g.scope, g.limits, g.created_at,
			(SELECT MAX(t.last_used_at) FROM tokens t WHERE t.application_id = g.application_id AND t.user_id = g.user_id),
			`+applicationColumns+`
		FROM grants g JOIN applications a ON a.id = g.application_id WHERE g.user_id = $1 ORDER BY g.id DESC`, user)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (g domain.Grant, err error) {
		var r applicationRow
		var created int64
		var used *int64
		var limits string
		if err := row.Scan(append([]any{&g.ID, &g.Scope, &limits, &created, &used}, r.targets()...)...); err != nil {
			return g, err
		}
		g.Limits = domain.StoredTokenLimits(limits)
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
	for _, table := range []string{"authorization_codes", "tokens", "refresh_tokens"} {
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
	if err == nil {
		err = w.db.Exec(ctx, `DELETE FROM refresh_tokens WHERE user_id = $1`, user)
	}
	return err
}
