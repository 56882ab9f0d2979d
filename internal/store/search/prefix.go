package search

import (
	"context"
	"slices"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// The bounds of reading how words go on: FTS5 has indexes of the first one and two
// letters, and a choice of very many words costs more than what it saves.
const (
	indexedLetters = 2
	maxExpansions  = 16
)

// expandPrefix has SQLite look for each word that the last one of a term may be, if these are
// few. FTS5 reads the matches of a word as they are needed; of what begins like it, it
// collects all before it gives the first.
func (f Finder) expandPrefix(ctx context.Context, q words.Query) (words.Query, error) {
	query := engineOf(f.Dialect).expansions()
	if query == "" {
		return q, nil
	}
	q.Terms = slices.Clone(q.Terms)
	for i, t := range q.Terms {
		if !t.Prefix {
			continue
		}
		last := t.Words[len(t.Words)-1]
		if utf8.RuneCountInString(last) <= indexedLetters {
			continue
		}
		// No character of a word is before '0'. The word itself is not read: that takes long.
		rows, err := f.Query(ctx, query, last+"0", last+string(unicode.MaxRune), maxExpansions)
		all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (word string, err error) {
			err = row.Scan(&word)
			return word, err
		})
		if err != nil {
			return q, err
		}
		if len(all) < maxExpansions {
			q.Terms[i].Expansions = append(all, last)
		}
	}
	return q, nil
}
