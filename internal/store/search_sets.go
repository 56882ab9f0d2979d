package store

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/words"
)

// set is documents that a statement reads together. Sets of one statement are disjoint,
// and those of a lower tier come first.
type set struct {
	from   string
	where  []string
	tier   string
	ranged bool // it is a range of an index that begins with `open`
}

const (
	allWords     = "search_words w" // joined to their documents where these are asked for
	allDocuments = "search_documents d"
	bothOfThem   = allWords + " CROSS JOIN " + allDocuments
)

func (a set) and(where ...string) set {
	a.where = append(append([]string(nil), a.where...), where...)
	return a
}

func (a set) text() string { return " FROM " + a.from + " WHERE " + strings.Join(a.where, " AND ") }

// words reports whether a set is read from the words.
func (a set) words() bool { return strings.HasPrefix(a.from, allWords) }

// seq is the number of the document.
func (a set) seq() string {
	if a.words() {
		return "w.rowid"
	}
	return "d.seq"
}

// documented joins the documents to a set that has only words so far.
func (a set) documented() set {
	if a.from != allWords {
		return a
	}
	a.from = bothOfThem
	return a.and("d.seq = w.rowid")
}

// of reads a set by the numbers that a query gives.
func (a set) of(rows string) set {
	a.from, a.ranged = "(SELECT DISTINCT seq FROM ("+rows+") AS several) AS few CROSS JOIN "+allDocuments, false
	return a.and("d.seq = few.seq")
}

// sets are what a statement reads: what matches, in the parts that the order wants,
// narrowed by the filters and to what the viewer may see. Without an order they are as
// few as can be.
func (s *search) sets(ordered bool) []set {
	var all []set
	few, filters := s.filters()
	key, _ := s.key()
	for _, a := range s.matching(ordered) {
		if len(filters) > 0 || ordered && key != "" {
			a = a.documented()
		}
		a = a.and(filters...)
		switch {
		case few != "" && a.words():
			a = a.and(s.d.noIndex("w.rowid") + " IN (" + few + ")")
		case few != "" && s.Words.Everything && !ordered && len(filters) == 0: // only counted
			all = append(all, s.shown(set{from: "(SELECT DISTINCT seq FROM (" + few + ") AS several) AS few"}, "few.seq", false)...)
			continue
		case few != "" && a.ranged && s.Words.Everything: // these, and not a range
			a = a.of(few)
		case few != "":
			a = a.and("d.seq IN (" + few + ")")
		}
		for _, part := range s.visible(a, ordered) {
			all = append(all, s.split(part, ordered)...)
		}
	}
	return all
}

// matching are the documents with the words. A query that is one address finds those
// from there first; by score, things that are called as the query come next, and then
// those that have it in their names.
func (s *search) matching(ordered bool) []set {
	if s.Words.Everything {
		return []set{{from: allDocuments, tier: "0", ranged: !s.within}}
	}
	var all []set
	var elsewhere []string
	if key := words.Source(s.Query); key != 0 {
		at := s.arg(key)
		all = append(all, set{allDocuments, []string{"d.source_key = " + at, "d.source_key <> 0"}, "0", false},
			set{allDocuments, []string{"d.value_key = " + at, "d.value_key <> 0", "d.source_key <> " + at}, "0", false})
		elsewhere = []string{"d.source_key <> " + at, "d.value_key <> " + at}
	}
	matching := func(where asking, tier string, more ...string) set {
		a := set{allWords, []string{s.d.matches(s.arg(s.d.asked(s.Words.Terms, where)))}, tier, false}
		if more = slices.Concat(elsewhere, more); len(more) > 0 {
			a = a.documented().and(more...)
		}
		return a
	}
	if !ordered || s.Sort.Key != domain.SearchByScore {
		return append(all, matching(anywhere, "0"))
	}
	if s.few != "" {
		return append(all, s.tiers(matching(anywhere, "3")))
	}
	if key := words.Key(s.Query); key != "" && len(key) < words.LongestKey {
		at := s.arg(key)
		named := set{allDocuments, slices.Concat([]string{"d.open IN (TRUE, FALSE)", "d.name_key = " + at}, elsewhere), "1", false}
		return append(all, named, matching(inTitle, "2", "d.name_key <> "+at), matching(notInTitle, "3"))
	}
	return append(all, matching(inTitle, "2"), matching(notInTitle, "3"))
}

