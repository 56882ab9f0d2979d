package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/store/storetest"
)

// asWrittenBefore turns blocks into rows as versions before canonical URLs wrote them: the URL as it was
// sent, and a document with other keys and words.
func asWrittenBefore(t *testing.T, db *database.DB, url string, blocks ...domain.BlockID) {
	t.Helper()
	for _, id := range blocks {
		storetest.Exec(t, db, `UPDATE blocks SET source_url = $2, value_url = $2 WHERE id = $1`, id, url)
		storetest.Exec(t, db, `UPDATE search_documents SET source_key = 7, value_key = 7, digest = 7 WHERE kind = 'Block' AND item_id = $1`, id)
	}
}

func refreshDocuments(t *testing.T, s *store.Store, n int, now time.Time) (found int) {
	t.Helper()
	err := s.InTx(t.Context(), func(tx *store.Tx) (err error) {
		found, err = tx.Documents().RefreshDocuments(t.Context(), n, now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRefreshDocuments: after the job, blocks of an earlier version are found by the words and the
// address of their URLs, and duplicates are found.
func TestRefreshDocuments(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada := storetest.User(t, s, "ada")
		var all []domain.BlockID
		for i := range 9 {
			all = append(all, storetest.Block(t, s, ada, fmt.Sprint("Moss ", i)))
		}
		asWrittenBefore(t, db, "http://EXÄMPLE.org/ä b", all[1], all[5])
		asWrittenBefore(t, db, "http://fern.invalid/100%", all[8])
		storetest.Exec(t, db, `UPDATE search_documents SET digest = NULL WHERE kind = 'Block' AND item_id = $1`, all[3]) // for index_words
		// The migration finds out whether there is anything to do.
		done := func() (n int64) {
			err := db.View(t.Context(), func(q database.Querier) error {
				return q.QueryRow(t.Context(), `SELECT done FROM backfill_progress WHERE kind = 'refresh_documents'`).Scan(&n)
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if done() == 0 {
			t.Error("there is something to do in a new database")
		}
		storetest.Exec(t, db, "DROP TABLE backfill_progress")
		for _, statement := range migrationStatements(t, db, "0046_refresh_documents.sql") {
			storetest.Exec(t, db, statement)
		}
		if done() != 0 {
			t.Error("there is nothing to do in a database with documents")
		}
		found := func(query string, want ...domain.BlockID) {
			t.Helper()
			var got []domain.BlockID
			for _, i := range search(t, s, ada, domain.Search{Query: query, Page: domain.Page{Number: 1, Per: 20}}).Items {
				got = append(got, domain.BlockID(i.ID))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		found("exämple")
		found("http://xn--exmple-cua.org/%C3%A4%20b")
		killed := errors.New("killed")
		before := done()
		if err := s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Documents().RefreshDocuments(t.Context(), 4, storetest.Now)
			return errors.Join(err, killed)
		}); !errors.Is(err, killed) || done() != before {
			t.Errorf("%v, done %d", err, done())
		}
		for batch := range 10 {
			n := refreshDocuments(t, s, 4, storetest.Now)
			if n > 4 {
				t.Errorf("%d documents in a batch", n)
			}
			if n < 4 {
				break
			}
			if batch == 9 {
				t.Fatal("the job does not end")
			}
		}
		if n := refreshDocuments(t, s, 4, storetest.Now); n != 0 {
			t.Errorf("%d documents after the end", n)
		}
		found("exämple", all[1], all[5])
		for _, address := range []string{"http://xn--exmple-cua.org/%C3%A4%20b", "https://www.exämple.org/ä%20b/?utm_source=x"} {
			found(address, all[1], all[5])
		}
		found("http://fern.invalid/100%25", all[8])
		if err := s.InTx(t.Context(), func(tx *store.Tx) error { _, err := tx.Documents().IndexPending(t.Context(), 9); return err }); err != nil {
			t.Fatal(err)
		}
		// A new block has the same key as those of the earlier version.
		var keys []int64
		link := domain.BlockID(0)
		err := s.InTx(t.Context(), func(tx *store.Tx) (err error) {
			url := "http://xn--exmple-cua.org/%C3%A4%20b"
			link, err = tx.Blocks().CreateBlock(t.Context(), domain.Block{Type: domain.LinkBlock, State: domain.Available, SourceURL: &url, ValueURL: &url,
				Author: domain.Principal{PrincipalRef: domain.UserRef(ada)}}, storetest.Now)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(t.Context(), func(q database.Querier) error {
			rows, err := q.Query(t.Context(), `SELECT source_key FROM search_documents WHERE kind = 'Block' AND item_id IN ($1, $2, $3)`, all[1], all[5], link)
			keys, err = sqlx.Collect(t.Context(), rows, err, func(row sqlx.Row) (k int64, err error) { return k, row.Scan(&k) })
			return err
		})
		if err != nil || len(keys) != 3 || keys[0] != keys[1] || keys[1] != keys[2] || keys[0] == 0 {
			t.Errorf("the keys are %v, %v", keys, err)
		}
	})
}

// TestRefreshDocumentsAgain: while a site is upgraded, old nodes write documents behind the job, even into
// a database that had none. A day later the job goes through all of them once more.
func TestRefreshDocumentsAgain(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		left := func(want int64) {
			t.Helper()
			all, err := s.Backfills().Backfills(t.Context())
			if err != nil || !slices.Contains(all, derived.BackfillLeft{Kind: "refresh_documents", Rows: want}) {
				t.Errorf("%+v, %v; want %d", all, err, want)
			}
		}
		key := func(id domain.BlockID) (k int64) {
			t.Helper()
			err := db.View(t.Context(), func(q database.Querier) error {
				return q.QueryRow(t.Context(), `SELECT source_key FROM search_documents WHERE kind = 'Block' AND item_id = $1`, id).Scan(&k)
			})
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		pass := func(now time.Time) (found int) {
			t.Helper()
			for range 10 {
				n := refreshDocuments(t, s, 2, now)
				if found += n; n < 2 {
					left(0)
					return found
				}
			}
			t.Fatal("the pass does not end")
			return 0
		}
		left(0)
		if n := pass(storetest.Now); n != 0 {
			t.Errorf("%d documents in an empty database", n)
		}
		ada := storetest.User(t, s, "ada")
		moss, fern := storetest.Block(t, s, ada, "Moss"), storetest.Block(t, s, ada, "Fern")
		asWrittenBefore(t, db, "http://EXÄMPLE.org/", moss)
		left(0)
		if n := pass(storetest.Now.Add(24*time.Hour - 1)); n != 0 || key(moss) != 7 {
			t.Errorf("%d documents before the second pass", n)
		}
		second := storetest.Now.Add(24 * time.Hour)
		if n := refreshDocuments(t, s, 2, second); n != 2 {
			t.Errorf("%d documents in the first batch of the second pass", n)
		}
		left(1)
		if n := pass(second.Add(time.Hour)); n != 1 || key(moss) == 7 {
			t.Errorf("%d documents in the rest of the second pass, the key is %d", n, key(moss))
		}
		asWrittenBefore(t, db, "http://EXÄMPLE.org/", fern)
		if n := pass(second.Add(1000 * time.Hour)); n != 0 || key(fern) != 7 {
			t.Errorf("%d documents after the last pass", n)
		}
		storetest.Exec(t, db, `UPDATE blocks SET source_url = NULL, value_url = NULL WHERE id = $1`, fern)
		storetest.Exec(t, db, `UPDATE search_documents SET digest = NULL WHERE kind = 'Block' AND item_id = $1`, fern)
		if err := s.InTx(t.Context(), func(tx *store.Tx) error { _, err := tx.Documents().IndexPending(t.Context(), 9); return err }); err != nil {
			t.Fatal(err)
		}
	})
}
