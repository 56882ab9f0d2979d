package web

import (
	"cmp"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/app"
)

// Room is a part of the website: its pages, and the templates that they are made from.
type Room struct {
	Name   string // its templates are called by it, and the texts of its pages begin with it
	Routes []Route

	// Templates holds a file for each page, called by its name, and files that begin with
	// an underscore for what pages of the room share.
	Templates fs.FS

	Lagging bool // its pages may be a little old: they are read at a replica of the database, if there is one

	Sections []Section
}

// Section is a navigation beside the pages whose paths begin with one of its prefixes.
type Section struct {
	Under []string
	Links []Link
}

// Link is an entry of a navigation: a path and the id of its text. It stands there only If that
// is so; nil is always.
type Link struct {
	Path, Text string
	If         func(a *app.App) bool
}

// Handler answers a visit, or gives an error for which a page is shown.
type Handler func(v *Visit) error

// Access is who may see a page.
type Access int

const (
	Anyone    Access = iota // whoever may see the site: see Route.Open
	Users                   // a guest is sent to sign in, and comes back
	Operators               // for others there is no such page
)

// Route is an address and what is there. Segments in braces stand for any text; where
// they are {token} or {code} they are secret, and logs have the pattern instead of the path.
type Route struct {
	Path     string
	Access   Access
	Get      Handler // nil for none; HEAD is served by it too
	Post     Handler // nil for none
	Fields   Fields  // long or repeated fields of its form
	Files    bool    // its forms may hold files, as multipart/form-data
	Download bool    // GET answers with a file, which is counted as a request of the API is
	Counted  bool    // POST is counted as a request of the API is, because it has other sites asked
	Confirm  bool    // requires a recent confirmation, and asks for one before the page is shown
	Open     bool    // guests may see it where they are closed out: it shows nothing of collections

	room    string
	lagging bool
}

// sorted gives the routes of all rooms with the more literal of two patterns first, so
// that the first that matches is the right one.
func sorted(rooms []Room) []Route {
	var all []Route
	for _, room := range rooms {
		for _, r := range room.Routes {
			r.room, r.lagging = room.Name, room.Lagging && !r.Download
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Route) int { return cmp.Compare(a.order(), b.order()) })
	return all
}

// order is a text by which a literal segment comes before one in braces.
func (r Route) order() string { return strings.ReplaceAll(r.Path, "{", "\xff") }

// match finds the route of a path, and what stands in the place of its braces.
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

// Matches reports whether a path is at the route.
func (r Route) Matches(path string) bool {
	_, ok := r.match(path)
	return ok
}

// secret reports whether the path of a visit lets its reader in somewhere.
func (r Route) secret() bool {
	return strings.Contains(r.Path, "{token}") || strings.Contains(r.Path, "{code}")
}

// handler returns what answers a method, nil if nothing does.
func (r Route) handler(method string) Handler {
	switch method {
	case http.MethodGet, http.MethodHead:
		return r.Get
	case http.MethodPost:
		return r.Post
	}
	return nil
}

// allow lists the methods of a route.
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