// tiers has the tier of each looked up, in place of a set for each tier.
func (s *search) tiers(a set) set {
	a = a.documented()
	a.tier = "CASE WHEN " + s.d.titled(s.arg(s.d.asked(s.Words.Terms, inTitle))) + " THEN 2 ELSE 3 END"
	if key := words.Key(s.Query); key != "" && len(key) < words.LongestKey {
		a.tier = strings.Replace(a.tier, "CASE", "CASE WHEN d.name_key = "+s.arg(key)+" THEN 1", 1)
	}
	return a
}

// split parts a set where the order has a first and a second half: by chance, what comes
// after the place that the seed gives and then the rest; by name, what has one first.
// Without words the halves are sets of their own, each in the order of an index.
func (s *search) split(a set, ordered bool) []set {
	var first string
	switch {
	case !ordered:
	case s.Sort.Key == domain.SearchByChance && s.shuffled == "":
		first = "d.random_key >= " + s.arg(chance(s.Seed))
	case s.Sort.Key == domain.SearchByName:
		first = "d.name_key > ''"
	}
	if first == "" {
		return []set{a}
	}
	if !a.ranged {
		a.tier = "CASE WHEN " + first + " THEN 0 ELSE 1 END"
		return []set{a}
	}
	if s.beyond != "" { // the page ends in the first half
		return []set{a.and(first)}
	}
	second := map[domain.SearchKey]string{domain.SearchByName: "d.name_key = ''"}[s.Sort.Key]
	if second == "" {
		second = "d.random_key < " + fmt.Sprint("$", len(s.args))
	}
	rest := a.and(second)
	rest.tier = "1"
	return []set{a.and(first), rest}
}

// chance is where the order by chance begins for a seed: a number from 0 to 2^63 - 1
// (the finalizer of SplitMix64).
func chance(seed int64) int64 {
	x := uint64(seed) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int64((x ^ x>>31) >> 1)
}

// shuffle has the order by chance be one of the seed's own, in place of a ring that begins
// where the seed says: all that is found is read and sorted. Both halves of the random key
// are multiplied by factors that the seed gives, modulo a prime, which no product
// overflows: neither database can multiply modulo 2^64.
func (s *search) shuffle() {
	if s.Sort.Key != domain.SearchByChance {
		return
	}
	const half, prime = 1<<31 - 1, 1<<31 - 1
	factor := func(n int64) string { return "CAST(" + s.arg(1+n%(prime-1)) + " AS BIGINT)" }
	first := chance(s.Seed)
	s.shuffled = fmt.Sprintf("((d.random_key & %d) * %s + (d.random_key >> 31 & %d) * %s) %% %d",
		half, factor(first), half, factor(chance(first)), prime)
}

// visible narrows a set to what the viewer may see: what is open, the viewer's own
// blocks, and what is in private channels that the viewer may see. Where a range of an
// index is read, these are sets of their own.
func (s *search) visible(a set, ordered bool) []set {
	const own = "d.author_id = $1 AND d.kind = 'Block'"
	switch {
	case s.Group != 0: // what is in a group's channels that the viewer may see
		return []set{a}
	case s.Channel != 0 || s.within:
		return s.inside(a)
	case a.words():
		return s.shown(a, a.seq(), ordered)
	case s.Viewer == 0 && !a.ranged:
		return []set{a.and(s.isOpen("d"), "CAST($1 AS BIGINT) = 0")}
	case s.Viewer == 0:
		return s.ranges(a.and("CAST($1 AS BIGINT) = 0"), s.isOpen("d"))
	case !a.ranged:
		return []set{a.and("(" + s.isOpen("d") + " OR " + s.sees("d") + ")")}
	case s.beyond != "":
		return []set{a.and("d.open = TRUE"), a.and("d.open = FALSE", s.beyond, s.met("d"))}
	}
	open := s.ranges(a, s.isOpen("d"))
	if key, _ := s.key(); ordered && key != "d.created_at" && key != "d.updated_at" {
		if s.many {
			return append(open, s.ranges(a.and(s.met("d")), s.isHidden("d"))...)
		}
		return append(open, a.of(s.closedDocuments()).and(s.isHidden("d")))
	}
	all := append(open, s.ranges(a.and(own), s.isHidden("d"))...) // an index has one's own in order
	if s.private != "" {
		all = append(all, a.of(seenDocuments).and(s.isHidden("d"), "NOT ("+own+")"))
	}
	if s.many {
		all = append(all, s.ranges(a.and("NOT ("+own+")", "("+metInPrivate("d")+")"), s.isHidden("d"))...)
	}
	return all
}

