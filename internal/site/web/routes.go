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
	Counted  bool    // POST is rate limited like a request to the API, since it makes requests to other sites
	Confirm  bool    // requires a recent confirmation before the page is shown
	Open     bool    // guests may see it even if the site is closed to them: it shows nothing of collections

	pageSet string
	lagging bool
}

// sorted returns the routes of all packages. Of two patterns that match the same path, the more
// literal one comes first.
func sorted(sets []PageSet) []Route {
	var all []Route
	for _, set := range sets {
		for _, r := range set.Routes {
			r.pageSet, r.lagging = set.Name, set.Lagging && !r.Download
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
	for _, r := range s.routes {
		if args, ok := r.match(path); ok {
			return r, args, true
		}
	}
	return Route{}, nil, false
}

func (r Route) match(path string) (args []string, ok bool) {
	want, got := strings.Split(r.Path, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case strings.HasPrefix(w, "{") && got[i] != "":
			args = append(args, got[i])
		case w != got[i]:
			return nil, false
		}
	}
	return args, true
}

// Matches reports whether the route's pattern matches a path.
func (r Route) Matches(path string) bool {
	_, ok := r.match(path)
	return ok
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
