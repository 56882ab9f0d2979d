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

// step is a node of a plan that PostgreSQL has executed.
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

// read returns how many rows the step has read. A step that uses the middle of an index has read
// the whole channel, which PostgreSQL does not report.
func (s step) read() float64 {
	if s.Index == "connections_adder" && !strings.Contains(s.Cond, "user_id =") {
		return 1e9
	}
	return (s.Rows + s.Removed) * s.Loops
}

// most returns the step, this one or one below it, that has read the most rows.
func (s step) most() step {
	worst := s
	for _, below := range s.Plans {
		if w := below.most(); w.read() > worst.read() {
			worst = w
		}
	}
	return worst
}

// without returns the steps below this one, recursively, that do not read a table.
func (s step) without(table string) (all []step) {
	for _, below := range s.Plans {
		below.Plans = below.without(table)
		if below.Table != table {
			all = append(all, below)
		}
	}
	return all
}

// No statement reads a whole channel, or all of its private items repeatedly, with custom or
// generic plans. Filtering by user does not either if that user connected everything. The test
// omits counts of search results, up to 10,000.
func TestPlansOfPostgreSQL(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	st := newStage(t, s, db, 20_000, 150)
	// Most channels are small, and generic plans are made for the average channel.
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

// whole matches statements that count up to 10,000 rows, or read the rows that pass a selective
// filter.
var whole = regexp.MustCompile(`AS counted$|AS few WHERE|count\(\*\) OVER \(\)`)

// errUndo rolls back a transaction.
var errUndo = fmt.Errorf("undo")

// carryOut runs a statement again, rolls it back, and returns its plan.
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

// literals returns arguments as SQL literals.
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

// A filter by the connections of a document only examines documents with the words, however many
// others there are, and only once for both the page and the count. By score, those with forms of the words are examined
// apart.
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
		q.Seed++ // or the page would be known
		r.read(func(ctx context.Context, v *store.Snapshot) error {
			statements := 0
			store.Trace(v, func(query string, args []any) {
				if r.note(query, args); strings.Contains(query, "search_words") {
					statements++
				}
			})
			_, err := v.Search(ctx, store.SearchQuery{Search: q, Viewer: st.bob, Words: words.Parse(q.Query)})
			want := 1
			if key == domain.SearchByScore { // another one for forms of the words
				want = 2
			}
			if statements != want {
				t.Errorf("%d statements ask for words, sorted by %d, want %d", statements, key, want)
			}
			return err
		})
	}
	for _, st := range r.all {
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			plan := carryOut(t, db, mode, st, "enable_nestloop = off") // with so many rows that joining everything seems better
			plan.Plans = plan.without("search_words")                  // it reads so few rows at once
			if worst := plan.most(); worst.read() > 2*matching {
				t.Errorf("%s: %s on %s %s %s reads %.0f rows\nin %s", mode, worst.Type, worst.Table, worst.Index, worst.Cond, worst.read(), st.query)
			}
		}
	}
}