// isOpen reports whether everyone may see a document.
func (s *search) isOpen(d string) string {
	if s.ahead {
		return openSoon(d)
	}
	return d + ".open = TRUE"
}

// isHidden tells the contrary.
func (s *search) isHidden(d string) string {
	if s.ahead {
		return "NOT " + openSoon(d)
	}
	return d + ".open = FALSE"
}

// ranges parts a range of an index by its first column, which does not say what is open
// while something is pending.
func (s *search) ranges(a set, is string) []set {
	if s.ahead {
		return []set{a.and("d.open = TRUE", is), a.and("d.open = FALSE", is)}
	}
	return []set{a.and(is)}
}

// inside narrows a set to what the viewer may see in a channel that the viewer sees: its
// blocks, and of its channels those that are not hidden.
func (s *search) inside(a set) []set {
	if a.words() || !a.ranged {
		return []set{a.documented().and("(d.open = TRUE OR d.kind = 'Block' OR " + s.sees("d") + ")")}
	}
	// The blocks are all seen, and a channel's own document is never behind.
	all := []set{a.and("d.open = TRUE", "CAST($1 AS BIGINT) IS NOT NULL")}
	if s.private != "" {
		channels := "SELECT x.seq FROM search_documents x WHERE " + s.privateChannel("x")
		all = append(all, a.of(channels).and("d.open = FALSE"))
	}
	if s.many {
		all = append(all, a.and("d.open = FALSE", "d.kind = 'Channel'", "("+metInPrivate("d")+")"))
	}
	if s.secret || s.ahead {
		all = append(all, a.and("d.open = FALSE", "d.kind = 'Block'"))
	}
	return all
}

// shown narrows documents with a number to those that are not hidden from the viewer. To be
// counted they are two sets, so that what is closed is looked at only where there is not
// enough that is open.
func (s *search) shown(a set, seq string, ordered bool) []set {
	if s.ahead {
		return []set{a.and(s.shownAhead(seq))}
	}
	closed := s.d.closed(seq)
	open := a.and("NOT (" + closed + ")")
	if s.Viewer == 0 {
		return []set{open.and("CAST($1 AS BIGINT) = 0")}
	}
	sees := s.sees("x")
	if ordered && s.recent > 0 {
		sees = fmt.Sprintf("CASE WHEN x.seq >= %s THEN %s ELSE %s END", s.arg(s.recent), s.met("x"), sees)
	}
	seen := "EXISTS (SELECT 1 FROM search_documents x WHERE x.seq = " + seq + " AND " + sees + ")"
	if ordered {
		return []set{a.and("(NOT (" + closed + ") OR " + seen + ")")}
	}
	return []set{open, a.and(closed, seen)}
}

// shownAhead reports whether the document with a number is not hidden from the viewer, while
// something is pending.
func (s *search) shownAhead(seq string) string {
	shown := openSoon("x") + " AND CAST($1 AS BIGINT) = 0"
	if s.Viewer != 0 {
		shown = "(" + openSoon("x") + " OR " + s.sees("x") + ")"
	}
	return "EXISTS (SELECT 1 FROM search_documents x WHERE x.seq = " + seq + " AND " + shown + ")"
}
