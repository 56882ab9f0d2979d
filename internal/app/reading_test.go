package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/app/reading"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Requests at once for the same passage make one highlight, and the limits hold.
func TestHighlightLimits(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.member("olga") // the operator
		ada := w.member("ada")
		block := storetest.Block(t, w.S.Store, ada.UserID, strings.Repeat("moss fern ", 300))
		add := func(exact string, start int) error {
			_, _, err := w.a.Reading.AddHighlight(w.ctx(), ada, block, reading.HighlightInput{Quote: domain.Quote{Exact: exact, Start: start}})
			return err
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := add("moss fern", 0); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if on, err := w.a.Reading.HighlightsOn(w.ctx(), ada, block); err != nil || len(on) != 1 {
			t.Errorf("%d highlights, %v", len(on), err)
		}
		fill := func(block domain.BlockID, n int) {
			w.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $3)
				INSERT INTO highlights (user_id, block_id, exact, prefix, suffix, start_at, end_at, note, created_at, updated_at)
				SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), 'm', '', '', i, i + 1, '', 5, 5 FROM n`, ada.UserID, block, n)
		}
		fill(block, domain.MaxBlockHighlights-2)
		if err := add("fern", 0); err != nil {
			t.Errorf("the last one: %v", err)
		}
		if err := add("fern", 100); domain.KindOf(err) != domain.Unprocessable {
			t.Errorf("one more: %v", err)
		}
		other := storetest.Block(t, w.S.Store, ada.UserID, "other")
		fill(other, domain.MaxHighlights-domain.MaxBlockHighlights)
		w.Exec("DELETE FROM highlights WHERE block_id = $1 AND start_at > 100", block)
		if n, err := w.S.Store.Reading().CountHighlights(w.ctx(), ada.UserID); err != nil || n >= domain.MaxHighlights {
			t.Fatalf("%d, %v", n, err)
		}
		fill(other, domain.MaxBlockHighlights)
		if err := add("fern", 200); domain.KindOf(err) != domain.Unprocessable {
			t.Errorf("more than all: %v", err)
		}
	})
}

// The oldest places are forgotten.
func TestPlacesAreLimited(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.member("olga") // the operator
		ada := w.member("ada")
		var blocks []domain.BlockID
		for i := range domain.MaxPositions + 2 {
			blocks = append(blocks, storetest.Block(t, w.S.Store, ada.UserID, fmt.Sprint("text ", i)))
			w.must(w.a.Reading.KeepPlace(w.ctx(), ada, blocks[i], 7))
			w.Clock.Advance(1)
		}
		for i, want := range map[int]int64{0: 0, 1: 0, 2: 7, domain.MaxPositions + 1: 7} {
			if o, err := w.a.Reading.Open(w.ctx(), ada, blocks[i]); err != nil || o.Place != want {
				t.Errorf("text %d: at %d, %v", i, o.Place, err)
			}
		}
	})
}

// Deleting a block or an account deletes what readers have done there.
func TestReadingIsForgotten(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.member("olga") // the operator
		ada, bob := w.member("ada"), w.member("bob")
		channel := storetest.Channel(t, w.S.Store, bob.UserID, "Open", domain.Public)
		var blocks [2]domain.BlockID
		for i := range blocks {
			blocks[i] = storetest.Block(t, w.S.Store, bob.UserID, "moss")
			storetest.Connect(t, w.S.Store, bob.UserID, channel, domain.BlockRef(blocks[i]), 0)
			_, _, err := w.a.Reading.AddHighlight(w.ctx(), ada, blocks[i], reading.HighlightInput{Quote: domain.Quote{Exact: "moss"}, Note: "green"})
			w.must(err)
			w.must(w.a.Reading.KeepPlace(w.ctx(), ada, blocks[i], 5))
		}
		left := func(want int) {
			t.Helper()
			for _, table := range []string{"highlights", "reading_places"} {
				if n := len(w.Dump()[table]); n != want {
					t.Errorf("%d %s, want %d", n, table, want)
				}
			}
		}
		left(2)
		w.must(w.a.Collections.DeleteBlock(w.ctx(), bob, blocks[0]))
		left(1)
		w.must(w.S.Store.InTx(w.ctx(), func(tx *store.Tx) error {
			u, err := tx.Users().LockUser(w.ctx(), ada.UserID)
			if err != nil {
				return err
			}
			return tx.Users().AnonymizeAccount(w.ctx(), u.User, w.Clock.Now())
		}))
		left(0)
	})
}
