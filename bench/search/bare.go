package main

import (
	"fmt"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// engine writes the work that a database must do for a query in any case: find the matches in the requested order,
// return the page, and count up to 10,000. It ignores permissions and filters.
type engine struct{ d database.Dialect }

// found counts the rows of a FROM and WHERE up to 10,000.
func found(rest string, args ...any) statement {
	return statement{"SELECT count(*) FROM (SELECT 1 FROM " + rest + " LIMIT 10001) AS found", args}
}

// page returns a page of 24 rows of a FROM and WHERE.
func page(of, rest, order string, number int64, args ...any) statement {
	return statement{fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT 24 OFFSET %d", of, rest, order, 24*(number-1)), args}
}

// scored returns matches in titles first, and newest first among equals.
func (e engine) scored(number int64, words ...string) []statement {
	part := func(tier int, match string) string {
		return fmt.Sprintf("SELECT * FROM (SELECT %d AS tier, w.rowid AS seq FROM search_words w WHERE %s ORDER BY w.rowid DESC LIMIT %d) AS part%d",
			tier, match, 24*number, tier)
	}
	// Each tier has a single argument with all terms.
	tiers := part(2, e.match("$1")) + " UNION ALL " + part(3, e.match("$2"))
	return []statement{
		found("search_words w WHERE "+e.match("$1"), e.matchQuery(anywhere, words)),
		page("seq", "("+tiers+") AS tiers", "tier, seq DESC", number, e.matchQuery(titled, words), e.matchQuery(untitled, words)),
	}
}

// ranked returns the cost of full-text search with the engine's own score and a total. It has no limit, and no prefix
// for the last word.
func (e engine) ranked(words ...string) []statement {
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "*")
	}
	match, order := "search_words w WHERE "+e.match("$1"), "w.rank"
	if e.d == database.Postgres {
		order = "ts_rank(w.words, CAST(CAST($1 AS TEXT) AS TSQUERY)) DESC"
	}
	asked := e.matchQuery(anywhere, words)
	return []statement{{"SELECT count(*) FROM " + match, []any{asked}}, page("w.rowid", match, order, 1, asked)}
}

// newest returns the newest first.
func (e engine) newest(words ...string) []statement {
	match := "search_words w WHERE " + e.match("$1")
	return []statement{found(match, e.matchQuery(anywhere, words)), page("w.rowid", match, "w.rowid DESC", 1, e.matchQuery(anywhere, words))}
}

// ordered uses an order other than that of the words' index, so that all matches are read.
func (e engine) ordered(by string, words ...string) []statement {
	match := "search_words w CROSS JOIN search_documents d WHERE d.seq = w.rowid AND " + e.match("$1")
	return []statement{found("search_words w WHERE "+e.match("$1"), e.matchQuery(anywhere, words)), page("w.rowid", match, "d."+by, 1, e.matchQuery(anywhere, words))}
}

// everything reads an index in order.
func (e engine) everything(by string, number int64) []statement {
	all := "search_documents d WHERE d.open = TRUE"
	return []statement{found(all), page("d.seq", all, "d."+by+" DESC", number)}
}

// within joins the matches with the contents of a channel.
func (e engine) within(id domain.ChannelID, words ...string) []statement {
	match := `search_words w CROSS JOIN search_documents d CROSS JOIN connections c WHERE d.seq = w.rowid
		AND c.channel_id = $2 AND c.item_type = d.kind AND c.item_id = d.item_id AND ` + e.match("$1")
	asked := e.matchQuery(anywhere, words)
	return []statement{found(match, asked, id), page("w.rowid", match, "w.rowid DESC", 1, asked, id)}
}

// ofType joins the matches with the documents of one type.
func (e engine) ofType(name string, words ...string) []statement {
	match := "search_words w CROSS JOIN search_documents d WHERE d.seq = w.rowid AND d.type = $2 AND " + e.match("$1")
	asked := e.matchQuery(anywhere, words)
	return []statement{found(match, asked, name), page("w.rowid", match, "w.rowid DESC", 1, asked, name)}
}

// followed returns matches by users, or in channels, that a user follows.
func (e engine) followed(by domain.UserID, word string) []statement {
	const rest = `(d.author_id IN (SELECT followed_id FROM follows WHERE follower_id = $1 AND followed_type = 'User')
		OR d.seq IN (SELECT x.seq FROM follows f CROSS JOIN connections c CROSS JOIN search_documents x WHERE f.follower_id = $1
			AND f.followed_type = 'Channel' AND c.channel_id = f.followed_id AND x.kind = c.item_type AND x.item_id = c.item_id))`
	if word == "" {
		all := "search_documents d WHERE d.open = TRUE AND " + rest
		return []statement{found(all, by), page("d.seq", all, "d.created_at DESC", 1, by)}
	}
	match := "search_words w CROSS JOIN search_documents d WHERE d.seq = w.rowid AND " + e.match("$2") + " AND " + rest
	asked := e.matchQuery(anywhere, []string{word})
	return []statement{found(match, by, asked), page("w.rowid", match, "w.rowid DESC", 1, by, asked)}
}

// address searches for a URL, first as a source and then in texts.
func (e engine) address() []statement {
	phrase := `"https www example org a utm source x" *`
	if e.d == database.Postgres {
		phrase = "'https' <-> 'www' <-> 'example' <-> 'org' <-> 'a' <-> 'utm' <-> 'source' <-> 'x':*"
	}
	match := "search_words w WHERE " + e.match("$1")
	return []statement{{"SELECT seq FROM search_documents WHERE source_key = 1 AND source_key <> 0", nil}, found(match, phrase)}
}

// match returns the condition that the words `w` match those bound at p.
func (e engine) match(p string) string {
	if e.d == database.Postgres {
		return "w.words @@ CAST(CAST(" + p + " AS TEXT) AS TSQUERY)"
	}
	return "w.search_words MATCH " + p
}

// place is a place of words.
type place int

const (
	anywhere place = iota
	titled
	untitled
)

// matchQuery encodes words for the engine. The last one may end with a star.
func (e engine) matchQuery(where place, words []string) string {
	and, not := " AND ", " NOT title : ("
	if e.d == database.Postgres {
		and, not = " & ", " & !("
	}
	conjunction := func(mark string) string {
		all := make([]string, len(words))
		for i, word := range words {
			all[i] = e.word(word, mark)
		}
		return strings.Join(all, and)
	}
	mark, title := "", "title : ("
	if e.d == database.Postgres {
		mark, title = "A", "("
	}
	switch where {
	case titled:
		return title + conjunction(mark) + ")"
	case untitled:
		return "(" + conjunction("") + ")" + not + conjunction(mark) + ")"
	}
	return conjunction("")
}

// word encodes one word; mark is its required weight.
func (e engine) word(word, mark string) string {
	name := strings.TrimSuffix(word, "*")
	star := word[len(name):]
	switch {
	case e.d == database.SQLite:
		return `"` + name + `"` + star
	case star+mark == "":
		return "'" + name + "'"
	}
	return "'" + name + "':" + star + mark
}
