package activity

import (
	"context"
	"math"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

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
	if err != nil || len(notified) == 0 { // nobody needs the ids
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
