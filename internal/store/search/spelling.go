package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// Spelled remembers words that are certainly in search_spellings, so that most documents write none.
type Spelled struct{ words *lru.Cache[string, struct{}] }

// maxSpelled is the number of words that a process remembers.
const maxSpelled = 50_000

// NewSpelled returns an empty Spelled.
func NewSpelled() *Spelled {
	words, _ := lru.New[string, struct{}](maxSpelled) // fails only for a size below 1
	return &Spelled{words}
}

// Add remembers words that were committed.
func (s *Spelled) Add(all []string) {
	for _, word := range all {
		s.words.Add(word, struct{}{})
	}
}

// spellings are the words of the documents that a transaction writes, as far as they can correct others.
type spellings struct {
	known   *Spelled
	pending map[string]bool
	written []string
}

func (s *spellings) add(d words.Document) {
	for _, word := range d.Spellings() {
		if _, is := s.known.words.Get(word); is {
			continue
		}
		if s.pending == nil {
			s.pending = map[string]bool{}
		}
		s.pending[word] = true
	}
}

// Written returns the words that the transaction has written.
func (s *spellings) Written() []string { return s.written }

// writeSpellings writes the words of documents that are not known to be there.
func (ix *Index) writeSpellings(ctx context.Context) error {
	all := slices.Sorted(maps.Keys(ix.spellings.pending))
	ix.spellings.pending = nil
	if len(all) == 0 {
		return nil
	}
	backwards := make([]string, len(all))
	for i, word := range all {
		backwards[i] = reversed(word)
	}
	d := ix.db.Dialect
	err := ix.db.Later(ctx, `INSERT INTO search_spellings (backwards, letters, spelling)
		SELECT n.backwards, length(n.text), n.text FROM (SELECT FALSE AS backwards, text FROM `+d.TextRows("$1")+` UNION ALL SELECT TRUE, text FROM `+d.TextRows("$2")+`) AS n
		WHERE NOT EXISTS (SELECT 1 FROM search_spellings s WHERE s.backwards = n.backwards AND s.letters = length(n.text) AND s.spelling = n.text)`,
		sqlx.Texts(d, all), sqlx.Texts(d, backwards))
	ix.written = append(ix.written, all...)
	return err
}

func reversed(word string) string {
	letters := []rune(word)
	slices.Reverse(letters)
	return string(letters)
}

// Limits of a correction, which bound its time.
const (
	maxChecked   = 8     // words of a query
	maxCorrected = 2     // of these
	maxRead      = 1_000 // words with one length and one beginning or end
	maxClosest   = 16    // words that are searched for instead of one
	fewMatches   = 3     // a word with fewer may be misspelled
	enough       = 100   // results; more make no word better
)

// noWord is a word that no document has. If there are fewer close words than maxClosest, it is searched for instead, so that
// the number of searches does not depend on words that the viewer does not see.
const noWord = "0_"

// Correction is a query with other words, or "", and the number of its results, up to a limit.
type Correction struct {
	Query string
	Found int64
}

// Correct returns a query with the closest words that the viewer finds with the same filters, instead of words that the
// viewer hardly finds. Among words of the same distance it prefers the one with most results for the viewer. It uses
// nothing but the results of searches with single words that are part of the corrected query, so it reveals no others.
func (f Finder) Correct(ctx context.Context, q Query) (c Correction, err error) {
	f.Known, f.Limits.Counted, f.Limits.Spare = nil, enough, 0
	q.Sort, q.Page = domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, domain.Page{Number: 1, Per: 1}
	misspelled, err := f.misspelled(ctx, q)
	if err != nil || len(misspelled) == 0 || len(misspelled) > maxCorrected {
		return c, err
	}
	chosen, texts := map[int][]string{}, map[int]string{}
	for _, part := range misspelled {
		chosen[part] = nil
	}
	for _, part := range misspelled {
		word, found, err := f.closest(ctx, q, part, chosen)
		if err != nil || found == 0 {
			return Correction{}, err
		}
		chosen[part], texts[part], c.Found = []string{word}, word, found
	}
	c.Query = words.Rewritten(q.Words.Parts, texts)
	return c, nil
}

