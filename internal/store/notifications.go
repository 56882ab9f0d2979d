package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// lockInboxes locks the inboxes of users, in the order of their ids, making those that
// are missing. It comes before the ids of activities are drawn, so that a user's
// notifications appear in the order of their ids.
func (tx *Tx) lockInboxes(ctx context.Context, users []domain.UserID) error {
	if len(users) == 0 {
		return nil
	}
	return tx.exec(ctx, `INSERT INTO inboxes (user_id) SELECT u.id FROM users u WHERE `+tx.d.in("u.id", "$1")+`
		ORDER BY u.id ON CONFLICT (user_id) DO UPDATE SET unread = inboxes.unread`, list(tx.d, users))
}

// notify writes the notifications of an activity to locked inboxes.
func (tx *Tx) notify(ctx context.Context, n domain.News) error {
	if len(n.Notify) == 0 {
		return nil
	}
	err := tx.exec(ctx, `INSERT INTO notifications (user_id, activity_id) SELECT i.user_id, CAST($1 AS BIGINT)
		FROM inboxes i WHERE `+tx.d.in("i.user_id", "$2"), n.ID, list(tx.d, n.Notify))
	if err != nil {
		return err
	}
	return tx.exec(ctx, `UPDATE inboxes SET unread = unread + 1 WHERE `+tx.d.in("user_id", "$1"), list(tx.d, n.Notify))
}

const readUpto = `COALESCE((SELECT i.read_upto FROM inboxes i WHERE i.user_id = n.user_id), 0)`

// Receipts lists notifications of a user within a window, all or only the unread ones.
func (v *Snapshot) Receipts(ctx context.Context, user domain.UserID, unread bool, w domain.Window) ([]domain.Receipt, error) {
	where := ""
	if unread {
		where = " AND n.read_at IS NULL AND n.activity_id > " + readUpto
	}
	_, dir := direction(!w.Rising)
	rows, err := v.q.Query(ctx, `SELECT n.activity_id, n.read_at IS NOT NULL OR n.activity_id <= `+readUpto+`
		FROM notifications n WHERE n.user_id = $1 AND n.activity_id > $2 AND n.activity_id < $3`+where+`
		ORDER BY n.activity_id `+dir+` LIMIT $4`, user, w.After, w.Before, w.Limit)
	return collect(ctx, rows, err, func(row scanner) (r domain.Receipt, err error) {
		err = row.Scan(&r.ID, &r.Read)
		return r, err
	})
}

// Unread counts the notifications that a user has not read.
func (q Queries) Unread(ctx context.Context, user domain.UserID) (n int64, err error) {
	err = q.q.QueryRow(ctx, `SELECT COALESCE((SELECT unread FROM inboxes WHERE user_id = $1), 0)`, user).Scan(&n)
	return n, err
}

// MarkRead notes that a user has read a notification. A second time changes nothing.
func (tx *Tx) MarkRead(ctx context.Context, user domain.UserID, id domain.ActivityID, now time.Time) error {
	if err := tx.lockInboxes(ctx, []domain.UserID{user}); err != nil {
		return err
	}
	res, err := tx.q.Exec(ctx, `UPDATE notifications SET read_at = $3 WHERE user_id = $1 AND activity_id = $2
		AND read_at IS NULL AND activity_id > (SELECT i.read_upto FROM inboxes i WHERE i.user_id = $1)`, user, id, micros(now))
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return err
	}
	return tx.execOne(ctx, `UPDATE inboxes SET unread = unread - 1 WHERE user_id = $1`, user)
}

// MarkAllRead notes that a user has read all there is. It writes one row, however many
// notifications that are.
func (tx *Tx) MarkAllRead(ctx context.Context, user domain.UserID) error {
	if err := tx.lockInboxes(ctx, []domain.UserID{user}); err != nil {
		return err
	}
	return tx.execOne(ctx, `UPDATE inboxes SET unread = 0, read_upto = COALESCE((
		SELECT max(n.activity_id) FROM notifications n WHERE n.user_id = $1), 0) WHERE user_id = $1`, user)
}

// about selects the activities that have one of the things as item or target.
func (tx *Tx) about() string {
	return `SELECT id FROM activities WHERE item_type = $1 AND ` + tx.d.in("item_id", "$2") + `
		UNION SELECT id FROM activities WHERE target_type = $1 AND target_id IS NOT NULL AND ` + tx.d.in("target_id", "$2")
}

// notified lists who has notifications of activities that have one of the things as item
// or target.
func (tx *Tx) notified(ctx context.Context, t domain.SubjectType, ids ...int64) ([]domain.UserID, error) {
	rows, err := tx.q.Query(ctx, `SELECT DISTINCT n.user_id FROM notifications n WHERE n.activity_id IN (`+tx.about()+`)`,
		t, list(tx.d, ids))
	return collect(ctx, rows, err, scanUserID)
}

// ForgetNotifications deletes the notifications of activities that have one of the
// things as item or target. Nothing may be recorded about the things at the same time.
func (tx *Tx) ForgetNotifications(ctx context.Context, t domain.SubjectType, ids ...int64) error {
	of := `n.activity_id IN (` + tx.about() + `)`
	users, err := tx.notified(ctx, t, ids...)
	if err != nil || len(users) == 0 {
		return err
	}
	if err := tx.lockInboxes(ctx, users); err != nil {
		return err
	}
	err = tx.exec(ctx, `UPDATE inboxes SET unread = unread - (SELECT count(*) FROM notifications n
			WHERE n.user_id = inboxes.user_id AND n.read_at IS NULL AND n.activity_id > inboxes.read_upto AND `+of+`)
		WHERE `+tx.d.in("user_id", "$3"), t, list(tx.d, ids), list(tx.d, users))
	if err != nil {
		return err
	}
	return tx.exec(ctx, `DELETE FROM notifications WHERE activity_id IN (`+tx.about()+`) AND `+tx.d.in("user_id", "$3"),
		t, list(tx.d, ids), list(tx.d, users))
}

// ForgetActivities deletes, for something that is gone for good, the activities that
// have it as item or target, with their notifications and their places in feeds.
// Nothing may be recorded about it at the same time.
func (tx *Tx) ForgetActivities(ctx context.Context, t domain.SubjectType, ids ...int64) error {
	if err := tx.ForgetNotifications(ctx, t, ids...); err != nil {
		return err
	}
	for _, s := range []domain.SubjectType{domain.SubjectChannel, domain.SubjectGroup, domain.SubjectUser} {
		// Entries of sources that are pulled by now are few and skipped when read.
		err := tx.exec(ctx, `DELETE FROM feed_entries WHERE (follow_id, activity_id) IN (
			SELECT f.id, a.id FROM activities a
			JOIN feed_sources s ON s.source_type = '`+string(s)+`' AND s.source_id = a.`+sourceColumn(s)+` AND s.pulled = FALSE
			JOIN follows f ON f.followed_type = s.source_type AND f.followed_id = s.source_id
			WHERE a.id IN (`+tx.about()+`))`, t, list(tx.d, ids))
		if err != nil {
			return err
		}
	}
	return tx.exec(ctx, `DELETE FROM activities WHERE id IN (`+tx.about()+`)`, t, list(tx.d, ids))
}
