// Package activity stores what people did and who is notified: activities, the feeds that are read
// from them, notifications, followings, and the deletion of all of these. It also stores the audit
// log, whose entries the database refuses to change, and to delete before they are 30 days old.
//
// A source (the actor, the channel, the group that owns it) is a row of feed_sources. Its lock
// protects its followers, and keeps an account or group from being deleted while its activities
// are recorded. Inboxes are locked after it, and after everything else. Record and RecordAll are
// called once, at the end of a transaction.
package activity

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store/sqlx"
)

// Reads contains statements on one row.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists contains statements that count and read a page, or read several rows, of one consistent
// state.
type Lists struct {
	Reads
	feeds *Feeds
}

// NewLists returns the statements on a snapshot.
func NewLists(db sqlx.Conn, feeds *Feeds) Lists { return Lists{NewReads(db), feeds} }

// Queue enqueues jobs in the transaction.
type Queue interface {
	Enqueue(ctx context.Context, job jobs.Args, options ...jobs.Option) error
}

// Writes contains the statements of a transaction.
type Writes struct {
	Reads
	queue  Queue
	locked map[domain.Subject]int64 // sources that LockSource has locked
}

// NewWrites returns the statements on the connection of a transaction. It records locked sources in locked.
func NewWrites(db sqlx.Conn, queue Queue, locked map[domain.Subject]int64) Writes {
	return Writes{NewReads(db), queue, locked}
}

// Record writes an activity, from which the feeds of the followers are read, and notifies the
// given users (behaviour.md section 7): each once, never the actor. It comes last in its
// transaction because it locks rows of feed_sources and then inboxes.
func (tx Writes) Record(ctx context.Context, a domain.Activity, notify ...domain.UserID) (domain.ActivityID, error) {
	ids, err := tx.record(ctx, []domain.News{{Activity: a, Notify: notify}})
	if err == nil {
		err = tx.db.Sync(ctx)
	}
	if err != nil {
		return 0, err
	}
	return (*ids)[0], nil
}

// RecordAll is Record for all activities of one transaction. It is called once, so that all locks
// are taken in order.
func (tx Writes) RecordAll(ctx context.Context, all ...domain.News) error {
	if len(all) == 0 {
		return nil
	}
	_, err := tx.record(ctx, all)
	return err
}

// record returns the ids of the activities. They are set once the pending statements have run.
func (tx Writes) record(ctx context.Context, all []domain.News) (*[]domain.ActivityID, error) {
	var locked []domain.Subject
	var notified []domain.UserID
	for i, n := range all {
		locked = append(locked, domain.Subject{Type: domain.SubjectUser, ID: int64(n.Actor)})
		if n.Group != 0 {
			locked = append(locked, domain.Subject{Type: domain.SubjectGroup, ID: int64(n.Group)})
		}
		all[i].Notify = recipients(n)
		notified = append(notified, all[i].Notify...)
	}
	// Ending an account or a group waits for this lock, and then deletes the activities recorded
	// here. Channels have locks of their own.
	if err := tx.LockSources(ctx, locked...); err != nil {
		return nil, err
	}
	full, err := tx.countUnread(ctx, notified)
	if err != nil {
		return nil, err
	}
	ids, err := tx.insertActivities(ctx, all)
	if err != nil || len(notified) == 0 { // the caller waits for the ids if it needs them
		return ids, err
	}
	if err := tx.db.Sync(ctx); err != nil {
		return nil, err
	}
	return ids, tx.notify(ctx, all, *ids, full)
}

// recipients returns the users to notify, each once, without the actor.
func recipients(n domain.News) []domain.UserID {
	to := slices.DeleteFunc(slices.Clone(n.Notify), func(u domain.UserID) bool { return u == n.Actor || u == 0 })
	slices.Sort(to)
	return slices.Compact(to)
}

// activityRow is the first row of values for activities. It declares the type of each column.
const activityRow = `(CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS BIGINT), CAST($5 AS TEXT),
	CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS BIGINT), CAST($9 AS BIGINT))`

