package search

import (
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// engine is how a database finds words. Both are given those of internal/words and none of
// their own rules.
type engine interface {
	// put writes the words of the document with a number.
	put(seq int64, doc words.Document) (query string, args []any)
	// putFirst writes the words of the document of a thing, which has none yet.
	putFirst(kind domain.SubjectType, id int64, doc words.Document) (query string, args []any)
	// putAll writes the words of some documents that had none.
	putAll(all []Words) (query string, args []any)
	// matches reports whether the words `w` are those of the query bound at p for a place.
	matches(p string, in place) string
	// matchesTitle is matches for a query that asks for titles, of one row that is at hand.
	matchesTitle(p string) string
	// query binds terms for matches. Words hold nothing that needs to be escaped.
	query(terms []words.Term, in place) string
	// some gives as rows (seq, titled) the documents that have the words of the query, some
	// several times, at most as many rows as a parameter says; and what tells of `few`, which is
	// made of these, whether the words are in the title. Where a query is quick, it gives
	// these without knowing how the last word may go on. Where the engine has read all that has
	// the words before it gives the first, table is `matched`, to begin the statement with: each of them once, as seq.
	some(r *renderer, most string) (table, rows, titled string)
	quick(terms []words.Term) bool
	// byRow reports whether a single document can be held against words.
	byRow() bool
	// mayBeFew reports whether it is worth asking for some.
	mayBeFew(terms []words.Term) bool
	// closed reports whether the document with a number is among the closed ones.
	closed(seq string) string
	// expansions gives the query for words from $1 to before $2, at most $3, if the engine
	// needs it.
	expansions() string
	// joinDocuments joins, as x, the documents that a condition names for every row before it,
	// by an index.
	joinDocuments(where string) (join, rest string)
}

// place says where words are to be.
type place int

const (
	anywhere place = iota
	inTitle
	notInTitle // but somewhere
)

// engineOf is the engine of a database.
func engineOf(d sqlx.Dialect) engine {
	if d == sqlx.Postgres {
		return tsvector{}
	}
	return fts5{}
}

// PutWords gives the statement that writes the words of the document with a number.
func PutWords(d sqlx.Dialect, seq int64, doc words.Document) (query string, args []any) {
	return engineOf(d).put(seq, doc)
}

// PutFirstWords gives the statement that writes the words of the document of a thing, which
// has none yet.
func PutFirstWords(d sqlx.Dialect, kind domain.SubjectType, id int64, doc words.Document) (query string, args []any) {
	return engineOf(d).putFirst(kind, id, doc)
}

// seqOf is the number of the document of kind $1 with the id $2.
const seqOf = `(SELECT seq FROM search_documents WHERE kind = $1 AND item_id = $2)`

// Words are those of the document with a number.
type Words struct {
	Seq int64
	words.Document
}

// PutAllWords gives the statement that writes the words of documents that had none.
func PutAllWords(d sqlx.Dialect, all []Words) (query string, args []any) {
	return engineOf(d).putAll(all)
}

// conjunction asks for all terms.
func conjunction(terms []words.Term, and string, write func(words.Term) string) string {
	all := make([]string, len(terms))
	for i, t := range terms {
		all[i] = write(t)
	}
	return "(" + strings.Join(all, and) + ")"
}
