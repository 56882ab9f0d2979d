package store_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Migrations never lose data. The test copies a database into one of each older version and
// migrates it. Then every row must be unchanged, all derived values must match the facts, and
// searches and lists must return the same results. The light version begins at every eighth version,
// and at the newest.
//
// If this fails for a new table, add a row of it to seed (migration_seed_test.go). If a
// migration changes the meaning of a column, compare its rows without it.
func TestMigrationsKeepEverything(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		w := newFixture(t, s, 7)
		for range 120 {
			w.step()
		}
		w.seed(db)
		sumTexts(t, db)
		all := readTables(t, db)
		for _, table := range all {
			if len(table.rows) == 0 && table.name != "feed_entries" { // this table is not used any more
				t.Errorf("%s is empty: nothing shows whether its rows are kept", table.name)
			}
		}
		want := w.answers(s)
		names, err := fs.Glob(store.Migrations(db.Dialect()), "*.sql")
		if err != nil {
			t.Fatal(err)
		}
		every := heavy.Count(8, 1)
		for i, name := range names {
			if name > "0005" && (len(names)-1-i)%every == 0 { // upgrades from version 4 and later
				t.Run("before "+name, func(t *testing.T) { w.upgraded(t, db.Dialect(), name, all, want) })
			}
		}
	})
}

// upgraded migrates a copy of everything, in the schema from before a migration, to the newest
// version.
func (w *fixture) upgraded(t *testing.T, d database.Dialect, name string, all []tableRows, want []string) {
	options := new(dbtest.Template).SQLite
	if d == database.Postgres {
		options = new(dbtest.Template).Postgres
	}
	s, db := storetest.OpenDB(t, options(t))
	if _, err := db.Migrate(t.Context(), before(t, d, name)); err != nil {
		t.Fatal(err)
	}
	written := writeTables(t, db, all)
	if slices.ContainsFunc(written, func(r tableRows) bool { return r.name == "search_documents" }) {
		storetest.Exec(t, db, "UPDATE search_documents SET digest = NULL") // the words are not copied
	}
	if _, err := db.Migrate(t.Context(), store.Migrations(d)); err != nil {
		t.Fatal(err)
	}
	indexAll(t, s)
	storetest.Check(t, s)
	for _, was := range written {
		if was.name == "search_removals" || was.name == "backfill_progress" {
			continue // indexing again counts the words that it replaces, and migrations start jobs again
		}
		is := readRows(t, db, "SELECT * FROM "+was.name).only(was.columns)
		if a, b := was.lines(), is.lines(); !slices.Equal(a, b) {
			t.Errorf("%s: %d rows, were %d\n%q, were\n%q", was.name, len(b), len(a), except(b, a), except(a, b))
		}
	}
	for i, answer := range w.answers(s) {
		if answer != want[i] {
			t.Errorf("%s, was\n%s", answer, want[i])
		}
	}
}

// except returns the strings in one list that are not in the other.
func except(some, others []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(s string) bool { return slices.Contains(others, s) })
}

// indexAll does the work of the job after an upgrade, in small steps.
func indexAll(t *testing.T, s *store.Store) {
	t.Helper()
	for n := 1; n > 0; {
		storetest.In(t, s, func(tx *store.Tx) (err error) {
			n, err = tx.Documents().IndexPending(t.Context(), 50)
			return err
		})
	}
}

// answers returns what everyone finds by each word, and sees among the items of each user and
// group.
func (w *fixture) answers(s *store.Store) (all []string) {
	page := domain.Page{Number: 1, Per: 100}
	by := domain.SearchSort{Key: domain.SearchByCreated, Desc: true}
	var owners []domain.PrincipalRef
	for _, u := range w.users {
		owners = append(owners, domain.UserRef(u))
	}
	for _, g := range keys(w.groups) {
		owners = append(owners, domain.GroupRef(g))
	}
	for _, viewer := range append(slices.Clone(w.users), 0) {
		for _, word := range append([]string{"Ada", "Group"}, fixtureWords...) {
			l := search(w.t, s, viewer, domain.Search{Query: word, Page: page, Sort: by})
			all = append(all, fmt.Sprintf("%d finds %s: %v (%d)", viewer, word, l.Items, l.Total))
		}
		for _, owner := range owners {
			l := ownerContents(w.t, s, store.OwnerContentsQuery{Viewer: viewer, Owner: owner, Page: page, Sort: by})
			all = append(all, fmt.Sprintf("%d sees of %v: %v (%d)", viewer, owner, l.Items, l.Total))
		}
	}
	return all
}
