package store

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/words"
)

// dialect holds the places where the two databases need different text.
type dialect struct{ of database.Dialect }

// in tests a column against the list of ids bound at parameter p ("$2").
func (d dialect) in(column, p string) string {
	if d.of == database.Postgres {
		return column + " = ANY(CAST(" + p + " AS BIGINT[]))"
	}
	return column + " IN (SELECT value FROM json_each(" + p + "))"
}

// list binds a list of ids for in.
func list[T ~int64](d dialect, ids []T) any {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	if d.of == database.Postgres {
		return plain
	}
	text, _ := json.Marshal(plain) // a list of integers always encodes
	return string(text)
}

// lock is the clause that locks the rows read from the named tables until the
// transaction ends. SQLite has one writer at a time and needs none.
func (d dialect) lock(tables ...string) string {
	if d.of == database.Postgres {
		return " FOR NO KEY UPDATE OF " + strings.Join(tables, ", ")
	}
	return ""
}

// locks reports whether rows must be locked one by one.
func (d dialect) locks() bool { return d.of == database.Postgres }

// share is the clause that keeps the rows read from being changed by others, who may
// share them.
func (d dialect) share(table string) string {
	if d.of == database.Postgres {
		return " FOR SHARE OF " + table
	}
	return ""
}

// each joins, as `a`, the activities whose ids a query gives for every row before it.
func (d dialect) each(query string) string {
	if d.of == database.Postgres {
		return " CROSS JOIN LATERAL (" + query + ") a"
	}
	return " CROSS JOIN activities a ON a.id IN (" + query + ")"
}

// analyze tells PostgreSQL's planner what tables hold. SQLite plans without statistics.
func (d dialect) analyze() string {
	if d.of == database.Postgres {
		return "ANALYZE"
	}
	return ""
}

// announceClass marks the advisory locks by which PostgreSQL's transactions say from
// which id on they may write activities.
const announceClass = "7086"

// announce locks the last id given out so far, shared, until the transaction ends; ids
// are counted modulo 2^31 there. SQLite has one writer at a time and needs none.
func (d dialect) announce() string {
	if d.of == database.Postgres {
		return `SELECT pg_advisory_xact_lock_shared(` + announceClass + `, CAST(CASE WHEN is_called THEN last_value
			ELSE last_value - 1 END % 2147483648 AS INTEGER)) FROM activities_id_seq`
	}
	return ""
}

