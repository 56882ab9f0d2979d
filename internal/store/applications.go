package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vitrine/internal/domain"
)

const applicationColumns = `a.id, a.client_id, COALESCE(a.user_id, 0),
	COALESCE((SELECT o.slug FROM users o WHERE o.id = a.user_id), ''), a.name, a.redirect_uris,
	a.secret_hash IS NULL, a.secret_hint, a.created_at, a.updated_at`

// applicationRow is where the columns of an application are scanned into.
type applicationRow struct {
	a                domain.Application
	uris             string
	created, updated int64
}

func (r *applicationRow) targets() []any {
	return []any{&r.a.ID, &r.a.ClientID, &r.a.UserID, &r.a.Owner, &r.a.Name, &r.uris, &r.a.Public, &r.a.SecretHint,
		&r.created, &r.updated}
}

func (r *applicationRow) value() (domain.Application, error) {
	r.a.CreatedAt, r.a.UpdatedAt = instant(r.created), instant(r.updated)
	if err := json.Unmarshal([]byte(r.uris), &r.a.RedirectURIs); err != nil {
		return r.a, fmt.Errorf("store: redirect addresses of the application %d: %w", r.a.ID, err)
	}
	return r.a, nil
}

func scanApplication(row scanner) (domain.Application, error) {
	var r applicationRow
	if err := row.Scan(r.targets()...); err != nil {
		return r.a, found(err)
	}
	return r.value()
}

// Application reads a live application.
func (q Queries) Application(ctx context.Context, id domain.ApplicationID) (domain.Application, error) {
	return scanApplication(q.q.QueryRow(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.id = $1 AND a.deleted_at IS NULL", id))
}

// ApplicationByClientID reads a live application by the id that clients say.
func (q Queries) ApplicationByClientID(ctx context.Context, clientID string) (domain.Application, error) {
	return scanApplication(q.q.QueryRow(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.client_id = $1 AND a.deleted_at IS NULL", clientID))
}

// ApplicationSecret reads the hash of the secret of a live application, nil for a public
// one.
func (q Queries) ApplicationSecret(ctx context.Context, id domain.ApplicationID) (hash []byte, err error) {
	err = q.q.QueryRow(ctx, "SELECT secret_hash FROM applications WHERE id = $1 AND deleted_at IS NULL", id).Scan(&hash)
	return hash, found(err)
}

// ApplicationsOf lists the live applications that a user registered, newest first.
func (q Queries) ApplicationsOf(ctx context.Context, user domain.UserID) ([]domain.Application, error) {
	rows, err := q.q.Query(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.user_id = $1 AND a.deleted_at IS NULL ORDER BY a.id DESC", user)
	return collect(ctx, rows, err, scanApplication)
}

// Applications lists live applications by id, after the given one.
func (q Queries) Applications(ctx context.Context, after domain.ApplicationID, most int) ([]domain.Application, error) {
	rows, err := q.q.Query(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.id > $1 AND a.deleted_at IS NULL ORDER BY a.id"+limit("$2"), after, most)
	return collect(ctx, rows, err, scanApplication)
}

// CountApplications counts the live applications of a user, whose row is locked so that
// nobody else adds one before the transaction ends. NotFound for a user who may not act.
func (tx *Tx) CountApplications(ctx context.Context, user domain.UserID) (n int, err error) {
	err = tx.q.QueryRow(ctx, `SELECT u.id FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL AND u.suspended_at IS NULL`+
		tx.d.lock("u"), user).Scan(&user)
	if err != nil {
		return 0, found(err)
	}
	err = tx.q.QueryRow(ctx, `SELECT COUNT(*) FROM applications WHERE user_id = $1 AND deleted_at IS NULL`, user).Scan(&n)
	return n, err
}

// CreateApplication keeps a new application, with the hash of its secret (nil: public).
func (tx *Tx) CreateApplication(ctx context.Context, a domain.Application, secret []byte) (id domain.ApplicationID, err error) {
	uris, err := json.Marshal(a.RedirectURIs)
	if err != nil {
		return 0, err
	}
	err = tx.q.QueryRow(ctx, `INSERT INTO applications
			(client_id, user_id, name, redirect_uris, secret_hash, secret_hint, created_at, updated_at)
		VALUES ($1, NULLIF(CAST($2 AS BIGINT), 0), $3, $4, $5, $6, $7, $7) RETURNING id`,
		a.ClientID, int64(a.UserID), a.Name, string(uris), secret, a.SecretHint, micros(a.CreatedAt)).Scan(&id)
	return id, err
}

// UpdateApplication writes the name and the redirect addresses of a live application.
func (tx *Tx) UpdateApplication(ctx context.Context, a domain.Application, now time.Time) error {
	uris, err := json.Marshal(a.RedirectURIs)
	if err != nil {
		return err
	}
	err = tx.q.QueryRow(ctx, `UPDATE applications SET name = $2, redirect_uris = $3, updated_at = $4
		WHERE id = $1 AND deleted_at IS NULL RETURNING id`, a.ID, a.Name, string(uris), micros(now)).Scan(&a.ID)
	return found(err)
}

// SetApplicationSecret replaces the secret of a confidential application.
func (tx *Tx) SetApplicationSecret(ctx context.Context, id domain.ApplicationID, hash []byte, hint string, now time.Time) error {
	err := tx.q.QueryRow(ctx, `UPDATE applications SET secret_hash = $2, secret_hint = $3, updated_at = $4
		WHERE id = $1 AND deleted_at IS NULL AND secret_hash IS NOT NULL RETURNING id`, id, hash, hint, micros(now)).Scan(&id)
	return found(err)
}

// DeleteApplication ends an application, and with it its grants, codes and tokens.
// Deleting it again changes nothing.
func (tx *Tx) DeleteApplication(ctx context.Context, id domain.ApplicationID, now time.Time) error {
	err := tx.exec(ctx, `UPDATE applications SET deleted_at = COALESCE(deleted_at, $2) WHERE id = $1`, id, micros(now))
	for _, table := range []string{"grants", "authorization_codes", "tokens"} {
		if err == nil {
			err = tx.exec(ctx, "DELETE FROM "+table+" WHERE application_id = $1", id)
		}
	}
	return err
}

// ShareApplication reads a live application, and keeps it from being deleted or changed
// before the transaction ends.
func (tx *Tx) ShareApplication(ctx context.Context, id domain.ApplicationID) (domain.Application, error) {
	return scanApplication(tx.q.QueryRow(ctx, "SELECT "+applicationColumns+
		" FROM applications a WHERE a.id = $1 AND a.deleted_at IS NULL"+tx.d.share("a"), id))
}
