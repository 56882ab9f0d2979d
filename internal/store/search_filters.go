package store

import (
	"fmt"

	"vitrine/internal/domain"
)

// inChannel names the filter for a channel.
const inChannel = "channel"

// filter is what a query asks beside words: as a condition on the document `d`, and as
// the numbers of all documents that meet it. A filter without rows is never read first.
// Size gives how many these are, or more.
type filter struct {
	name  string
	where []string
	rows  string
	size  string
}

// given are the filters that the query sets.
func (s *search) given() (all []filter) {
	add := func(name string, rows string, where ...string) { all = append(all, filter{name, where, rows, ""}) }
	sized := func(size string) { all[len(all)-1].size = size }
	if len(s.Types) > 0 {
		marks := s.in("type", s.Types)
		add("types", "SELECT x.seq FROM search_documents x WHERE x."+marks, "d."+marks)
		if s.least > 0 {
			sized("SELECT count(*) FROM (SELECT 1 AS one FROM search_documents x WHERE x." + marks + limit(s.arg(s.least)) + ") AS few")
		}
	}
	if len(s.Extensions) > 0 {
		add("extensions", "", "d.type IN ('Image', 'Attachment')", s.in("d.extension", s.Extensions))
	}
	if !s.After.IsZero() {
		add("after", "", "d.updated_at > "+s.arg(micros(s.After)))
	}
	if s.Author != 0 {
		by := s.arg(s.Author)
		add("author", madeBy(by), "d.author_id = "+by, "d.type <> 'User'")
		sized(ownedSize(domain.TypeUser, by))
	}
	switch s.Scope {
	case domain.SearchMine:
		add("mine", madeBy("$1"), "d.author_id = $1", "d.type <> 'User'")
		sized(ownedSize(domain.TypeUser, "$1"))
	case domain.SearchFollowing:
		add("following", followedDocuments(s.d), followedDocument)
		sized(followedSize)
	}
	if s.Group != 0 {
		group := s.arg(s.Group)
		rows := fmt.Sprintf(groupDocuments, group)
		add("group", rows, "d.seq IN ("+rows+")")
		sized(ownedSize(domain.TypeGroup, group))
	}
	if s.Channel != 0 {
		in := s.arg(s.Channel)
		add(inChannel, `SELECT x.seq FROM connections c CROSS JOIN search_documents x
			WHERE c.channel_id = `+in+` AND x.kind = c.item_type AND x.item_id = c.item_id`,
			`EXISTS (SELECT 1 FROM connections c WHERE c.channel_id = `+in+` AND c.item_type = d.kind AND c.item_id = d.item_id`+s.d.apart()+")")
	}
	return all
}

// filtered is how many filters the query sets.
func (s search) filtered() int { return len(s.given()) }

// filters are the numbers of what passes the filter that is read first, "" if none is,
// and the conditions of all others.
func (s *search) filters() (few string, where []string) {
	for _, f := range s.given() {
		if f.name == s.few {
			few = f.rows
			if f.name != "author" && f.name != "mine" {
				continue
			}
		}
		where = append(where, f.where...)
	}
	return few, where
}
