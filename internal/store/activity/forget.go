package activity

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// forgetPart is how many activities one statement deletes.
const forgetPart = 1000

// about lists the activities whose item or target is one of the given subjects. The ids are
// fetched because PostgreSQL overestimates their number in a subquery and would read all
// notifications.
func (tx Writes) about(ctx context.Context, t domain.SubjectType, ids []int64) ([]domain.ActivityID, error) {
	rows, err := tx.db.Query(ctx, `SELECT id FROM activities WHERE item_type = $1 AND `+tx.db.In("item_id", "$2")+`
		UNION SELECT id FROM activities WHERE target_type = $1 AND target_id IS NOT NULL AND `+tx.db.In("target_id", "$2"),
		t, sqlx.IDs(tx.db.Dialect, ids))
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
}

// ForgetNotifications deletes the notifications of activities whose item or target is one of the
// given subjects. Nothing may record activities about them at the same time.
func (tx Writes) ForgetNotifications(ctx context.Context, t domain.SubjectType, ids ...int64) error {
	activities, err := tx.about(ctx, t, ids)
	if err != nil {
		return err
	}
	return tx.forgetNotifications(ctx, activities)
}

func (tx Writes) forgetNotifications(ctx context.Context, activities []domain.ActivityID) error {
	notified := map[domain.UserID]bool{}
	for part := range slices.Chunk(activities, forgetPart) {
		rows, err := tx.db.Query(ctx, `SELECT DISTINCT user_id FROM notifications WHERE `+tx.db.In("activity_id", "$1"), sqlx.IDs(tx.db.Dialect, part))
		users, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
		if err != nil {
			return err
		}
		for _, u := range users {
			notified[u] = true
		}
	}
	if len(notified) == 0 {
		return nil
	}
	users := slices.Sorted(maps.Keys(notified))
	if err := tx.lockInboxes(ctx, users); err != nil {
		return err
	}
	for part := range slices.Chunk(activities, forgetPart) {
		err := tx.db.Exec(ctx, `UPDATE inboxes SET unread = unread - (SELECT count(*) FROM notifications n
				WHERE n.user_id = inboxes.user_id AND n.read_at IS NULL AND n.activity_id > inboxes.read_upto
					AND `+tx.db.In("n.activity_id", "$1")+`)
			WHERE `+tx.db.In("user_id", "$2"), sqlx.IDs(tx.db.Dialect, part), sqlx.IDs(tx.db.Dialect, users))
		if err != nil {
			return err
		}
		err = tx.db.Exec(ctx, `DELETE FROM notifications WHERE `+tx.db.In("activity_id", "$1")+` AND `+tx.db.In("user_id", "$2"),
			sqlx.IDs(tx.db.Dialect, part), sqlx.IDs(tx.db.Dialect, users))
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetActivities deletes the activities whose item or target is one of the given deleted
// subjects, with their notifications. Nothing may record activities about them at the same time.
func (tx Writes) ForgetActivities(ctx context.Context, t domain.SubjectType, ids ...int64) error {
	activities, err := tx.about(ctx, t, ids)
	if err != nil {
		return err
	}
	return tx.forget(ctx, activities)
}

// forget deletes activities with their notifications.
func (tx Writes) forget(ctx context.Context, activities []domain.ActivityID) error {
	if err := tx.forgetNotifications(ctx, activities); err != nil {
		return err
	}
	for part := range slices.Chunk(activities, forgetPart) {
		if err := tx.db.Exec(ctx, `DELETE FROM activities WHERE `+tx.db.In("id", "$1"), sqlx.IDs(tx.db.Dialect, part)); err != nil {
			return err
		}
	}
	return nil
}

// ForgetBlock deletes the activities about a block and its comments. It deletes them together so
// that all affected inboxes are locked at once, in their order.
func (tx Writes) ForgetBlock(ctx context.Context, id domain.BlockID, comments []int64) error {
	ofComments, err := tx.about(ctx, domain.SubjectComment, comments)
	if err != nil {
		return err
	}
	ofBlock, err := tx.about(ctx, domain.SubjectBlock, []int64{int64(id)})
	if err != nil {
		return err
	}
	activities := append(ofComments, ofBlock...)
	slices.Sort(activities)
	return tx.forget(ctx, slices.Compact(activities))
}

// DeleteUserActivities deletes at most n activities by or about a user and returns their number.
func (tx Writes) DeleteUserActivities(ctx context.Context, user domain.UserID, n int) (int, error) {
	me := domain.Subject{Type: domain.SubjectUser, ID: int64(user)}
	if _, err := tx.lockedSources(ctx, []domain.Subject{me}, tx.db.ForUpdate("s")); err != nil {
		return 0, err
	}
	rows, err := tx.db.Query(ctx, `SELECT id FROM activities WHERE actor_id = $1
		UNION SELECT id FROM activities WHERE item_type = 'User' AND item_id = $1
		UNION SELECT id FROM activities WHERE target_type = 'User' AND target_id = $1 AND target_id IS NOT NULL
		ORDER BY id`+sqlx.Limit("$2"), user, n)
	deeds, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
	if err != nil {
		return 0, err
	}
	return len(deeds), tx.forget(ctx, deeds)
}

// EmptyInbox deletes at most n notifications of a user and returns their number. After the last
// one it deletes the inbox, since a deleted account gets no notifications.
func (tx Writes) EmptyInbox(ctx context.Context, user domain.UserID, n int) (int, error) {
	err := tx.db.Exec(ctx, `UPDATE inboxes SET unread = 0, read_upto = (
		SELECT COALESCE(max(activity_id), 0) FROM notifications WHERE user_id = $1) WHERE user_id = $1`, user)
	if err != nil {
		return 0, err
	}
	gone, err := tx.db.ExecCount(ctx, `DELETE FROM notifications WHERE user_id = $1 AND activity_id IN (
		SELECT activity_id FROM notifications WHERE user_id = $1 ORDER BY activity_id`+sqlx.Limit("$2")+`)`, user, n)
	if err == nil && gone < int64(n) {
		err = tx.db.Exec(ctx, `DELETE FROM inboxes WHERE user_id = $1`, user)
	}
	return int(gone), err
}
