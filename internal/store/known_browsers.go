package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// mostBrowsers is how many browsers of one user are known: beyond, those that signed in
// first are forgotten.
const mostBrowsers = 100

// KnownBrowser is a browser that signed in to an account. It stays known when its session
// is over, and is forgotten when the user ends that session, or all others.
type KnownBrowser struct {
	Hash      []byte // of what its cookie holds
	User      domain.UserID
	Session   domain.SessionID // with which it signed in last
	CreatedAt time.Time
	ExpiresAt time.Time
}

// RememberBrowser notes a browser that signs in, in place of the one that it is known as;
// replaced is the hash of that, nil for none.
func (tx *Tx) RememberBrowser(ctx context.Context, b KnownBrowser, replaced []byte) error {
	if replaced != nil {
		if err := tx.exec(ctx, `DELETE FROM known_browsers WHERE hash = $1 AND user_id = $2`, replaced, b.User); err != nil {
			return err
		}
	}
	err := tx.exec(ctx, `INSERT INTO known_browsers (hash, user_id, session_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		b.Hash, b.User, b.Session, micros(b.CreatedAt), micros(b.ExpiresAt))
	if err != nil {
		return err
	}
	return tx.exec(ctx, `DELETE FROM known_browsers WHERE user_id = $1 AND session_id <= (
		SELECT session_id FROM known_browsers WHERE user_id = $1 ORDER BY session_id DESC LIMIT 1 OFFSET $2)`, b.User, mostBrowsers)
}

// KnowsBrowser reports whether the browser whose cookie has this hash signed in to the
// account that has an address.
func (q Queries) KnowsBrowser(ctx context.Context, hash []byte, email string, now time.Time) (known bool, err error) {
	err = q.q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM known_browsers k JOIN users u ON u.id = k.user_id
		WHERE k.hash = $1 AND k.expires_at > $2 AND u.email = $3 AND u.deleted_at IS NULL)`, hash, micros(now), email).Scan(&known)
	return known, err
}

// forgetBrowsers forgets the browsers of a user but that of a session; 0 keeps none.
func (tx *Tx) forgetBrowsers(ctx context.Context, user domain.UserID, keep domain.SessionID) error {
	return tx.exec(ctx, `DELETE FROM known_browsers WHERE user_id = $1 AND session_id <> $2`, user, keep)
}

// SweepKnownBrowsers forgets some of those that have not signed in for long, and reports
// how many.
func (tx *Tx) SweepKnownBrowsers(ctx context.Context, now time.Time, most int) (int, error) {
	return tx.sweepExpired(ctx, "known_browsers", "hash", now, most)
}
