package look

import (
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// perList is the number of items per page of a list. It fills rows of 2, 3, 4 and 6.
const perList = 36

// listing is a page of a list of mixed items.
type listing struct {
	Cells web.Cells
	Pager web.Pager
	Empty string // id of the text for an empty list
	First string // address of the first page, if this one is past the end
}

// newListing creates the page of a list, with the covers of its channels.
func newListing(v *web.Visit, a asked, l domain.List[domain.Entity], page domain.Page, empty string) (listing, error) {
	n := listing{Cells: v.Cells(l.Items), Pager: v.Pager(page, l.Total), Empty: empty}
	n.Cells.Acts = v.Actor().MayWrite()
	if page.Number > 1 {
		n.Empty, n.First = "look.list.past", a.with("page", "")
	}
	return n, v.Cover(&n.Cells)
}

// tags returns what the list's ETag depends on.
func (l listing) tags() []string {
	return []string{l.Cells.Tag(), fmt.Sprint(l.Pager.Number, l.Pager.Total)}
}

// listPage returns the page of a list that the query names.
func listPage(v *web.Visit) (domain.Page, error) {
	n, err := v.PageNumber()
	return domain.Page{Number: n, Per: perList}, err
}

// entities converts a list of one type to a list of domain.Entity.
func entities[T any](l domain.List[T], entry func(*T) domain.Entity) (all domain.List[domain.Entity]) {
	all.Total = l.Total
	for i := range l.Items {
		all.Items = append(all.Items, entry(&l.Items[i]))
	}
	return all
}

func userEntity(u *domain.User) domain.Entity       { return domain.Entity{User: u} }
func groupEntity(g *domain.Group) domain.Entity     { return domain.Entity{Group: g} }
func channelEntity(c *domain.Channel) domain.Entity { return domain.Entity{Channel: c} }
func memberEntity(m *domain.Member) domain.Entity   { return domain.Entity{Principal: &m.Principal} }

// head adds the list's links to the metadata for other programs.
func (l listing) head(h web.Head) web.Head {
	h.Prev, h.Next = l.Pager.PrevPath(), l.Pager.NextPath()
	return h
}

// kinds are the names of block types in addresses.
var kinds = []string{"all", "image", "text", "link", "file", "embed"}

// kindTypes are the block types of each kind.
var kindTypes = map[string][]string{
	"all": domain.BlockTypes, "image": {string(domain.ImageBlock)}, "text": {string(domain.TextBlock)}, "link": {string(domain.LinkBlock)},
	"file": {string(domain.AttachmentBlock)}, "embed": {string(domain.EmbedBlock)},
}

// searched are the types that searches can be restricted to.
var searched = []string{"all", "channels", "blocks", "people", "groups"}

// typesOf returns the types of a choice, nil for all.
func typesOf(what, kind string) []string {
	switch what {
	case "channels":
		return []string{string(domain.SubjectChannel)}
	case "blocks":
		return kindTypes[kind]
	case "people":
		return []string{string(domain.SubjectUser)}
	case "groups":
		return []string{string(domain.SubjectGroup)}
	}
	return nil
}
