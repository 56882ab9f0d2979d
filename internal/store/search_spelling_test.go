package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

func correct(t *testing.T, s *store.Store, viewer domain.UserID, q domain.Search, note ...func(query string, args []any)) (c store.Correction) {
	t.Helper()
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
		for _, n := range note {
			store.Trace(v, n)
		}
		var err error
		c, err = v.Correct(t.Context(), store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
		return err
	})
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return c
}

// Words that find little are corrected by the closest words, of these by the one with most results.
func TestCorrections(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		for _, text := range []string{"modern language", "modern languages", "modern architecture", "Häuser am Fluss", "весь город", "lamp", "lamb", "lamb and land",
			"land of lamb", "typography", "東京 station", "modern times", "straße", "internationalisation"} {
			storetest.Block(t, s, ada, text)
		}
		for query, want := range map[string]store.Correction{
			"langauge":                   {Query: "language", Found: 1},
			"Langauge,":                  {Query: "language", Found: 1},
			"languag":                    {Query: "language", Found: 1},
			"langage modern":             {Query: "language modern", Found: 1},
			"modren langauge":            {Query: "modern language", Found: 1},
			"modern langauge -times":     {Query: "modern language -times", Found: 1},
			"modern langauge -modern":    {},
			`"modern" langauge`:          {Query: `"modern" language`, Found: 1},
			`"langauge"`:                 {},
			"title:langauge":             {},
			"-langauge":                  {},
			"lampp":                      {Query: "lamp", Found: 1},
			"lamx":                       {Query: "lamb", Found: 3}, // with more results than lamp
			"alnd":                       {Query: "land", Found: 2},
			"lnad":                       {Query: "land", Found: 2}, // the middle letters are exchanged
			"lam x":                      {},
			"lxyb":                       {}, // two mistakes in a short word
			"Häusre":                     {Query: "hauser", Found: 1},
			"hauesr":                     {Query: "hauser", Found: 1},
			"городд":                     {Query: "город", Found: 1},
			"strase":                     {Query: "strasse", Found: 1},
			"typogrphay":                 {Query: "typography", Found: 1},
			"tpyograpyh":                 {}, // one mistake in the first third and one in the last
			"typograaphyy":               {Query: "typography", Found: 1},
			"architecutre":               {Query: "architecture", Found: 1},
			"rachietcture":               {Query: "architecture", Found: 1},
			"statoin":                    {Query: "station", Found: 1},
			"东京站":                        {},
			"interationlisation":         {Query: "internationalisation", Found: 1},
			"modern modren mdoern mdern": {},
			"https://langauge":           {},
			"":                           {},
			"...":                        {},
		} {
			for _, limits := range wordLimits() {
				if got := correct(t, s.WithSearchLimits(limits), ada, domain.Search{Query: query}); got != want {
					t.Errorf("%q: %+v, want %+v, few are %d", query, got, want, limits.Rare)
				}
			}
		}
	})
}

// typos are misspelled words of the fixture. No documents have a form of them.
var typos = map[string]string{"mosss": "moss", "omss": "moss", "fren": "fern", "ferm": "fern", "ctiy": "city", "citeis": "cities", "soem": "some"}

// Corrections use a word exactly if the viewer finds it.
func TestCorrectionsShowWhatMayBeSeen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(len(fixtureLimits)) {
		storetest.Each(t, func(t *testing.T, s *store.Store) {
			s = s.WithSearchLimits(fixtureLimits[seed])
			w := newFixture(t, s, seed)
			offered := 0
			for range heavy.Count(15, 80) {
				for range 3 {
					w.step()
				}
				q, viewer, typo := w.question(), anyOf(w.rng, append(w.users, 0)), anyOf(w.rng, sortedKeys(typos))
				if viewer == 0 && q.Scope != "" {
					continue
				}
				for _, other := range []string{"", " -nothing", " -fern"} {
					q.Query = typo + other
					all := w.matching(viewer, q, func(word string, titled bool) bool {
						return (typos[typo] == word || typos[typo] == "some" && !titled) && (other != " -fern" || word != "fern")
					})
					var want store.Correction
					if len(all) > 0 {
						want = store.Correction{Query: typos[typo] + other, Found: int64(len(all))}
						offered++
					}
					if got := correct(t, s, viewer, q); got != want {
						t.Fatalf("%d asks %+v: %+v, want %+v", viewer, q, got, want)
					}
				}
			}
			if offered == 0 {
				t.Error("no correction was offered")
			}
		})
	}
}

