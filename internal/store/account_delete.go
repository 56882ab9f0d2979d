package store

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/domain"
)

// deletedName is how a deleted account is called where what it leaves behind is shown.
const deletedName = "Deleted account"

// AnonymizeAccount takes a locked account out of sight: nothing that tells who it was stays in
// its row, and whatever let somebody act for it ends. What it owns is left to ClearAccount
// jobs. Its slug is never given again, and leads nowhere.
func (tx *Tx) AnonymizeAccount(ctx context.Context, u domain.User, now time.Time) error {
	slug, err := tx.anonymousSlug(ctx, u.ID, now)
	if err != nil {
		return err
	}
	err = tx.execOne(ctx, `UPDATE users SET deleted_at = $2, name = $3, slug = $4, email = $5, password_hash = '',
			bio_markdown = NULL, bio_html = NULL, bio_plain = NULL, avatar = NULL, office = 'member', suspended_at = NULL,
			version = version + 1, face_version = face_version + 1, updated_at = $2
		WHERE id = $1`, u.ID, micros(now), deletedName, slug, fmt.Sprintf("deleted-%d", u.ID)) // no address has no "@"
	if err != nil {
		return err
	}
	if err := tx.unindex(ctx, domain.SubjectUser, int64(u.ID)); err != nil {
		return err
	}
	if err := tx.exec(ctx, `DELETE FROM avatar_wishes WHERE owner_type = 'User' AND owner_id = $1`, u.ID); err != nil {
		return err
	}
	if err := tx.dropAvatar(ctx, u.Avatar); err != nil {
		return err
	}
	if err := tx.endAccess(ctx, u.ID, now); err != nil {
		return err
	}
	return tx.ForgetSignups(ctx, u.Email)
}

// anonymousSlug claims the slug of a deleted account.
func (tx *Tx) anonymousSlug(ctx context.Context, id domain.UserID, now time.Time) (string, error) {
	slug := fmt.Sprintf("deleted-account-%d", id)
	free, err := tx.ClaimSlug(ctx, UserSlug, slug, now)
	if err == nil && !free { // somebody chose to be called so
		slug, err = tx.SlugFor(ctx, UserSlug, deletedName, now)
	}
	if err != nil {
		return "", err
	}
	return slug, tx.BindSlug(ctx, UserSlug, slug, int64(id))
}

// endAccess ends everything with which somebody acts for a user, and for the applications
// that they registered.
func (tx *Tx) endAccess(ctx context.Context, id domain.UserID, now time.Time) error {
	const theirs = `application_id IN (SELECT id FROM applications WHERE user_id = $1)`
	// The applications go first: who is giving one a grant or a token holds its row, and
	// what they make is there for the statements after.
	err := tx.exec(ctx, `UPDATE applications SET deleted_at = $2, updated_at = $2 WHERE user_id = $1 AND deleted_at IS NULL`,
		id, micros(now))
	if err != nil {
		return err
	}
	for _, query := range []string{
		`DELETE FROM sessions WHERE user_id = $1`,
		`DELETE FROM known_browsers WHERE user_id = $1`,
		`DELETE FROM mail_links WHERE user_id = $1`,
		`DELETE FROM signup_links WHERE created_by = $1 AND used_at IS NULL`,
		`DELETE FROM grants WHERE user_id = $1`,
		`DELETE FROM grants WHERE ` + theirs,
		`DELETE FROM authorization_codes WHERE user_id = $1`,
		`DELETE FROM authorization_codes WHERE ` + theirs,
	} {
		if err := tx.exec(ctx, query, id); err != nil {
			return err
		}
	}
	for _, query := range []string{
		`UPDATE tokens SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL`,
		`UPDATE tokens SET revoked_at = $2 WHERE ` + theirs + ` AND revoked_at IS NULL`,
	} {
		if err := tx.exec(ctx, query, id, micros(now)); err != nil {
			return err
		}
	}
	return nil
}

// OtherAccounts reports whether anybody else has an account.
func (q Queries) OtherAccounts(ctx context.Context, than domain.UserID) (some bool, err error) {
	err = q.q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE deleted_at IS NULL AND id <> $1)`, than).Scan(&some)
	return some, err
}

// IsDeleted reports whether an account is deleted.
func (q Queries) IsDeleted(ctx context.Context, id domain.UserID) (deleted bool, err error) {
	err = q.q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE id = $1 AND deleted_at IS NOT NULL)`, id).Scan(&deleted)
	return deleted, err
}
