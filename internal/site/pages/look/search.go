package look

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

var (
	searchSorts  = []string{"relevance", "newest", "updated", "name", "oldest", "unchanged", "name-back", "connections", "connections-back", "value", "value-back", "random"}
	searchScopes = []string{"all", "mine", "following"}
	scopesOf     = map[string]domain.SearchScope{"all": domain.SearchAll, "mine": domain.SearchMine, "following": domain.SearchFollowing}
)

// countedUpTo is the number of results up to which a search counts exactly.
const countedUpTo = 10_000

// searchView is a page of search results.
type searchView struct {
	Asked       bool // the query is not empty
	Types, Sort bar
	Kinds       *bar
	Scopes      *bar // for signed-in users
	Keep        []hidden
	Operators   []chip
	Filters     filters
	Within      *present.Principal // whose items the search is restricted to
	Anywhere    string             // the address of the same search without this restriction
	Total       int64
	Many        bool // more results than are counted
	Spelling    *spelling
	Saving      *saving
	listing
}

// saving saves the search, or leads to the saved one.
type saving struct {
	Query     string // with all filters as operators
	Following bool
	ID        domain.SavedSearchID // 0 if it is not saved
	Next      string               // the address of the page
}

// operatorsOf are the values of the operator for kinds that mean the page's types and kinds of blocks.
var operatorsOf = map[string]string{"channels": "channel", "blocks": "block", "people": "user", "groups": "group",
	"image": "image", "text": "text", "link": "link", "file": "attachment", "embed": "embed"}

// savedQuery returns the query with the other filters of the page as operators.
func savedQuery(query, what, kind string, in *present.Principal) string {
	if what == "blocks" && kind != "all" {
		what = kind
	}
	query = collections.AddOperator(query, "type", operatorsOf[what])
	if in != nil {
		query = collections.AddOperator(query, "by", in.Slug)
	}
	return query
}

// newSaving returns how to save a search, or nil if it cannot be saved: by guests, among the reader's own things, which are
// never new to them, or if it is too long.
func newSaving(v *web.Visit, query, scope string) (*saving, error) {
	if v.Account == nil || scope == "mine" || utf8.RuneCountInString(query) > domain.MaxSavedQuery {
		return nil, nil
	}
	s := saving{Query: query, Following: scope == "following", Next: v.Here()}
	known, err := v.App().Searches.SavedAs(v.R.Context(), v.Actor(), s.Query, s.Following)
	if domain.KindOf(err) == domain.NotFound {
		err = nil
	}
	s.ID = known.ID
	return &s, err
}

// tag returns what the page's ETag depends on because of the saved search.
func (s *saving) tag() string {
	if s == nil {
		return ""
	}
	return strconv.FormatInt(int64(s.ID), 10)
}

// spelling links to a query with other words, or says that the results are its own and links to the original.
type spelling struct {
	Query     string // to link to
	Corrected string // the query whose results are shown, or ""
	Path      string
}

// spellingOf returns how the query was corrected, or nil.
func spellingOf(a asked, e collections.Explored) *spelling {
	switch {
	case e.Corrected != "":
		return &spelling{Query: a.query.Get("q"), Corrected: e.Corrected, Path: a.with("exact", "1", "page", "")}
	case e.Suggested != "":
		return &spelling{Query: e.Suggested, Path: a.with("q", e.Suggested, "page", "")}
	}
	return nil
}

// tag returns what the page's ETag depends on because of the correction.
func (s *spelling) tag() string {
	if s == nil {
		return ""
	}
	return s.Query + " " + s.Path + " " + s.Corrected
}

// search searches, and corrects misspelled words unless the query is meant exactly.
func search(v *web.Visit, in domain.Search, seed *int64, exact bool) (e collections.Explored, err error) {
	f := v.App().Finder.Outlined()
	if exact {
		e.List, err = f.Explore(v.R.Context(), v.Actor(), in, seed)
		return e, err
	}
	return f.ExploreClose(v.R.Context(), v.Actor(), in, seed)
}

// topic is an operator that the page explains.
type topic struct{ Example, About string } // ids

// Topics returns the operators that the page explains.
func (searchView) Topics() (all []topic) {
	for _, name := range []string{"phrase", "without", "or", "title", "in", "by", "type", "site", "tag", "meta", "ext", "color", "is", "time", "comment"} {
		all = append(all, topic{"look.search.example." + name, "look.search.about." + name})
	}
	return all
}

// chip is an operator of a query, with the address of the search without it.
type chip struct{ Text, Path string }

// chips returns the operators of a query. to returns the address of a search.
func chips(query string, to func(query string) string) (all []chip) {
	for _, o := range collections.Operators(query) {
		all = append(all, chip{o.Text, to(o.Without)})
	}
	return all
}

// hidden is a hidden field of a form.
type hidden struct{ Name, Value string }

