package account

import (
	"context"

	"vitrine/internal/store/sqlx"
)

// Names of settings.
const (
	SettingSignUp       = "signup"        // a domain.SignUpMode
	settingFirstAccount = "first_account" // claimed by whoever makes it
)

// Setting reads what was chosen under a name; NotFound if nothing was.
func (r Reads) Setting(ctx context.Context, name string) (value string, err error) {
	err = r.db.QueryRow(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	return value, sqlx.Found(err)
}

// PutSetting keeps a choice under a name.
func (w Writes) PutSetting(ctx context.Context, name, value string) error {
	return w.db.Exec(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// NobodyYet reports whether no account was ever made, not even one that is deleted by now.
func (r Reads) NobodyYet(ctx context.Context) (bool, error) {
	var some bool
	err := r.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&some)
	return !some, err
}

// ClaimFirstAccount reports whether the account that the transaction is about to make is
// the first. Of several at once, one gets it; the others wait for what becomes of that.
func (w Writes) ClaimFirstAccount(ctx context.Context) (bool, error) {
	nobody, err := Reads(w).NobodyYet(ctx)
	if err != nil || !nobody {
		return false, err
	}
	n, err := w.db.ExecCount(ctx, `INSERT INTO settings (name, value) VALUES ($1, '') ON CONFLICT (name) DO NOTHING`,
		settingFirstAccount)
	return n == 1, err
}

// Secret reads a key of this installation; NotFound before it is made.
func (r Reads) Secret(ctx context.Context, name string) (value []byte, err error) {
	err = r.db.QueryRow(ctx, `SELECT value FROM secrets WHERE name = $1`, name).Scan(&value)
	return value, sqlx.Found(err)
}

// PutSecret keeps a value under a name, in place of what was there.
func (w Writes) PutSecret(ctx context.Context, name string, value []byte) error {
	return w.db.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// EnsureSecret keeps a value under a name unless there is one, and gives what is kept.
func (w Writes) EnsureSecret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	err := w.db.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, fresh)
	if err != nil {
		return nil, err
	}
	return Reads(w).Secret(ctx, name)
}

// DeleteSecret forgets what is kept under a name, if anything is.
func (w Writes) DeleteSecret(ctx context.Context, name string) error {
	return w.db.Exec(ctx, `DELETE FROM secrets WHERE name = $1`, name)
}
