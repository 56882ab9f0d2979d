// Package web is the frame of the website: requests and sessions, forms, templates, languages,
// cookies, headers, styles and scripts, errors. Other packages provide the pages as routes and
// templates.
package web

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/doctor"
	"vitrine/internal/exporting"
	"vitrine/internal/fragments"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
	"vitrine/internal/site/catalog"
)

// Options contains the website's dependencies.
type Options struct {
	App       *app.App
	Addresses *present.Addresses
	Exports   *exporting.Exporter
	Mails     bool   // mail is sent; otherwise it is stored for the operator
	Language  string // tags of the site's languages, best first
	Version   string
	Log       *slog.Logger
	Now       func() time.Time
	Limiter   *middleware.Limiter // rate limits by tier, which searches count towards
	Fragments *fragments.Cache    // faces of items; nil disables the cache
	Callers   *httpedge.Callers   // limits the concurrent requests of a client, for the site and the API together
	Doctor    *doctor.Doctor      // examines the installation for operators
}

// Site serves the addresses of the website.
type Site struct {
	o        Options
	origin   string // scheme and host of the site
	root     string // path of the site's URL and prefix of every link; usually ""
	secure   bool   // the site uses HTTPS
	policy   string // Content-Security-Policy without the additions of pages
	cross    *http.CrossOriginProtection
	routes   []Route
	sections []Section
	own      map[string]bool // first segments of paths that only the website uses

	// Texts, pages and assets are read when the first page is shown.
	texts  func() *catalog.Catalog
	pages  func() map[string]func() pages // by language
	assets func() assets
}

// New creates the website. It panics if templates are invalid, since they are part of the program.
func New(o Options, sets ...PageSet) *Site {
	s := &Site{o: o, assets: theAssets, cross: http.NewCrossOriginProtection(), texts: catalog.All}
	if u, err := url.Parse(o.Addresses.Site); err == nil {
		s.origin, s.root, s.secure = u.Scheme+"://"+u.Host, u.Path, u.Scheme == "https"
	}
	// A proxy may have changed Host, with which the origin of a form is compared.
	_ = s.cross.AddTrustedOrigin(s.origin) // an invalid origin matches none
	s.policy = policy(o.Addresses.Files, o.App.Content.UploadsTo())
	s.own = map[string]bool{"assets": true}
	s.routes = sorted(append([]PageSet{s.frame()}, sets...))
	for _, r := range s.routes {
		if segment := first(r.Path); segment != "" && !strings.HasPrefix(segment, "{") {
			s.own[segment] = true
		}
	}
	for _, set := range sets {
		s.sections = append(s.sections, set.Sections...)
	}
	s.pages = sync.OnceValue(func() map[string]func() pages {
		by := map[string]func() pages{}
		for _, lang := range s.texts().Languages {
			by[lang.Code] = sync.OnceValue(func() pages { return s.parse(lang, sets) })
		}
		return by
	})
	return s
}

// Handles reports whether a request is for the website: for one of its own paths or anything below
// them, for the page of an item, or from a browser for an unknown page. Paths of the API always
// stay with the API.
func (s *Site) Handles(r *http.Request) bool {
	if s.own[first(r.URL.Path)] {
		return true
	}
	if _, ok := s.moved(r); ok {
		return true
	}
	if !strings.HasPrefix(r.URL.Path, "/") || apis(r.URL.Path) {
		return false
	}
	if _, _, found := s.match(r.URL.Path); found {
		return true
	}
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && wantsPage(r)
}

// moved returns the route of a request whose path has an extra slash at the end.
func (s *Site) moved(r *http.Request) (at Route, ok bool) {
	path, ok := httpedge.WithoutSlash(r)
	if !ok || apis(path) {
		return Route{}, false
	}
	at, _, ok = s.match(path)
	if strings.HasPrefix(first(at.Path), "{") && s.own[first(path)] {
		return Route{}, false // the segment cannot be a user's slug
	}
	return at, ok
}

// Owns reports whether the first segment of a path belongs to the website, so that it cannot be the slug
// of a user.
func (s *Site) Owns(segment string) bool { return s.own[segment] }

// Streams reports whether a request is a form with files, which its page reads as a stream.
func (s *Site) Streams(r *http.Request) bool {
	at, _, found := s.match(r.URL.Path)
	return found && at.Files && r.Method == http.MethodPost && mediaType(r) == "multipart/form-data"
}

// Downloads reports whether a request is for a file that is created while it is sent, or for a stream.
func (s *Site) Downloads(r *http.Request) bool {
	at, _, found := s.match(r.URL.Path)
	return found && (at.Download || at.Waits) && r.Method != http.MethodPost
}

// apis reports whether the first segment of a path belongs to the API or to health checks.
func apis(path string) bool {
	switch strings.ToLower(first(path)) {
	case "v1", "v2", "v3", "v4", "api", "ext", ".well-known", "healthz", "livez", "readyz":
		return true
	}
	return false
}

func first(path string) string {
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return segment
}

// wantsPage reports whether a client accepts HTML, as browsers do.
func wantsPage(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}

// ServeHTTP serves requests for which Handles returns true.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name, ok := strings.CutPrefix(r.URL.Path, "/assets/"); ok && s.assets().serve(w, r, name) {
		return
	}
	v := s.visit(w, r)
	if err := v.answer(); err != nil {
		v.fail(err)
	}
}

// Render answers with an error page (a middleware.Renderer).
func (s *Site) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	v := s.visit(w, r)
	if message == "" {
		message = v.T("web.error.internal", middleware.From(r.Context()).RequestID)
	}
	v.failure(status, message)
}

// visit creates the visit of a request.
func (s *Site) visit(w http.ResponseWriter, r *http.Request) *Visit {
	v := &Visit{s: s, W: w, R: r}
	v.Lang = s.language(r)
	s.writeHeaders(w.Header(), v)
	return v
}
