package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// MailLinkID identifies a link that is mailed to an account.
type MailLinkID int64

// LinkPurpose is what a mailed link is for.
type LinkPurpose string

// The purposes: choosing a new password and confirming a new address.
const (
	PasswordLink LinkPurpose = "password"
	AddressLink  LinkPurpose = "address"
)

// MailLink is a link that is mailed to an account. It works once.
type MailLink struct {
	ID        MailLinkID
	User      domain.UserID
	Purpose   LinkPurpose
	Email     string // its recipient in lower case; for an AddressLink, the new address
	CreatedAt time.Time
	ExpiresAt time.Time
}

const mailLinkColumns = `id, user_id, purpose, email, created_at, expires_at`

func scanMailLink(row sqlx.Row) (l MailLink, err error) {
	var created, expires int64
	err = row.Scan(&l.ID, &l.User, &l.Purpose, &l.Email, &created, &expires)
	l.CreatedAt, l.ExpiresAt = sqlx.Time(created), sqlx.Time(expires)
	return l, err
}

// CreateMailLink creates a link for a locked account. It replaces earlier links for the same
// purpose.
func (w Writes) CreateMailLink(ctx context.Context, l MailLink) (id MailLinkID, err error) {
	if err := w.EndMailLinks(ctx, l.User, l.Purpose); err != nil {
		return 0, err
	}
	err = w.db.QueryRow(ctx, `INSERT INTO mail_links (user_id, purpose, email, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5) RETURNING id`, l.User, l.Purpose, l.Email, sqlx.Micros(l.CreatedAt), sqlx.Micros(l.ExpiresAt)).Scan(&id)
	return id, err
}

// MarkMailLink stores the hash of the token that is about to be mailed. An earlier token becomes
// invalid. It returns NotFound if the link was used or has expired.
func (w Writes) MarkMailLink(ctx context.Context, id MailLinkID, hash []byte, now time.Time) (MailLink, error) {
	l, err := scanMailLink(w.db.QueryRow(ctx, `UPDATE mail_links SET hash = $2 WHERE id = $1 AND expires_at > $3
		RETURNING `+mailLinkColumns, id, hash, sqlx.Micros(now)))
	return l, sqlx.Found(err)
}

// MailLinkByHash reads the link with a purpose and the hash of its token. It returns NotFound if
// the link was used or has expired, or if its user is suspended or deleted.
func (r Reads) MailLinkByHash(ctx context.Context, p LinkPurpose, hash []byte, now time.Time) (MailLink, error) {
	l, err := scanMailLink(r.db.QueryRow(ctx, "SELECT "+mailLinkColumns+` FROM mail_links l WHERE hash = $1 AND purpose = $2
		AND expires_at > $3 AND EXISTS (SELECT 1 FROM users u WHERE u.id = l.user_id AND u.suspended_at IS NULL
			AND u.deleted_at IS NULL)`, hash, p, sqlx.Micros(now)))
	return l, sqlx.Found(err)
}

// TakeMailLink removes a link of a locked account by the hash of its token, so that it works once.
// It returns NotFound if it was used.
func (w Writes) TakeMailLink(ctx context.Context, id MailLinkID, hash []byte) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `DELETE FROM mail_links WHERE id = $1 AND hash = $2 RETURNING id`, id, hash))
	return sqlx.Found(err)
}

// EndMailLinks deletes the links of a user for a purpose.
func (w Writes) EndMailLinks(ctx context.Context, user domain.UserID, p LinkPurpose) error {
	return w.db.Exec(ctx, `DELETE FROM mail_links WHERE user_id = $1 AND purpose = $2`, user, p)
}

// SweepMailLinks deletes at most `limit` expired links and returns their number.
func (w Writes) SweepMailLinks(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "mail_links", "id", now, limit)
}
