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
	a.secret_hash IS NULL, a.for_v2, a.secret_hint, a.created_at, a.updated_at`

// applicationRow receives the columns of an application.
type applicationRow struct {
	a                domain.Application
	uris             string
	created, updated int64
}

func (r *applicationRow) targets() []any {
	return []any{&r.a.ID, &r.a.ClientID, &r.a.UserID, &r.a.Owner, &r.a.Name, &r.uris, &r.a.Public, &r.a.ForV2, &r.a.SecretHint,
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
			(client_id, user_id, name, redirect_uris, for_v2, secret_hash, secret_hint, created_at, updated_at)
		VALUES ($1, NULLIF(CAST($2 AS BIGINT), 0), $3, $4, $5, $6, $7, $8, $8) RETURNING id`,
		a.ClientID, int64(a.UserID), a.Name, string(uris), a.ForV2, secret, a.SecretHint, sqlx.Micros(a.CreatedAt)).Scan(&id)
	return id, err
}

// UpdateApplication updates the name, the redirect addresses and ForV2 of a live application.
func (w Writes) UpdateApplication(ctx context.Context, a domain.Application, now time.Time) error {
	uris, err := json.Marshal(a.RedirectURIs)
	if err != nil {
		return err
	}
	err = w.db.QueryRow(ctx, `UPDATE applications SET name = $2, redirect_uris = $3, for_v2 = $4, updated_at = $5
		WHERE id = $1 AND deleted_at IS NULL RETURNING id`, a.ID, a.Name, string(uris), a.ForV2, sqlx.Micros(now)).Scan(&a.ID)
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
	for _, table := range []string{"grants", "authorization_codes", "tokens"} {
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
