package account

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// SignupID identifies a requested account.
type SignupID int64

// Signup is a requested account whose address is not confirmed yet.
type Signup struct {
	ID           SignupID
	Email        string // lower case
	Slug         string // as requested; "" derives it from the name
	Name         string
	PasswordHash string
	Link         domain.SignUpLinkID // the link that allowed it; 0 if none
	CreatedAt    time.Time
	ExpiresAt    time.Time
}

const signupColumns = `id, email, slug, name, password_hash, COALESCE(link_id, 0), created_at, expires_at`

func scanSignup(row sqlx.Row) (s Signup, err error) {
	var created, expires int64
	err = row.Scan(&s.ID, &s.Email, &s.Slug, &s.Name, &s.PasswordHash, &s.Link, &created, &expires)
	s.CreatedAt, s.ExpiresAt = sqlx.Time(created), sqlx.Time(expires)
	return s, err
}

// CreateSignup stores a requested account.
func (w Writes) CreateSignup(ctx context.Context, s Signup) (id SignupID, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO signups (email, slug, name, password_hash, link_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`, s.Email, s.Slug, s.Name, s.PasswordHash, sqlx.OrNull(s.Link),
		sqlx.Micros(s.CreatedAt), sqlx.Micros(s.ExpiresAt)).Scan(&id)
	return id, err
}

// MarkSignup stores the hash of the token that is about to be mailed. An earlier token becomes
// invalid. It returns NotFound if the sign-up was confirmed or has expired.
func (w Writes) MarkSignup(ctx context.Context, id SignupID, hash []byte, now time.Time) (Signup, error) {
	s, err := scanSignup(w.db.QueryRow(ctx, `UPDATE signups SET hash = $2 WHERE id = $1 AND expires_at > $3
		RETURNING `+signupColumns, id, hash, sqlx.Micros(now)))
	return s, sqlx.Found(err)
}

// SignupByHash reads the sign-up whose token has this hash, NotFound if it has expired.
func (r Reads) SignupByHash(ctx context.Context, hash []byte, now time.Time) (Signup, error) {
	s, err := scanSignup(r.db.QueryRow(ctx, "SELECT "+signupColumns+" FROM signups WHERE hash = $1 AND expires_at > $2",
		hash, sqlx.Micros(now)))
	return s, sqlx.Found(err)
}

// TakeSignup removes the sign-up whose token has this hash, so that it is used once, and returns
// it. It first locks all sign-ups of the same address in the order of their ids, because they are
// deleted next. Otherwise two links of one address that are followed at once could deadlock.
func (w Writes) TakeSignup(ctx context.Context, hash []byte, now time.Time) (Signup, error) {
	if w.db.LocksRows() {
		rows, err := w.db.Query(ctx, `SELECT s.id FROM signups s WHERE s.email = (SELECT email FROM signups WHERE hash = $1)
			ORDER BY s.id`+w.db.ForUpdate("s"), hash)
		if _, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64); err != nil {
			return Signup{}, err
		}
	}
	s, err := scanSignup(w.db.QueryRow(ctx, "DELETE FROM signups WHERE hash = $1 AND expires_at > $2 RETURNING "+signupColumns,
		hash, sqlx.Micros(now)))
	return s, sqlx.Found(err)
}

// ForgetSignups deletes the sign-ups of an address that now has an account.
func (w Writes) ForgetSignups(ctx context.Context, email string) error {
	return w.db.Exec(ctx, `DELETE FROM signups WHERE email = $1`, email)
}

// SweepSignups deletes at most `limit` expired sign-ups and returns their number.
func (w Writes) SweepSignups(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "signups", "id", now, limit)
}
