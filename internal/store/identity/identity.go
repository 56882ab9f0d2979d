// Package identity is who people are to a provider of single sign-on, and the sign-ins that are
// under way there.
package identity

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes are the statements of a transaction.
type Writes struct{ db sqlx.Conn }

// NewWrites gives the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{db} }

// ID names an identity here; the provider knows it by issuer and subject.
type ID int64

// Identity is an account as a provider knows its holder.
type Identity struct {
	ID        ID
	User      domain.UserID
	Issuer    string
	Subject   string
	Email     string // as the provider said last, "" if it did not
	CreatedAt time.Time
	UsedAt    time.Time // when it last signed in
}

const columns = `id, user_id, issuer, subject, email, created_at, used_at`

func scan(row sqlx.Row) (i Identity, err error) {
	var created, used int64
	err = row.Scan(&i.ID, &i.User, &i.Issuer, &i.Subject, &i.Email, &created, &used)
	i.CreatedAt, i.UsedAt = sqlx.Time(created), sqlx.Time(used)
	return i, err
}

// Identity reads one by the names that the provider has for it; NotFound if no account has it.
func (r Reads) Identity(ctx context.Context, issuer, subject string) (Identity, error) {
	i, err := scan(r.db.QueryRow(ctx, "SELECT "+columns+" FROM identities WHERE issuer = $1 AND subject = $2", issuer, subject))
	return i, sqlx.Found(err)
}

// Identities lists those of a user, the oldest first.
func (r Reads) Identities(ctx context.Context, user domain.UserID) ([]Identity, error) {
	rows, err := r.db.Query(ctx, "SELECT "+columns+" FROM identities WHERE user_id = $1 ORDER BY id", user)
	return sqlx.Collect(ctx, rows, err, scan)
}

// ConnectIdentity gives a locked account an identity. It is a Conflict if an account has it, or
// if this one has another of that issuer.
func (w Writes) ConnectIdentity(ctx context.Context, i Identity) (id ID, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO identities (user_id, issuer, subject, email, created_at, used_at)
		VALUES ($1, $2, $3, $4, $5, $5) RETURNING id`, i.User, i.Issuer, i.Subject, i.Email, sqlx.Micros(i.CreatedAt)).Scan(&id)
	if database.IsUnique(err) {
		err = domain.Wrap(domain.Conflict, "The identity is connected already", err)
	}
	return id, err
}

// IdentityUsed notes that an identity has signed in, and the address that it has by now.
func (w Writes) IdentityUsed(ctx context.Context, id ID, email string, now time.Time) error {
	return w.db.Exec(ctx, `UPDATE identities SET email = $2, used_at = $3 WHERE id = $1`, id, email, sqlx.Micros(now))
}

// DisconnectIdentity takes an identity from a locked account, and gives it; NotFound if they have
// no such.
func (w Writes) DisconnectIdentity(ctx context.Context, user domain.UserID, id ID) (Identity, error) {
	i, err := scan(w.db.QueryRow(ctx, `DELETE FROM identities WHERE id = $1 AND user_id = $2 RETURNING `+columns, id, user))
	return i, sqlx.Found(err)
}

// PutStep keeps the sealed state of a sign-in until a time, by a hash of what only its browser has.
func (w Writes) PutStep(ctx context.Context, hash, sealed []byte, until time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO sign_on_steps (hash, sealed, expires_at) VALUES ($1, $2, $3)`, hash, sealed, sqlx.Micros(until))
}

// Step reads a step; NotFound if it was taken, or is over.
func (r Reads) Step(ctx context.Context, hash []byte, now time.Time) (sealed []byte, err error) {
	err = r.db.QueryRow(ctx, `SELECT sealed FROM sign_on_steps WHERE hash = $1 AND expires_at > $2`, hash, sqlx.Micros(now)).Scan(&sealed)
	return sealed, sqlx.Found(err)
}

// TakeStep reads a step and removes it, so that it is taken once; NotFound if it was, or is over.
func (w Writes) TakeStep(ctx context.Context, hash []byte, now time.Time) (sealed []byte, err error) {
	err = w.db.QueryRow(ctx, `DELETE FROM sign_on_steps WHERE hash = $1 AND expires_at > $2 RETURNING sealed`, hash, sqlx.Micros(now)).Scan(&sealed)
	return sealed, sqlx.Found(err)
}

// SweepSteps removes some of those that are over, and reports how many.
func (w Writes) SweepSteps(ctx context.Context, now time.Time, most int) (int, error) {
	return w.db.SweepExpired(ctx, "sign_on_steps", "hash", now, most)
}
