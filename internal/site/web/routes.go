package web

import (
	"cmp"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/app"
)

// PageSet is a part of the website: a package's pages and their templates.
type PageSet struct {
	Name   string // name of the templates' folder, and prefix of the texts' ids
	Routes []Route

	// Templates contains a file for each page, with the page's name. Files that begin with an
	// underscore are shared by the pages.
	Templates fs.FS

	Lagging bool // its pages may be slightly outdated: they are read from a replica of the database, if there is one

	Sections []Section
}

// Section is the navigation of pages whose paths begin with one of its prefixes.
type Section struct {
	Under []string
	Links []Link
}

// Link is an entry of a navigation: a path and the id of its text. It is shown if If returns true
// or is nil.
type Link struct {
	Path, Text string
	If         func(a *app.App) bool
}

// Handler answers a visit, or returns an error for which an error page is shown.
type Handler func(v *Visit) error

// Access defines who may see a page.
type Access int

const (
	Anyone    Access = iota // everyone who may see the site: see Route.Open
	Users                   // guests are sent to sign in, and come back
	Operators               // not found for others
)

// Route is a path pattern with its handlers. Segments in braces match any text. {token} and {code}
// are secret, so logs contain the pattern instead of the path.
type Route struct {
	Path     string
	Access   Access
	Get      Handler // nil for none; also serves HEAD
	Post     Handler // nil for none
	Fields   Fields  // long or repeated fields of its form
	Files    bool    // its forms may contain files, as multipart/form-data
	Download bool    // GET answers with a file, which is rate limited like a request to the API
	Waits    bool    // GET answers with a stream, which has no deadline and counts against no limit of requests in progress
	Counted  bool    // POST is rate limited like a request to the API, since it makes requests to other sites
	Confirm  bool    // requires a recent confirmation before the page is shown
	Open     bool    // guests may see it even if the site is closed to them: it shows nothing of collections

	pageSet  string
	lagging  bool
	segments []string // of Path
}

// sorted returns the routes of all packages. Of two patterns that match the same path, the more
// literal one comes first.
func sorted(sets []PageSet) []Route {
	var all []Route
	for _, set := range sets {
		for _, r := range set.Routes {
			r.pageSet, r.lagging, r.segments = set.Name, set.Lagging && !r.Download && !r.Waits, strings.Split(r.Path, "/")
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Route) int { return cmp.Compare(a.order(), b.order()) })
	return all
}

// order returns a sort key that puts literal segments before those in braces.
func (r Route) order() string { return strings.ReplaceAll(r.Path, "{", "\xff") }

// match finds the route of a path, and the values of its segments in braces.
func (s *Site) match(path string) (found Route, args []string, ok bool) {
	got := strings.Split(path, "/")
	for i := range s.routes {
		r := &s.routes[i]
		if !matchesAll(r.segments, got) {
			continue
		}
		for n, segment := range r.segments {
			if strings.HasPrefix(segment, "{") {
				args = append(args, got[n])
			}
		}
		return *r, args, true
	}
	return Route{}, nil, false
}

// matchesAll reports whether the segments of a pattern match those of a path.
func matchesAll(want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	for i, w := range want {
		if w != got[i] && !(strings.HasPrefix(w, "{") && got[i] != "") {
			return false
		}
	}
	return true
}

// Matches reports whether the route's pattern matches a path.
func (r Route) Matches(path string) bool {
	return matchesAll(strings.Split(r.Path, "/"), strings.Split(path, "/"))
}

// secret reports whether the path contains a secret that grants access.
func (r Route) secret() bool {
	return strings.Contains(r.Path, "{token}") || strings.Contains(r.Path, "{code}")
}

// handler returns the handler for a method, or nil if the route does not support the method.
func (r Route) handler(method string) Handler {
	switch method {
	case http.MethodGet, http.MethodHead:
		return r.Get
	case http.MethodPost:
		return r.Post
	}
	return nil
}

// allow returns the methods of a route for the header Allow.
func (r Route) allow() string {
	var methods []string
	if r.Get != nil {
		methods = append(methods, http.MethodGet, http.MethodHead)
	}
	if r.Post != nil {
		methods = append(methods, http.MethodPost)
	}
	return strings.Join(slices.Concat(methods, []string{http.MethodOptions}), ", ")
}
