package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// vocabulary is the number of words that typos adds to those of the data set.
const vocabulary = 1_000_000

// misspelled are queries by name. Words of the data set are frequent; the other words are in no document.
var misspelled = []struct{ name, query string }{
	{"a frequent word", "abmer"}, {"a frequent word of two", "harbour abmer"}, {"two words", "abmer habrour"}, {"a short word", "rino"},
	{"a word that is close to none", "qqzzqqzz"}, {"with a common beginning and end", "condatiotion"}, {"a long word", "conredatisaliment"},
}

// typos measures how long corrections take with many words.
func (cmd command) typos(ctx context.Context, b bench) error {
	if err := b.addSpellings(ctx); err != nil {
		return err
	}
	fmt.Printf("%-42s %8s %8s %s\n", "case, ms", "median", "longest", "corrected")
	for _, m := range misspelled {
		var all times
		var c store.Correction
		for range cmd.Rounds {
			err := all.spend(b, func() error {
				return b.s.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
					c, err = v.Correct(ctx, store.SearchQuery{Search: domain.Search{Query: m.query}, Viewer: domain.UserID(cmd.Viewer), Words: words.Parse(m.query)})
					return err
				})
			})
			if err != nil {
				return err
			}
		}
		fmt.Printf("%-42s %8.1f %8.1f %s\n", m.name, all.at(0.5), all.at(1), c.Query)
	}
	return nil
}

// addSpellings adds words of two to five syllables. Many have the same beginning and end.
func (b bench) addSpellings(ctx context.Context) error {
	r := rand.New(rand.NewPCG(1, 1))
	syllables := strings.Fields("con re da ti sa li ment tion in er no va ber stu ka mo ri ple sha du fe gra ho pe to un wi za che ing ly ness ous able est ro me la so cu bi")
	seen := map[string]bool{}
	for len(seen) < vocabulary {
		var w strings.Builder
		for range 2 + r.IntN(4) {
			n := r.IntN(len(syllables))
			w.WriteString(syllables[min(n, r.IntN(len(syllables)))])
		}
		seen[w.String()] = true
	}
	all := make([]string, 0, len(seen))
	for word := range seen {
		all = append(all, word)
	}
	slices.Sort(all)
	d := sqlx.Dialect(b.db.Dialect())
	return b.db.Transact(ctx, func(tx *database.Tx) error {
		if n, err := sqlx.ScanInt64(tx.QueryRow(ctx, "SELECT count(*) FROM search_spellings")); n > vocabulary || err != nil {
			return err
		}
		for some := range slices.Chunk(all, 10_000) {
			back := make([]string, len(some))
			for i, word := range some {
				letters := []rune(word)
				slices.Reverse(letters)
				back[i] = string(letters)
			}
			for backwards, list := range map[string][]string{"FALSE": some, "TRUE": back} {
				if _, err := tx.Exec(ctx, "INSERT INTO search_spellings (backwards, letters, spelling) SELECT "+backwards+", length(text), text FROM "+d.TextRows("$1")+" WHERE TRUE ON CONFLICT DO NOTHING", sqlx.Texts(d, list)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
