// Package account stores how people get an account and act with it: sign-ups and sign-up links,
// sessions, passkeys, identities at providers of single sign-on, tokens, applications and their
// grants, mailed links, counted attempts, and the settings and secrets of the installation.
package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists contains the statements that count and read a page, which need one consistent state for
// both.
type Lists struct{ Reads }

// NewLists returns the statements on the connection of a snapshot.
func NewLists(db sqlx.Conn) Lists { return Lists{NewReads(db)} }

// Writes contains the statements of a transaction.
type Writes struct{ Reads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewReads(db)} }

// EndAccess ends all access to a user's account, and all access of the applications that they
// registered.
func (w Writes) EndAccess(ctx context.Context, id domain.UserID, now time.Time) error {
	const theirs = `application_id IN (SELECT id FROM applications WHERE user_id = $1)`
	// Applications first: a transaction that gives one a grant or token holds its row, so the
	// statements below see the result.
	err := w.db.Exec(ctx, `UPDATE applications SET deleted_at = $2, updated_at = $2 WHERE user_id = $1 AND deleted_at IS NULL`,
		id, sqlx.Micros(now))
	if err != nil {
		return err
	}
	for _, query := range []string{
		`DELETE FROM sessions WHERE user_id = $1`,
		`DELETE FROM known_browsers WHERE user_id = $1`,
		`DELETE FROM half_sign_ins WHERE user_id = $1`,
		`DELETE FROM passkeys WHERE user_id = $1`,
		`DELETE FROM recovery_codes WHERE user_id = $1`,
		`DELETE FROM mail_links WHERE user_id = $1`,
		`DELETE FROM identities WHERE user_id = $1`,
		`DELETE FROM signup_links WHERE created_by = $1 AND taken = 0`,
		`DELETE FROM grants WHERE user_id = $1`,
		`DELETE FROM grants WHERE ` + theirs,
		`DELETE FROM authorization_codes WHERE user_id = $1`,
		`DELETE FROM authorization_codes WHERE ` + theirs,
		`DELETE FROM refresh_tokens WHERE user_id = $1`,
		`DELETE FROM refresh_tokens WHERE ` + theirs,
		`DELETE FROM once_keys WHERE user_id = $1`,
		`DELETE FROM removals WHERE user_id = $1`,
	} {
		if err := w.db.Exec(ctx, query, id); err != nil {
			return err
		}
	}
	for _, query := range []string{
		`UPDATE signup_links SET revoked_at = $2 WHERE created_by = $1 AND used_at IS NULL AND revoked_at IS NULL`,
		`UPDATE tokens SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL`,
		`UPDATE tokens SET revoked_at = $2 WHERE ` + theirs + ` AND revoked_at IS NULL`,
	} {
		if err := w.db.Exec(ctx, query, id, sqlx.Micros(now)); err != nil {
			return err
		}
	}
	return nil
}
