package account

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// IdentityReads contains the statements that change nothing.
type IdentityReads struct{ db sqlx.Conn }

// NewIdentityReads returns the statements on a connection.
func NewIdentityReads(db sqlx.Conn) IdentityReads { return IdentityReads{db} }

// IdentityWrites contains the statements of a transaction.
type IdentityWrites struct{ IdentityReads }

// NewIdentityWrites returns the statements on the connection of a transaction.
func NewIdentityWrites(db sqlx.Conn) IdentityWrites { return IdentityWrites{NewIdentityReads(db)} }

// ID identifies an identity in the database. The provider identifies it by issuer and subject.
type ID int64

// Identity is an account at a provider that is connected to an account here.
type Identity struct {
	ID        ID
	User      domain.UserID
	Issuer    string
	Subject   string
	Email     string // as last reported by the provider; "" if it reported none
	CreatedAt time.Time
	UsedAt    time.Time // its last sign-in
}

const columns = `id, user_id, issuer, subject, email, created_at, used_at`

func scan(row sqlx.Row) (i Identity, err error) {
	var created, used int64
	err = row.Scan(&i.ID, &i.User, &i.Issuer, &i.Subject, &i.Email, &created, &used)
	i.CreatedAt, i.UsedAt = sqlx.Time(created), sqlx.Time(used)
	return i, err
}

// Identity reads an identity by issuer and subject, NotFound if no account has it.
func (r IdentityReads) Identity(ctx context.Context, issuer, subject string) (Identity, error) {
	i, err := scan(r.db.QueryRow(ctx, "SELECT "+columns+" FROM identities WHERE issuer = $1 AND subject = $2", issuer, subject))
	return i, sqlx.Found(err)
}

// Identities lists the identities of a user, oldest first.
func (r IdentityReads) Identities(ctx context.Context, user domain.UserID) ([]Identity, error) {
	rows, err := r.db.Query(ctx, "SELECT "+columns+" FROM identities WHERE user_id = $1 ORDER BY id", user)
	return sqlx.Collect(ctx, rows, err, scan)
}

// ConnectIdentity connects an identity to a locked account. It returns a Conflict if an account
// has the identity already, or if this one has another identity of that issuer.
func (w IdentityWrites) ConnectIdentity(ctx context.Context, i Identity) (id ID, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO identities (user_id, issuer, subject, email, created_at, used_at)
		VALUES ($1, $2, $3, $4, $5, $5) RETURNING id`, i.User, i.Issuer, i.Subject, i.Email, sqlx.Micros(i.CreatedAt)).Scan(&id)
	if database.IsUnique(err) {
		err = domain.Wrap(domain.Conflict, "The identity is connected already", err)
	}
	return id, err
}

// IdentityUsed records a sign-in with an identity and its current email address.
func (w IdentityWrites) IdentityUsed(ctx context.Context, id ID, email string, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE identities SET email = $2, used_at = $3 WHERE id = $1`, id, email, sqlx.Micros(now))
}

// DisconnectIdentity removes an identity from a locked account and returns it. It returns NotFound
// if the account does not have it.
func (w IdentityWrites) DisconnectIdentity(ctx context.Context, user domain.UserID, id ID) (Identity, error) {
	i, err := scan(w.db.QueryRow(ctx, `DELETE FROM identities WHERE id = $1 AND user_id = $2 RETURNING `+columns, id, user))
	return i, sqlx.Found(err)
}

// PutStep stores the sealed state of a sign-in until a time, by the hash of a secret of the
// browser.
func (w IdentityWrites) PutStep(ctx context.Context, hash, sealed []byte, until time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO sign_on_steps (hash, sealed, expires_at) VALUES ($1, $2, $3)`, hash, sealed, sqlx.Micros(until))
}

// Step reads a step, NotFound if it was used or has expired.
func (r IdentityReads) Step(ctx context.Context, hash []byte, now time.Time) (sealed []byte, err error) {
	err = r.db.QueryRow(ctx, `SELECT sealed FROM sign_on_steps WHERE hash = $1 AND expires_at > $2`, hash, sqlx.Micros(now)).Scan(&sealed)
	return sealed, sqlx.Found(err)
}

// TakeStep reads and removes a step, so that it can be used only once. It returns NotFound if the
// step was already used or is expired.
func (w IdentityWrites) TakeStep(ctx context.Context, hash []byte, now time.Time) (sealed []byte, err error) {
	err = w.db.QueryRow(ctx, `DELETE FROM sign_on_steps WHERE hash = $1 AND expires_at > $2 RETURNING sealed`, hash, sqlx.Micros(now)).Scan(&sealed)
	return sealed, sqlx.Found(err)
}

// SweepSteps deletes at most `limit` expired steps and returns their number.
func (w IdentityWrites) SweepSteps(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "sign_on_steps", "hash", now, limit)
}
