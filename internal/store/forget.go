package store

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/domain"
)

// forgetPart is how many activities one statement forgets.
const forgetPart = 1000

// about lists the activities that have one of the things as item or target. Their ids
// are fetched, not left to a subquery: PostgreSQL would take them for so many that it
// reads all of notifications.
func (tx *Tx) about(ctx context.Context, t domain.SubjectType, ids []int64) ([]domain.ActivityID, error) {
	rows, err := tx.q.Query(ctx, `SELECT id FROM activities WHERE item_type = $1 AND `+tx.d.in("item_id", "$2")+`
		UNION SELECT id FROM activities WHERE target_type = $1 AND target_id IS NOT NULL AND `+tx.d.in("target_id", "$2"),
		t, list(tx.d, ids))
	return collect(ctx, rows, err, scanActivityID)
}

// ForgetNotifications deletes the notifications of activities that have one of the
// things as item or target. Nothing may be recorded about the things at the same time.
func (tx *Tx) ForgetNotifications(ctx context.Context, t domain.SubjectType, ids ...int64) error {
	activities, err := tx.about(ctx, t, ids)
	if err != nil {
		return err
	}
	return tx.forgetNotifications(ctx, activities)
}

func (tx *Tx) forgetNotifications(ctx context.Context, activities []domain.ActivityID) error {
	notified := map[domain.UserID]bool{}
	for part := range slices.Chunk(activities, forgetPart) {
		rows, err := tx.q.Query(ctx, `SELECT DISTINCT user_id FROM notifications WHERE `+tx.d.in("activity_id", "$1"), list(tx.d, part))
		users, err := collect(ctx, rows, err, scanUserID)
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
		err := tx.exec(ctx, `UPDATE inboxes SET unread = unread - (SELECT count(*) FROM notifications n
				WHERE n.user_id = inboxes.user_id AND n.read_at IS NULL AND n.activity_id > inboxes.read_upto
					AND `+tx.d.in("n.activity_id", "$1")+`)
			WHERE `+tx.d.in("user_id", "$2"), list(tx.d, part), list(tx.d, users))
		if err != nil {
			return err
		}
		err = tx.exec(ctx, `DELETE FROM notifications WHERE `+tx.d.in("activity_id", "$1")+` AND `+tx.d.in("user_id", "$2"),
			list(tx.d, part), list(tx.d, users))
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetActivities deletes, for something that is gone for good, the activities that
// have it as item or target, with their notifications and their places in feeds.
// Nothing may be recorded about it at the same time.
func (tx *Tx) ForgetActivities(ctx context.Context, t domain.SubjectType, ids ...int64) error {
	activities, err := tx.about(ctx, t, ids)
	if err != nil {
		return err
	}
	return tx.forget(ctx, activities)
}

// forget deletes activities with their notifications and their places in feeds.
func (tx *Tx) forget(ctx context.Context, activities []domain.ActivityID) error {
	if err := tx.forgetNotifications(ctx, activities); err != nil {
		return err
	}
	for part := range slices.Chunk(activities, forgetPart) {
		if err := tx.forgetEntries(ctx, part); err != nil {
			return err
		}
		if err := tx.exec(ctx, `DELETE FROM activities WHERE `+tx.d.in("id", "$1"), list(tx.d, part)); err != nil {
			return err
		}
	}
	return nil
}

// forgetEntries takes activities out of feeds, source by source: of one source, the
// entries are found by follow and activity. Those of sources that are pulled by now are
// few and skipped when read.
func (tx *Tx) forgetEntries(ctx context.Context, activities []domain.ActivityID) error {
	rows, err := tx.q.Query(ctx, `SELECT `+activityColumns+` FROM activities a WHERE `+tx.d.in("a.id", "$1"), list(tx.d, activities))
	all, err := collect(ctx, rows, err, scanActivity)
	if err != nil {
		return err
	}
	bySource := map[domain.Subject][]domain.ActivityID{}
	for _, a := range all {
		for _, s := range a.Sources() {
			bySource[s] = append(bySource[s], a.ID)
		}
	}
	sources := slices.SortedFunc(maps.Keys(bySource), domain.Subject.Compare)
	at, err := tx.feedSources(ctx, sources, "")
	if err != nil {
		return err
	}
	for _, s := range sources {
		if at[s].pulled || at[s].followers == 0 {
			continue
		}
		err := tx.exec(ctx, `DELETE FROM feed_entries WHERE `+tx.d.in("activity_id", "$1")+` AND follow_id IN (
			SELECT f.id FROM follows f WHERE f.followed_type = $2 AND f.followed_id = $3)`, list(tx.d, bySource[s]), s.Type, s.ID)
		if err != nil {
			return err
		}
	}
	return nil
}
