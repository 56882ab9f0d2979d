package account

import (
	"context"
	"math"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Holder is the actor of a token.
type Holder struct {
	TokenID   domain.TokenID
	Actor     domain.Actor
	Audience  domain.TokenAudience
	Suspended bool
	ExpiresAt time.Time // zero: never
}

// TokenHolder reads the holder of the live token with this hash. The holder is a user, possibly
// acting through an application, or an application itself, which has the tier free. Suspended is
// that of the user or, for an application, of the user who registered it. It returns NotFound if
// the user or the application is deleted.
func (r Reads) TokenHolder(ctx context.Context, hash []byte) (h Holder, err error) {
	var expires int64
	var limits string
	err = r.db.QueryRow(database.Uninterruptible(ctx), `SELECT t.id, COALESCE(t.user_id, 0), COALESCE(t.application_id, 0), t.scope, t.audience, COALESCE(t.expires_at, 0), t.limits,
			CASE WHEN t.user_id IS NULL THEN 'free' ELSE u.tier END, u.suspended_at IS NOT NULL,
			COALESCE((SELECT w.n FROM account_writes w WHERE w.user_id = t.user_id), 0)
		FROM tokens t LEFT JOIN users u
			ON u.id = COALESCE(t.user_id, (SELECT a.user_id FROM applications a WHERE a.id = t.application_id))
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND u.deleted_at IS NULL AND NOT EXISTS
			(SELECT 1 FROM applications a WHERE a.id = t.application_id AND a.deleted_at IS NOT NULL)`, hash).
		Scan((*int64)(&h.TokenID), (*int64)(&h.Actor.UserID), (*int64)(&h.Actor.ApplicationID), // plain types are scanned without reflection
			(*string)(&h.Actor.Scope), (*string)(&h.Audience), &expires, &limits, (*string)(&h.Actor.Tier), &h.Suspended, &h.Actor.Writes)
	if expires != 0 {
		h.ExpiresAt = sqlx.Time(expires)
	}
	if limits != "" {
		h.Actor.Limits = domain.StoredTokenLimits(limits)
	}
	return h, sqlx.Found(err)
}

// LiveTokens returns the limits of those of some tokens, by their hashes, that TokenHolder finds, that have not expired, and
// whose user is not suspended.
func (r Reads) LiveTokens(ctx context.Context, hashes []string, now time.Time) (map[string]*domain.TokenLimits, error) {
	live := make(map[string]*domain.TokenLimits, len(hashes))
	rows, err := r.db.Query(ctx, `SELECT t.hash, t.limits FROM tokens t LEFT JOIN users u
			ON u.id = COALESCE(t.user_id, (SELECT a.user_id FROM applications a WHERE a.id = t.application_id))
		WHERE `+r.db.InHashes("t.hash", "$1")+` AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2) AND u.deleted_at IS NULL AND u.suspended_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM applications a WHERE a.id = t.application_id AND a.deleted_at IS NOT NULL)`,
		sqlx.Hashes(r.db.Dialect, hashes), sqlx.Micros(now))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (none struct{}, err error) {
		var hash []byte
		var limits string
		if err = row.Scan(&hash, &limits); err == nil {
			live[string(hash)] = domain.StoredTokenLimits(limits)
		}
		return none, err
	})
	return live, err
}

