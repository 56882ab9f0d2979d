package store

import (
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/words"
)

// sets are what a statement reads: what matches, in the parts that the order wants,
// narrowed by the filters and to what the viewer may see. Without an order they are as
// few as can be.
func (s *search) sets(ordered bool) []set {
	var all []set
	filters := s.filters()
	for _, a := range s.matching(ordered) {
		a = a.and(filters...)
		for _, part := range s.split(a, ordered) {
			all = append(all, s.visible(part)...)
		}
	}
	return all
}

// matching are the documents with the words. A query that is one address finds those
// from there first; by score, things that are called as the query come next, and then
// those that have it in their names.
func (s *search) matching(ordered bool) []set {
	if s.Words.Everything {
		return []set{{from: "search_documents d", tier: "0", ranged: !s.within}}
	}
	var all []set
	elsewhere := []string{"d.seq = w.rowid"}
	if key := words.Source(s.Query); key != 0 {
		at := s.arg(key)
		all = append(all, set{"search_documents d", []string{"d.source_key = " + at, "d.source_key <> 0"}, "0", false},
			set{"search_documents d", []string{"d.value_key = " + at, "d.value_key <> 0", "d.source_key <> " + at}, "0", false})
		elsewhere = append(elsewhere, "d.source_key <> "+at, "d.value_key <> "+at)
	}
	matching := func(where asking, tier string, more ...string) set {
		return set{"search_words w CROSS JOIN search_documents d", append(append([]string{
			s.d.matches(s.arg(s.d.asked(s.Words.Terms, where)))}, elsewhere...), more...), tier, false}
	}
	if !ordered || s.Sort.Key != domain.SearchByScore {
		return append(all, matching(anywhere, "0"))
	}
	if key := words.Key(s.Query); key != "" && len(key) < words.LongestKey {
		at := s.arg(key)
		named := set{"search_documents d", []string{"d.name_key = " + at}, "1", true}
		if len(all) > 0 {
			named = named.and(elsewhere[1:]...)
		}
		return append(all, named, matching(inTitle, "2", "d.name_key <> "+at), matching(notInTitle, "3"))
	}
	return append(all, matching(inTitle, "2"), matching(notInTitle, "3"))
}

// split parts a set where the order has a first and a second half: by chance, what comes
// after the place that the seed gives and then the rest; by name, what has one first.
// Without words the halves are sets of their own, each in the order of an index.
func (s *search) split(a set, ordered bool) []set {
	var first string
	switch {
	case !ordered:
	case s.Sort.Key == domain.SearchByChance:
		first = "d.random_key >= " + s.arg(chance(s.Seed))
	case s.Sort.Key == domain.SearchByName:
		first = "d.name_key <> ''"
	}
	if first == "" {
		return []set{a}
	}
	if !s.Words.Everything {
		a.tier = "CASE WHEN " + first + " THEN 0 ELSE 1 END"
		return []set{a}
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

// visible narrows a set to what the viewer may see: what is open, the viewer's own
// blocks, and what is in private channels that the viewer may see. Where a range of an
// index is read, these are ranges of their own.
func (s *search) visible(a set) []set {
	const (
		own     = "d.author_id = $1 AND d.kind = 'Block'"
		private = "d.seq IN (" + privateDocuments + ")"
	)
	switch {
	case s.Group != 0: // what is in a group's channels that the viewer may see
		return []set{a}
	case s.Viewer == 0:
		return []set{a.and("d.open = TRUE", "CAST($1 AS BIGINT) = 0")}
	case !a.ranged:
		return []set{a.and("(d.open = TRUE OR " + own + " OR " + private + ")")}
	}
	return []set{
		a.and("d.open = TRUE"),
		a.and("d.open = FALSE", own),
		a.and("d.open = FALSE", "NOT ("+own+")", private),
	}
}

// filters are the conditions that the query sets.
func (s *search) filters() (where []string) {
	if len(s.Types) > 0 {
		where = append(where, s.in("d.type", s.Types))
	}
	if s.Items && len(s.Types) == 0 {
		where = append(where, "d.type NOT IN ('User', 'Group')")
	}
	if len(s.Extensions) > 0 {
		where = append(where, "d.type IN ('Image', 'Attachment')", s.in("d.extension", s.Extensions))
	}
	if !s.After.IsZero() {
		where = append(where, "d.updated_at > "+s.arg(micros(s.After)))
	}
	if s.Author != 0 {
		where = append(where, "d.author_id = "+s.arg(s.Author))
		if !s.Items {
			where = append(where, "d.type <> 'User'")
		}
	}
	switch s.Scope {
	case domain.SearchMine:
		where = append(where, "d.author_id = $1", "d.type <> 'User'")
	case domain.SearchFollowing:
		where = append(where, "d.seq IN ("+followedDocuments+")")
	}
	if s.Group != 0 {
		where = append(where, "d.seq IN ("+fmt.Sprintf(groupDocuments, s.arg(s.Group))+")")
	}
	if s.Channel != 0 && s.large {
		where = append(where, `EXISTS (SELECT 1 FROM connections c WHERE c.channel_id = `+s.arg(s.Channel)+`
			AND c.item_type = d.kind AND c.item_id = d.item_id)`)
	} else if s.Channel != 0 {
		where = append(where, `d.seq IN (SELECT x.seq FROM connections c CROSS JOIN search_documents x
			WHERE c.channel_id = `+s.arg(s.Channel)+` AND x.kind = c.item_type AND x.item_id = c.item_id)`)
	}
	return where
}

// privateDocuments are those of private channels that the viewer may see, and of what
// is in them and nowhere open; but for what they may see anyhow. These queries begin at
// the viewer's side; CROSS JOIN has SQLite do so.
const privateDocuments = `WITH ` + myChannels + `, seen (id) AS (
		SELECT ch.id FROM mine CROSS JOIN channels ch WHERE ch.id = mine.id AND ch.visibility = 'private' AND ` + visibleChannel + `)
	SELECT x.seq FROM seen CROSS JOIN search_documents x WHERE x.kind = 'Channel' AND x.item_id = seen.id
	UNION SELECT x.seq FROM seen CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE c.channel_id = seen.id AND c.item_type = 'Block' AND x.kind = 'Block' AND x.item_id = c.item_id AND x.open = FALSE`

// followedDocuments are by users, or in channels, that the viewer follows.
const followedDocuments = `SELECT x.seq FROM follows f CROSS JOIN search_documents x
		WHERE f.follower_id = $1 AND f.followed_type = 'User' AND x.author_id = f.followed_id AND x.type <> 'User'
	UNION SELECT x.seq FROM follows f CROSS JOIN channels ch CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE f.follower_id = $1 AND f.followed_type = 'Channel' AND ch.id = f.followed_id AND c.channel_id = ch.id
			AND x.kind = c.item_type AND x.item_id = c.item_id AND ` + visibleChannel

// groupDocuments are a group's channels that the viewer may see, and the blocks in them.
const groupDocuments = `WITH owned (id) AS (
		SELECT ch.id FROM channels ch WHERE ch.owner_type = 'Group' AND ch.owner_id = %s AND ` + visibleChannel + `)
	SELECT x.seq FROM owned CROSS JOIN search_documents x WHERE x.kind = 'Channel' AND x.item_id = owned.id
	UNION SELECT x.seq FROM owned CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE c.channel_id = owned.id AND c.item_type = 'Block' AND x.kind = 'Block' AND x.item_id = c.item_id`
