package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// mostSessions is how many browsers of one user stay signed in: beyond, those that
// signed in first are signed out.
const mostSessions = 100

const sessionColumns = `s.id, s.user_id, s.agent, s.address, s.created_at, s.last_seen_at, s.expires_at`

func scanSession(row scanner) (s domain.Session, err error) {
	var created, seen, expires int64
	err = row.Scan(&s.ID, &s.UserID, &s.Agent, &s.Address, &created, &seen, &expires)
	s.CreatedAt, s.LastSeenAt, s.ExpiresAt = instant(created), instant(seen), instant(expires)
	return s, err
}

// CreateSession signs a browser in, whose secret has this hash.
func (tx *Tx) CreateSession(ctx context.Context, s domain.Session, hash []byte) (id domain.SessionID, err error) {
	err = tx.q.QueryRow(ctx, `INSERT INTO sessions (user_id, hash, agent, address, created_at, last_seen_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $5, $6) RETURNING id`, s.UserID, hash, s.Agent, s.Address, micros(s.CreatedAt), micros(s.ExpiresAt)).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, tx.exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id <= (
		SELECT id FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`, s.UserID, mostSessions)
}

// Session reads the session whose secret has this hash; NotFound if it is over, or its
// user is suspended or deleted.
func (q Queries) Session(ctx context.Context, hash []byte, now time.Time) (domain.Session, error) {
	s, err := scanSession(q.q.QueryRow(ctx, "SELECT "+sessionColumns+` FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.hash = $1 AND s.expires_at > $2 AND u.suspended_at IS NULL AND u.deleted_at IS NULL`, hash, micros(now)))
	return s, found(err)
}

// SessionSeen notes when and from where a session was last seen, and how long it is good
// now. One that has ended meanwhile stays ended.
func (tx *Tx) SessionSeen(ctx context.Context, s domain.Session) error {
	return tx.exec(ctx, `UPDATE sessions SET last_seen_at = $2, expires_at = $3, address = $4, agent = $5
		WHERE id = $1 AND last_seen_at < $2`, s.ID, micros(s.LastSeenAt), micros(s.ExpiresAt), s.Address, s.Agent)
}

// Sessions lists the live sessions of a user, the newest seen first.
func (q Queries) Sessions(ctx context.Context, user domain.UserID, now time.Time) ([]domain.Session, error) {
	rows, err := q.q.Query(ctx, "SELECT "+sessionColumns+` FROM sessions s
		WHERE s.user_id = $1 AND s.expires_at > $2 ORDER BY s.last_seen_at DESC, s.id DESC`, user, micros(now))
	return collect(ctx, rows, err, scanSession)
}

// EndSessionByHash ends the session whose secret has this hash, if there is one.
func (tx *Tx) EndSessionByHash(ctx context.Context, hash []byte) error {
	return tx.exec(ctx, `DELETE FROM sessions WHERE hash = $1`, hash)
}

// EndSession ends a session of a user, and forgets its browser; NotFound if they have no
// such.
func (tx *Tx) EndSession(ctx context.Context, user domain.UserID, id domain.SessionID) error {
	_, err := scanInt64(tx.q.QueryRow(ctx, `DELETE FROM sessions WHERE id = $1 AND user_id = $2 RETURNING id`, id, user))
	if err != nil {
		return found(err)
	}
	return tx.exec(ctx, `DELETE FROM known_browsers WHERE user_id = $1 AND session_id = $2`, user, id)
}

// EndSessions ends all sessions of a user but one, and forgets all other browsers; 0
// keeps none.
func (tx *Tx) EndSessions(ctx context.Context, user domain.UserID, keep domain.SessionID) error {
	if err := tx.exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, user, keep); err != nil {
		return err
	}
	return tx.forgetBrowsers(ctx, user, keep)
}

// SweepSessions removes some of those that are over, and tells how many.
func (tx *Tx) SweepSessions(ctx context.Context, now time.Time, most int) (int, error) {
	return tx.sweepExpired(ctx, "sessions", "id", now, most)
}

// sweepExpired removes some rows of a table whose expires_at has come, found by their
// primary key.
func (tx *Tx) sweepExpired(ctx context.Context, table, key string, now time.Time, most int) (int, error) {
	res, err := tx.q.Exec(ctx, "DELETE FROM "+table+" WHERE "+key+" IN (SELECT "+key+" FROM "+table+
		" WHERE expires_at <= $1 ORDER BY expires_at"+limit("$2")+")", micros(now), most)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}
