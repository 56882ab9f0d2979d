package moderation

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// WantsCaseMail reports whether a user wants mail about reports.
func (r Reads) WantsCaseMail(ctx context.Context, user domain.UserID) (wants bool, err error) {
	err = r.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM case_mails WHERE user_id = $1)`, user).Scan(&wants)
	return wants, err
}

// WantCaseMail records whether a user wants mail about cases opened from now on. Doing so again
// changes nothing.
func (w Writes) WantCaseMail(ctx context.Context, user domain.UserID, wanted bool) error {
	if !wanted {
		return w.db.Exec(ctx, `DELETE FROM case_mails WHERE user_id = $1`, user)
	}
	return w.db.Exec(ctx, `INSERT INTO case_mails (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING`, user)
}

// countFreshCase counts an opened case for all users who want mail about cases. It locks their
// rows in the order of their ids. It is a count and not the highest known id, because of two cases
// opened at once, the one with the higher id may be committed first.
func (w Writes) countFreshCase(ctx context.Context) error {
	return w.db.Exec(ctx, `UPDATE case_mails SET fresh = fresh + 1 WHERE user_id IN (
		SELECT m.user_id FROM case_mails m ORDER BY m.user_id`+w.db.ForUpdate("m")+`)`)
}

// DueCaseMails lists some users with fresh cases who were not mailed after a time.
func (r Reads) DueCaseMails(ctx context.Context, after time.Time, limit int) ([]domain.UserID, error) {
	rows, err := r.db.Query(ctx, `SELECT user_id FROM case_mails WHERE fresh > 0 AND mailed_at <= $1 ORDER BY user_id`+sqlx.Limit("$2"), sqlx.Micros(after), limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}

// TakeFreshCases returns and resets the number of fresh cases of a user who was not mailed after a
// time. It returns 0 if another node has taken them.
func (w Writes) TakeFreshCases(ctx context.Context, user domain.UserID, after time.Time) (fresh int64, err error) {
	rows, err := w.db.Query(ctx, `SELECT m.fresh FROM case_mails m WHERE m.user_id = $1 AND m.fresh > 0 AND m.mailed_at <= $2`+w.db.ForUpdate("m"),
		user, sqlx.Micros(after))
	found, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], w.db.ExecOne(ctx, `UPDATE case_mails SET fresh = 0 WHERE user_id = $1`, user)
}

// NoteCaseMail records that a user was mailed.
func (w Writes) NoteCaseMail(ctx context.Context, user domain.UserID, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE case_mails SET mailed_at = $2 WHERE user_id = $1`, user, sqlx.Micros(now))
}
