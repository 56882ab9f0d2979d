package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// CreateSignUpLink keeps a link by the hash of its token.
func (tx *Tx) CreateSignUpLink(ctx context.Context, by domain.UserID, l domain.SignUpLink, hash []byte) error {
	return tx.exec(ctx, `INSERT INTO signup_links (hash, note, created_by, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5)`, hash, l.Note, by, micros(l.CreatedAt), micros(l.ExpiresAt))
}

// UsableSignUpLink finds the link whose token has this hash; NotFound if it was used, is
// over, or whoever made it is no operator any more or suspended.
func (q Queries) UsableSignUpLink(ctx context.Context, hash []byte, now time.Time) (id domain.SignUpLinkID, err error) {
	err = q.q.QueryRow(ctx, `SELECT l.id FROM signup_links l JOIN users u ON u.id = l.created_by
		WHERE l.hash = $1 AND l.used_at IS NULL AND l.expires_at > $2 AND u.office = 'operator' AND u.suspended_at IS NULL`,
		hash, micros(now)).Scan(&id)
	return id, found(err)
}

// UseSignUpLink notes who has come by a link, and reports whether nobody had before. It
// may be over by now: whoever began in time may end later.
func (tx *Tx) UseSignUpLink(ctx context.Context, id domain.SignUpLinkID, by domain.UserID, now time.Time) (bool, error) {
	res, err := tx.q.Exec(ctx, `UPDATE signup_links SET used_by = $2, used_at = $3 WHERE id = $1 AND used_at IS NULL`,
		id, by, micros(now))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// SignUpLinks lists those that can be used, and those that were since a time, newest first.
func (q Queries) SignUpLinks(ctx context.Context, now, since time.Time) ([]domain.SignUpLink, error) {
	rows, err := q.q.Query(ctx, `SELECT l.id, l.note, l.created_at, l.expires_at, l.used_at, COALESCE(u.slug, '')
		FROM signup_links l LEFT JOIN users u ON u.id = l.used_by
		WHERE (l.used_at IS NULL AND l.expires_at > $1) OR l.used_at > $2 ORDER BY l.id DESC`, micros(now), micros(since))
	return collect(ctx, rows, err, func(row scanner) (l domain.SignUpLink, err error) {
		var created, expires int64
		var used *int64
		err = row.Scan(&l.ID, &l.Note, &created, &expires, &used, &l.UsedBy)
		l.CreatedAt, l.ExpiresAt, l.UsedAt = instant(created), instant(expires), instantPtr(used)
		return l, err
	})
}

// LiveSignUpLinks counts those that can be used.
func (q Queries) LiveSignUpLinks(ctx context.Context, now time.Time) (n int, err error) {
	err = q.q.QueryRow(ctx, `SELECT count(*) FROM signup_links WHERE used_at IS NULL AND expires_at > $1`, micros(now)).Scan(&n)
	return n, err
}

// EndSignUpLink removes a link that was not used; NotFound if there is none such.
func (tx *Tx) EndSignUpLink(ctx context.Context, id domain.SignUpLinkID) error {
	_, err := scanInt64(tx.q.QueryRow(ctx, `DELETE FROM signup_links WHERE id = $1 AND used_at IS NULL RETURNING id`, id))
	return found(err)
}

// SweepSignUpLinks removes some of those that were over at a time, and tells how many.
func (tx *Tx) SweepSignUpLinks(ctx context.Context, before time.Time, most int) (int, error) {
	return tx.sweepExpired(ctx, "signup_links", "id", before, most)
}
