// Package feeds serves collections to programs outside the API: feeds, preview images and oEmbed
// for other sites, and robots.txt and sitemaps for search engines. It only handles GET. It
// authenticates nobody, except by the secret in the URL of a private feed, so it shows what guests
// see, and its responses can be cached by anyone.
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

// Options configure a Handler.
type Options struct {
	App       *app.App
	Addresses *present.Addresses
	Exports   *exporting.Exporter

	SecurityContacts []string // URIs for security.txt; if empty, there is no security.txt
	Now              func() time.Time
	Limiter          *middleware.Limiter // counts searches of guests
}

// Handler serves feeds, cards, oEmbed, robots.txt and sitemaps.
type Handler struct {
	o    Options
	host string // the site's host
	root string // path of the site's URL and prefix of every link; usually ""
	errs httpedge.Errors

	cards *cardCache
}

// New creates a Handler.
func New(o Options) *Handler {
	h := &Handler{o: o, cards: newCardCache(), errs: httpedge.Errors{Write: writeError}}
	if u, err := url.Parse(o.Addresses.Site); err == nil {
		h.host, h.root = u.Hostname(), u.Path
	}
	return h
}

// writeError writes an error as a line of plain text.
func writeError(w http.ResponseWriter, _ *http.Request, status int, e *domain.Error) {
	h := w.Header()
	for _, name := range []string{"ETag", "Last-Modified", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(e.Message + "\n")) // fails only if the client is gone
}

// Render writes an error (a middleware.Renderer).
func (h *Handler) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	h.errs.Render(w, r, status, message)
}

// answer handles a request or returns an error.
type answer func(w http.ResponseWriter, r *http.Request) error

// route is the handler of a path.
type route struct {
	operation string // name in metrics and logs
	answer    answer // nil if the path does not exist
	always    bool   // also served if guests are not allowed
}

// Handles reports whether a request is for this handler.
func (h *Handler) Handles(r *http.Request) bool {
	if _, ok := h.find(r.URL.Path); ok {
		return true
	}
	_, ok := h.moved(r)
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

// moved returns the route of a request whose path has a superfluous slash at the end.
func (h *Handler) moved(r *http.Request) (at route, ok bool) {
	path, ok := httpedge.WithoutSlash(r)
	if !ok {
		return route{}, false
	}
	return h.find(path)
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := middleware.From(r.Context())
	at, found := h.find(r.URL.Path)
	moved := false
	if !found || at.answer == nil {
		if to, ok := h.moved(r); ok && to.answer != nil {
			at, moved = to, true
		}
	}
	x.Operation = at.operation
	if strings.HasPrefix(r.URL.Path, secretPrefix) {
		x.LogPath = secretPrefix + "…"
	}
	switch {
	case moved:
		w.Header().Set("Location", h.root+httpedge.EscapedWithoutSlash(r))
		w.WriteHeader(http.StatusMovedPermanently)
	case at.answer == nil, !at.always && h.o.App.Exposure.Admits(domain.Actor{}) != nil:
		h.errs.NotFound(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.errs.MethodNotAllowed(w, r, http.MethodGet)
	default:
		lagging := !strings.HasPrefix(r.URL.Path, secretPrefix) && !h.Downloads(r) // secrets must be checked on the primary
		httpedge.Reading(w, r, domain.Actor{}, lagging, func(w http.ResponseWriter, r *http.Request) {
			if err := at.answer(w, r); err != nil {
				h.errs.Fail(r.Context(), w, r, err)
			}
		})
	}
}

// find returns the route of a path; ok is false if the path does not belong to this package. Apart
// from secret feeds, these paths cannot be pages: their last segment has a dot, which slugs cannot
// contain, or their first segment is a reserved slug.
func (h *Handler) find(path string) (at route, ok bool) {
	switch path {
	case "/robots.txt":
		return route{"robots", h.robots, true}, true
	case "/sitemap.xml":
		return route{"sitemapIndex", h.sitemapIndex, false}, true
	case "/oembed":
		return route{"oembed", h.oembed, false}, true
	case changePasswordPath:
		return route{"changePassword", h.changePassword, true}, true
	case securityPath:
		if len(h.o.SecurityContacts) == 0 {
			return route{}, false
		}
		return route{"security", h.security, true}, true
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	page, last := segments[:len(segments)-1], segments[len(segments)-1]
	if strings.HasPrefix(path, secretPrefix) {
		return route{"secretFeed", h.secretFeed(segments[1:]), true}, true
	}
	if strings.HasPrefix(path, cardsPrefix) && strings.HasSuffix(last, ".png") {
		return route{"card", h.card(segments[1:]), false}, true
	}
	if segments[0] == "sitemaps" && len(segments) == 2 && strings.HasSuffix(last, ".xml") {
		return route{"sitemap", h.sitemap(last), false}, true
	}
	if format, found := strings.CutPrefix(last, "feed."); found {
		return h.findFeed(page, present.FeedFormat(format))
	}
	return route{}, false
}

// findFeed returns the route of a page's feed.
func (h *Handler) findFeed(page []string, f present.FeedFormat) (at route, ok bool) {
	switch {
	case f != present.Atom && f != present.JSONFeed, len(page) == 0, len(page) > 2:
		return route{}, false
	case len(page) == 1 && page[0] == "search":
		return route{"searchFeed", h.searchFeed(f), false}, true
	case len(page) == 1 && page[0] == "explore":
		return route{"exploreFeed", h.open(f, h.exploreFeed), false}, true
	case len(page) == 2 && page[0] == "group":
		return route{"groupFeed", h.open(f, h.groupFeed(page[1])), false}, true
	case domain.ReservedSlug(page[0]):
		return route{}, false
	case len(page) == 2:
		return route{"channelFeed", h.open(f, h.channelFeed(page[1])), false}, true
	}
	return route{"userFeed", h.open(f, h.userFeed(page[0])), false}, true
}
