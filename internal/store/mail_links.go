package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
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

func scanMailLink(row scanner) (l MailLink, err error) {
	var created, expires int64
	err = row.Scan(&l.ID, &l.User, &l.Purpose, &l.Email, &created, &expires)
	l.CreatedAt, l.ExpiresAt = instant(created), instant(expires)
	return l, err
}

// CreateMailLink notes a link of a locked account, in place of earlier ones of its purpose.
func (tx *Tx) CreateMailLink(ctx context.Context, l MailLink) (id MailLinkID, err error) {
	if err := tx.EndMailLinks(ctx, l.User, l.Purpose); err != nil {
		return 0, err
	}
	err = tx.q.QueryRow(ctx, `INSERT INTO mail_links (user_id, purpose, email, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5) RETURNING id`, l.User, l.Purpose, l.Email, micros(l.CreatedAt), micros(l.ExpiresAt)).Scan(&id)
	return id, err
}

// MarkMailLink gives a link the token that is about to be mailed, by its hash; an earlier
// one ends. NotFound if the link was used, or is over.
func (tx *Tx) MarkMailLink(ctx context.Context, id MailLinkID, hash []byte, now time.Time) (MailLink, error) {
	l, err := scanMailLink(tx.q.QueryRow(ctx, `UPDATE mail_links SET hash = $2 WHERE id = $1 AND expires_at > $3
		RETURNING `+mailLinkColumns, id, hash, micros(now)))
	return l, found(err)
}

// MailLinkByHash reads the link of a purpose whose token has this hash; NotFound if it was
// used, is over, or its user is suspended or deleted.
func (q Queries) MailLinkByHash(ctx context.Context, p LinkPurpose, hash []byte, now time.Time) (MailLink, error) {
	l, err := scanMailLink(q.q.QueryRow(ctx, "SELECT "+mailLinkColumns+` FROM mail_links l WHERE hash = $1 AND purpose = $2
		AND expires_at > $3 AND EXISTS (SELECT 1 FROM users u WHERE u.id = l.user_id AND u.suspended_at IS NULL
			AND u.deleted_at IS NULL)`, hash, p, micros(now)))
	return l, found(err)
}

// TakeMailLink removes a link of a locked account by the hash of its token, so that it is
// used once; NotFound if it was.
func (tx *Tx) TakeMailLink(ctx context.Context, id MailLinkID, hash []byte) error {
	_, err := scanInt64(tx.q.QueryRow(ctx, `DELETE FROM mail_links WHERE id = $1 AND hash = $2 RETURNING id`, id, hash))
	return found(err)
}

// EndMailLinks ends the links of a user for a purpose.
func (tx *Tx) EndMailLinks(ctx context.Context, user domain.UserID, p LinkPurpose) error {
	return tx.exec(ctx, `DELETE FROM mail_links WHERE user_id = $1 AND purpose = $2`, user, p)
}

// SweepMailLinks removes some of those that are over, and tells how many.
func (tx *Tx) SweepMailLinks(ctx context.Context, now time.Time, most int) (int, error) {
	return tx.sweepExpired(ctx, "mail_links", "id", now, most)
}
