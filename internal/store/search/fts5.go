package search

import (
	"slices"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// fts5 is the engine of SQLite.
type fts5 struct{}

func (fts5) matches(p string, _ place) string { return "w.search_words MATCH " + p }

// matchesTitle first finds all matching titles: FTS5 cannot check a single row.
func (fts5) matchesTitle(p string) string {
	return "w.rowid IN (SELECT t.rowid FROM search_words t WHERE t.search_words MATCH " + p + ")"
}

func (fts5) query(terms []words.Term, in place) string {
	all := conjunction(terms, " AND ", phrase)
	switch in {
	case inTitle:
		return "title : " + all
	case notInTitle:
		return all + " NOT title : " + all
	case anywhere:
	}
	return all
}

// quick accepts queries of one word, because the table of places contains the occurrences of each word in order.
func (fts5) quick(terms []words.Term) bool { return len(terms) == 1 && len(terms[0].Words) == 1 }

func (fts5) byRow() bool { return false }

// reach is small: FTS5 looks up the words again for each document, which takes about 50 µs a word. A prefix that is not
// expanded would take as long as a search.
func (fts5) reach(terms []words.Term) int64 {
	lookups := int64(0)
	for _, t := range terms {
		if t.Prefix && len(t.Expansions) == 0 {
			return 0
		}
		lookups += int64(len(t.Words) - 1 + max(1, len(t.Expansions)))
	}
	return 1_500 / max(1, lookups)
}

func (fts5) mayBeRare([]words.Term) bool { return true }

func (e fts5) some(r *renderer, limit string) (table, rows, titled string) {
	terms := r.q.Words.Terms
	if !e.quick(terms) {
		return "", "SELECT w.rowid AS seq, FALSE AS titled FROM search_words w WHERE " + e.matches(r.matchQuery(anywhere), anywhere) + sqlx.Limit(limit),
			"few.seq IN (SELECT t.rowid FROM search_words t WHERE t.search_words MATCH " + r.matchQuery(inTitle) + ")"
	}
	word := terms[0].Words[0]
	is := "p.term = " + r.args.Add(word)
	if terms[0].Prefix {
		is = "p.term >= " + r.args.Add(word) + " AND p.term < " + r.args.Add(word+string(unicode.MaxRune))
	}
	return "", "SELECT p.doc AS seq, p.col = 'title' AS titled FROM search_places p WHERE " + is + sqlx.Limit(limit), "few.titled"
}

// phrase encodes a term.
func phrase(t words.Term) string {
	text := `"` + strings.Join(t.Words, " ") + `"`
	if !t.Prefix {
		return text
	}
	if len(t.Expansions) == 0 {
		return text + " *"
	}
	all := make([]string, len(t.Expansions))
	for i, word := range t.Expansions {
		all[i] = `"` + strings.Join(append(slices.Clone(t.Words[:len(t.Words)-1]), word), " ") + `"`
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

func (fts5) put(seq int64, doc words.Document) (query string, args []any) {
	return `INSERT OR REPLACE INTO search_words (rowid, title, body) VALUES ($1, $2, $3)`, []any{seq, spelled(doc.Title), spelled(doc.Body)}
}

func (fts5) putFirst(kind domain.SubjectType, id int64, doc words.Document) (query string, args []any) {
	return `INSERT INTO search_words (rowid, title, body) VALUES (` + seqOf + `, $3, $4)`, []any{kind, id, spelled(doc.Title), spelled(doc.Body)}
}

func (fts5) putAll(all []Words) (query string, args []any) {
	for _, w := range all {
		args = append(args, w.Seq, spelled(w.Title), spelled(w.Body))
	}
	return `INSERT INTO search_words (rowid, title, body) VALUES ` + sqlx.Tuples(len(all), 3), args
}

// spelled writes words in order. It inserts an unsearchable word where others between two are left out.
func spelled(all []words.Token) string {
	var b strings.Builder
	for i, t := range all {
		if i > 0 && t.At != all[i-1].At+1 {
			b.WriteString("_ ")
		}
		b.WriteString(t.Word + " ")
	}
	return b.String()
}

// closed reads a narrow table. The plus sign makes SQLite keep the order of the words' rows.
func (fts5) closed(seq string) string { return "+" + seq + " IN (SELECT seq FROM search_closed)" }

// expansions are needed because FTS5 reads the matches of a whole word lazily, but gathers all matches of a prefix
// before it returns the first.
func (fts5) expansions() string {
	return "SELECT term FROM search_vocabulary WHERE term >= $1 AND term < $2 LIMIT $3"
}

func (fts5) joinDocuments(where string) (join, rest string) {
	return " CROSS JOIN search_documents x", where
}
