package store_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// small are what a plan may scan: values of the statement itself and what comes out
// of its subqueries.
var small = regexp.MustCompile(`^SCAN (\w+ VIRTUAL TABLE.*|CONSTANT ROW|\d+-ROW VALUES CLAUSE|\(subquery-\d+\)|level\d|walk|keys|mine|open|private|visible|p|r|counted|part|found|seen|owned|sees|few|several|paged|ways|here|near|gm|places|extent|page|open_side|private_side|both_sides)$`)

// wide are walks over all of a channel, or over the channels of all groups, where the
// statement needs but a part.
var wide = regexp.MustCompile(`AUTOMATIC|connections_\w+ \(channel_id=\?\)|connections_\w+ \(channel_id=\? AND item_private=\?\)|` +
	`order_nodes USING PRIMARY KEY \(channel_id=\?\)|PRIMARY KEY \(channel_id=\? AND sort=\?( AND level=\?)?\)|channels_owner \(owner_type=\?\)|collaborators_member \(member_type=\?\)`)

// bounded are statements that walk from an end of such a range and stop early.
var bounded = regexp.MustCompile(`^SELECT (max|min)\(k\) FROM|\(SELECT max\(k\) FROM|ORDER BY level DESC, first_key DESC LIMIT 1$|FROM follows f CROSS JOIN channels|` +
	`ORDER BY [cs]\.created_at DESC LIMIT \d|ORDER BY s\.position_key \w+ LIMIT|` + // the newest of a channel, or an end of it
	`AS several|\+w\.rowid IN|` + // what few pass, or as much as is counted
	`^DELETE FROM hidden_connections|` + // all that moderators put away of a channel that ends
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

// young are the statistics of a service with 75 blocks. One that grows with them reads whole
// tables, which is why none are kept.
const young = `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('adder_counts', 'adder_counts', '9 2 1'),
	('applications', 'applications_user', '1 1 1'),
	('applications', 'sqlite_autoindex_applications_1', '1 1'),
	('blocks', 'blocks_user', '75 15 1 1'),
	('channels', 'channels_owner', '8 8 2 2'),
	('channels', 'channels_user', '8 2 2 1'),
	('channels', 'sqlite_autoindex_channels_1', '8 1'),
	('connections', 'connections_adder', '95 12 11 1'),
	('connections', 'connections_created', '95 12 12 1'),
	('connections', 'connections_item', '95 48 2 1 1'),
	('connections', 'connections_position', '95 12 12 1'),
	('connections', 'connections_updated', '95 12 12 1 1'),
	('connections', 'sqlite_autoindex_connections_1', '95 12 8 1'),
	('content_counts', 'content_counts', '44 44 9 4 1'),
	('feed_sources', 'feed_sources', '3 2 1'),
	('follower_ranks', 'follower_ranks', '2 1 1 1'),
	('follows', 'follows_followed', '2 1 1 1'),
	('follows', 'follows_follower', '2 2 2 1'),
	('follows', 'follows_follower_type', '2 2 1 1 1'),
	('follows', 'sqlite_autoindex_follows_1', '2 2 1 1'),
	('order_nodes', 'order_nodes', '16 2 1 1 1'),
	('search_closed', NULL, '18'),
	('search_documents', 'search_documents_author_created', '88 18 13 1 1 1'),
	('search_documents', 'search_documents_author_updated', '88 18 13 1 1 1'),
	('search_documents', 'search_documents_created', '88 44 2 1 1'),
	('search_documents', 'search_documents_links', '88 44 15 1 1'),
	('search_documents', 'search_documents_name', '88 44 6 1 1'),
	('search_documents', 'search_documents_pending', '75 1'),
	('search_documents', 'search_documents_random', '88 44 1 1 1'),
	('search_documents', 'search_documents_type', '88 22 13 2 1'),
	('search_documents', 'search_documents_updated', '88 44 2 1 1'),
	('search_documents', 'sqlite_autoindex_search_documents_1', '88 30 1'),
	('slugs', 'slugs', '13 7 1'),
	('tokens', 'sqlite_autoindex_tokens_1', '1 1'),
	('tokens', 'tokens_user', '1 1 1'),
	('updated_counts', 'updated_counts', '285 36 12 1'),
	('users', 'sqlite_autoindex_users_1', '5 1'),
	('users', 'sqlite_autoindex_users_2', '5 1')`

// statistics are those with which statements are planned. A server has none; an operator's
// ANALYZE makes some until it starts again.
var statistics = []struct{ whose, insert string }{{"no", ""}, {"a large service's", inUse}, {"a young service's", young}}

// setStatistics puts statistics in the place of others.
func setStatistics(t *testing.T, db *database.DB, insert string) {
	t.Helper()
	if insert != "" {
		storetest.Exec(t, db, "ANALYZE") // makes the table
		storetest.Exec(t, db, "DELETE FROM sqlite_stat1")
		storetest.Exec(t, db, insert)
	}
}

func TestPlansOfSQLite(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.SQLite(t)
	s, db := storetest.OpenDB(t, o)
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	st := newStage(t, s, db, 600, 20)
	st.reads(r, 2)
	st.reads(r, 13) // in the middle
	st.searches(r, 2)
	st.nearby(r)
	st.writes(r)
	if len(r.all) < 60 {
		t.Fatalf("only %d statements were recorded", len(r.all))
	}
	for _, stats := range statistics[:2] {
		_, fresh := storetest.OpenDB(t, o) // a connection reads statistics when it is made
		setStatistics(t, db, stats.insert)
		for _, st := range r.all {
			for _, step := range planOf(t, fresh, st) {
				if strings.HasPrefix(step, "SCAN") && !small.MatchString(step) ||
					wide.MatchString(step) && !bounded.MatchString(st.query) {
					t.Errorf("with %s statistics: %s\nin %s", stats.whose, step, st.query)
				}
			}
		}
	}
	storetest.Check(t, s)
}

// planStep is a step of a plan of SQLite; inner ones are made for each row of another.
type planStep struct {
	text  string
	inner bool
}

// planOf gives the steps that SQLite plans for a statement.
func planOf(t *testing.T, db *database.DB, st statement) (texts []string) {
	t.Helper()
	for _, step := range planSteps(t, db, st) {
		texts = append(texts, step.text)
	}
	return texts
}

func planSteps(t *testing.T, db *database.DB, st statement) (steps []planStep) {
	t.Helper()
	err := db.View(t.Context(), func(q database.Querier) error {
		rows, err := q.Query(t.Context(), "EXPLAIN QUERY PLAN "+st.query, st.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		inner := map[int]bool{}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				return err
			}
			inner[id] = inner[parent] || strings.HasPrefix(step, "CORRELATED")
			steps = append(steps, planStep{step, inner[id]})
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatalf("%v in %s", err, st.query)
	}
	return steps
}

// No check asks for all of a table for each row of another, whatever statistics say.
func TestPlansOfChecks(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.SQLite(t)
	_, db := storetest.OpenDB(t, o)
	for _, stats := range statistics {
		_, fresh := storetest.OpenDB(t, o)
		setStatistics(t, db, stats.insert)
		for what, query := range store.CheckQueries() {
			for _, step := range planSteps(t, fresh, statement{query: query}) {
				whole := strings.HasPrefix(step.text, "SCAN") && !strings.Contains(step.text, "CONSTANT") && !strings.Contains(step.text, "VIRTUAL")
				if step.inner && whole {
					t.Errorf("with %s statistics: %s: %s for each row", stats.whose, what, step.text)
				}
			}
		}
	}
}
