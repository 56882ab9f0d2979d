package store

import "context"

// Names of settings.
const (
	SettingSignUp       = "signup"        // a domain.SignUpMode
	settingFirstAccount = "first_account" // claimed by whoever makes it
)

// Setting reads what was chosen under a name; NotFound if nothing was.
func (q Queries) Setting(ctx context.Context, name string) (value string, err error) {
	err = q.q.QueryRow(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	return value, found(err)
}

// PutSetting keeps a choice under a name.
func (tx *Tx) PutSetting(ctx context.Context, name, value string) error {
	return tx.exec(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// NobodyYet reports whether no account was ever made, not even one that is deleted by now.
func (q Queries) NobodyYet(ctx context.Context) (bool, error) {
	var some bool
	err := q.q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&some)
	return !some, err
}

// ClaimFirstAccount reports whether the account that the transaction is about to make is
// the first. Of several at once, one gets it; the others wait for what becomes of that.
func (tx *Tx) ClaimFirstAccount(ctx context.Context) (bool, error) {
	nobody, err := tx.NobodyYet(ctx)
	if err != nil || !nobody {
		return false, err
	}
	res, err := tx.q.Exec(ctx, `INSERT INTO settings (name, value) VALUES ($1, '') ON CONFLICT (name) DO NOTHING`,
		settingFirstAccount)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
