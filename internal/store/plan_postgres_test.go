package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// step is a node of the plan that PostgreSQL has carried out.
type step struct {
	Type    string  `json:"Node Type"`
	Table   string  `json:"Relation Name"`
	Index   string  `json:"Index Name"`
	Cond    string  `json:"Index Cond"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Plans   []step
}

// read is how many rows the step has looked at. One that goes by the middle of an
// index has looked at all of a channel, and does not say so.
func (s step) read() float64 {
	if s.Index == "connections_adder" && !strings.Contains(s.Cond, "user_id =") {
		return 1e9
	}
	return (s.Rows + s.Removed) * s.Loops
}

// most gives the step, this one or one below it, that has read the most rows.
func (s step) most() step {
	worst := s
	for _, below := range s.Plans {
		if w := below.most(); w.read() > worst.read() {
			worst = w
		}
	}
	return worst
}

// without gives the steps below this one, and below those, that do not read a table.
func (s step) without(table string) (all []step) {
	for _, below := range s.Plans {
		below.Plans = below.without(table)
		if below.Table != table {
			all = append(all, below)
		}
	}
	return all
}

// No statement reads all of a channel, or all of its private items again and again,
// whether planned for its arguments or for any, nor does one by `user_id`, where that
// user connected everything. Left out are counts of what a search finds, up to 10,000.
func TestPlansOfPostgreSQL(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	st := newStage(t, s, db, 20_000, 150)
	// Most channels are small, and plans for any arguments go by most.
	storetest.Exec(t, db, `INSERT INTO channels (id, slug, title, visibility, owner_type, owner_id, user_id, created_at, updated_at)
		SELECT 10000 + i, concat('small-', i), 'x', 'closed', 'User', $1, $1, 1, 1 FROM generate_series(1, 4000) AS g (i)`, st.bob)
	storetest.Exec(t, db, `INSERT INTO connections (channel_id, item_type, item_id, item_updated_at, user_id, position_key, created_at, updated_at)
		SELECT 10000 + 1 + i / 4, 'Block', i, 1, $1, i, i, i FROM generate_series(1, 15900) AS g (i)`, st.bob)
	storetest.Exec(t, db, "ANALYZE")
	deep := &recorder{t: t, s: s, seen: map[string]bool{}}
	st.reads(deep, 420) // in the middle
	st.reads(r, 2)
	st.searches(r, 2)
	st.nearby(r)
	st.writes(r)
	const bound = 2000
	for _, st := range append(deep.all, r.all...) {
		if strings.HasPrefix(st.query, "INSERT") || whole.MatchString(st.query) {
			continue
		}
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			if worst := carryOut(t, db, mode, st).most(); worst.read() > bound {
				t.Errorf("%s: %s on %s %s %s reads %.0f rows\nin %s",
					mode, worst.Type, worst.Table, worst.Index, worst.Cond, worst.read(), st.query)
			}
		}
	}
}

// whole are statements that count up to 10,000, or read what passes a filter that few pass.
var whole = regexp.MustCompile(`AS counted$|AS few WHERE|count\(\*\) OVER \(\)`)

// errUndo ends a transaction that is not to be kept.
var errUndo = fmt.Errorf("undo")

// carryOut runs a statement once more and gives its plan; nothing is kept.
func carryOut(t *testing.T, db *database.DB, mode string, st statement, settings ...string) step {
	t.Helper()
	var plan []struct{ Plan step }
	err := db.Transact(t.Context(), func(tx *database.Tx) error {
		if _, err := tx.Exec(t.Context(), "SET LOCAL plan_cache_mode = "+mode); err != nil {
			return err
		}
		for _, setting := range settings {
			if _, err := tx.Exec(t.Context(), "SET LOCAL "+setting); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(t.Context(), "PREPARE recorded AS "+st.query); err != nil {
			return err
		}
		var text string
		err := tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE recorded"+literals(st.args)).Scan(&text)
		if err == nil {
			err = json.Unmarshal([]byte(text), &plan)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), "DEALLOCATE recorded"); err != nil {
			return err
		}
		return errUndo
	})
	if err != errUndo {
		t.Fatalf("%v in %s", err, st.query)
	}
	return plan[0].Plan
}

// literals writes arguments out.
func literals(args []any) string {
	if len(args) == 0 {
		return ""
	}
	all := make([]string, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case []int64:
			all[i] = "'{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]") + "}'"
		case []byte:
			all[i] = fmt.Sprintf("'\\x%x'", v)
		case *string, *domain.Metadata, nil:
			all[i] = "NULL"
		default:
			all[i] = "'" + strings.ReplaceAll(fmt.Sprint(v), "'", "''") + "'"
		}
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// What a filter asks of the connections of a document is asked of what has the words alone, however
// many others there are, and once for both the page and the count.
func TestPlansOfWordsInChannelOfPostgreSQL(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	const n, matching = 6_000, 1_500
	st := newStage(t, s, db, n, 0)
	storetest.Exec(t, db, `INSERT INTO search_words (rowid, words) SELECT seq, CASE WHEN item_id % 4 = 0 THEN to_tsvector('simple', 'moss') ELSE to_tsvector('simple', 'other') END
		FROM search_documents WHERE kind = 'Block' ON CONFLICT DO NOTHING`)
	storetest.Exec(t, db, "ANALYZE")
	s = s.WithSearchLimits(store.SearchLimits{AtOnce: 10_000, Private: 10_000})
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	for key := domain.SearchByScore; key <= domain.SearchByChance; key++ {
		q := domain.Search{Query: "moss", Channel: st.channel, Sort: domain.SearchSort{Key: key, Desc: true}, Page: domain.Page{Number: 1, Per: 24}}
		if l := search(t, s, st.bob, q); l.Total != matching || len(l.Items) != 24 {
			t.Fatalf("%d on the page, %d in all, want %d", len(l.Items), l.Total, matching)
		}
		r.read(func(ctx context.Context, v *store.Snapshot) error {
			statements := 0
			store.Trace(v, func(query string, args []any) {
				if r.note(query, args); strings.Contains(query, "search_words") {
					statements++
				}
			})
			_, err := v.Search(ctx, store.SearchQuery{Search: q, Viewer: st.bob, Words: words.Parse(q.Query)})
			if statements != 1 {
				t.Errorf("%d statements ask for words, sorted by %d", statements, key)
			}
			return err
		})
	}
	for _, st := range r.all {
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			plan := carryOut(t, db, mode, st, "enable_nestloop = off") // as among so many that a join of all seems better
			plan.Plans = plan.without("search_words")                  // of which so few rows are read at once
			if worst := plan.most(); worst.read() > 2*matching {
				t.Errorf("%s: %s on %s %s %s reads %.0f rows\nin %s", mode, worst.Type, worst.Table, worst.Index, worst.Cond, worst.read(), st.query)
			}
		}
	}
}
