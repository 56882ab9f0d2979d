package look

import (
	"slices"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/site/web"
)

// filters is a form that sets operators of the query of a search.
type filters struct {
	Open  bool
	Kinds []option
	Sorts []option
}

// option is an option of a field.
type option struct {
	Value, Text string // Text is an id
	Set         bool
}

// filterKinds are the values of the operator for kinds that the form offers.
var filterKinds = []string{"text", "image", "link", "attachment", "embed", "channel", "user", "group"}

// filterTexts are the operators that have a text field in the form.
var filterTexts = []string{"by", "in", "tag", "ext", "after", "before"}

// shownAlways is how many orders the page always offers as links.
const shownAlways = 4

// shownSorts returns the orders that the page offers as links.
func shownSorts(current string) []string {
	if at := slices.Index(searchSorts, current); at >= shownAlways {
		return append(slices.Clone(searchSorts[:shownAlways]), current)
	}
	return searchSorts[:shownAlways]
}

// newFilters returns the form and fills its fields from the operators of a query. If the sent form was wrong, the fields
// keep the sent values.
func newFilters(query, sort string, form *web.Form, wrong bool) (f filters) {
	if f.Open = wrong; !wrong {
		values := collections.FiltersOf(query)
		for _, name := range slices.Concat(filterTexts, []string{"has", "type"}) {
			form.Default("set-"+name, values[name])
		}
	}
	kinds := strings.Split(form.Get("set-type"), ",")
	for _, kind := range filterKinds {
		f.Kinds = append(f.Kinds, option{kind, "look.filter.kind." + kind, slices.Contains(kinds, kind)})
	}
	for _, name := range searchSorts {
		f.Sorts = append(f.Sorts, option{name, "look.sort." + name, name == sort})
	}
	return f
}

// setFilters returns the query with the operators that the form sent. If one is malformed, it reports this at its field.
func setFilters(v *web.Visit, form *web.Form) (query string, malformed bool) {
	sent := v.R.URL.Query()
	values := map[string]string{"has": v.Query("set-has")}
	for _, kind := range sent["set-type"] {
		if slices.Contains(filterKinds, kind) && !slices.Contains(strings.Split(values["type"], ","), kind) {
			values["type"] = strings.TrimPrefix(values["type"]+","+kind, ",")
		}
	}
	for _, name := range filterTexts {
		values[name] = v.Query("set-" + name)
	}
	for name, value := range values {
		form.Default("set-"+name, value)
	}
	query, wrong := collections.WithFilters(form.Get("q"), values)
	for _, name := range wrong {
		form.Wrong("set-"+name, v.T("look.filter.wrong"))
	}
	return query, form.Failed()
}
