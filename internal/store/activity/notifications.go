package activity

import (
	"context"
	"math"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// lockInboxes locks the inboxes of users in the order of their ids. It creates missing ones,
// except for deleted accounts. It must be called before the ids of activities are allocated, so
// that a user's notifications appear in the order of their ids.
func (tx Writes) lockInboxes(ctx context.Context, users []domain.UserID) error {
	if len(users) == 0 {
		return nil
	}
	return tx.db.Exec(ctx, `INSERT INTO inboxes (user_id) SELECT u.id FROM users u WHERE u.deleted_at IS NULL AND `+tx.db.In("u.id", "$1")+`
		ORDER BY u.id ON CONFLICT (user_id) DO UPDATE SET unread = inboxes.unread`, sqlx.IDs(tx.db.Dialect, users))
}

// countUnread is lockInboxes for users who get one notification for each time that they are
// listed. It returns the users whose inboxes must be trimmed afterwards.
func (tx Writes) countUnread(ctx context.Context, users []domain.UserID) (full []domain.UserID, err error) {
	if len(users) == 0 {
		return nil, nil
	}
	rows, err := tx.db.Query(ctx, `INSERT INTO inboxes (user_id, unread) SELECT u.id, count(*) FROM `+tx.db.Rows("$1")+`
		JOIN users u ON u.id = l.id WHERE u.deleted_at IS NULL GROUP BY u.id
		ORDER BY u.id ON CONFLICT (user_id) DO UPDATE SET unread = inboxes.unread + excluded.unread
		RETURNING user_id, unread`, sqlx.IDs(tx.db.Dialect, users))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (unread int64, err error) {
		var user domain.UserID
		err = row.Scan(&user, &unread)
		if unread >= domain.MaxUnread+unreadSlack {
			full = append(full, user)
		}
		return unread, err
	})
	return full, err
}

// notify writes the notifications of activities to inboxes in which countUnread has counted them,
// and trims the full ones.
func (tx Writes) notify(ctx context.Context, all []domain.News, ids []domain.ActivityID, full []domain.UserID) error {
	for i, n := range all {
		if len(n.Notify) == 0 {
			continue
		}
		err := tx.db.Exec(ctx, `INSERT INTO notifications (user_id, activity_id) SELECT i.user_id, CAST($1 AS BIGINT)
			FROM inboxes i WHERE `+tx.db.In("i.user_id", "$2"), ids[i], sqlx.IDs(tx.db.Dialect, n.Notify))
		if err != nil {
			return err
		}
	}
	for _, user := range full {
		if err := tx.trimInbox(ctx, user, domain.MaxUnread+unreadSlack+len(all), all[0].CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

// unreadSlack is how many notifications beyond domain.MaxUnread may be unread, so that only some
// notifications to a full inbox have to trim it.
const unreadSlack = 100

// trimInbox marks the oldest notifications in a locked inbox as read, so that few enough remain
// unread to check each of them for every count. It first marks those that are hidden from the
// user, so that nobody can displace visible notifications by hiding things. The inbox has at most
// `limit` unread notifications.
func (tx Writes) trimInbox(ctx context.Context, user domain.UserID, limit int, now time.Time) error {
	v := Lists{tx.Reads}
	receipts, err := v.Receipts(ctx, user, true, domain.Window{Before: math.MaxInt64, Limit: limit})
	if err != nil {
		return err
	}
	ids := make([]domain.ActivityID, len(receipts)) // newest first
	for i, r := range receipts {
		ids[i] = r.ID
	}
	visible, err := v.VisibleActivities(ctx, user, ids)
	if err != nil {
		return err
	}
	var upto domain.ActivityID
	if len(ids) > 0 { // false only if the count was wrong
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
	err = tx.db.Exec(ctx, `UPDATE notifications SET read_at = $2 WHERE user_id = $1 AND `+tx.db.In("activity_id", "$3"),
		user, sqlx.Micros(now), sqlx.IDs(tx.db.Dialect, hidden))
	if err != nil {
		return err
	}
	return tx.db.ExecOne(ctx, `UPDATE inboxes SET unread = $2, read_upto = CASE WHEN read_upto < $3 THEN $3 ELSE read_upto END
		WHERE user_id = $1`, user, min(kept, domain.MaxUnread), upto)
}

// Receipts lists notifications of a user within a window, all or only the unread ones.
func (v Lists) Receipts(ctx context.Context, user domain.UserID, unread bool, w domain.Window) ([]domain.Receipt, error) {
	upto, err := sqlx.ScanInt64(v.db.QueryRow(ctx, `SELECT COALESCE((SELECT read_upto FROM inboxes WHERE user_id = $1), 0)`, user))
	if err != nil {
		return nil, err
	}
	where := ""
	if unread {
		where = " AND n.read_at IS NULL"
		// Narrow the range so that it does not scan what MarkAllRead has read.
		w.After = max(w.After, domain.ActivityID(upto))
	}
	dir := sqlx.Direction(!w.Rising)
	rows, err := v.db.Query(ctx, `SELECT n.activity_id, n.read_at IS NOT NULL OR n.activity_id <= $4
		FROM notifications n WHERE n.user_id = $1 AND n.activity_id > $2 AND n.activity_id < $3`+where+`
		ORDER BY n.activity_id `+dir+` LIMIT $5`, user, w.After, w.Before, upto, w.Limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (r domain.Receipt, err error) {
		err = row.Scan(&r.ID, &r.Read)
		return r, err
	})
}

// Unread counts the unread notifications of a user, including hidden ones.
func (q Reads) Unread(ctx context.Context, user domain.UserID) (n int64, err error) {
	err = q.db.QueryRow(ctx, `SELECT COALESCE((SELECT unread FROM inboxes WHERE user_id = $1), 0)`, user).Scan(&n)
	return n, err
}

// MarkRead marks a notification of a user as read. Doing so again changes nothing.
func (tx Writes) MarkRead(ctx context.Context, user domain.UserID, id domain.ActivityID, now time.Time) error {
	if err := tx.lockInboxes(ctx, []domain.UserID{user}); err != nil {
		return err
	}
	n, err := tx.db.ExecCount(ctx, `UPDATE notifications SET read_at = $3 WHERE user_id = $1 AND activity_id = $2
		AND read_at IS NULL AND activity_id > (SELECT i.read_upto FROM inboxes i WHERE i.user_id = $1)`, user, id, sqlx.Micros(now))
	if err != nil || n == 0 {
		return err
	}
	return tx.db.ExecOne(ctx, `UPDATE inboxes SET unread = unread - 1 WHERE user_id = $1`, user)
}

// MarkAllRead marks all notifications of a user as read. It writes one row, regardless of their
// number.
func (tx Writes) MarkAllRead(ctx context.Context, user domain.UserID) error {
	if err := tx.lockInboxes(ctx, []domain.UserID{user}); err != nil {
		return err
	}
	return tx.db.ExecOne(ctx, `UPDATE inboxes SET unread = 0, read_upto = COALESCE((
		SELECT max(n.activity_id) FROM notifications n WHERE n.user_id = $1), 0) WHERE user_id = $1`, user)
}
