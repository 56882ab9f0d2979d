package store

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/domain"
)

// FeedIDs lists the activities within a window that what a user follows gives to their
// feed, whether they may see them or not. Fewer than asked for means there are no more.
// The cost does not grow with the number of activities, and with what is followed only
// by a seek for each source that is pulled.
func (v *Snapshot) FeedIDs(ctx context.Context, user domain.UserID, w domain.Window) ([]domain.ActivityID, error) {
	_, dir := direction(!w.Rising)
	rows, err := v.q.Query(ctx, `SELECT DISTINCT activity_id FROM feed_entries
		WHERE user_id = $1 AND activity_id > $2 AND activity_id < $3 ORDER BY activity_id `+dir+` LIMIT $4`,
		user, w.After, w.Before, w.Limit)
	ids, err := collect(ctx, rows, err, scanActivityID)
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
	rows, err = v.q.Query(ctx, v.pulledFeed(w.Rising), user, reach.After, reach.Before, reach.Limit)
	pulled, err := collect(ctx, rows, err, scanActivityID)
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

func scanActivityID(row scanner) (id domain.ActivityID, err error) {
	err = row.Scan(&id)
	return id, err
}

// pulledFeed fetches what was not copied for the user $1, between $2 and $3, at most $4:
// first the nearest activity of each such source, then, of the sources with the nearest
// ones, all that may be among the first $4. An activity has up to three sources, so that
// many times $4 sources have $4 different nearest ones.
func (v *Snapshot) pulledFeed(rising bool) string {
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
			v.d.each(of+best+` ORDER BY x.id `+dir+` LIMIT $4`)
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

const activityColumns = `a.id, a.kind, a.actor_id, a.item_type, a.item_id, COALESCE(a.target_type, ''), COALESCE(a.target_id, 0),
	COALESCE(a.channel_id, 0), COALESCE(a.group_id, 0), a.created_at`

func scanActivity(row scanner) (a domain.Activity, err error) {
	var created int64
	err = row.Scan(&a.ID, &a.Kind, &a.Actor, &a.Item.Type, &a.Item.ID, &a.Target.Type, &a.Target.ID,
		&a.Channel, &a.Group, &created)
	a.CreatedAt = instant(created)
	return a, err
}

// OldestChannels gives for each block the channel it has been in for the longest, of
// those that the viewer may see; blocks without one are missing.
func (v *Snapshot) OldestChannels(ctx context.Context, viewer domain.UserID, blocks []domain.BlockID) (map[domain.BlockID]domain.ChannelID, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	type place struct {
		block   domain.BlockID
		channel *domain.ChannelID
	}
	rows, err := v.q.Query(ctx, `SELECT b.id, (SELECT ch.id FROM connections c JOIN channels ch ON ch.id = c.channel_id
			WHERE c.item_type = 'Block' AND c.item_id = b.id AND `+visibleChannel+` ORDER BY c.created_at, c.id LIMIT 1)
		FROM blocks b WHERE `+v.d.in("b.id", "$2"), viewer, list(v.d, blocks))
	all, err := collect(ctx, rows, err, func(row scanner) (p place, err error) {
		err = row.Scan(&p.block, &p.channel)
		return p, err
	})
	byBlock := make(map[domain.BlockID]domain.ChannelID, len(all))
	for _, p := range all {
		if p.channel != nil {
			byBlock[p.block] = *p.channel
		}
	}
	return byBlock, err
}
