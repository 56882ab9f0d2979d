package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/store"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/storetest"
)

// The remaining work of backfills, and its upper bound, is counted only with indexes.
func TestBackfills(t *testing.T) {
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		left := func(rows int64, atMost bool) {
			t.Helper()
			got, err := s.Backfills().Backfills(t.Context())
			if want := []derived.BackfillLeft{{Kind: "index_words", Rows: rows, AtMost: atMost}, {Kind: "examine_files"}, {Kind: "refresh_documents"}, {Kind: "find_animations"}, {Kind: "find_looks"}, {Kind: "count_texts"}}; err != nil || !slices.Equal(got, want) {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
		}
		ada := storetest.User(t, s, "ada")
		left(0, false)
		for i := range 3 {
			storetest.Block(t, s, ada, fmt.Sprint("Moss ", i))
		}
		left(0, false)
		storetest.Exec(t, db, `UPDATE search_documents SET digest = NULL WHERE kind = 'Block'`)
		left(3, false)
		if err := s.InTx(t.Context(), func(tx *store.Tx) error { _, err := tx.Documents().IndexPending(t.Context(), 2); return err }); err != nil {
			t.Fatal(err)
		}
		left(1, false)
		numbers := `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)`
		storetest.Exec(t, db, `INSERT INTO search_documents (seq, kind, item_id, type, author_id, open, links, random_key, created_at, updated_at)
			`+numbers+` SELECT 1000000 + 2 * i, 'Block', 1000000 + i, 'Text', 1, FALSE, 0, i, 5, 5 FROM n WHERE i < 10000`)
		left(10_000, false)
		storetest.Exec(t, db, `UPDATE search_documents SET digest = NULL WHERE seq = (SELECT min(seq) FROM search_documents)`)
		left(1_019_998, true)

		storetest.Exec(t, db, `INSERT INTO blobs (hash, object, size, used_at, stored_at, clean_size) `+numbers+` SELECT CAST(i AS TEXT), CAST(i AS TEXT), 1, 1, 1, 1 FROM n`)
		storetest.Exec(t, db, `INSERT INTO files (key, user_id, blob_id, name, content_type, extension, size, resized, created_at, animated)
			`+numbers+` SELECT CAST(i AS TEXT), 1, (SELECT min(id) FROM blobs), 'a.gif', 'image/gif', 'gif', 1, 'jpg', 1, FALSE FROM n`)
		storetest.Exec(t, db, `INSERT INTO byte_usage (user_id, unused, files) `+numbers+` SELECT 1000000 + i, 0, 0 FROM n`)
		storetest.Exec(t, db, "ANALYZE")
		for _, b := range derived.Backfills {
			count, span := b.Queries()
			for _, query := range []string{count, span} {
				index := cmp.Or(b.Index, map[database.Dialect]string{database.SQLite: "USING INTEGER PRIMARY KEY (rowid>?)", database.Postgres: "search_documents_pkey"}[db.Dialect()])
				if plan := planned(t, db, query); !strings.Contains(plan, index) {
					t.Errorf("%s is not read by %s:\n%s", b.Kind, index, plan)
				}
			}
		}
		storetest.Exec(t, db, `DELETE FROM search_documents WHERE item_id > 1000000`) // documents without an item
		storetest.Exec(t, db, `DELETE FROM files`)
		storetest.Exec(t, db, `DELETE FROM blobs`)
		storetest.Exec(t, db, `DELETE FROM byte_usage WHERE user_id > 1000000`)
	})
}

// planned returns the plan of a statement, as the database prints it.
func planned(t *testing.T, db *database.DB, query string) string {
	t.Helper()
	if db.Dialect() == database.SQLite {
		return strings.Join(planOf(t, db, statement{query: query}), "\n")
	}
	var plan []string
	err := db.View(t.Context(), func(q database.Querier) error {
		rows, err := q.Query(t.Context(), "EXPLAIN "+query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			plan = append(plan, line)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}
