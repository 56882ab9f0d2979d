package account

import (
	"context"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Names of settings.
const (
	SettingSignUp       = "signup"        // a domain.SignUpMode
	settingBackup       = "backup"        // when an operator requested a backup, in microseconds
	settingFirstAccount = "first_account" // claimed by the transaction that creates that account
)

// Setting reads a setting by its name, NotFound if it was never set.
func (r Reads) Setting(ctx context.Context, name string) (value string, err error) {
	err = r.db.QueryRow(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	return value, sqlx.Found(err)
}

// BackupRequested returns when an operator last requested a backup, zero for never.
func (r Reads) BackupRequested(ctx context.Context) (at time.Time, err error) {
	text, err := r.Setting(ctx, settingBackup)
	if domain.KindOf(err) == domain.NotFound {
		return at, nil
	}
	if err != nil {
		return at, err
	}
	us, err := strconv.ParseInt(text, 10, 64)
	return sqlx.Time(us), err
}

// RequestBackup records that an operator requests a backup.
func (w Writes) RequestBackup(ctx context.Context, at time.Time) error {
	return w.PutSetting(ctx, settingBackup, strconv.FormatInt(sqlx.Micros(at), 10))
}

// PutSetting stores a setting.
func (w Writes) PutSetting(ctx context.Context, name, value string) error {
	return w.db.Exec(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// NobodyYet reports whether no account was ever created, including deleted ones.
func (r Reads) NobodyYet(ctx context.Context) (bool, error) {
	var some bool
	err := r.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&some)
	return !some, err
}

// ClaimFirstAccount reports whether the account that the transaction is about to create is the
// first. Concurrent calls wait for each other, and only one gets true.
func (w Writes) ClaimFirstAccount(ctx context.Context) (bool, error) {
	nobody, err := w.NobodyYet(ctx)
	if err != nil || !nobody {
		return false, err
	}
	n, err := w.db.ExecCount(ctx, `INSERT INTO settings (name, value) VALUES ($1, '') ON CONFLICT (name) DO NOTHING`,
		settingFirstAccount)
	return n == 1, err
}

// Secret reads a key of this installation, NotFound if it was not created yet.
func (r Reads) Secret(ctx context.Context, name string) (value []byte, err error) {
	err = r.db.QueryRow(ctx, `SELECT value FROM secrets WHERE name = $1`, name).Scan(&value)
	return value, sqlx.Found(err)
}

// PutSecret stores a secret under a name, replacing the previous value.
func (w Writes) PutSecret(ctx context.Context, name string, value []byte) error {
	return w.db.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// EnsureSecret stores a secret under a name unless there is one, and returns the stored one.
func (w Writes) EnsureSecret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	err := w.db.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, fresh)
	if err != nil {
		return nil, err
	}
	return w.Secret(ctx, name)
}

// DeleteSecret deletes the secret with a name, if there is one.
func (w Writes) DeleteSecret(ctx context.Context, name string) error {
	return w.db.Exec(ctx, `DELETE FROM secrets WHERE name = $1`, name)
}
