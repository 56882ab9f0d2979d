package look

import (
	"net/url"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// tab links to one of several lists on a page, or to the list in another order.
type tab struct {
	Text    string // id
	Path    string
	Count   int64 // number of items; -1 if not shown
	Current bool
}

// bar is a labelled row of tabs.
type bar struct {
	Label string // id
	Tabs  []tab
}

// asked contains the parameters of the query that its page supports. Links keep only these.
type asked struct {
	path  string
	query url.Values
}

func askedFor(v *web.Visit, known ...string) asked {
	a := asked{v.R.URL.EscapedPath(), url.Values{}}
	for _, name := range known {
		if value := v.Query(name); value != "" {
			a.query.Set(name, value)
		}
	}
	return a
}

// option returns the value of a parameter, or the first option if it is missing. It adds a fault
// for an unknown value.
func (a asked) option(f *domain.Faults, name string, options []string) string {
	value := a.query.Get(name)
	if value == "" {
		return options[0]
	}
	domain.Among(f, name, value, options...)
	return value
}

// with returns the address with parameters set, given as pairs of name and value. It removes
// parameters that are set to "".
func (a asked) with(pairs ...string) string {
	q := url.Values{}
	for name := range a.query {
		q.Set(name, a.query.Get(name))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if q.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	if len(q) == 0 {
		return a.path
	}
	return a.path + "?" + q.Encode()
}

// bar returns tabs for the options of a parameter. A missing parameter means the first option. The
// ids of their texts are family and option. The links drop the parameters of without, which are
// only valid in this list.
func (a asked) bar(label, family, name, current string, options []string, without ...string) bar {
	b := bar{Label: label}
	for i, option := range options {
		pairs := []string{name, option}
		if i == 0 {
			pairs[1] = ""
		}
		for _, other := range without {
			pairs = append(pairs, other, "")
		}
		b.Tabs = append(b.Tabs, tab{family + option, a.with(pairs...), -1, option == current})
	}
	return b
}

// count sets the count of a tab.
func (b bar) count(text string, n int64) {
	for i := range b.Tabs {
		if b.Tabs[i].Text == text {
			b.Tabs[i].Count = n
		}
	}
}

// canonical returns the canonical address of a list's page. It returns "" if search engines should
// not index the page, because another order or filter shows the same items.
func (a asked) canonical(v *web.Visit, means ...string) string {
	if !v.App().Exposure.Indexes(domain.Public) {
		return ""
	}
	known := asked{a.path, url.Values{}}
	for name := range a.query {
		known.query[name] = a.query[name]
		keep := name == "page"
		for _, m := range means {
			keep = keep || m == name
		}
		if !keep {
			return ""
		}
	}
	if known.query.Get("page") == "1" {
		known.query.Del("page")
	}
	return v.Addresses().Site + known.with()
}
