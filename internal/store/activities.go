package store

import (
	"context"

	"vitrine/internal/domain"
)

// Record writes an activity and hands it to the feeds of the followers and to the
// notifications of the given users (V3.md section 7): each once, never the actor.
// It comes last in its transaction: it locks rows of feed_sources and then of users.
func (tx *Tx) Record(ctx context.Context, a domain.Activity, notify ...domain.UserID) (domain.ActivityID, error) {
	var targetType *domain.SubjectType
	var targetID *int64
	if a.Target.Type != "" {
		targetType, targetID = &a.Target.Type, &a.Target.ID
	}
	var id domain.ActivityID
	err := tx.q.QueryRow(ctx, `INSERT INTO activities (kind, actor_id, item_type, item_id, target_type, target_id,
			channel_id, group_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		a.Kind, a.Actor, a.Item.Type, a.Item.ID, targetType, targetID, orNull(a.Channel), orNull(a.Group),
		micros(a.CreatedAt)).Scan(&id)
	return id, err
}

// orNull binds an id, 0 as NULL.
func orNull[T ~int64](id T) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}
