package search

import (
	"context"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// Limits for expanding a prefix. FTS5 has prefix indexes for one and two letters, and a condition with very many words
// costs more than it saves.
const (
	indexedLetters = 2
	maxExpansions  = 16
)

// expandPrefix replaces the prefix of a term's last word by the existing words with this prefix on SQLite, if these are
// few. FTS5 reads the matches of a word lazily, but gathers all matches of a prefix before it returns the first.
func (f Finder) expandPrefix(ctx context.Context, q words.Query) (words.Query, error) {
	query := engineOf(f.Dialect).expansions()
	if query == "" {
		return q, nil
	}
	q = q.Clone()
	for _, t := range q.All() {
		if !t.Prefix {
			continue
		}
		last := t.Words[len(t.Words)-1]
		if utf8.RuneCountInString(last) <= indexedLetters {
			continue
		}
		// All characters of words are '0' or above. The word itself is not read, because that takes long.
		rows, err := f.Query(ctx, query, last+"0", last+string(unicode.MaxRune), maxExpansions)
		all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (word string, err error) {
			err = row.Scan(&word)
			return word, err
		})
		if err != nil {
			return q, err
		}
		if len(all) < maxExpansions {
			t.Expansions = append(all, last)
		}
	}
	return q, nil
}
