package look

import (
	"net/url"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// tab leads to one of several lists on a page, or to the list in another order.
type tab struct {
	Text    string // id
	Path    string
	Count   int64 // of what is there; -1 where it is not said
	Current bool
}

// bar is a row of tabs, and what it is called.
type bar struct {
	Label string // id
	Tabs  []tab
}

// asked is what the address of a visit asks for, of what its page knows: so links keep that and
// nothing else.
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

// option is the value of a parameter, the first of the options where it is not given; a fault for
// what is none of them.
func (a asked) option(f *domain.Faults, name string, options []string) string {
	value := a.query.Get(name)
	if value == "" {
		return options[0]
	}
	domain.Among(f, name, value, options...)
	return value
}

// with is the address with parameters set, in turns a name and a value, and without those set to "".
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

// bar is the tabs for the options of a parameter. The first option is meant where the parameter
// is missing. Their texts are called by the option, after family. What is listed in without is
// forgotten on the way, as it means something in this list alone.
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

// count says how much there is behind a tab.
func (b bar) count(text string, n int64) {
	for i := range b.Tabs {
		if b.Tabs[i].Text == text {
			b.Tabs[i].Count = n
		}
	}
}

// canonical is the address that a page of the list is known by, "" where search engines are to
// leave it: what is ordered or narrowed otherwise shows the same things again.
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
