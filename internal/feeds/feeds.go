// Package feeds is what the collections show to programs beyond the API: feeds that people
// subscribe to, the pictures and frames by which other sites show a link, and what search
// engines read. It answers GET alone and knows nobody but by the secret in the address of
// a private feed: so it shows what guests see, and each answer may be kept by anybody.
package feeds

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
)

// Options are what the door stands on.
type Options struct {
	App       *app.App
	Addresses *present.Addresses
	Exports   *exporting.Exporter

	SecurityContacts []string // URIs for security.txt; if empty, there is no security.txt
	Now              func() time.Time
}

// Door answers the addresses of feeds, cards, oEmbed and robots.
type Door struct {
	o    Options
	host string // of the site
	root string // path of the site's URL and prefix of every link; usually ""
	errs httpedge.Errors

	studio *studio
}

// New makes the door.
func New(o Options) *Door {
	d := &Door{o: o, studio: newStudio(), errs: httpedge.Errors{Write: writeError}}
	if u, err := url.Parse(o.Addresses.Site); err == nil {
		d.host, d.root = u.Hostname(), u.Path
	}
	return d
}

// writeError writes an error as a line of text.
func writeError(w http.ResponseWriter, _ *http.Request, status int, e *domain.Error) {
	h := w.Header()
	for _, name := range []string{"ETag", "Last-Modified", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(e.Message + "\n")) // the client has gone; nothing to do
}

// Render answers with an error (a middleware.Renderer).
func (d *Door) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	d.errs.Render(w, r, status, message)
}

// answer is what answers an address, or gives an error.
type answer func(w http.ResponseWriter, r *http.Request) error

// route is what is at an address.
type route struct {
	operation string // what it is counted as
	answer    answer // nil where nothing is
	always    bool   // also where guests see nothing
}

// Handles reports whether a request is for the door.
func (d *Door) Handles(r *http.Request) bool {
	if _, ok := d.find(r.URL.Path); ok {
		return true
	}
	_, ok := d.moved(r)
	return ok
}

// Owns reports whether the first segment of a path belongs to this package, so that it cannot be the
// slug of a user.
func Owns(segment string) bool {
	switch segment {
	case "robots.txt", "sitemap.xml", "sitemaps", "oembed", "feeds", "cards":
		return true
	}
	return false
}

// moved returns the route of a request whose path has a slash too many at the end.
func (d *Door) moved(r *http.Request) (at route, ok bool) {
	path, ok := httpedge.WithoutSlash(r)
	if !ok {
		return route{}, false
	}
	return d.find(path)
}

// ServeHTTP answers what the door Handles.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := middleware.From(r.Context())
	at, found := d.find(r.URL.Path)
	moved := false
	if !found || at.answer == nil {
		if to, ok := d.moved(r); ok && to.answer != nil {
			at, moved = to, true
		}
	}
	x.Operation = at.operation
	if strings.HasPrefix(r.URL.Path, secretPrefix) {
		x.LogPath = secretPrefix + "…"
	}
	switch {
	case moved:
		w.Header().Set("Location", d.root+httpedge.EscapedWithoutSlash(r))
		w.WriteHeader(http.StatusMovedPermanently)
	case at.answer == nil, !at.always && d.o.App.Exposure.Admits(domain.Actor{}) != nil:
		d.errs.NotFound(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		d.errs.MethodNotAllowed(w, r, http.MethodGet)
	default:
		lagging := !strings.HasPrefix(r.URL.Path, secretPrefix) && !d.Downloads(r) // a secret is held against the primary
		httpedge.Reading(w, r, domain.Actor{}, lagging, func(w http.ResponseWriter, r *http.Request) {
			if err := at.answer(w, r); err != nil {
				d.errs.Fail(r.Context(), w, r, err)
			}
		})
	}
}

// find gives what is at a path; ok is false where that is not the door's. All but the
// folder of secret feeds are paths that no page has: the last segment has a dot, which no
// slug has, or the first is no slug that users may have.
func (d *Door) find(path string) (at route, ok bool) {
	switch path {
	case "/robots.txt":
		return route{"robots", d.robots, true}, true
	case "/sitemap.xml":
		return route{"sitemapIndex", d.sitemapIndex, false}, true
	case "/oembed":
		return route{"oembed", d.oembed, false}, true
	case changePasswordPath:
		return route{"changePassword", d.changePassword, true}, true
	case securityPath:
		if len(d.o.SecurityContacts) == 0 {
			return route{}, false
		}
		return route{"security", d.security, true}, true
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	page, last := segments[:len(segments)-1], segments[len(segments)-1]
	if strings.HasPrefix(path, secretPrefix) {
		return route{"secretFeed", d.secretFeed(segments[1:]), true}, true
	}
	if strings.HasPrefix(path, cardsPrefix) && strings.HasSuffix(last, ".png") {
		return route{"card", d.card(segments[1:]), false}, true
	}
	if segments[0] == "sitemaps" && len(segments) == 2 && strings.HasSuffix(last, ".xml") {
		return route{"sitemap", d.sitemap(last), false}, true
	}
	if format, found := strings.CutPrefix(last, "feed."); found {
		return d.findFeed(page, present.FeedFormat(format))
	}
	return route{}, false
}

// findFeed gives the feed of a page.
func (d *Door) findFeed(page []string, f present.FeedFormat) (at route, ok bool) {
	switch {
	case f != present.Atom && f != present.JSONFeed, len(page) == 0, len(page) > 2:
		return route{}, false
	case len(page) == 1 && page[0] == "explore":
		return route{"exploreFeed", d.open(f, d.exploreFeed), false}, true
	case len(page) == 2 && page[0] == "group":
		return route{"groupFeed", d.open(f, d.groupFeed(page[1])), false}, true
	case domain.ReservedSlug(page[0]):
		return route{}, false
	case len(page) == 2:
		return route{"channelFeed", d.open(f, d.channelFeed(page[1])), false}, true
	}
	return route{"userFeed", d.open(f, d.userFeed(page[0])), false}, true
}
