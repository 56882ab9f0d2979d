package account

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// PasskeyID identifies a passkey of an account.
type PasskeyID int64

// Passkey is a credential record (WebAuthn Level 3, section 4).
type Passkey struct {
	ID             PasskeyID
	User           domain.UserID
	CredentialID   []byte
	PublicKey      []byte // a COSE_Key
	Name           string
	Transports     []string
	SignCount      uint32 // at the last use; 0 if the authenticator does not count
	BackupEligible bool   // it may be copied to other devices of its owner
	BackedUp       bool   // it was copied, as of the last use
	CreatedAt      time.Time
	LastUsedAt     *time.Time
}

const passkeyColumns = `id, user_id, credential_id, public_key, name, transports, sign_count, backup_eligible, backed_up, created_at, last_used_at`

func scanPasskey(row sqlx.Row) (p Passkey, err error) {
	var transports string
	var count, created int64
	var used *int64
	err = row.Scan(&p.ID, &p.User, &p.CredentialID, &p.PublicKey, &p.Name, &transports, &count, &p.BackupEligible, &p.BackedUp, &created, &used)
	if transports != "" {
		p.Transports = strings.Split(transports, ",")
	}
	p.SignCount, p.CreatedAt = uint32(count), sqlx.Time(created)
	if used != nil {
		at := sqlx.Time(*used)
		p.LastUsedAt = &at
	}
	return p, err
}

// Passkeys lists the passkeys of a user, oldest first.
func (r Reads) Passkeys(ctx context.Context, user domain.UserID) ([]Passkey, error) {
	rows, err := r.db.Query(ctx, "SELECT "+passkeyColumns+` FROM passkeys WHERE user_id = $1 ORDER BY id`, user)
	return sqlx.Collect(ctx, rows, err, scanPasskey)
}

// PasskeyByCredential reads a passkey by its credential id. It returns NotFound if the passkey does
// not exist.
func (r Reads) PasskeyByCredential(ctx context.Context, credential []byte) (Passkey, error) {
	p, err := scanPasskey(r.db.QueryRow(ctx, "SELECT "+passkeyColumns+` FROM passkeys WHERE credential_id = $1`, credential))
	return p, sqlx.Found(err)
}

// CountPasskeys counts the passkeys of a user.
func (r Reads) CountPasskeys(ctx context.Context, user domain.UserID) (n int, err error) {
	err = r.db.QueryRow(ctx, `SELECT count(*) FROM passkeys WHERE user_id = $1`, user).Scan(&n)
	return n, err
}

// AddPasskey adds a passkey to a locked account. It returns a Conflict if any account has it.
func (w Writes) AddPasskey(ctx context.Context, p Passkey) error {
	n, err := w.db.ExecCount(ctx, `INSERT INTO passkeys (user_id, credential_id, public_key, name, transports, sign_count,
			backup_eligible, backed_up, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (credential_id) DO NOTHING`,
		p.User, p.CredentialID, p.PublicKey, p.Name, strings.Join(p.Transports, ","), int64(p.SignCount), p.BackupEligible, p.BackedUp,
		sqlx.Micros(p.CreatedAt))
	if err == nil && n == 0 {
		err = domain.Wrap(domain.Conflict, "This passkey is already in use", nil)
	}
	return err
}

// PasskeyUsed records a use of a passkey with its new count and state. It reports whether the
// count grew or the authenticator does not count (WebAuthn Level 3, section 6.1.1). It returns
// NotFound if the passkey was removed.
func (w Writes) PasskeyUsed(ctx context.Context, p Passkey, now time.Time) (fresh bool, err error) {
	n, err := w.db.ExecCount(ctx, `UPDATE passkeys SET sign_count = $2, backed_up = $3, last_used_at = $4
		WHERE id = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)`, p.ID, int64(p.SignCount), p.BackedUp, sqlx.Micros(now))
	if err != nil || n > 0 {
		return n > 0, err
	}
	_, err = sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT id FROM passkeys WHERE id = $1`, p.ID))
	return false, sqlx.Found(err)
}

// DeletePasskey removes a passkey of a locked account and returns its name, or NotFound.
func (w Writes) DeletePasskey(ctx context.Context, user domain.UserID, id PasskeyID) (name string, err error) {
	err = w.db.QueryRow(ctx, `DELETE FROM passkeys WHERE id = $1 AND user_id = $2 RETURNING name`, id, user).Scan(&name)
	return name, sqlx.Found(err)
}

// PutRecoveryCodes replaces the recovery codes of a locked account, by their hashes.
func (w Writes) PutRecoveryCodes(ctx context.Context, user domain.UserID, hashes [][]byte, now time.Time) error {
	if err := w.db.Exec(ctx, `DELETE FROM recovery_codes WHERE user_id = $1`, user); err != nil {
		return err
	}
	for _, hash := range hashes {
		err := w.db.Exec(ctx, `INSERT INTO recovery_codes (user_id, hash, created_at) VALUES ($1, $2, $3)`, user, hash, sqlx.Micros(now))
		if err != nil {
			return err
		}
	}
	return nil
}

// TakeRecoveryCode uses up a recovery code of a user, by its hash. It returns NotFound if the code
// does not exist or was used.
func (w Writes) TakeRecoveryCode(ctx context.Context, user domain.UserID, hash []byte) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2 RETURNING user_id`, user, hash))
	return sqlx.Found(err)
}

