package activity

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// FeedIDs lists the activities within a window of what a user follows, whether they may see
// them or not. Fewer than asked for means there are no more. The cost does not grow with the
// number of activities, and with what is followed by a seek for each.
func (v Lists) FeedIDs(ctx context.Context, user domain.UserID, w domain.Window) ([]domain.ActivityID, error) {
	rows, err := v.db.Query(ctx, v.feed(w.Rising), user, w.After, w.Before, w.Limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
}

// feed finds the feed of the user $1 between $2 and $3, at most $4: first the nearest activity
// of each source, in `best`. The $4 nearest of these bound the feed, and are of few sources:
// only what those have within that reach is read.
func (v Lists) feed(rising bool) string {
	dir, reach, near, within := "DESC", "CASE WHEN count(*) < $4 THEN $2 ELSE min(best) END", "f.best >= r.reach", "x.id <= s.best AND x.id >= s.reach"
	if rising {
		dir, reach, near, within = "ASC", "CASE WHEN count(*) < $4 THEN $3 ELSE max(best) END", "f.best <= r.reach", "x.id >= s.best AND x.id <= s.reach"
	}
	types := []domain.SubjectType{domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup}
	var best strings.Builder
	rows := make([]string, len(types))
	for i, t := range types {
		of := "SELECT x.id FROM activities x WHERE x." + sourceColumn(t) + " = s.id AND x.id > $2 AND x.id < $3 "
		order := "ORDER BY x.id " + dir + " LIMIT "
		best.WriteString(" WHEN '" + string(t) + "' THEN (" + of + order + "1)")
		rows[i] = "SELECT a.id AS id FROM (SELECT n.id, n.best, n.reach FROM near n WHERE n.type = '" + string(t) + "') s" +
			v.db.JoinActivities(of+"AND "+within+" "+order+"$4")
	}
	return `WITH found AS MATERIALIZED (SELECT s.type, s.id, CASE s.type` + best.String() + ` END AS best
			FROM (SELECT followed_type AS type, followed_id AS id FROM follows WHERE follower_id = $1) s),
		near AS MATERIALIZED (SELECT f.type, f.id, f.best, r.reach FROM (SELECT ` + reach + ` AS reach FROM (
			SELECT DISTINCT best FROM found WHERE best IS NOT NULL ORDER BY best ` + dir + ` LIMIT $4) AS few) AS r
			CROSS JOIN found f WHERE ` + near + `)
		SELECT DISTINCT id FROM (` + strings.Join(rows, " UNION ALL ") + `) AS d ORDER BY id ` + dir + ` LIMIT $4`
}

// ActivityIDs lists the activities of a source within a window, of all where it is the zero
// value, whether anybody may see them or not. It costs the same for any source.
func (v Lists) ActivityIDs(ctx context.Context, of domain.Subject, w domain.Window) ([]domain.ActivityID, error) {
	args := sqlx.Args{w.After, w.Before, w.Limit}
	dir := sqlx.Direction(!w.Rising)
	where, order := "id > $1 AND id < $2", "id "+dir
	if of.Type != "" {
		// As pairs: where one source did most of what was done, PostgreSQL plans for any source
		// to walk along all activities.
		column, source := sourceColumn(of.Type), args.Add(of.ID)
		where = fmt.Sprintf("%s IS NOT NULL AND (%s, id) > (%s, $1) AND (%s, id) < (%s, $2)", column, column, source, column, source)
		order = column + " " + dir + ", " + order
	}
	rows, err := v.db.Query(ctx, "SELECT id FROM activities WHERE "+where+" ORDER BY "+order+sqlx.Limit("$3"), args...)
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
