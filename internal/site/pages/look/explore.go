package look

import (
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// exploreSorts are the possible orders.
var exploreSorts = []string{"newest", "updated", "random"}

// sortsOf maps names in addresses to orders.
var sortsOf = map[string]domain.SearchSort{
	"newest": {Key: domain.SearchByCreated, Desc: true}, "updated": {Key: domain.SearchByUpdated, Desc: true},
	"oldest": {Key: domain.SearchByCreated}, "unchanged": {Key: domain.SearchByUpdated}, "name-back": {Key: domain.SearchByName, Desc: true},
	"connections": {Key: domain.SearchByConnections, Desc: true}, "connections-back": {Key: domain.SearchByConnections},
	"value": {Key: domain.SearchByValue}, "value-back": {Key: domain.SearchByValue, Desc: true},
	"random": {Key: domain.SearchByChance}, "relevance": {Key: domain.SearchByScore, Desc: true}, "name": {Key: domain.SearchByName},
}

// seeds is the number of random orders.
const seeds = 1_000_000

// seed returns the random order of a list. Without one it redirects to one, so that each page of the list has the same
// order, and returns nil.
func (a asked) seed(v *web.Visit) (*int64, error) {
	n, err := strconv.ParseInt(a.query.Get("seed"), 10, 64)
	if err != nil {
		return nil, v.Redirect(a.with("seed", strconv.FormatInt(v.Now().UnixMicro()%seeds, 10), "page", ""))
	}
	return &n, nil
}

// exploreView is a page of the public items.
type exploreView struct {
	Types, Sorts bar
	Kinds        *bar   // of blocks
	Again        string // link to another random order
	listing
}

// explore lists what guests can see, for all readers. Private items are found under the reader's
// own.
func explore(v *web.Visit) error {
	a := askedFor(v, "type", "kind", "sort", "seed", "page")
	var f domain.Faults
	what, sort, kind := a.option(&f, "type", searched), a.option(&f, "sort", exploreSorts), a.option(&f, "kind", kinds)
	if err := f.Err(); err != nil {
		return err
	}
	page, err := listPage(v)
	if err != nil {
		return err
	}
	in := domain.Search{Types: typesOf(what, kind), Sort: sortsOf[sort], Page: page}
	var seed *int64
	if sort == "random" {
		if seed, err = a.seed(v); seed == nil || err != nil {
			return err
		}
	}
	l, err := v.App().Finder.Outlined().Finished(v.Actor()).Explore(v.R.Context(), domain.Actor{}, in, seed)
	if err != nil {
		return err
	}
	var shown exploreView
	if shown.listing, err = newListing(v, a, l, page, "look.explore.empty"); err != nil {
		return err
	}
	shown.Types = a.bar("look.types", "look.type.", "type", what, searched, "kind", "page")
	shown.Sorts = a.bar("look.sorts", "look.sort.", "sort", sort, exploreSorts, "seed", "page")
	if what == "blocks" {
		b := a.bar("look.kinds", "look.kind.", "kind", kind, kinds, "page")
		shown.Kinds = &b
	}
	if sort == "random" {
		shown.Again = a.with("seed", "", "page", "")
	}
	v.Wide = true
	v.Head = shown.head(web.Head{Canonical: a.canonical(v, "type"), Description: v.T("look.explore.description", v.Site().Name)})
	if v.App().Exposure.Indexes(domain.Public) {
		v.Head.Feeds = feedsOf(v.T("look.explore.feed"), v.Addresses().ExploreFeed)
	}
	if v.Fresh(shown.tags()...) {
		return nil
	}
	return v.Page("explore", v.T("look.explore"), nil, shown)
}

// feedsOf returns the feeds of an item in every format.
func feedsOf(title string, at func(present.FeedFormat) string) (all []web.Alternate) {
	for _, format := range []present.FeedFormat{present.Atom, present.JSONFeed} {
		all = append(all, web.Alternate{Type: format.ContentType(), Title: title, URL: at(format)})
	}
	return all
}
