package account

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vitrine/internal/database"
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

// Holder is the actor of a token.
type Holder struct {
	TokenID   domain.TokenID
	Actor     domain.Actor
	Audience  domain.TokenAudience
	Suspended bool
}

// TokenHolder reads the holder of the live token with this hash. The holder is a user, possibly
// acting through an application, or an application itself, which has the tier free. Suspended is
// that of the user or, for an application, of the user who registered it. It returns NotFound if
// the user or the application is deleted.
func (r Reads) TokenHolder(ctx context.Context, hash []byte) (h Holder, err error) {
	err = r.db.QueryRow(database.Uninterruptible(ctx), `SELECT t.id, COALESCE(t.user_id, 0), COALESCE(t.application_id, 0), t.scope, t.audience,
			CASE WHEN t.user_id IS NULL THEN 'free' ELSE u.tier END, u.suspended_at IS NOT NULL,
			COALESCE((SELECT w.n FROM account_writes w WHERE w.user_id = t.user_id), 0)
		FROM tokens t LEFT JOIN users u
			ON u.id = COALESCE(t.user_id, (SELECT a.user_id FROM applications a WHERE a.id = t.application_id))
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND u.deleted_at IS NULL AND NOT EXISTS
			(SELECT 1 FROM applications a WHERE a.id = t.application_id AND a.deleted_at IS NOT NULL)`, hash).
		Scan((*int64)(&h.TokenID), (*int64)(&h.Actor.UserID), (*int64)(&h.Actor.ApplicationID), // plain types are scanned without reflection
			(*string)(&h.Actor.Scope), (*string)(&h.Audience), (*string)(&h.Actor.Tier), &h.Suspended, &h.Actor.Writes)
	return h, sqlx.Found(err)
}

// CreateToken stores the hash of a new token.
func (w Writes) CreateToken(ctx context.Context, t domain.Token, hash []byte) (domain.TokenID, error) {
	var id domain.TokenID
	err := w.db.QueryRow(ctx, `INSERT INTO tokens (user_id, name, hash, hint, scope, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
		t.UserID, t.Name, hash, t.Hint, t.Scope, sqlx.Micros(t.CreatedAt)).Scan(&id)
	return id, err
}

// Tokens lists the personal access tokens of a user, including revoked ones, newest first.
func (r Reads) Tokens(ctx context.Context, user domain.UserID) ([]domain.Token, error) {
	rows, err := r.db.Query(ctx, `SELECT id, user_id, name, hint, scope, last_used_at, revoked_at, created_at
		FROM tokens WHERE user_id = $1 AND application_id IS NULL ORDER BY id DESC`, user)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (t domain.Token, err error) {
		var used, revoked *int64
		var created int64
		err = row.Scan(&t.ID, &t.UserID, &t.Name, &t.Hint, &t.Scope, &used, &revoked, &created)
		t.LastUsedAt, t.RevokedAt, t.CreatedAt = sqlx.TimePtr(used), sqlx.TimePtr(revoked), sqlx.Time(created)
		return t, err
	})
}

// RevokeToken revokes a token and reports whether it was live. Revoking it again changes nothing.
// It returns NotFound for an id that never existed.
func (w Writes) RevokeToken(ctx context.Context, id domain.TokenID, now time.Time) (live bool, err error) {
	n, err := w.db.ExecCount(ctx, `UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`, id, sqlx.Micros(now))
	if err != nil || n > 0 {
		return n > 0, err
	}
	_, err = sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT id FROM tokens WHERE id = $1`, id))
	return false, sqlx.Found(err)
}