// misspelled returns the parts of a query that are words with few results.
func (f Finder) misspelled(ctx context.Context, q Query) (all []int, err error) {
	checked := 0
	for i, p := range q.Words.Parts {
		if p.Word == "" {
			continue
		}
		if checked++; checked > maxChecked {
			return nil, nil
		}
		single := q
		single.Words = q.Words.Only(i)
		l, err := f.Search(ctx, single)
		if err != nil {
			return nil, err
		}
		if l.Total < fewMatches {
			all = append(all, i)
		}
	}
	return all, nil
}

// closest returns the best word for a part of a query, and the number of results with it. chosen has the words of other
// corrected parts. One search finds out whether there is any word at a distance. If there is, each word is searched for.
func (f Finder) closest(ctx context.Context, q Query, part int, chosen map[int][]string) (word string, found int64, err error) {
	with := func(words ...string) (int64, error) {
		try, other := maps.Clone(chosen), q
		try[part] = words
		other.Words = q.Words.Replacing(try)
		l, err := f.Search(ctx, other)
		return l.Total, err
	}
	was := q.Words.Parts[part].Word
	for distance := 1; distance <= words.Mistakes(was) && found == 0; distance++ {
		close, err := f.close(ctx, was, distance)
		if err != nil {
			return "", 0, err
		}
		if any, err := with(close...); any == 0 || err != nil {
			if err != nil {
				return "", 0, err
			}
			continue
		}
		for _, other := range close {
			n, err := with(other)
			if err != nil {
				return "", 0, err
			}
			if n > found {
				word, found = other, n
			}
		}
	}
	return word, found, nil
}

// spellingRange contains the words with a length and a beginning, or an end.
type spellingRange struct {
	backwards bool
	letters   int
	beginning string
}

// rangesOf returns the ranges of words at a distance from a word. One mistake leaves the first or the last half as it is,
// unless it exchanges the letters between them. Two mistakes are found unless the first and the last third have one each.
func rangesOf(word string, distance int) (all []spellingRange) {
	letters := []rune(word)
	n := len(letters)
	first := n / 2
	last := n - first
	if distance == 1 {
		exchanged := slices.Clone(letters)
		exchanged[first-1], exchanged[first] = exchanged[first], exchanged[first-1]
		all = append(all, spellingRange{false, n, string(exchanged)})
	} else {
		first = max(3, n/3)
		last = first
	}
	for l := n - distance; l <= n+distance; l++ {
		all = append(all, spellingRange{false, l, string(letters[:first])}, spellingRange{true, l, reversed(string(letters[n-last:]))})
	}
	return all
}

// close returns words at a distance from a word, the most similar first, and noWord in the remaining places.
func (f Finder) close(ctx context.Context, word string, distance int) ([]string, error) {
	var args sqlx.Args
	limit := args.Add(maxRead)
	var parts []string
	for i, r := range rangesOf(word, distance) {
		backwards := "FALSE"
		if r.backwards {
			backwards = "TRUE"
		}
		parts = append(parts, "SELECT * FROM (SELECT backwards, spelling FROM search_spellings WHERE backwards = "+backwards+" AND letters = "+args.Add(r.letters)+
			" AND spelling >= "+args.Add(r.beginning)+" AND spelling < "+args.Add(r.beginning+string(unicode.MaxRune))+
			" ORDER BY spelling"+sqlx.Limit(limit)+") AS r"+string(rune('a'+i)))
	}
	letters, seen := []rune(word), map[string]bool{}
	rows, err := f.Query(ctx, strings.Join(parts, " UNION ALL "), args...)
	found, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (spelling string, err error) {
		var backwards bool
		if err = row.Scan(&backwards, &spelling); backwards {
			spelling = reversed(spelling)
		}
		return spelling, err
	})
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(other string) bool {
		repeated := seen[other]
		seen[other] = true
		return repeated || words.Distance(letters, []rune(other), distance) != distance
	})
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(difference(word, a)-difference(word, b), strings.Compare(a, b))
	})
	found = found[:min(len(found), maxClosest)]
	for len(found) < maxClosest {
		found = append(found, noWord)
	}
	return found, nil
}

// difference returns the difference in length between words, which is greater if they begin with different letters.
func difference(a, b string) int {
	n := utf8.RuneCountInString(a) - utf8.RuneCountInString(b)
	first, _ := utf8.DecodeRuneInString(a)
	if !strings.HasPrefix(b, string(first)) {
		return max(n, -n) + maxClosest
	}
	return max(n, -n)
}