// searchPage searches everything that the reader can see.
func searchPage(v *web.Visit) error {
	a := askedFor(v, "q", "type", "kind", "sort", "scope", "user", "group", "exact", "seed", "page")
	var f domain.Faults
	what, sort, kind := a.option(&f, "type", searched), a.option(&f, "sort", searchSorts), a.option(&f, "kind", kinds)
	scope, exact := a.option(&f, "scope", searchScopes), a.option(&f, "exact", []string{"", "1"}) == "1"
	if err := f.Err(); err != nil {
		return err
	}
	page, err := listPage(v)
	if err != nil {
		return err
	}
	query := a.query.Get("q")
	in := domain.Search{Query: query, Types: typesOf(what, kind), Sort: sortsOf[sort], Page: page}
	shown := searchView{Asked: query != ""}
	if v.Account != nil {
		in.Scope = scopesOf[scope]
		b := a.bar("look.scopes", "look.scope.", "scope", scope, searchScopes, "page")
		shown.Scopes = &b
	}
	if shown.Within, err = within(v, a, &in); err != nil {
		return err
	}
	if shown.Within != nil {
		shown.Anywhere = a.with("user", "", "group", "", "page", "")
	}
	shown.Types = a.bar("look.types", "look.type.", "type", what, searched, "kind", "page")
	shown.Sort = a.bar("look.sorts", "look.sort.", "sort", sort, shownSorts(sort), "seed", "page")
	if what == "blocks" {
		b := a.bar("look.kinds", "look.kind.", "kind", kind, kinds, "page")
		shown.Kinds = &b
	}
	for _, name := range []string{"type", "kind", "sort", "scope", "user", "group"} {
		if value := a.query.Get(name); value != "" {
			shown.Keep = append(shown.Keep, hidden{name, value})
		}
	}
	form := web.Given("q", query)
	if in.Sort.Key == domain.SearchByValue {
		if in.Sort.Value = collections.MetadataKey(query); in.Sort.Value == "" && shown.Asked {
			form.Wrong("q", v.T("look.search.no_key"))
		}
	}
	wrong := false
	if v.Query("set") != "" {
		set, malformed := setFilters(v, form)
		if !malformed {
			return v.Redirect(a.with("q", set, "page", ""))
		}
		wrong = true
	}
	var seed *int64
	if sort == "random" {
		if seed, err = a.seed(v); seed == nil || err != nil {
			return err
		}
	}
	if shown.Asked && !form.Failed() {
		l, err := search(v, in, seed, exact)
		if err != nil && !refusedQuery(form, err) {
			return err
		}
		shown.Spelling = spellingOf(a, l)
		if shown.listing, err = newListing(v, a, l.List, page, "look.search.empty"); err != nil {
			return err
		}
		shown.Total, shown.Many = min(l.Total, countedUpTo), l.Total >= countedUpTo
		if shown.Saving, err = newSaving(v, savedQuery(query, what, kind, shown.Within), scope); err != nil {
			return err
		}
	}
	v.Wide = true
	title := v.T("look.search")
	if shown.Asked && !form.Failed() {
		shown.Operators = chips(query, func(query string) string { return a.with("q", query, "page", "") })
		v.Head = shown.head(web.Head{})
		if scope == "all" && v.App().Exposure.Admits(domain.Actor{}) == nil {
			v.Head.Feeds = feedsOf(v.T("look.search.title", query), func(f present.FeedFormat) string {
				return v.Addresses().SearchFeed(savedQuery(query, what, kind, shown.Within), f)
			})
		}
		title = v.T("look.search.title", query)
		if v.Fresh(append(shown.tags(), fmt.Sprint(shown.Total, shown.Many), shown.withinTag(), shown.Spelling.tag(), shown.Saving.tag())...) {
			return nil
		}
	}
	shown.Filters = newFilters(query, sort, form, wrong)
	return v.Page("search", title, form, shown)
}

// withinTag returns what the page's ETag depends on because of its restriction.
func (s searchView) withinTag() string {
	if s.Within == nil {
		return ""
	}
	return s.Within.Name + " " + s.Within.Path()
}

// within restricts a search to the items of a user or group, if the query names one.
func within(v *web.Visit, a asked, in *domain.Search) (*present.Principal, error) {
	user, group := a.query.Get("user"), a.query.Get("group")
	switch {
	case user != "":
		u, err := v.App().People.User(v.R.Context(), domain.ParseRef(user))
		if err != nil {
			return nil, err
		}
		in.Author = u.ID
		p := v.Addresses().Principal(&domain.Principal{PrincipalRef: domain.UserRef(u.ID), Name: u.Name, Slug: u.Slug})
		return &p, nil
	case group != "":
		g, err := v.App().People.Group(v.R.Context(), v.Actor(), domain.ParseRef(group))
		if err != nil {
			return nil, err
		}
		in.Group = g.ID
		found := g.Principal()
		p := v.Addresses().Principal(&found)
		return &p, nil
	}
	return nil, nil
}

// refusedQuery adds an error about the search text to the form.
func refusedQuery(f *web.Form, err error) bool {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Kind != domain.Invalid {
		return false
	}
	for _, fault := range known.Fields {
		if name, _ := fault.Item(); name == "query" {
			f.Wrong("q", fault.Text)
		}
	}
	return f.Failed()
}
