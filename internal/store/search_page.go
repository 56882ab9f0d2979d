package store

import (
	"cmp"
	"fmt"
	"strings"

	"vitrine/internal/domain"
)

// page is the statement that gives the page: a part of each set, and of these together
// the page. Only what is on the page is looked up where the order is that of numbers.
func (s *search) page() string {
	key, dir := s.key()
	per := s.Page.Per + 1 // the one more tells of the next page
	most := limit(s.arg(s.Page.Offset() + per))
	columns, ties := ", d.item_id AS item_id, d.type AS type", fmt.Sprintf(", item_id %s, type %s", dir, dir)
	if key == "" {
		columns, ties = "", ""
	}
	var parts []string
	for _, a := range s.sets(true) {
		k := key
		if k == "" {
			k = a.seq()
		}
		parts = append(parts, fmt.Sprintf("SELECT * FROM (SELECT %s AS tier, %s AS k%s%s ORDER BY %s%s) AS part",
			a.tier, k, columns, a.text(), s.order(a, k, dir), most))
	}
	found := fmt.Sprintf("SELECT * FROM (%s) AS found ORDER BY tier, k %s%s%s OFFSET %s",
		strings.Join(parts, " UNION ALL "), dir, ties, limit(s.arg(per)), s.arg(s.Page.Offset()))
	if key != "" {
		return s.with("SELECT type, item_id FROM (" + found + ") AS paged")
	}
	return s.with("SELECT d.type, d.item_id FROM (" + found + ") AS paged CROSS JOIN search_documents d WHERE d.seq = paged.k ORDER BY paged.tier, paged.k " + dir)
}

// order is what a set is ordered by: first by tier where that is not the same for all.
func (s *search) order(a set, key, dir string) string {
	text := key + " " + dir
	if key != a.seq() { // which is unique
		text += fmt.Sprintf(", d.item_id %s, d.type %s", dir, dir)
	}
	if strings.HasPrefix(a.tier, "CASE") {
		return a.tier + ", " + text
	}
	return text
}

// key is the column that orders, and its direction. It is "" for the number of the
// document: they are given out in the order in which things are made, and words are kept
// in the order of numbers.
func (s *search) key() (column, dir string) {
	_, dir = direction(s.Sort.Desc)
	switch s.Sort.Key {
	case domain.SearchByUpdated:
		return "d.updated_at", dir
	case domain.SearchByName:
		return "d.name_key", dir
	case domain.SearchByConnections:
		if s.ahead {
			return linksSoon("d"), dir
		}
		return "d.links", dir
	case domain.SearchByChance:
		return cmp.Or(s.shuffled, "d.random_key"), "ASC"
	case domain.SearchByScore:
		dir = "DESC"
	}
	if s.Words.Everything {
		return "d.created_at", dir
	}
	return "", dir
}
