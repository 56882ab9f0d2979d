package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// maxSessions limits how many browsers of one user stay signed in. Beyond it, the oldest sessions
// end.
const maxSessions = 100

// SessionColumns are the columns of the session `s`.
const SessionColumns = `s.id, s.user_id, s.agent, s.address, s.created_at, s.last_seen_at, s.expires_at, s.proved_at`

func scanSession(row sqlx.Row) (domain.Session, error) { return ScanSession(row) }

// ScanSession reads SessionColumns and the columns that follow.
func ScanSession(row sqlx.Row, more ...any) (s domain.Session, err error) {
	var created, seen, expires int64
	var proved *int64
	err = row.Scan(append([]any{&s.ID, &s.UserID, &s.Agent, &s.Address, &created, &seen, &expires, &proved}, more...)...)
	s.CreatedAt, s.LastSeenAt, s.ExpiresAt = sqlx.Time(created), sqlx.Time(seen), sqlx.Time(expires)
	if proved != nil {
		s.ProvedAt = sqlx.Time(*proved)
	}
	return s, err
}

// CreateSession signs in the browser whose secret has this hash.
func (w Writes) CreateSession(ctx context.Context, s domain.Session, hash []byte) (id domain.SessionID, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO sessions (user_id, hash, agent, address, created_at, last_seen_at, expires_at, proved_at)
		VALUES ($1, $2, $3, $4, $5, $5, $6, $7) RETURNING id`, s.UserID, hash, s.Agent, s.Address, sqlx.Micros(s.CreatedAt),
		sqlx.Micros(s.ExpiresAt), provedAt(s.ProvedAt)).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, w.db.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id <= (
		SELECT id FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`, s.UserID, maxSessions)
}

// provedAt returns the value of the column proved_at for a time.
func provedAt(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	at := sqlx.Micros(t)
	return &at
}

// CurrentSession reads the current state of a request's session. It returns NotFound if the
// session ended or its secret changed.
func (r Reads) CurrentSession(ctx context.Context, s domain.Session) (domain.Session, error) {
	now, err := scanSession(r.db.QueryRow(ctx, "SELECT "+SessionColumns+` FROM sessions s
		WHERE s.id = $1 AND s.user_id = $2 AND s.hash = $3`, s.ID, s.UserID, s.Hash))
	now.Hash = s.Hash
	return now, sqlx.Found(err)
}

// LiveSessions returns which of some sessions, by the hashes of their secrets, have not ended and belong to a user who is not
// suspended.
func (r Reads) LiveSessions(ctx context.Context, hashes []string, now time.Time) (map[string]bool, error) {
	live := make(map[string]bool, len(hashes))
	rows, err := r.db.Query(ctx, "SELECT s.hash FROM sessions s JOIN users u ON u.id = s.user_id WHERE "+r.db.InHashes("s.hash", "$1")+
		" AND s.expires_at > $2 AND u.suspended_at IS NULL AND u.deleted_at IS NULL", sqlx.Hashes(r.db.Dialect, hashes), sqlx.Micros(now))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (none struct{}, err error) {
		var hash []byte
		err = row.Scan(&hash)
		live[string(hash)] = true
		return none, err
	})
	return live, err
}

// RenewSession stores a new secret, by its hash, and the ProvedAt of a session. The previous
// secret becomes invalid. It returns NotFound if CurrentSession would.
func (w Writes) RenewSession(ctx context.Context, s domain.Session, hash []byte) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `UPDATE sessions SET hash = $4, proved_at = $5
		WHERE id = $1 AND user_id = $2 AND hash = $3 RETURNING id`, s.ID, s.UserID, s.Hash, hash, provedAt(s.ProvedAt)))
	return sqlx.Found(err)
}

// ForgetProofs makes the user confirm again in all sessions except one, or in all if except is 0.
func (w Writes) ForgetProofs(ctx context.Context, user domain.UserID, except domain.SessionID) error {
	return w.db.Exec(ctx, `UPDATE sessions SET proved_at = NULL WHERE user_id = $1 AND id <> $2 AND proved_at IS NOT NULL`, user, except)
}

// SessionSeen records when and from where a session was last seen, and when it expires now. It
// does not restore a session that has ended.
func (w Writes) SessionSeen(ctx context.Context, s domain.Session) error {
	return w.db.Exec(ctx, `UPDATE sessions SET last_seen_at = $2, expires_at = $3, address = $4, agent = $5
		WHERE id = $1 AND last_seen_at < $2`, s.ID, sqlx.Micros(s.LastSeenAt), sqlx.Micros(s.ExpiresAt), s.Address, s.Agent)
}