func sortedKeys[V any](m map[string]V) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// A private word is offered to its owner only, and the number of statements does not depend on it.
func TestPrivateWordsCorrectNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		open, secret := storetest.Channel(t, s, ada, "Notes", domain.Public), storetest.Channel(t, s, ada, "Plans", domain.Private)
		statements := func(viewer domain.UserID, query string) (n int) {
			correct(t, s, viewer, domain.Search{Query: query}, func(string, []any) { n++ })
			return n
		}
		offers := func(viewer domain.UserID, want string) {
			t.Helper()
			if got := correct(t, s, viewer, domain.Search{Query: "whatlever"}).Query; got != want {
				t.Errorf("%q is offered to %d, want %q", got, viewer, want)
			}
		}
		without := statements(bob, "whatlever")
		private := storetest.Block(t, s, ada, "whatever")
		storetest.Connect(t, s, ada, secret, domain.BlockRef(private), 0)
		offers(bob, "")
		offers(0, "")
		offers(ada, "whatever")
		if n := statements(bob, "whatlever"); n != without {
			t.Errorf("%d statements with a private word, %d without", n, without)
		}
		storetest.Connect(t, s, ada, open, domain.BlockRef(storetest.Block(t, s, ada, "whatlover and whatlovers")), 0)
		offers(bob, "whatlover")
		one := statements(bob, "whatlever")
		storetest.Connect(t, s, ada, secret, domain.BlockRef(storetest.Block(t, s, ada, "whatslever whatleverx whatleve whateleve xhatlever")), 0)
		offers(bob, "whatlover")
		if n := statements(bob, "whatlever"); n != one {
			t.Errorf("%d statements with more private words, %d without", n, one)
		}
		if n := statements(bob, "whatlever"); n > 60 {
			t.Errorf("%d statements", n)
		}
		storetest.Connect(t, s, ada, open, domain.BlockRef(private), 0)
		for i := range 3 {
			storetest.Connect(t, s, ada, open, domain.BlockRef(storetest.Block(t, s, bob, fmt.Sprint("whatever ", i))), 0)
		}
		offers(bob, "whatever")
		offers(0, "whatever")
	})
}

// Each word is written once, and not again after it was committed. A rolled back word is.
func TestSpellingsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada := storetest.User(t, s, "Ada")
		writes := func(text string, fail error) (n int) {
			t.Helper()
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				store.Trace(tx, func(query string, _ []any) {
					if strings.Contains(query, "search_spellings") {
						n++
					}
				})
				if _, err := storetest.NewBlock(t.Context(), tx, ada, text); err != nil {
					return err
				}
				return fail
			})
			if !errors.Is(err, fail) {
				t.Fatal(err)
			}
			return n
		}
		rows := func() (n int) {
			if err := db.Reader().QueryRow(t.Context(), "SELECT count(*) FROM search_spellings WHERE spelling IN ('moss', 'ssom', 'fern', 'nref')").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		killed := errors.New("killed")
		if n := writes("moss moss", killed); n != 0 || rows() != 0 {
			t.Errorf("%d statements of a rolled back transaction, %d rows", n, rows())
		}
		for i, row := range []struct {
			text       string
			want, rows int
		}{{"Moss", 1, 2}, {"moss 17", 0, 2}, {"moss and fern", 1, 4}, {"fern", 0, 4}} {
			if n := writes(row.text, nil); n != row.want || rows() != row.rows {
				t.Errorf("%d: %d statements, %d rows", i, n, rows())
			}
		}
	})
}
