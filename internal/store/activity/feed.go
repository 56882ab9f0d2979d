package activity

import (
	"context"
	"math/bits"
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// mergedFeed is FeedIDs by one index seek for each followed source. It also returns the number of these, unless nothing
// is found.
func (v Lists) mergedFeed(ctx context.Context, user domain.UserID, w domain.Window) (ids []domain.ActivityID, sources int64, err error) {
	rows, err := v.db.Query(ctx, v.feed(w), user, w.After, w.Before, w.Limit)
	ids, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.ActivityID, err error) {
		err = row.Scan(&id, &sources)
		return id, err
	})
	if err == nil && len(ids) == 0 {
		var is followed
		is, _, err = v.followed(ctx, user)
		sources = is.n
	}
	return ids, sources, err
}

// followed identifies what a user follows. It also returns the last activity of all.
func (v Lists) followed(ctx context.Context, user domain.UserID) (is followed, last domain.ActivityID, err error) {
	err = v.db.QueryRow(ctx, `SELECT count(*), CAST(COALESCE(sum(id), 0) AS BIGINT), (SELECT COALESCE(max(id), 0) FROM activities)
		FROM follows WHERE follower_id = $1`, user).Scan(&is.n, &is.sum, &last)
	return is, last, err
}

// walkedFeed lists the feed's activities from one id to before another, newest first, by checking each activity.
func (v Lists) walkedFeed(ctx context.Context, user domain.UserID, from, before domain.ActivityID) ([]domain.ActivityID, error) {
	follows := make([]string, len(feedSources))
	for i, t := range feedSources {
		column := "a." + sourceColumn(t)
		follows[i] = column + " IS NOT NULL AND EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = $1 AND f.followed_type = '" + string(t) + "' AND f.followed_id = " + column + ")"
	}
	rows, err := v.db.Query(ctx, `SELECT a.id FROM activities a WHERE a.id >= $2 AND a.id < $3 AND (`+strings.Join(follows, " OR ")+`) ORDER BY a.id DESC`,
		user, from, before)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
}

// feedSources are the types of subjects whose activities are in feeds.
var feedSources = []domain.SubjectType{domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup}

// feed returns the query for the feed of the user $1 between $2 and $3, at most $4 activities.
// First it finds the nearest activity of each source, `best`. The $4 nearest of those bound the
// feed and belong to few sources, so only their activities within that reach are read. The limit
// of that read is a literal, rounded up, because PostgreSQL assumes an unknown limit to be a tenth
// of all rows and makes a new plan every time.
func (v Lists) feed(w domain.Window) string {
	limit := 1 << bits.Len(uint(max(w.Limit, 1)-1))
	dir, reach, near := "DESC", "CASE WHEN count(*) < $4 THEN $2 + 1 ELSE min(best) END", "f.best >= r.reach"
	low, high := "s.reach", "s.best"
	if w.Rising {
		dir, reach, near = "ASC", "CASE WHEN count(*) < $4 THEN $3 - 1 ELSE max(best) END", "f.best <= r.reach"
		low, high = high, low
	}
	var best strings.Builder
	rows := make([]string, len(feedSources))
	for i, t := range feedSources {
		column := sourceColumn(t)
		best.WriteString(" WHEN '" + string(t) + "' THEN (" + v.db.ActivitiesOf(column, "s.id", "> $2", "< $3", dir) + " LIMIT 1)")
		rows[i] = "SELECT a.id AS id FROM (SELECT n.id, n.best, n.reach FROM near n WHERE n.type = '" + string(t) + "') s" +
			v.db.JoinActivities(v.db.ActivitiesOf(column, "s.id", ">= "+low, "<= "+high, dir)+" LIMIT "+strconv.Itoa(limit))
	}
	return `WITH found AS MATERIALIZED (SELECT s.type, s.id, CASE s.type` + best.String() + ` END AS best
			FROM (SELECT followed_type AS type, followed_id AS id FROM follows WHERE follower_id = $1) s),
		near AS MATERIALIZED (SELECT f.type, f.id, f.best, r.reach FROM (SELECT ` + reach + ` AS reach FROM (
			SELECT DISTINCT best FROM found WHERE best IS NOT NULL ORDER BY best ` + dir + ` LIMIT $4) AS few) AS r
			CROSS JOIN found f WHERE ` + near + `)
		SELECT id, (SELECT count(*) FROM found) FROM (
			SELECT DISTINCT id FROM (` + strings.Join(rows, " UNION ALL ") + `) AS d ORDER BY id ` + dir + ` LIMIT $4) AS page ORDER BY id ` + dir
}

// ActivityIDs lists the activities of a source within a window, or all if the source is zero,
// whether anybody may see them or not. It costs the same for every source.
func (v Lists) ActivityIDs(ctx context.Context, of domain.Subject, w domain.Window) ([]domain.ActivityID, error) {
	args := sqlx.Args{w.After, w.Before, w.Limit}
	dir := sqlx.Direction(!w.Rising)
	query := "SELECT id FROM activities WHERE id > $1 AND id < $2 ORDER BY id " + dir
	if of.Type != "" {
		query = v.db.ActivitiesOf(sourceColumn(of.Type), args.Add(of.ID), "> $1", "< $2", dir)
	}
	rows, err := v.db.Query(ctx, query+sqlx.Limit("$3"), args...)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
}

const activityColumns = `a.id, a.kind, a.actor_id, a.item_type, a.item_id, COALESCE(a.target_type, ''), COALESCE(a.target_id, 0),
	COALESCE(a.channel_id, 0), COALESCE(a.group_id, 0), a.created_at`

func scanActivity(row sqlx.Row) (a domain.Activity, err error) {
	var created int64
	err = row.Scan(&a.ID, &a.Kind, &a.Actor, &a.Item.Type, &a.Item.ID, &a.Target.Type, &a.Target.ID,
		&a.Channel, &a.Group, &created)
	a.CreatedAt = sqlx.Time(created)
	return a, err
}
