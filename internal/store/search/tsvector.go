package search

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// tsvector is the engine of PostgreSQL.
type tsvector struct{}

// matches uses a separate index for titles: GIN stores no weights, so the other index would read all texts with the
// words to find the few that have them in the title.
func (tsvector) matches(p string, in place) string {
	words := "w.words"
	if in == inTitle {
		words = "ts_filter(w.words, '{a}')"
	}
	return words + " @@ CAST(CAST(" + p + " AS TEXT) AS TSQUERY)"
}

func (e tsvector) lacks(p string) string {
	return "NOT EXISTS (SELECT 1 FROM search_words w WHERE w.rowid = d.seq AND " + e.matches(p, anywhere) + sqlx.Postgres.Fence() + ")"
}

func (e tsvector) matchesRow(p, _ string, in place) string { return e.matches(p, in) }

func (tsvector) query(q words.Query, in place) string {
	all := conjunction(q.Terms, " & ", " | ", func(t words.Term) string { return alternativeLexemes(t, t.Title || in == inFormOfTitle) })
	if q.Inexact {
		all += " & !" + conjunction(q.Terms, " & ", " | ", func(t words.Term) string { return lexemes(t, t.Title) })
	}
	if in == notInTitle {
		all += " & !" + conjunction(q.Terms, " & ", " | ", func(t words.Term) string { return alternativeLexemes(t, true) })
	}
	for _, alternatives := range q.Marks {
		all += " & ('" + strings.Join(alternatives, "' | '") + "')"
	}
	if len(q.Without) > 0 {
		all += " & !" + tsvector{}.query(q.Unwanted(), anywhere)
	}
	return all
}

func (tsvector) quick(words.Query) bool { return true }

func (tsvector) byRow() bool { return true }

func (tsvector) reach(words.Query) int64 { return 20_000 }

// mayBeRare excludes prefixes of one or two letters, for which the index would gather very many matches.
func (tsvector) mayBeRare(q words.Query) bool {
	return !slices.ContainsFunc(q.All(), func(t *words.Term) bool {
		return t.Prefix && utf8.RuneCountInString(t.Words[len(t.Words)-1]) <= indexedLetters
	})
}

// some finds all matches with the index of words. Otherwise PostgreSQL, which estimates their number, may read the whole
// table for the first of them.
func (e tsvector) some(r *renderer, limit string) (table, rows, tier string) {
	columns, tier := "w.rowid AS seq", "0"
	if r.q.Sort.Key == domain.SearchByScore {
		columns, tier = columns+", w.words", r.ranks("w.seq")
	}
	return "matched AS MATERIALIZED (SELECT " + columns + " FROM search_words w WHERE " + e.matches(r.matchQuery(anywhere), anywhere) + ")",
		"SELECT w.seq, " + tier + " FROM (SELECT * FROM matched" + sqlx.Limit(limit) + ") AS w", "few.tier"
}

// alternativeLexemes encodes a term and its forms.
func alternativeLexemes(t words.Term, title bool) string {
	text := lexemes(t, title)
	if len(t.Forms) == 0 {
		return text
	}
	weight := ""
	if title {
		weight = ":A"
	}
	for _, form := range t.Forms {
		text += " | '" + form + "'" + weight
	}
	return "(" + text + ")"
}

// lexemes encodes a term; those of titles have the weight A.
func lexemes(t words.Term, title bool) string {
	lexemes := make([]string, len(t.Words))
	for i, word := range t.Words {
		lexemes[i] = "'" + word + "'"
		weight := ""
		if t.Prefix && i == len(t.Words)-1 {
			weight = "*"
		}
		if title {
			weight += "A"
		}
		if weight != "" {
			lexemes[i] += ":" + weight
		}
	}
	return "(" + strings.Join(lexemes, " <-> ") + ")"
}

func (tsvector) put(seq int64, doc words.Document) (query string, args []any) {
	return `INSERT INTO search_words (rowid, words) VALUES ($1, CAST(CAST($2 AS TEXT) AS TSVECTOR))
		ON CONFLICT (rowid) DO UPDATE SET words = excluded.words`, []any{seq, positions(doc)}
}

func (tsvector) putFirst(kind domain.SubjectType, id int64, doc words.Document) (query string, args []any) {
	return `INSERT INTO search_words (rowid, words) VALUES (` + seqOf + `, CAST(CAST($3 AS TEXT) AS TSVECTOR))`, []any{kind, id, positions(doc)}
}

func (tsvector) putAll(all []Words) (query string, args []any) {
	seqs, texts := make([]int64, len(all)), make([]string, len(all))
	for i, w := range all {
		seqs[i], texts[i] = w.Seq, positions(w.Document)
	}
	return `INSERT INTO search_words (rowid, words)
		SELECT seq, CAST(text AS TSVECTOR) FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS TEXT[])) AS l (seq, text)`, []any{seqs, texts}
}

// formsAt is the position of all forms, which is after that of the last word.
const formsAt = "16383"

// positions writes words with their positions; those of the title have the weight A.
func positions(doc words.Document) string {
	var b strings.Builder
	for _, t := range doc.Title {
		b.WriteString("'" + t.Word + "':" + strconv.Itoa(t.At) + "A ")
	}
	for _, t := range doc.Body {
		b.WriteString("'" + t.Word + "':" + strconv.Itoa(t.At) + " ")
	}
	for _, form := range doc.TitleForms {
		b.WriteString("'" + form + "':" + formsAt + "A ")
	}
	for _, form := range doc.BodyForms {
		b.WriteString("'" + form + "':" + formsAt + " ")
	}
	return b.String()
}

// closed is fenced, because PostgreSQL would read all closed documents if it expects many checks.
func (tsvector) closed(seq string) string {
	return "EXISTS (SELECT 1 FROM search_closed h WHERE h.seq = " + seq + sqlx.Postgres.Fence() + ")"
}

func (tsvector) expansions() string { return "" }

// joinDocuments is fenced, because PostgreSQL would read all documents if some users created very many.
func (tsvector) joinDocuments(where string) (join, rest string) {
	return " CROSS JOIN LATERAL (SELECT x.seq FROM search_documents x WHERE " + where + " OFFSET 0) x", "TRUE"
}
