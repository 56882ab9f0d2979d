package store_test

import (
	"slices"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// The check finds a document that is missing from SQLite's list of closed ones, and one that
// remained in it.
func TestCheckOfClosedDocuments(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.SQLite(t))
	ada := storetest.User(t, s, "Ada")
	storetest.Block(t, s, ada, "in no channel")
	for change, want := range map[string]string{
		"DELETE FROM search_closed":                                    "search_closed missing for documents",
		"INSERT INTO search_closed (seq, author_id) VALUES (99999, 0)": "search_closed of nothing closed",
	} {
		storetest.Exec(t, db, change)
		found, err := s.Check(t.Context(), 10)
		if err != nil || !slices.ContainsFunc(found, func(d store.Difference) bool { return d.What == want }) {
			t.Errorf("after %s: %v, %v", change, found, err)
		}
	}
}
