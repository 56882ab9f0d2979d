package activity

import (
	"context"
	"math/bits"
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// FeedIDs lists the activities of the subjects that a user follows, within a window, whether the
// user may see them or not. Fewer than the limit means that there are no more. The cost does not
// grow with the number of activities; it grows by one index seek for each followed subject.
func (v Lists) FeedIDs(ctx context.Context, user domain.UserID, w domain.Window) ([]domain.ActivityID, error) {
	rows, err := v.db.Query(ctx, v.feed(w), user, w.After, w.Before, w.Limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
}

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
	types := []domain.SubjectType{domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup}
	var best strings.Builder
	rows := make([]string, len(types))
	for i, t := range types {
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
		SELECT DISTINCT id FROM (` + strings.Join(rows, " UNION ALL ") + `) AS d ORDER BY id ` + dir + ` LIMIT $4`
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
