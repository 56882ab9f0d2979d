package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// MailLinkID names a link that is mailed to an account.
type MailLinkID int64

// LinkPurpose is what a mailed link is for.
type LinkPurpose string

// The purposes: to choose a new password, and to prove a new address.
const (
	PasswordLink LinkPurpose = "password"
	AddressLink  LinkPurpose = "address"
)

// MailLink is a link that is mailed to an account. Each works once.
type MailLink struct {
	ID        MailLinkID
	User      domain.UserID
	Purpose   LinkPurpose
	Email     string // where it goes; of an address, the new one, in lower case
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

// CreateMailLink notes a link of a locked account, in place of earlier ones of its purpose.
func (w Writes) CreateMailLink(ctx context.Context, l MailLink) (id MailLinkID, err error) {
	if err := w.EndMailLinks(ctx, l.User, l.Purpose); err != nil {
		return 0, err
	}
	err = w.db.QueryRow(ctx, `INSERT INTO mail_links (user_id, purpose, email, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5) RETURNING id`, l.User, l.Purpose, l.Email, sqlx.Micros(l.CreatedAt), sqlx.Micros(l.ExpiresAt)).Scan(&id)
	return id, err
}

// MarkMailLink gives a link the token that is about to be mailed, by its hash; an earlier
// one ends. NotFound if the link was used, or is over.
func (w Writes) MarkMailLink(ctx context.Context, id MailLinkID, hash []byte, now time.Time) (MailLink, error) {
	l, err := scanMailLink(w.db.QueryRow(ctx, `UPDATE mail_links SET hash = $2 WHERE id = $1 AND expires_at > $3
		RETURNING `+mailLinkColumns, id, hash, sqlx.Micros(now)))
	return l, sqlx.Found(err)
}

// MailLinkByHash reads the link of a purpose whose token has this hash; NotFound if it was
// used, is over, or its user is suspended or deleted.
func (r Reads) MailLinkByHash(ctx context.Context, p LinkPurpose, hash []byte, now time.Time) (MailLink, error) {
	l, err := scanMailLink(r.db.QueryRow(ctx, "SELECT "+mailLinkColumns+` FROM mail_links l WHERE hash = $1 AND purpose = $2
		AND expires_at > $3 AND EXISTS (SELECT 1 FROM users u WHERE u.id = l.user_id AND u.suspended_at IS NULL
			AND u.deleted_at IS NULL)`, hash, p, sqlx.Micros(now)))
	return l, sqlx.Found(err)
}

// TakeMailLink removes a link of a locked account by the hash of its token, so that it is
// used once; NotFound if it was.
func (w Writes) TakeMailLink(ctx context.Context, id MailLinkID, hash []byte) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `DELETE FROM mail_links WHERE id = $1 AND hash = $2 RETURNING id`, id, hash))
	return sqlx.Found(err)
}

// EndMailLinks ends the links of a user for a purpose.
func (w Writes) EndMailLinks(ctx context.Context, user domain.UserID, p LinkPurpose) error {
	return w.db.Exec(ctx, `DELETE FROM mail_links WHERE user_id = $1 AND purpose = $2`, user, p)
}

// SweepMailLinks removes some of those that are over, and tells how many.
func (w Writes) SweepMailLinks(ctx context.Context, now time.Time, most int) (int, error) {
	return w.db.SweepExpired(ctx, "mail_links", "id", now, most)
}