// RevokeTokensOf revokes the personal access tokens of a user.
func (w Writes) RevokeTokensOf(ctx context.Context, user domain.UserID, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE tokens SET revoked_at = $2 WHERE user_id = $1 AND application_id IS NULL AND revoked_at IS NULL`,
		user, sqlx.Micros(now))
}

// TokenUsed records when a token was last used. Earlier times change nothing.
func (w Writes) TokenUsed(ctx context.Context, id domain.TokenID, at time.Time) error {
	return w.db.Exec(ctx, `UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND COALESCE(last_used_at, 0) < $2`,
		id, sqlx.Micros(at))
}

// OwnTokens lists the live personal access tokens of a user, newest first.
func (r Reads) OwnTokens(ctx context.Context, user domain.UserID) ([]domain.Token, error) {
	rows, err := r.db.Query(ctx, `SELECT id, user_id, name, hint, scope, last_used_at, created_at FROM tokens
		WHERE user_id = $1 AND application_id IS NULL AND revoked_at IS NULL ORDER BY id DESC`, user)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (t domain.Token, err error) {
		var used *int64
		var created int64
		err = row.Scan(&t.ID, &t.UserID, &t.Name, &t.Hint, &t.Scope, &used, &created)
		t.LastUsedAt, t.CreatedAt = sqlx.TimePtr(used), sqlx.Time(created)
		return t, err
	})
}

// RevokeOwnToken revokes a personal access token of a user, NotFound if they have no such live
// token.
func (w Writes) RevokeOwnToken(ctx context.Context, user domain.UserID, id domain.TokenID, now time.Time) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `UPDATE tokens SET revoked_at = $3
		WHERE id = $1 AND user_id = $2 AND application_id IS NULL AND revoked_at IS NULL RETURNING id`, id, user, sqlx.Micros(now)))
	return sqlx.Found(err)
}

// CreateApplicationToken stores the hash of an application's token, which is for a user or (UserID
// 0) for the application itself, with the code that it was issued for or nil. It deletes all but
// the newest `keep` tokens that the application has for the same user.
func (w Writes) CreateApplicationToken(ctx context.Context, t domain.Token, hash, code []byte, keep int) error {
	err := w.db.Exec(ctx, `INSERT INTO tokens (user_id, application_id, code_hash, name, hash, hint, scope, created_at, audience)
		VALUES (NULLIF(CAST($1 AS BIGINT), 0), $2, $3, $4, $5, $6, $7, $8, $9)`,
		int64(t.UserID), t.ApplicationID, code, t.Name, hash, t.Hint, t.Scope, sqlx.Micros(t.CreatedAt), t.Audience)
	if err != nil {
		return err
	}
	same, args := "application_id = $1 AND user_id IS NULL", []any{t.ApplicationID, keep}
	if t.UserID != 0 {
		same, args = "application_id = $1 AND user_id = $3", append(args, t.UserID)
	}
	return w.db.Exec(ctx, `DELETE FROM tokens WHERE `+same+` AND id <=
		(SELECT id FROM tokens WHERE `+same+` ORDER BY id DESC`+sqlx.Limit("1")+` OFFSET $2)`, args...)
}

// ApplicationToken reads a live token of an application by its hash.
func (r Reads) ApplicationToken(ctx context.Context, hash []byte) (t domain.Token, err error) {
	var created int64
	err = r.db.QueryRow(ctx, `SELECT t.id, COALESCE(t.user_id, 0), t.application_id, t.scope, t.created_at FROM tokens t
		JOIN applications a ON a.id = t.application_id LEFT JOIN users u ON u.id = COALESCE(t.user_id, a.user_id)
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND a.deleted_at IS NULL AND u.deleted_at IS NULL AND u.suspended_at IS NULL`,
		hash).Scan(&t.ID, &t.UserID, &t.ApplicationID, &t.Scope, &created)
	t.CreatedAt = sqlx.Time(created)
	return t, sqlx.Found(err)
}

// DeleteApplicationToken deletes a token of an application and returns its user, 0 if it was the
// application's own. It returns NotFound if the application has no such token.
func (w Writes) DeleteApplicationToken(ctx context.Context, app domain.ApplicationID, hash []byte) (of domain.UserID, err error) {
	err = w.db.QueryRow(ctx, `DELETE FROM tokens WHERE application_id = $1 AND hash = $2 RETURNING COALESCE(user_id, 0)`, app, hash).Scan(&of)
	return of, sqlx.Found(err)
}

// MayAct returns the slug of a user who is neither suspended nor deleted, and prevents that from
// changing until the transaction ends. It returns NotFound for anyone else.
func (w Writes) MayAct(ctx context.Context, user domain.UserID) (slug string, err error) {
	err = w.db.QueryRow(ctx, `SELECT u.slug FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL AND u.suspended_at IS NULL`+
		w.db.ForShare("u"), user).Scan(&slug)
	return slug, sqlx.Found(err)
}

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
	Audience      domain.TokenAudience
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// CreateCode stores a code.
func (w Writes) CreateCode(ctx context.Context, c Code) error {
	return w.db.Exec(ctx, `INSERT INTO authorization_codes
			(hash, application_id, user_id, redirect_uri, challenge, scope, created_at, expires_at, audience)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, c.Hash, c.ApplicationID, c.UserID, c.RedirectURI, c.Challenge, c.Scope,
		sqlx.Micros(c.CreatedAt), sqlx.Micros(c.ExpiresAt), c.Audience)
}

// Code reads a code, even if it is used or expired.
func (r Reads) Code(ctx context.Context, hash []byte) (c Code, err error) {
	var created, expires int64
	err = r.db.QueryRow(ctx, `SELECT hash, application_id, user_id, redirect_uri, challenge, scope, audience, created_at, expires_at
		FROM authorization_codes WHERE hash = $1`, hash).
		Scan(&c.Hash, &c.ApplicationID, &c.UserID, &c.RedirectURI, &c.Challenge, &c.Scope, &c.Audience, &created, &expires)
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
