package activity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// FeedIDs lists the activities within a window that what a user follows gives to their
// feed, whether they may see them or not. Fewer than asked for means there are no more.
// The cost does not grow with the number of activities, and with what is followed only
// by a seek for each source that is pulled.
func (v Lists) FeedIDs(ctx context.Context, user domain.UserID, w domain.Window) ([]domain.ActivityID, error) {
	dir := sqlx.Direction(!w.Rising)
	rows, err := v.db.Query(ctx, `SELECT DISTINCT activity_id FROM feed_entries
		WHERE user_id = $1 AND activity_id > $2 AND activity_id < $3 ORDER BY activity_id `+dir+` LIMIT $4`,
		user, w.After, w.Before, w.Limit)
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
	if err != nil {
		return nil, err
	}
	// What was copied reaches so far: what is fetched beyond would come after it.
	reach := w
	if n := len(ids); n == w.Limit && w.Rising {
		reach.Before = ids[n-1]
	} else if n == w.Limit {
		reach.After = ids[n-1]
	}
	rows, err = v.db.Query(ctx, v.pulledFeed(w.Rising), user, reach.After, reach.Before, reach.Limit)
	pulled, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ActivityID])
	if err != nil || len(pulled) == 0 {
		return ids, err
	}
	ids = append(ids, pulled...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if !w.Rising {
		slices.Reverse(ids)
	}
	return ids[:min(len(ids), w.Limit)], nil
}

// pulledFeed fetches what was not copied for the user $1, between $2 and $3, at most $4:
// first the nearest activity of each such source, then, of the sources with the nearest
// ones, all that may be among the first $4. An activity has up to three sources, so that
// many times $4 sources have $4 different nearest ones.
func (v Lists) pulledFeed(rising bool) string {
	dir, best := "DESC", "x.id <= s.best AND x.id > $2"
	if rising {
		dir, best = "ASC", "x.id >= s.best AND x.id < s.below"
	}
	types := []domain.SubjectType{domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup}
	var nearest strings.Builder
	rows := make([]string, len(types))
	for i, t := range types {
		of := `SELECT x.id FROM activities x WHERE x.` + sourceColumn(t) + ` = s.id AND `
		nearest.WriteString(` WHEN '` + string(t) + `' THEN (` + of + `x.id > $2 AND x.id < s.below ORDER BY x.id ` + dir + ` LIMIT 1)`)
		rows[i] = `SELECT a.id AS id FROM (SELECT n.id, n.below, n.best FROM nearest n WHERE n.type = '` + string(t) + `') s` +
			v.db.JoinActivities(of+best+` ORDER BY x.id `+dir+` LIMIT $4`)
	}
	return `WITH sources AS MATERIALIZED (
			SELECT f.followed_type AS type, f.followed_id AS id,
				CASE WHEN f.copied_from < $3 THEN f.copied_from ELSE $3 END AS below
			FROM follows f WHERE f.follower_id = $1 AND f.copied_from > 0 AND f.copied_from > $2),
		found AS MATERIALIZED (SELECT s.type, s.id, s.below, CASE s.type` + nearest.String() + ` END AS best FROM sources s),
		nearest AS MATERIALIZED (SELECT type, id, below, best FROM found WHERE best IS NOT NULL ORDER BY best ` + dir + `
			LIMIT 3 * CAST($4 AS BIGINT))
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