// insertActivities writes activities. Their ids, in the same order, are set once the pending
// statements have run. The ids are allocated after the sources and inboxes are locked, and after
// readers can know that they will be.
func (tx Writes) insertActivities(ctx context.Context, all []domain.News) (*[]domain.ActivityID, error) {
	ids := &[]domain.ActivityID{}
	add := func(row sqlx.Row) error {
		id, err := sqlx.ScanID[domain.ActivityID](row)
		// They are allocated in order, but may be returned in another.
		at, _ := slices.BinarySearch(*ids, id)
		*ids = slices.Insert(*ids, at, id)
		return err
	}
	for some := range slices.Chunk(all, sqlx.BatchRows) {
		args := make([]any, 0, 9*len(some))
		for _, n := range some {
			var targetType, targetID any
			if n.Target.Type != "" {
				targetType, targetID = n.Target.Type, n.Target.ID
			}
			args = append(args, n.Kind, n.Actor, n.Item.Type, n.Item.ID, targetType, targetID,
				sqlx.OrNull(n.Channel), sqlx.OrNull(n.Group), sqlx.Micros(n.CreatedAt))
		}
		err := tx.db.LaterEach(ctx, add, nil, `INSERT INTO activities (kind, actor_id, item_type, item_id, target_type, target_id,
				channel_id, group_id, created_at)
			SELECT v.* FROM (VALUES `+activityRow+strings.TrimPrefix(sqlx.Tuples(len(some), 9), sqlx.Tuples(1, 9))+`) AS v`+
			tx.db.AnnounceActivity()+` WHERE TRUE RETURNING id`, args...)
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// StableUpTo returns an id up to which the list of activities changes only by deletion. PostgreSQL
// allocates ids before transactions end, in any order. Ids above the result wait for transactions
// in progress, so that a client that polls for newer activities or pages to older ones misses
// none.
func StableUpTo(ctx context.Context, db sqlx.Conn) (domain.ActivityID, error) {
	if !db.LocksRows() {
		return math.MaxInt64 - 1, nil
	}
	lastID, locks := db.AnnouncedActivities()
	// First the last id, then the transactions in progress: one that begins in between gets a later
	// id.
	last, err := sqlx.ScanInt64(db.QueryRow(ctx, lastID))
	if err != nil {
		return 0, err
	}
	rows, err := db.Query(ctx, locks)
	low, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	stable := last
	for _, l := range low {
		const wrap = int64(1) << 31
		if behind := ((last-l)%wrap + wrap) % wrap; behind < wrap/2 {
			stable = min(stable, last-behind)
		}
	}
	return domain.ActivityID(stable), err
}

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
	v := Lists{Reads: tx.Reads}
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

// UnreadOf is Unread for several users, without those who have none.
func (q Reads) UnreadOf(ctx context.Context, users []domain.UserID) (map[domain.UserID]int64, error) {
	all := map[domain.UserID]int64{}
	rows, err := q.db.Query(ctx, "SELECT user_id, unread FROM inboxes WHERE "+q.db.In("user_id", "$1"), sqlx.IDs(q.db.Dialect, users))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (none struct{}, err error) {
		var user domain.UserID
		var n int64
		err = row.Scan(&user, &n)
		all[user] = n
		return none, err
	})
	return all, err
}

// Unread counts the unread notifications of a user, including hidden ones.
func (q Reads) Unread(ctx context.Context, user domain.UserID) (n int64, err error) {
	err = q.db.QueryRow(ctx, `SELECT COALESCE((SELECT unread FROM inboxes WHERE user_id = $1), 0)`, user).Scan(&n)
	return n, err
}

// Received returns those of the activities that a user was notified of, newest first.
func (v Lists) Received(ctx context.Context, user domain.UserID, ids []domain.ActivityID) ([]domain.ActivityID, error) {
	rows, err := v.db.Query(ctx, `SELECT activity_id FROM notifications WHERE user_id = $1 AND `+v.db.In("activity_id", "$2")+` ORDER BY activity_id DESC`,
		user, sqlx.IDs(v.db.Dialect, ids))
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
}

// MarkRead marks notifications of a user as read. Doing so again changes nothing.
func (tx Writes) MarkRead(ctx context.Context, user domain.UserID, ids []domain.ActivityID, now time.Time) error {
	if err := tx.lockInboxes(ctx, []domain.UserID{user}); err != nil {
		return err
	}
	n, err := tx.db.ExecCount(ctx, `UPDATE notifications SET read_at = $3 WHERE user_id = $1 AND `+tx.db.In("activity_id", "$2")+`
		AND read_at IS NULL AND activity_id > (SELECT i.read_upto FROM inboxes i WHERE i.user_id = $1)`, user, sqlx.IDs(tx.db.Dialect, ids), sqlx.Micros(now))
	if err != nil || n == 0 {
		return err
	}
	return tx.db.ExecOne(ctx, `UPDATE inboxes SET unread = unread - $2 WHERE user_id = $1`, user, n)
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
