package store

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// With statistics that say that most channels have few nodes, the statements on the
// orders still find each node by its whole key, whatever else would be cheaper for
// such channels.
func TestOrderPlans(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := database.Open(ctx, database.Options{URL: filepath.Join(t.TempDir(), "plan.db"), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(ctx, Migrations(db.Dialect())); err != nil {
		t.Fatal(err)
	}
	s := New(db)
	if err := s.InTx(ctx, manyNodes(ctx)); err != nil {
		t.Fatal(err)
	}
	if err := s.Analyze(ctx); err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`level=\? AND first_key[<>=]`)
	for name, query := range map[string]string{"addToPath": addToPath, "ranks": ranksText[false]} {
		seen := 0
		for _, step := range plan(t, s, query) {
			if strings.Contains(step, "(channel_id") && !strings.Contains(step, "connections_") {
				seen++
				if !whole.MatchString(step) {
					t.Errorf("%s: %s", name, step)
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no step reads nodes", name)
		}
	}
}

// manyNodes makes channels of one node per order, and one of 3,000.
func manyNodes(ctx context.Context) func(tx *Tx) error {
	return func(tx *Tx) error {
		if err := tx.exec(ctx, `INSERT INTO users (slug, name, email, password_hash, tier, created_at, updated_at)
			VALUES ('ada', 'Ada', 'ada@example.org', '', 'free', 0, 0)`); err != nil {
			return err
		}
		for id := 1; id <= 2000; id++ {
			err := tx.exec(ctx, `INSERT INTO channels (id, slug, title, visibility, owner_type, owner_id, user_id, created_at, updated_at)
				VALUES ($1, $2, 'x', 'closed', 'User', 1, 1, 0, 0)`, id, fmt.Sprint("c", id))
			if err != nil {
				return err
			}
			for key := range map[bool]int{true: 3000, false: 1}[id == 1] {
				if err := (order{tx.Queries, domain.ChannelID(id), positionOrder}).put(ctx, node{level: 0, first: int64(key), n: 1}); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func plan(t *testing.T, s *Store, query string) (steps []string) {
	t.Helper()
	args := []any{1, 0, 5, 1, 0}
	if !strings.Contains(query, "$2") {
		args = []any{"[1]"}
	}
	rows, err := s.q.Query(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	steps, err = collect(t.Context(), rows, err, func(row scanner) (step string, err error) {
		var id, parent, unused int64
		err = row.Scan(&id, &parent, &unused, &step)
		return step, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps
}