// Sessions lists the live sessions of a user, most recently seen first.
func (r Reads) Sessions(ctx context.Context, user domain.UserID, now time.Time) ([]domain.Session, error) {
	rows, err := r.db.Query(ctx, "SELECT "+SessionColumns+` FROM sessions s
		WHERE s.user_id = $1 AND s.expires_at > $2 ORDER BY s.last_seen_at DESC, s.id DESC`, user, sqlx.Micros(now))
	return sqlx.Collect(ctx, rows, err, scanSession)
}

// EndSessionByHash ends the session whose secret has this hash. It returns its id and its user, or
// NotFound.
func (w Writes) EndSessionByHash(ctx context.Context, hash []byte) (s domain.Session, err error) {
	err = w.db.QueryRow(ctx, `DELETE FROM sessions WHERE hash = $1 RETURNING id, user_id`, hash).Scan(&s.ID, &s.UserID)
	return s, sqlx.Found(err)
}

// EndSession ends a session of a user and forgets its browser. It returns NotFound if the user has
// no such session.
func (w Writes) EndSession(ctx context.Context, user domain.UserID, id domain.SessionID) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `DELETE FROM sessions WHERE id = $1 AND user_id = $2 RETURNING id`, id, user))
	if err != nil {
		return sqlx.Found(err)
	}
	return w.db.Exec(ctx, `DELETE FROM known_browsers WHERE user_id = $1 AND session_id = $2`, user, id)
}

// EndSessions ends all sessions of a user except one (0: all), deletes the sign-ins that wait for
// a second factor, and forgets all other browsers.
func (w Writes) EndSessions(ctx context.Context, user domain.UserID, keep domain.SessionID) error {
	if err := w.db.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, user, keep); err != nil {
		return err
	}
	if err := w.EndHalfSignIns(ctx, user); err != nil {
		return err
	}
	return w.forgetBrowsers(ctx, user, keep)
}

// SweepSessions deletes at most `limit` expired sessions and returns their number.
func (w Writes) SweepSessions(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "sessions", "id", now, limit)
}

// maxBrowsers limits how many browsers of one user are known. Beyond it, the oldest are
// forgotten.
const maxBrowsers = 100

// KnownBrowser is a browser that signed in to an account. It stays known after its session
// expires, until the user ends that session or all others.
type KnownBrowser struct {
	Hash      []byte // hash of the value of its cookie
	User      domain.UserID
	Session   domain.SessionID // its latest session
	CreatedAt time.Time
	ExpiresAt time.Time
}

// RememberBrowser records a browser that signs in. It replaces the entry with the hash `replaced`,
// by which the browser was known before, if that is not nil.
func (w Writes) RememberBrowser(ctx context.Context, b KnownBrowser, replaced []byte) error {
	if replaced != nil {
		if err := w.db.Exec(ctx, `DELETE FROM known_browsers WHERE hash = $1 AND user_id = $2`, replaced, b.User); err != nil {
			return err
		}
	}
	err := w.db.Exec(ctx, `INSERT INTO known_browsers (hash, user_id, session_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		b.Hash, b.User, b.Session, sqlx.Micros(b.CreatedAt), sqlx.Micros(b.ExpiresAt))
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM known_browsers WHERE user_id = $1 AND session_id <= (
		SELECT session_id FROM known_browsers WHERE user_id = $1 ORDER BY session_id DESC LIMIT 1 OFFSET $2)`, b.User, maxBrowsers)
}

// KnowsBrowser reports whether the browser whose cookie has this hash has signed in to the account
// with a canonical email address. The address of the account may have its domain in ASCII.
func (r Reads) KnowsBrowser(ctx context.Context, hash []byte, email string, now time.Time) (known bool, err error) {
	err = r.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM known_browsers k JOIN users u ON u.id = k.user_id
		WHERE k.hash = $1 AND k.expires_at > $2 AND u.email IN ($3, $4) AND u.deleted_at IS NULL)`, hash, sqlx.Micros(now), email, domain.EmailInASCII(email)).Scan(&known)
	return known, err
}

// forgetBrowsers deletes the known browsers of a user except that of one session (0: all).
func (w Writes) forgetBrowsers(ctx context.Context, user domain.UserID, keep domain.SessionID) error {
	return w.db.Exec(ctx, `DELETE FROM known_browsers WHERE user_id = $1 AND session_id <> $2`, user, keep)
}

// SweepKnownBrowsers deletes at most `limit` expired known browsers and returns their number.
func (w Writes) SweepKnownBrowsers(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "known_browsers", "hash", now, limit)
}
