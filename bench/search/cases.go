package main

import (
	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// testCase is a search and the least that the engine has to do for it.
type testCase struct {
	name   string
	viewer domain.UserID
	q      domain.Search
	exact  bool
	bare   string
	args   []any
}

// cases are what is measured. Words of the data set are common, each in a hundredth of
// all blocks and more.
func cases(d database.Dialect, viewer domain.UserID) []testCase {
	page := func(n int64) domain.Page { return domain.Page{Number: n, Per: 24} }
	match := "SELECT rowid FROM search_words WHERE search_words MATCH $1 ORDER BY rowid DESC LIMIT 10024"
	if d == database.Postgres {
		match = "SELECT rowid FROM search_words WHERE words @@ CAST(CAST($1 AS TEXT) AS tsquery) ORDER BY rowid DESC LIMIT 10024"
	}
	const newest = "SELECT seq FROM search_documents WHERE open = TRUE ORDER BY created_at DESC LIMIT 10024"
	const chance = "SELECT seq FROM search_documents WHERE open = TRUE ORDER BY random_key LIMIT 10024"
	const source = "SELECT seq FROM search_documents WHERE source_key = 1 AND source_key <> 0"
	const mine = "SELECT count(*) FROM search_documents WHERE author_id = $1"
	q := func(query string, change func(q *domain.Search)) domain.Search {
		s := domain.Search{Query: query, Sort: domain.SearchSort{Desc: true}, Page: page(1)}
		if change != nil {
			change(&s)
		}
		return s
	}
	sort := func(key domain.SearchKey) func(q *domain.Search) {
		return func(q *domain.Search) { q.Sort.Key = key }
	}
	return []testCase{
		{"a name", viewer, q("amber alphabet", nil), false, match, []any{asked(d, "amber", "alphabet")}},
		{"rare words", viewer, q("zyzzyva", nil), false, match, []any{asked(d, "zyzzyva")}},
		{"common word", viewer, q("amber", nil), false, match, []any{asked(d, "amber")}},
		{"common word, page 50", viewer, q("amber", func(q *domain.Search) { q.Page = page(50) }), false, match, []any{asked(d, "amber")}},
		{"common beginning", viewer, q("w", nil), false, match, []any{asked(d, "water")}},
		{"common word, newest first", viewer, q("amber", sort(domain.SearchByCreated)), false, match, []any{asked(d, "amber")}},
		{"two common words", viewer, q("amber water", nil), false, match, []any{asked(d, "amber", "water")}},
		{"everything, newest first", viewer, q("*", sort(domain.SearchByCreated)), false, newest, nil},
		{"everything, by name", viewer, q("*", sort(domain.SearchByName)), false, newest, nil},
		{"images, newest first", viewer, q("*", func(q *domain.Search) { q.Types = []string{"Image"}; q.Sort.Key = domain.SearchByCreated }), false, newest, nil},
		{"common word, large channel", viewer, q("amber", func(q *domain.Search) { q.Channel = 1 }), false, match, []any{asked(d, "amber")}},
		{"common word, small channel", viewer, q("amber", func(q *domain.Search) { q.Channel = 2 }), false, match, []any{asked(d, "amber")}},
		{"everything, large channel", viewer, q("*", func(q *domain.Search) { q.Channel = 1 }), false, newest, nil},
		{"following", viewer, q("*", func(q *domain.Search) { q.Scope = domain.SearchFollowing }), false, newest, nil},
		{"common word, following", viewer, q("amber", func(q *domain.Search) { q.Scope = domain.SearchFollowing }), false, match, []any{asked(d, "amber")}},
		{"random, page 1", viewer, q("*", sort(domain.SearchByChance)), false, chance, nil},
		{"random, page 50", viewer, q("*", func(q *domain.Search) { q.Sort.Key = domain.SearchByChance; q.Page = page(50) }), false, chance, nil},
		{"an address", viewer, q("https://www.example.org/a?utm_source=x", nil), false, source, nil},
		{"contents of a user", 0, q("", func(q *domain.Search) { q.Author = viewer; q.Items = true }), true, mine, []any{viewer}},
		{"contents of a user, page 1000", 0, q("", func(q *domain.Search) { q.Author = viewer; q.Items = true; q.Page = page(1000) }), true, mine, []any{viewer}},
		{"contents of a group", viewer, q("", func(q *domain.Search) { q.Group = 1; q.Items = true }), true, mine, []any{viewer}},
	}
}

// asked asks the engine for words as the store does.
func asked(d database.Dialect, all ...string) string {
	text := ""
	for i, word := range all {
		and := " AND "
		if d == database.Postgres {
			and = " & "
		}
		if i > 0 {
			text += and
		}
		if d == database.Postgres {
			text += "'" + word + "'"
		} else {
			text += `"` + word + `"`
		}
	}
	return text
}
