package main

import (
	"slices"

	"vitrine/bench/dataset"
	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// testCase is a search, with the work of the engine for it regardless of permissions.
type testCase struct {
	name   string
	viewer domain.UserID
	q      domain.Search
	bare   []statement // match, order, page and count
	plain  []statement // the same with the query's filters, if any
	ranked []statement // the words by the engine's own score, if that is the order
}

type statement struct {
	text string
	args []any
}

// people are the searching users and their channels. Busy owns the large channel.
type people struct {
	busy, reader domain.UserID
	large, small domain.ChannelID
}

// change changes the query for the first page by score.
type change func(q *domain.Search)

func sorted(key domain.SearchKey) change { return func(q *domain.Search) { q.Sort.Key = key } }
func onPage(n int64) change              { return func(q *domain.Search) { q.Page.Number = n } }
func in(id domain.ChannelID) change      { return func(q *domain.Search) { q.Channel = id } }
func following(q *domain.Search)         { q.Scope = domain.SearchFollowing }
func ofType(types ...string) change      { return func(q *domain.Search) { q.Types = types } }

func question(query string, changes ...change) domain.Search {
	s := domain.Search{Query: query, Sort: domain.SearchSort{Desc: true}, Page: domain.Page{Number: 1, Per: 24}, Seed: 7}
	for _, c := range changes {
		c(&s)
	}
	return s
}

// cases returns the measured cases. Words of the data set are frequent: "amber" is in one block of sixteen. The last
// word of a query may be a prefix, for the engine as well.
func cases(d database.Dialect, who people) []testCase {
	e := engine{d}
	const created, chance = "created_at", "random_key"
	var all []testCase
	add := func(name string, q domain.Search, bare []statement, plain ...statement) {
		viewer := who.busy
		if q.Scope == domain.SearchFollowing {
			viewer = who.reader
		}
		all = append(all, testCase{name: name, viewer: viewer, q: q, bare: bare, plain: plain})
	}
	scored := func(name, query string, asked ...string) {
		add(name, question(query), e.scored(1, slices.Clone(asked)...))
		all[len(all)-1].ranked = e.ranked(asked...)
	}
	scored("no such word", "zyzzyva", "zyzzyva*")
	scored("rare word", "2024", "2024*")
	scored("uncommon word", dataset.Uncommon, dataset.Uncommon+"*")
	scored("a name", "amber alphabet", "amber", "alphabet*")
	scored("common word", "amber", "amber*")
	add("common word, page 50", question("amber", onPage(50)), e.scored(50, "amber*"))
	add("common word, newest first", question("amber", sorted(domain.SearchByCreated)), e.newest("amber*"))
	add("common word, by chance", question("amber", sorted(domain.SearchByChance)), e.ordered(chance, "amber*"))
	scored("two common words", "amber water", "amber", "water*")
	add("common beginning", question("w"), e.scored(1, "w*"))
	add("everything, newest first", question("*", sorted(domain.SearchByCreated)), e.everything(created, 1))
	add("everything, by name", question("*", sorted(domain.SearchByName)), e.everything("name_key", 1))
	add("links, newest first", question("*", ofType("Link"), sorted(domain.SearchByCreated)), e.everything(created, 1))
	add("images (there are none), newest first", question("*", ofType("Image"), sorted(domain.SearchByCreated)), e.everything(created, 1))
	add("channels with a common word", question("amber", ofType("Channel")), e.scored(1, "amber*"), e.ofType("Channel", "amber*")...)
	add("common word in the channel of 1,000,000", question("amber", in(who.large)), e.scored(1, "amber*"), e.within(who.large, "amber*")...)
	add("common word in the channel of 1,000", question("amber", in(who.small)), e.scored(1, "amber*"), e.within(who.small, "amber*")...)
	add("everything in the channel of 1,000,000", question("*", in(who.large)), e.everything(created, 1))
	add("following", question("*", following), e.everything(created, 1), e.followed(who.reader, "")...)
	add("common word, following", question("amber", following), e.scored(1, "amber*"), e.followed(who.reader, "amber*")...)
	add("random, page 1", question("*", sorted(domain.SearchByChance)), e.everything(chance, 1))
	add("random, page 50", question("*", sorted(domain.SearchByChance), onPage(50)), e.everything(chance, 50))
	add("an address", question("https://www.example.org/a?utm_source=x"), e.address())
	return all
}
