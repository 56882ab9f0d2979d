package look

import (
	"cmp"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// suggested is how many results are suggested while a query is typed.
const suggested = 8

// suggestResults returns the first results for an unfinished query to the script of the search field: the viewer's own
// with scope=mine, otherwise everything that the viewer may see.
func suggestResults(v *web.Visit) error {
	var f domain.Faults
	query, scope := strings.TrimSpace(v.Query("q")), askedFor(v, "scope").option(&f, "scope", searchScopes)
	if err := f.Err(); err != nil {
		return err
	}
	if query == "" || v.Account == nil && scope != searchScopes[0] {
		return v.Options(nil)
	}
	in := domain.Search{Query: query, Scope: scopesOf[scope], Sort: sortsOf["relevance"], Page: domain.Page{Number: 1, Per: suggested}}
	l, err := v.App().Finder.Explore(v.R.Context(), v.Actor(), in, nil)
	if err != nil && !refusedQuery(web.Given(), err) {
		return err
	}
	var options []web.Option
	for _, found := range l.Items {
		options = append(options, suggestion(v, found))
	}
	return v.Options(options)
}

// suggestion returns a result with its path.
func suggestion(v *web.Visit, found domain.Entity) (o web.Option) {
	at := v.Addresses()
	switch {
	case found.Block != nil:
		b := at.Block(found.Block)
		o = web.Option{Value: b.Path(), Label: present.Excerpt(b.Heading(), 80), Hint: found.Block.Author.Name}
	case found.Channel != nil:
		o = web.Option{Value: at.Channel(found.Channel).Path(), Label: found.Channel.Title, Hint: found.Channel.Owner.Name}
	case found.User != nil:
		o = web.Option{Value: at.User(found.User).Path(), Label: found.User.Name, Hint: v.T("cell.user")}
	case found.Group != nil:
		o = web.Option{Value: at.Group(found.Group).Path(), Label: found.Group.Name, Hint: v.T("cell.group")}
	}
	o.Label = cmp.Or(o.Label, v.T("cell.untitled"))
	return o
}
