package store

import (
	"context"
	"strings"

	"vitrine/internal/domain"
)

// LockOperators locks all operators, in the order of their ids, so that offices are
// taken one after another, and gives those that are not suspended.
func (tx *Tx) LockOperators(ctx context.Context) ([]domain.UserID, error) {
	return tx.operators(ctx, tx.d.lock("u"))
}

// Operators lists the operators that are not suspended.
func (q Queries) Operators(ctx context.Context) ([]domain.UserID, error) { return q.operators(ctx, "") }

func (q Queries) operators(ctx context.Context, lock string) ([]domain.UserID, error) {
	rows, err := q.q.Query(ctx, `SELECT u.id FROM users u WHERE u.office = 'operator' AND u.deleted_at IS NULL
		AND u.suspended_at IS NULL ORDER BY u.id`+lock)
	return collect(ctx, rows, err, scanUserID)
}

// SetOffice gives a locked account another office.
func (tx *Tx) SetOffice(ctx context.Context, id domain.UserID, office domain.Office) error {
	return tx.execOne(ctx, `UPDATE users SET office = $2 WHERE id = $1`, id, office)
}

// FindAccounts lists accounts, newest first, whose name, slug or address begins with a
// text, in any case of its letters, or all. It reads every account.
func (v *Snapshot) FindAccounts(ctx context.Context, text string, page domain.Page) (l domain.List[domain.User], err error) {
	const where = ` FROM users u WHERE u.deleted_at IS NULL AND (
		substr(lower(u.name), 1, length(CAST($1 AS TEXT))) = $1 OR substr(u.name, 1, length(CAST($1 AS TEXT))) = CAST($2 AS TEXT)
		OR substr(u.slug, 1, length(CAST($1 AS TEXT))) = $1 OR substr(u.email, 1, length(CAST($1 AS TEXT))) = $1)`
	lower := strings.ToLower(text)
	if l.Total, err = scanInt64(v.q.QueryRow(ctx, "SELECT count(*)"+where, lower, text)); err != nil {
		return l, err
	}
	rows, err := v.q.Query(ctx, "SELECT "+userColumns+where+" ORDER BY u.id DESC LIMIT $3 OFFSET $4",
		lower, text, page.Per, page.Offset())
	l.Items, err = collect(ctx, rows, err, scanUser)
	return l, err
}
