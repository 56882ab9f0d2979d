package store

import (
	"context"
	"math"
	"time"

	"vitrine/internal/domain"
)

// lockInboxes locks the inboxes of users, in the order of their ids, making those that
// are missing but for deleted accounts. It comes before the ids of activities are drawn, so that a user's
// notifications appear in the order of their ids.
func (tx *Tx) lockInboxes(ctx context.Context, users []domain.UserID) error {
	if len(users) == 0 {
		return nil
	}
	return tx.exec(ctx, `INSERT INTO inboxes (user_id) SELECT u.id FROM users u WHERE u.deleted_at IS NULL AND `+tx.d.in("u.id", "$1")+`
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
	rows, err := tx.q.Query(ctx, `UPDATE inboxes SET unread = unread + 1 WHERE `+tx.d.in("user_id", "$1")+`
		RETURNING user_id, unread`, list(tx.d, n.Notify))
	var full []domain.UserID
	_, err = collect(ctx, rows, err, func(row scanner) (unread int64, err error) {
		var user domain.UserID
		err = row.Scan(&user, &unread)
		if unread >= domain.MaxUnread+unreadSlack {
			full = append(full, user)
		}
		return unread, err
	})
	if err != nil {
		return err
	}
	for _, user := range full {
		if err := tx.trimInbox(ctx, user, n.CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

// unreadSlack is how many more than domain.MaxUnread may be unread, so that not every
// notification to a full inbox has to look at what is in it.
const unreadSlack = 100

// trimInbox has the oldest notifications in a locked inbox count as read, so that what is
// unread can be looked at one by one whenever it is counted. What is hidden from the user
// goes first: nobody can push out what they do see by hiding things.
func (tx *Tx) trimInbox(ctx context.Context, user domain.UserID, now time.Time) error {
	v := Snapshot{tx.Queries}
	receipts, err := v.Receipts(ctx, user, true, domain.Window{Before: math.MaxInt64, Limit: domain.MaxUnread + unreadSlack})
	if err != nil {
		return err
	}
	ids := make([]domain.ActivityID, len(receipts)) // the newest first
	for i, r := range receipts {
		ids[i] = r.ID
	}
	visible, err := v.VisibleActivities(ctx, user, ids)
	if err != nil {
		return err
	}
	var upto domain.ActivityID
	if len(ids) > 0 { // unless the count was wrong
		upto = ids[len(ids)-1] - 1
	}
	var hidden []domain.ActivityID
	kept := 0
	for _, id := range ids {
		if _, ok := visible[id]; !ok {
			hidden = append(hidden, id)
		} else if kept++; kept > domain.MaxUnread {
			upto = max(upto, id)
		}
	}
	err = tx.exec(ctx, `UPDATE notifications SET read_at = $2 WHERE user_id = $1 AND `+tx.d.in("activity_id", "$3"),
		user, micros(now), list(tx.d, hidden))
	if err != nil {
		return err
	}
	return tx.execOne(ctx, `UPDATE inboxes SET unread = $2, read_upto = CASE WHEN read_upto < $3 THEN $3 ELSE read_upto END
		WHERE user_id = $1`, user, min(kept, domain.MaxUnread), upto)
}

// Receipts lists notifications of a user within a window, all or only the unread ones.
func (v *Snapshot) Receipts(ctx context.Context, user domain.UserID, unread bool, w domain.Window) ([]domain.Receipt, error) {
	upto, err := scanInt64(v.q.QueryRow(ctx, `SELECT COALESCE((SELECT read_upto FROM inboxes WHERE user_id = $1), 0)`, user))
	if err != nil {
		return nil, err
	}
	where := ""
	if unread {
		where = " AND n.read_at IS NULL"
		// An end of the range, so that what was read all at once is not walked over.
		w.After = max(w.After, domain.ActivityID(upto))
	}
	_, dir := direction(!w.Rising)
	rows, err := v.q.Query(ctx, `SELECT n.activity_id, n.read_at IS NOT NULL OR n.activity_id <= $4
		FROM notifications n WHERE n.user_id = $1 AND n.activity_id > $2 AND n.activity_id < $3`+where+`
		ORDER BY n.activity_id `+dir+` LIMIT $5`, user, w.After, w.Before, upto, w.Limit)
	return collect(ctx, rows, err, func(row scanner) (r domain.Receipt, err error) {
		err = row.Scan(&r.ID, &r.Read)
		return r, err
	})
}

// Unread counts the notifications that a user has not read, those too that are hidden.
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