// CreateToken stores the hash of a new token.
func (w Writes) CreateToken(ctx context.Context, t domain.Token, hash []byte) (domain.TokenID, error) {
	var id domain.TokenID
	err := w.db.QueryRow(ctx, `INSERT INTO tokens (user_id, name, hash, hint, scope, created_at, limits, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
		t.UserID, t.Name, hash, t.Hint, t.Scope, sqlx.Micros(t.CreatedAt), t.Limits.String(), sqlx.MicrosPtr(t.ExpiresAt)).Scan(&id)
	return id, err
}

// Tokens lists the personal access tokens of a user, including revoked ones, newest first.
func (r Reads) Tokens(ctx context.Context, user domain.UserID) ([]domain.Token, error) {
	return r.personal(ctx, user, " ORDER BY id DESC")
}

// TokensBelow is Tokens, starting below an id; 0 means from the beginning.
func (r Reads) TokensBelow(ctx context.Context, user domain.UserID, below domain.TokenID, limit int) ([]domain.Token, error) {
	if below == 0 {
		below = math.MaxInt64
	}
	return r.personal(ctx, user, " AND id < $2 ORDER BY id DESC LIMIT $3", below, limit)
}

// personal lists personal access tokens.
func (r Reads) personal(ctx context.Context, user domain.UserID, and string, more ...any) ([]domain.Token, error) {
	rows, err := r.db.Query(ctx, `SELECT id, user_id, name, hint, scope, limits, last_used_at, revoked_at, created_at, expires_at
		FROM tokens WHERE user_id = $1 AND application_id IS NULL`+and, append([]any{user}, more...)...)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (t domain.Token, err error) {
		var used, revoked, expires *int64
		var created int64
		var limits string
		err = row.Scan(&t.ID, &t.UserID, &t.Name, &t.Hint, &t.Scope, &limits, &used, &revoked, &created, &expires)
		t.Limits = domain.StoredTokenLimits(limits)
		t.LastUsedAt, t.RevokedAt, t.CreatedAt, t.ExpiresAt = sqlx.TimePtr(used), sqlx.TimePtr(revoked), sqlx.Time(created), sqlx.TimePtr(expires)
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

// TokenName reads the name of a token, NotFound if there is no such token.
func (r Reads) TokenName(ctx context.Context, id domain.TokenID) (name string, err error) {
	err = r.db.QueryRow(ctx, `SELECT name FROM tokens WHERE id = $1`, id).Scan(&name)
	return name, sqlx.Found(err)
}

// EndAdminTokens ends all access of a user's tokens and applications to operating the server. limits is written by
// domain.TokenLimits, so channels and kinds of changes cannot contain the text.
func (w Writes) EndAdminTokens(ctx context.Context, user domain.UserID, now time.Time) error {
	const of = " WHERE user_id = $1 AND limits LIKE '%admin:%'"
	err := w.db.Exec(ctx, `UPDATE tokens SET revoked_at = $2`+of+` AND application_id IS NULL AND revoked_at IS NULL`, user, sqlx.Micros(now))
	for _, table := range []string{"grants", "authorization_codes", "tokens", "refresh_tokens"} {
		if err != nil {
			return err
		}
		and := ""
		if table == "tokens" {
			and = " AND application_id IS NOT NULL"
		}
		err = w.db.Exec(ctx, "DELETE FROM "+table+of+and, user)
	}
	return err
}

// OwnTokens lists the personal access tokens of a user that are not revoked, newest first.
func (r Reads) OwnTokens(ctx context.Context, user domain.UserID) ([]domain.Token, error) {
	return r.personal(ctx, user, " AND revoked_at IS NULL ORDER BY id DESC")
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
// the newest `keep` tokens that the application has for the same user, or of the same family of refresh tokens.
func (w Writes) CreateApplicationToken(ctx context.Context, t domain.Token, hash, code []byte, keep int) error {
	err := w.db.Exec(ctx, `INSERT INTO tokens (user_id, application_id, code_hash, name, hash, hint, scope, created_at, audience, refresh_id, expires_at, limits)
		VALUES (NULLIF(CAST($1 AS BIGINT), 0), $2, $3, $4, $5, $6, $7, $8, $9, NULLIF(CAST($10 AS BIGINT), 0), $11, $12)`,
		int64(t.UserID), t.ApplicationID, code, t.Name, hash, t.Hint, t.Scope, sqlx.Micros(t.CreatedAt), t.Audience,
		int64(t.RefreshID), sqlx.MicrosPtr(t.ExpiresAt), t.Limits.String())
	if err != nil {
		return err
	}
	same, args := "application_id = $1 AND user_id IS NULL", []any{t.ApplicationID, keep}
	switch {
	case t.RefreshID != 0: // those of other devices stay
		same, args = "refresh_id = $1", []any{int64(t.RefreshID), keep}
	case t.UserID != 0:
		same, args = "application_id = $1 AND user_id = $3 AND refresh_id IS NULL", append(args, t.UserID)
	}
	return w.db.Exec(ctx, `DELETE FROM tokens WHERE `+same+` AND id <=
		(SELECT id FROM tokens WHERE `+same+` ORDER BY id DESC`+sqlx.Limit("1")+` OFFSET $2)`, args...)
}

// ApplicationToken reads a live token of an application by its hash, even if it has expired.
func (r Reads) ApplicationToken(ctx context.Context, hash []byte) (t domain.Token, err error) {
	var created int64
	var expires *int64
	var limits string
	err = r.db.QueryRow(ctx, `SELECT t.id, COALESCE(t.user_id, 0), t.application_id, t.scope, t.limits, t.created_at, t.expires_at FROM tokens t
		JOIN applications a ON a.id = t.application_id LEFT JOIN users u ON u.id = COALESCE(t.user_id, a.user_id)
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND a.deleted_at IS NULL AND u.deleted_at IS NULL AND u.suspended_at IS NULL`,
		hash).Scan(&t.ID, &t.UserID, &t.ApplicationID, &t.Scope, &limits, &created, &expires)
	t.Limits = domain.StoredTokenLimits(limits)
	t.CreatedAt, t.ExpiresAt = sqlx.Time(created), sqlx.TimePtr(expires)
	return t, sqlx.Found(err)
}

// DeleteApplicationToken deletes a token of an application, with its refresh token and the other tokens of that, and
// returns its user, 0 if it was the application's own. It returns NotFound if the application has no such token.
func (w Writes) DeleteApplicationToken(ctx context.Context, app domain.ApplicationID, hash []byte) (of domain.UserID, err error) {
	var family int64
	err = w.db.QueryRow(ctx, `DELETE FROM tokens WHERE application_id = $1 AND hash = $2
		RETURNING COALESCE(user_id, 0), COALESCE(refresh_id, 0)`, app, hash).Scan(&of, &family)
	if err == nil && family != 0 {
		err = w.DeleteRefreshToken(ctx, domain.RefreshID(family))
	}
	return of, sqlx.Found(err)
}
