package store

import (
	"context"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// Credentials are an account with what proves that somebody is its holder.
type Credentials struct {
	User         domain.User
	PasswordHash string // empty: no password
}

// CredentialsByEmail reads those of the account with an address in lower case.
func (q Queries) CredentialsByEmail(ctx context.Context, email string) (Credentials, error) {
	return q.credentials(ctx, "u.email = $1", email)
}

// Credentials reads those of a user.
func (q Queries) Credentials(ctx context.Context, id domain.UserID) (Credentials, error) {
	return q.credentials(ctx, "u.id = $1", id)
}

func (q Queries) credentials(ctx context.Context, where string, arg any) (c Credentials, err error) {
	row := q.q.QueryRow(ctx, "SELECT u.password_hash, "+userColumns+" FROM users u WHERE u.deleted_at IS NULL AND "+where, arg)
	c.User, err = scanUser(prefixed{row, &c.PasswordHash})
	return c, found(err)
}

// prefixed scans a column before those of another scan.
type prefixed struct {
	row   scanner
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.row.Scan(append([]any{p.first}, dest...)...) }

// LockUser locks an account, and reads it as it then is: its password, address,
// sessions and links change only under this lock. NotFound if it is deleted.
func (tx *Tx) LockUser(ctx context.Context, id domain.UserID) (Credentials, error) {
	_, err := scanInt64(tx.q.QueryRow(ctx, "SELECT u.id FROM users u WHERE u.id = $1"+tx.d.lock("u"), id))
	if err != nil {
		return Credentials{}, found(err)
	}
	return tx.Credentials(ctx, id)
}

// SetPassword gives a locked account another password.
func (tx *Tx) SetPassword(ctx context.Context, id domain.UserID, hash string) error {
	return tx.execOne(ctx, `UPDATE users SET password_hash = $2 WHERE id = $1`, id, hash)
}

// SetEmail gives a locked account another address, in lower case. One that is in use is
// a Conflict.
func (tx *Tx) SetEmail(ctx context.Context, id domain.UserID, email string) error {
	err := tx.execOne(ctx, `UPDATE users SET email = $2, version = version + 1 WHERE id = $1`, id, email)
	if database.IsUnique(err) {
		err = domain.Wrap(domain.Conflict, "The address is already in use", err)
	}
	return err
}
