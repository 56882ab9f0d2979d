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
var small = regexp.MustCompile(`^SCAN (json_each VIRTUAL TABLE.*|CONSTANT ROW|\(subquery-\d+\)|level\d|walk|keys|mine|open|private|visible|r)$`)

// wide are walks over all of a channel, or over the channels of all groups, where the
// statement needs but a part.
var wide = regexp.MustCompile(`AUTOMATIC|connections_\w+ \(channel_id=\?\)|connections_\w+ \(channel_id=\? AND item_private=\?\)|` +
	`PRIMARY KEY \(channel_id=\? AND sort=\?( AND level=\?)?\)|channels_owner \(owner_type=\?\)|collaborators_member \(member_type=\?\)`)

// bounded are statements that walk from an end of such a range and stop early.
var bounded = regexp.MustCompile(`^SELECT (max|min)\(k\) FROM|ORDER BY level DESC, first_key DESC LIMIT 1$|ORDER BY item_updated_at`)

func TestPlansOfSQLite(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.SQLite(t))
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	st := newStage(t, s, db, 600, 20)
	st.reads(r, 2)
	st.writes(r)
	if len(r.all) < 60 {
		t.Fatalf("only %d statements were recorded", len(r.all))
	}
	for _, statistics := range []bool{false, true} {
		if statistics {
			storetest.Exec(t, db, "ANALYZE")
		}
		for _, st := range r.all {
			for _, step := range planOf(t, db, st) {
				if strings.HasPrefix(step, "SCAN") && !small.MatchString(step) ||
					wide.MatchString(step) && !bounded.MatchString(st.query) {
					t.Errorf("with statistics %v: %s\nin %s", statistics, step, st.query)
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
