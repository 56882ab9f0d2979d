package activity

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Record writes an activity and hands it to the feeds of the followers and to the
// notifications of the given users (behaviour.md section 7): each once, never the actor.
// It comes last in its transaction: it locks rows of feed_sources and then of inboxes.
func (tx Writes) Record(ctx context.Context, a domain.Activity, notify ...domain.UserID) (domain.ActivityID, error) {
	made, err := tx.record(ctx, []domain.News{{Activity: a, Notify: notify}})
	if err == nil {
		err = tx.db.Sync(ctx)
	}
	if err != nil {
		return 0, err
	}
	return made.ids[0], nil
}

// RecordAll is Record for everything that one transaction did: it is called once, so
// that all locks are taken in their order.
func (tx Writes) RecordAll(ctx context.Context, all ...domain.News) error {
	if len(all) == 0 {
		return nil
	}
	_, err := tx.record(ctx, all)
	return err
}

// record gives the activities, whose ids are there once the statements that wait have run.
func (tx Writes) record(ctx context.Context, all []domain.News) (*inserted, error) {
	var sources []domain.Subject
	var notified []domain.UserID
	for i, n := range all {
		sources = append(sources, n.Sources()...)
		all[i].Notify = recipients(n)
		notified = append(notified, all[i].Notify...)
	}
	followed := true
	if tx.db.LocksRows() {
		at, err := tx.lockedSources(ctx, sources, tx.db.ForShare("s"))
		if err != nil {
			return nil, err
		}
		followed = slices.ContainsFunc(slices.Collect(maps.Values(at)), feedSource.copied)
	}
	full, err := tx.countUnread(ctx, notified)
	if err != nil {
		return nil, err
	}
	made, err := tx.insertActivities(ctx, all)
	if err != nil || !followed && len(notified) == 0 { // nobody waits for the ids
		return made, err
	}
	if err := tx.db.Sync(ctx); err != nil {
		return nil, err
	}
	if followed && made.copied {
		if err := tx.copyToFeeds(ctx, made.ids); err != nil {
			return nil, err
		}
	}
	return made, tx.notify(ctx, all, made.ids, full)
}

// recipients are the notified, each once, without the actor.
func recipients(n domain.News) []domain.UserID {
	to := slices.DeleteFunc(slices.Clone(n.Notify), func(u domain.UserID) bool { return u == n.Actor || u == 0 })
	slices.Sort(to)
	return slices.Compact(to)
}

// activityRow is the first row of values for activities, which says what type each has.
const activityRow = `(CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS BIGINT), CAST($5 AS TEXT),
	CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS BIGINT), CAST($9 AS BIGINT))`

// inserted are activities that have been written.
type inserted struct {
	ids    []domain.ActivityID // in their order
	copied bool                // on SQLite: any is to be copied to feeds
}

func (i *inserted) add(row sqlx.Row) error {
	var id domain.ActivityID
	var copied bool
	err := row.Scan(&id, &copied)
	// They are drawn one after the other, and may be returned in another order.
	at, _ := slices.BinarySearch(i.ids, id)
	i.ids, i.copied = slices.Insert(i.ids, at, id), i.copied || copied
	return err
}

// insertActivities writes activities, whose ids are there once the statements that wait have
// run. They are drawn once the sources and inboxes are locked, and once readers can tell that
// they will be. On SQLite, where nothing is locked, it also tells whether any is to be copied
// to feeds.
func (tx Writes) insertActivities(ctx context.Context, all []domain.News) (*inserted, error) {
	made := &inserted{}
	copies := "TRUE"
	if !tx.db.LocksRows() {
		copies = copiedSource(domain.SubjectUser) + " OR " + copiedSource(domain.SubjectChannel) + " OR " + copiedSource(domain.SubjectGroup)
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
		err := tx.db.LaterEach(ctx, made.add, nil, `INSERT INTO activities (kind, actor_id, item_type, item_id, target_type, target_id,
				channel_id, group_id, created_at)
			SELECT v.* FROM (VALUES `+activityRow+strings.TrimPrefix(sqlx.Tuples(len(some), 9), sqlx.Tuples(1, 9))+`) AS v`+
			tx.db.AnnounceActivity()+` WHERE TRUE RETURNING id, `+copies, args...)
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// copiedSource asks whether what is done at a source of an activity is copied to somebody.
func copiedSource(source domain.SubjectType) string {
	return `EXISTS (SELECT 1 FROM feed_sources s WHERE s.source_type = '` + string(source) + `'
		AND s.source_id = activities.` + sourceColumn(source) + ` AND s.followers > 0 AND s.pulled = FALSE)`
}

// copyToFeeds writes the activities to the feed of each follower of their sources.
func (tx Writes) copyToFeeds(ctx context.Context, ids []domain.ActivityID) error {
	return tx.db.Exec(ctx, `INSERT INTO feed_entries (user_id, activity_id, follow_id) `+copies(tx.db.Dialect, domain.SubjectUser)+
		" UNION ALL "+copies(tx.db.Dialect, domain.SubjectChannel)+" UNION ALL "+copies(tx.db.Dialect, domain.SubjectGroup), sqlx.IDs(tx.db.Dialect, ids))
}

// copies gives the entries of the activities $1 in the feeds of those who follow a source.
func copies(d sqlx.Dialect, source domain.SubjectType) string {
	of := "'" + string(source) + "'"
	return `SELECT f.follower_id, a.id, f.id FROM activities a CROSS JOIN feed_sources s CROSS JOIN follows f
		WHERE ` + d.In("a.id", "$1") + ` AND s.source_type = ` + of + ` AND s.source_id = a.` + sourceColumn(source) + ` AND s.pulled = FALSE
			AND f.followed_type = ` + of + ` AND f.followed_id = s.source_id AND f.follower_id <> a.actor_id`
}

// StableUpTo gives an id up to which the list of activities will not change any more but
// by deletion. PostgreSQL gives out ids before the transactions end, in whatever order:
// what is above waits for those still in progress, so that somebody who polls for newer
// activities, or leafs to older ones, misses none.
func StableUpTo(ctx context.Context, db sqlx.Conn) (domain.ActivityID, error) {
	if !db.LocksRows() {
		return math.MaxInt64 - 1, nil
	}
	lastID, locks := db.AnnouncedActivities()
	// First what was given out, then who is in progress: whoever began in between will
	// get a later id.
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
