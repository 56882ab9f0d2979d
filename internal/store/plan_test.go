package store_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/store/storetest"
)

// small are what a plan may scan: values of the statement itself and what comes out
// of its subqueries.
var small = regexp.MustCompile(`^SCAN (\w+ VIRTUAL TABLE.*|CONSTANT ROW|\d+-ROW VALUES CLAUSE|\(subquery-\d+\)|level\d|walk|keys|mine|open|private|visible|p|r|counted|part|found|seen|owned|sees|few|several|paged|ways)$`)

// wide are walks over all of a channel, or over the channels of all groups, where the
// statement needs but a part.
var wide = regexp.MustCompile(`AUTOMATIC|connections_\w+ \(channel_id=\?\)|connections_\w+ \(channel_id=\? AND item_private=\?\)|` +
	`order_nodes USING PRIMARY KEY \(channel_id=\?\)|PRIMARY KEY \(channel_id=\? AND sort=\?( AND level=\?)?\)|channels_owner \(owner_type=\?\)|collaborators_member \(member_type=\?\)`)

// bounded are statements that walk from an end of such a range and stop early.
var bounded = regexp.MustCompile(`^SELECT (max|min)\(k\) FROM|ORDER BY level DESC, first_key DESC LIMIT 1$|FROM follows f CROSS JOIN channels|` +
	`AS several|\+w\.rowid IN|` + // what few pass, or as much as is counted
	`item_private = TRUE AND ch\.id = c\.item_id|AS part UNION ALL SELECT`) // private items where they are few, or a merge that stops early

// inUse are the statistics of a service in use, as bench/gen makes one: a channel of
// 1,000,000 among 5,000 that are mostly small.
const inUse = `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('blocks', 'blocks_user', '1201000 401 1 1'),
	('collaborators', 'collaborators_member', '1515 201 5 1'),
	('collaborators', 'collaborators', '1515 3 2 1'),
	('order_nodes', 'order_nodes', '49184 6 3 3 1'),
	('channels', 'channels_user', '5002 31 1 1'),
	('channels', 'channels_owner', '5002 401 17 6'),
	('channels', 'sqlite_autoindex_channels_1', '5002 1'),
	('connections', 'connections_item', '1301000 401 401 1 1'),
	('connections', 'connections_adder', '1301000 401 401 1'),
	('connections', 'connections_updated', '1301000 401 401 1 1'),
	('connections', 'connections_created', '1301000 401 401 1'),
	('connections', 'connections_position', '1301000 401 401 1'),
	('connections', 'sqlite_autoindex_connections_1', '1301000 401 401 1'),
	('slugs', 'slugs', '7042 267 1'),
	('group_members', 'group_members_user', '160 1 1'),
	('group_members', 'group_members', '160 4 1'),
	('groups', 'sqlite_autoindex_groups_1', '40 1'),
	('users', 'sqlite_autoindex_users_2', '2000 1'),
	('users', 'sqlite_autoindex_users_1', '2000 1'),
	('tokens', 'tokens_user', '4000 2 1'),
	('tokens', 'sqlite_autoindex_tokens_1', '4000 1')`

func TestPlansOfSQLite(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.SQLite(t)
	s, db := storetest.OpenDB(t, o)
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	st := newStage(t, s, db, 600, 20)
	st.reads(r, 2)
	st.reads(r, 13) // in the middle
	st.searches(r, 2)
	st.writes(r)
	if len(r.all) < 60 {
		t.Fatalf("only %d statements were recorded", len(r.all))
	}
	for _, statistics := range []string{"no", "a large service's"} {
		if statistics != "no" {
			storetest.Exec(t, db, "ANALYZE") // makes the table
			storetest.Exec(t, db, "DELETE FROM sqlite_stat1")
			storetest.Exec(t, db, inUse)
		}
		_, fresh := storetest.OpenDB(t, o) // a connection reads statistics when it is made
		for _, st := range r.all {
			for _, step := range planOf(t, fresh, st) {
				if strings.HasPrefix(step, "SCAN") && !small.MatchString(step) ||
					wide.MatchString(step) && !bounded.MatchString(st.query) {
					t.Errorf("with %s statistics: %s\nin %s", statistics, step, st.query)
				}
			}
		}
	}
	storetest.Check(t, s)
}

// planOf gives the steps that SQLite plans for a statement.
func planOf(t *testing.T, db *database.DB, st statement) (steps []string) {
	t.Helper()
	err := db.View(t.Context(), func(q database.Querier) error {
		rows, err := q.Query(t.Context(), "EXPLAIN QUERY PLAN "+st.query, st.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				return err
			}
			steps = append(steps, step)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatalf("%v in %s", err, st.query)
	}
	return steps
}
