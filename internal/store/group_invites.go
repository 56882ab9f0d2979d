package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// GroupInvite reads the invite of a group; NotFound if it has none.
func (q Queries) GroupInvite(ctx context.Context, group domain.GroupID) (i domain.GroupInvite, err error) {
	var created, updated int64
	err = q.q.QueryRow(ctx, `SELECT id, code, created_at, updated_at FROM group_invites WHERE group_id = $1`, group).
		Scan(&i.ID, &i.Code, &created, &updated)
	i.CreatedAt, i.UpdatedAt = instant(created), instant(updated)
	return i, found(err)
}

// CreateGroupInvite makes the invite of a locked group that has none.
func (tx *Tx) CreateGroupInvite(ctx context.Context, group domain.GroupID, code string, now time.Time) error {
	return tx.exec(ctx, `INSERT INTO group_invites (group_id, code, created_at, updated_at) VALUES ($1, $2, $3, $3)`,
		group, code, micros(now))
}

// DeleteGroupInvite ends the invite of a group, if it has one.
func (tx *Tx) DeleteGroupInvite(ctx context.Context, group domain.GroupID) error {
	return tx.exec(ctx, `DELETE FROM group_invites WHERE group_id = $1`, group)
}