// RecoveryCodes counts the unused codes of a user and returns when they were created.
func (r Reads) RecoveryCodes(ctx context.Context, user domain.UserID) (left int, made time.Time, err error) {
	var created int64
	err = r.db.QueryRow(ctx, `SELECT count(*), COALESCE(max(created_at), 0) FROM recovery_codes WHERE user_id = $1`, user).Scan(&left, &created)
	return left, sqlx.Time(created), err
}

// EndSecondFactor removes the passkeys and codes of a locked account, and the sign-ins that wait
// for them. It reports whether there was a passkey.
func (w Writes) EndSecondFactor(ctx context.Context, user domain.UserID) (had bool, err error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM passkeys WHERE user_id = $1`, user)
	if err != nil {
		return false, err
	}
	if err := w.db.Exec(ctx, `DELETE FROM recovery_codes WHERE user_id = $1`, user); err != nil {
		return false, err
	}
	return n > 0, w.EndHalfSignIns(ctx, user)
}

// maxHalfSignIns limits how many browsers may wait for the second factor of one account. The
// oldest ones have to start again.
const maxHalfSignIns = 20

// BeginHalfSignIn records a browser, by the hash of its secret, that has proved the password of a
// locked account and needs a second factor.
func (w Writes) BeginHalfSignIn(ctx context.Context, user domain.UserID, hash []byte, now, until time.Time) error {
	err := w.db.Exec(ctx, `INSERT INTO half_sign_ins (hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`,
		hash, user, sqlx.Micros(now), sqlx.Micros(until))
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM half_sign_ins WHERE user_id = $1 AND hash NOT IN (
		SELECT hash FROM half_sign_ins WHERE user_id = $1 ORDER BY created_at DESC, hash DESC LIMIT $2)`, user, maxHalfSignIns)
}

// HalfSignIn returns the user whose password a browser has proved, by the hash of its secret. It
// returns NotFound if that has expired, or if the account is suspended or deleted.
func (r Reads) HalfSignIn(ctx context.Context, hash []byte, now time.Time) (user domain.UserID, err error) {
	err = r.db.QueryRow(ctx, `SELECT h.user_id FROM half_sign_ins h JOIN users u ON u.id = h.user_id
		WHERE h.hash = $1 AND h.expires_at > $2 AND u.suspended_at IS NULL AND u.deleted_at IS NULL`, hash, sqlx.Micros(now)).Scan(&user)
	return user, sqlx.Found(err)
}

// TakeHalfSignIn removes a browser's pending sign-in, so that it can continue only once. It returns
// NotFound if the sign-in does not exist or has expired.
func (w Writes) TakeHalfSignIn(ctx context.Context, user domain.UserID, hash []byte, now time.Time) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `DELETE FROM half_sign_ins WHERE hash = $1 AND user_id = $2 AND expires_at > $3
		RETURNING user_id`, hash, user, sqlx.Micros(now)))
	return sqlx.Found(err)
}

// EndHalfSignIns deletes the sign-ins of a user that wait for a second factor.
func (w Writes) EndHalfSignIns(ctx context.Context, user domain.UserID) error {
	return w.db.Exec(ctx, `DELETE FROM half_sign_ins WHERE user_id = $1`, user)
}

// SweepHalfSignIns deletes at most `limit` expired ones and returns their number.
func (w Writes) SweepHalfSignIns(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "half_sign_ins", "hash", now, limit)
}
