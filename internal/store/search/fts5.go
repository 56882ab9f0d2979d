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

// matchesRow first finds all matches: FTS5 cannot check a single row.
func (fts5) matchesRow(p, seq string, _ place) string {
	return seq + " IN (SELECT t.rowid FROM search_words t WHERE t.search_words MATCH " + p + ")"
}

// lacks finds all matches once.
func (fts5) lacks(p string) string { return "NOT " + fts5{}.matchesRow(p, "d.seq", anywhere) }

func (fts5) query(q words.Query, in place) string {
	all := conjunction(q.Terms, " AND ", " OR ", alternatives)
	found := all
	if in == inTitle || in == inFormOfTitle {
		found = "title : " + all
	}
	if q.Inexact {
		found = "(" + found + " NOT " + conjunction(q.Terms, " AND ", " OR ", phrase) + ")"
	}
	if in == notInTitle {
		found += " NOT title : " + all
	}
	for _, alternatives := range q.Marks {
		found = "(" + found + `) AND ("` + strings.Join(alternatives, `" OR "`) + `")`
	}
	if len(q.Without) > 0 {
		found = "(" + found + ") NOT " + fts5{}.query(q.Unwanted(), anywhere)
	}
	return found
}

// alternatives encodes a term and its forms.
func alternatives(t words.Term) string {
	if len(t.Forms) == 0 {
		return phrase(t)
	}
	return inPlace(t, "("+spell(t)+` OR "`+strings.Join(t.Forms, `" OR "`)+`")`)
}

// quick accepts queries of one word, because the table of places contains the occurrences of each word in order.
func (fts5) quick(q words.Query) bool {
	return len(q.Terms) == 1 && len(q.Terms[0].Words) == 1 && !q.Terms[0].Title && len(q.Terms[0].Or) == 0 && !q.Restricted()
}

func (fts5) byRow() bool { return false }

// reach is small: FTS5 looks up the words again for each document, which takes about 50 µs a word. A prefix that is not
// expanded would take as long as a search.
func (fts5) reach(q words.Query) int64 {
	lookups := int64(len(q.Without))
	for _, alternatives := range q.Marks {
		lookups += int64(len(alternatives))
	}
	for _, t := range q.All() {
		if t.Prefix && len(t.Expansions) == 0 {
			return 0
		}
		lookups += int64(len(t.Words) - 1 + max(1, len(t.Expansions)) + len(t.Forms))
	}
	return 1_500 / max(1, lookups)
}

func (fts5) mayBeRare(words.Query) bool { return true }

func (e fts5) some(r *renderer, limit string) (table, rows, tier string) {
	terms := r.q.Words.Terms
	if !e.quick(r.q.Words) || r.q.Words.Inexact {
		tier = "0"
		if r.q.Sort.Key == domain.SearchByScore {
			tier = r.ranks("few.seq")
		}
		return "", "SELECT w.rowid AS seq, 0 AS tier FROM search_words w WHERE " + e.matches(r.matchQuery(anywhere), anywhere) + sqlx.Limit(limit), tier
	}
	word := terms[0].Words[0]
	is := "p.term = " + r.args.Add(word)
	if terms[0].Prefix {
		is = "p.term >= " + r.args.Add(word) + " AND p.term < " + r.args.Add(word+string(unicode.MaxRune))
	}
	rows = places(is, tierTitle, tierText)
	for _, form := range terms[0].Forms { // a list of terms would read the whole table
		rows += " UNION ALL " + places("p.term = "+r.args.Add(form), tierTitleForm, tierTextForm)
	}
	return "", rows + sqlx.Limit(limit), "few.tier"
}

// places reads the occurrences of a word.
func places(is string, titled, other tier) string {
	return "SELECT p.doc AS seq, CASE WHEN p.col = 'title' THEN " + titled.String() + " ELSE " + other.String() + " END AS tier FROM search_places p WHERE " + is
}

// phrase encodes a term without its forms.
func phrase(t words.Term) string { return inPlace(t, spell(t)) }

// inPlace restricts the encoded words of a term to titles if it asks for that.
func inPlace(t words.Term, text string) string {
	if t.Title {
		return "(title : (" + text + "))"
	}
	return text
}

func spell(t words.Term) string {
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
	return `INSERT OR REPLACE INTO search_words (rowid, title, body) VALUES ($1, $2, $3)`, []any{seq, spelled(doc.Title, doc.TitleForms), spelled(doc.Body, doc.BodyForms)}
}

func (fts5) putFirst(kind domain.SubjectType, id int64, doc words.Document) (query string, args []any) {
	return `INSERT INTO search_words (rowid, title, body) VALUES (` + seqOf + `, $3, $4)`, []any{kind, id, spelled(doc.Title, doc.TitleForms), spelled(doc.Body, doc.BodyForms)}
}

func (fts5) putAll(all []Words) (query string, args []any) {
	for _, w := range all {
		args = append(args, w.Seq, spelled(w.Title, w.TitleForms), spelled(w.Body, w.BodyForms))
	}
	return `INSERT INTO search_words (rowid, title, body) VALUES ` + sqlx.Tuples(len(all), 3), args
}

// spelled writes words in order, and then their forms. It inserts an unsearchable word where others between two are left
// out.
func spelled(all []words.Token, forms []string) string {
	var b strings.Builder
	for i, t := range all {
		if i > 0 && t.At != all[i-1].At+1 {
			b.WriteString("_ ")
		}
		b.WriteString(t.Word + " ")
	}
	if len(forms) > 0 {
		b.WriteString("_ " + strings.Join(forms, " "))
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
