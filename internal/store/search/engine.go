package search

import (
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// engine is the full-text search of a database. Both engines index the tokens of internal/words and apply no rules of
// their own.
type engine interface {
	// put returns the statement that writes the words of a document by its number.
	put(seq int64, doc words.Document) (query string, args []any)
	// putFirst returns the statement that writes the words of a thing's document, which has none yet.
	putFirst(kind domain.SubjectType, id int64, doc words.Document) (query string, args []any)
	// putAll returns the statement that writes the words of several documents without words.
	putAll(all []Words) (query string, args []any)
	// matches returns the condition that the words `w` match the query bound at p in a place.
	matches(p string, in place) string
	// matchesRow is matches about a single row that was already read, with the given number.
	matchesRow(p, seq string, in place) string
	// lacks returns the condition that the document `d` does not match the query bound at p.
	lacks(p string) string
	// query encodes the words of a query for matches. Words contain nothing that needs escaping.
	query(q words.Query, in place) string
	// some returns the rows (seq, tier) of the documents with the words of the query, possibly several times, up to the
	// number of rows in a parameter, and an expression on `few`, the table of these rows, for their tier. For a quick
	// query, this needs no expansions of the last word. If the engine reads all matches before it returns the first,
	// table defines `matched` for the beginning of the statement: each match once, as seq.
	some(r *renderer, limit string) (table, rows, tier string)
	quick(q words.Query) bool
	// byRow reports whether counting all matches is cheap compared with checking each of them against a filter.
	byRow() bool
	// reach returns the number of documents that can be checked against words, one by one, in the time in which a
	// search gathers and sorts all matches of common words.
	reach(q words.Query) int64
	// mayBeRare reports whether some is worth trying.
	mayBeRare(q words.Query) bool
	// closed returns the condition that the document with a number is closed.
	closed(seq string) string
	// expansions returns the query for up to $3 words from $1 to before $2, if the engine needs it.
	expansions() string
	// joinDocuments joins the documents that match a condition for each previous row, as x, by an index.
	joinDocuments(where string) (join, rest string)
}

// place is a place of words.
type place int

const (
	anywhere place = iota
	inTitle
	inFormOfTitle // the same for queries that are inexact or restricted
	notInTitle    // but elsewhere
)

// engineOf returns the engine of a database.
func engineOf(d sqlx.Dialect) engine {
	if d == sqlx.Postgres {
		return tsvector{}
	}
	return fts5{}
}

// PutWords returns the statement that writes the words of a document by its number.
func PutWords(d sqlx.Dialect, seq int64, doc words.Document) (query string, args []any) {
	return engineOf(d).put(seq, doc)
}

// PutFirstWords returns the statement that writes the words of a thing's document, which has none yet.
func PutFirstWords(d sqlx.Dialect, kind domain.SubjectType, id int64, doc words.Document) (query string, args []any) {
	return engineOf(d).putFirst(kind, id, doc)
}

// seqOf is the number of the document of kind $1 with the id $2.
const seqOf = `(SELECT seq FROM search_documents WHERE kind = $1 AND item_id = $2)`

// Words contains the words of a document by its number.
type Words struct {
	Seq int64
	words.Document
}

// PutAllWords returns the statement that writes the words of documents without words.
func PutAllWords(d sqlx.Dialect, all []Words) (query string, args []any) {
	return engineOf(d).putAll(all)
}

// ranks returns the tier of a match by row, which has the given number.
func (r *renderer) ranks(seq string) string {
	e, all := r.engine(), r.q.Words
	all.Without, all.Marks = nil, nil // which all matches pass
	exact := all.Exact()
	at := func(q words.Query, in place) string { return e.matchesRow(r.args.Add(e.query(q, in)), seq, in) }
	if r.q.Words.Inexact || !r.q.Words.HasForms() {
		return "CASE WHEN " + at(all, r.q.titlePlace()) + " THEN " + tierTitle.String() + " ELSE " + tierText.String() + " END"
	}
	return "CASE WHEN " + at(exact, inTitle) + " THEN " + tierTitle.String() + " WHEN " + at(exact, anywhere) + " THEN " + tierText.String() +
		" WHEN " + at(all, inTitle) + " THEN " + tierTitleForm.String() + " ELSE " + tierTextForm.String() + " END"
}

// conjunction joins all terms with an operator, and those that may stand for one another with a second one.
func conjunction(terms []words.Term, and, or string, write func(words.Term) string) string {
	all := make([]string, len(terms))
	for i, t := range terms {
		all[i] = write(t)
		for _, other := range t.Or {
			all[i] += or + write(other)
		}
		if len(t.Or) > 0 {
			all[i] = "(" + all[i] + ")"
		}
	}
	return "(" + strings.Join(all, and) + ")"
}