// announced gives two queries: the last id given out, and what transactions in progress
// have announced.
func (d dialect) announced() (last, locks string) {
	return `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM activities_id_seq`,
		`SELECT CAST(objid AS BIGINT) FROM pg_locks WHERE locktype = 'advisory' AND classid = ` + announceClass + `
			AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
}

// sorted gives part of a UNION ALL that is sorted as a whole and cut to `most`. SQLite merges
// parts that indexes sort; PostgreSQL does if each of them says that it is sorted and cut.
func (d dialect) sorted(part, order, most string) string {
	if d.of == database.Postgres {
		return "(" + part + order + limit(most) + ")"
	}
	return part
}

// random gives a random number from 0 to 2^63 - 1.
func (d dialect) random() string {
	if d.of == database.Postgres {
		return "CAST(floor(random() * 9007199254740991) * 1024 AS BIGINT)"
	}
	return "random() & 9223372036854775807"
}

// putWords writes the words of a document.
func (d dialect) putWords(seq int64, doc words.Document) (query string, args []any) {
	if d.of == database.Postgres {
		return `INSERT INTO search_words (rowid, words) VALUES ($1, CAST(CAST($2 AS TEXT) AS TSVECTOR))
			ON CONFLICT (rowid) DO UPDATE SET words = excluded.words`, []any{seq, lexemes(doc)}
	}
	return `INSERT OR REPLACE INTO search_words (rowid, title, body) VALUES ($1, $2, $3)`,
		[]any{seq, spelled(doc.Title), spelled(doc.Body)}
}

// spelled writes words in their order, with a word that nobody asks for where some are
// left out between two.
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

// lexemes writes words with their positions; those of the title have the weight A.
func lexemes(doc words.Document) string {
	var b strings.Builder
	for _, t := range doc.Title {
		b.WriteString("'" + t.Word + "':" + strconv.Itoa(t.At) + "A ")
	}
	for _, t := range doc.Body {
		b.WriteString("'" + t.Word + "':" + strconv.Itoa(t.At) + " ")
	}
	return b.String()
}

// matches reports whether the words `w` are those of the query bound at p.
func (d dialect) matches(p string) string {
	if d.of == database.Postgres {
		return "w.words @@ CAST(CAST(" + p + " AS TEXT) AS TSQUERY)"
	}
	return "w.search_words MATCH " + p
}

// closed reports whether the document with a number is among the closed ones.
func (d dialect) closed(seq string) string {
	if d.of == database.Postgres {
		return "EXISTS (SELECT 1 FROM search_closed h WHERE h.seq = " + seq + ")"
	}
	return d.noIndex(seq) + " IN (SELECT seq FROM search_closed)"
}

// apart ends a subquery that is to be asked for each row. PostgreSQL would make a join of it
// and read all that the subquery can give, for a page or for a bounded count.
func (d dialect) apart() string {
	if d.of == database.Postgres {
		return " OFFSET 0"
	}
	return ""
}

// noIndex writes a column so that SQLite uses no index on it: the number of words above
// all, for each of which it would ask for its words. PostgreSQL weighs that well.
func (d dialect) noIndex(column string) string {
	if d.of == database.Postgres {
		return column
	}
	return "+" + column
}

// along joins, as x, the documents that a condition names for every row before it, by an
// index. PostgreSQL would read all documents where some users made very many.
func (d dialect) along(where string) (join, rest string) {
	if d.of == database.Postgres {
		return " CROSS JOIN LATERAL (SELECT x.seq FROM search_documents x WHERE " + where + " OFFSET 0) x", "TRUE"
	}
	return " CROSS JOIN search_documents x", where
}

// beginning gives the query for words from $1 to before $2, at most $3, if the database
// needs it.
func (d dialect) beginning() string {
	if d.of == database.Postgres {
		return ""
	}
	return "SELECT term FROM search_vocabulary WHERE term >= $1 AND term < $2 LIMIT $3"
}

// titled reports whether the words `w` have those bound at p, which asks for them in
// titles. SQLite cannot say so of one row, and finds all titles first.
func (d dialect) titled(p string) string {
	if d.of == database.Postgres {
		return "w.words @@ CAST(CAST(" + p + " AS TEXT) AS TSQUERY)"
	}
	return "w.rowid IN (SELECT t.rowid FROM search_words t WHERE t.search_words MATCH " + p + ")"
}

// asking says where words are to be.
type asking int

const (
	anywhere asking = iota
	inTitle
	notInTitle // but somewhere
)

// asked binds terms for matches. Words hold nothing that needs to be escaped.
func (d dialect) asked(terms []words.Term, where asking) string {
	all := "(" + d.conjunction(terms, false) + ")"
	title, not := "title : "+all, " NOT "
	if d.of == database.Postgres {
		title, not = "("+d.conjunction(terms, true)+")", " & !"
	}
	switch where {
	case inTitle:
		return title
	case notInTitle:
		return all + not + title
	}
	return all
}

func (d dialect) conjunction(terms []words.Term, title bool) string {
	and := " AND "
	if d.of == database.Postgres {
		and = " & "
	}
	all := make([]string, len(terms))
	for i, t := range terms {
		all[i] = d.phrase(t, title)
	}
	return strings.Join(all, and)
}

func (d dialect) phrase(t words.Term, title bool) string {
	if d.of == database.SQLite {
		return spelledOut(t)
	}
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

// spelledOut is a term for FTS5.
func spelledOut(t words.Term) string {
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
