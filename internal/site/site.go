// Package site is the website: pages rendered on the server, for people who sign in,
// keep their tokens and applications, and allow clients to act for them. There is no
// script: what a page does, its forms do.
package site

import (
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/middleware"
)

// Options is what the website stands on.
type Options struct {
	App      *app.App
	SiteURL  string // absolute, without a slash at its end
	BaseURL  string // of the API, the same
	FilesURL string // of files, the same
	Mails    bool   // mail is sent; else it is kept for the operator
	Version  string
	Log      *slog.Logger
	Now      func() time.Time
}

// Site answers the addresses of the website.
type Site struct {
	o      Options
	origin string // scheme and host of the site
	root   string // what is before every path, "" but where the site lives below another
	secure bool   // the site is on https
	policy string // Content-Security-Policy but for form-action
	cross  *http.CrossOriginProtection
	pages  map[string]*template.Template
	assets assets
}

// New makes the website. Its templates are part of the program, so that they cannot
// be read is a defect of it.
func New(o Options) *Site {
	s := &Site{o: o, assets: newAssets(), cross: http.NewCrossOriginProtection()}
	if u, err := url.Parse(o.SiteURL); err == nil {
		s.origin, s.root, s.secure = u.Scheme+"://"+u.Host, u.Path, u.Scheme == "https"
	}
	// A proxy may have changed Host, which the origin of a form is compared with.
	_ = s.cross.AddTrustedOrigin(s.origin) // an origin that is none is nobody's
	s.policy = policy(o.FilesURL)
	s.pages = s.parse()
	return s
}

// Handles reports whether a request is for the website: for one of its addresses or
// anything below them, or by a browser for a page that nobody has. What is below the
// API's addresses stays with the API, in whichever form it is asked for.
func (s *Site) Handles(r *http.Request) bool {
	if r.URL.Path == "/" || ours(r.URL.Path) {
		return true
	}
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	return read && strings.HasPrefix(r.URL.Path, "/") && !apis(r.URL.Path) && wantsPage(r)
}

// ours reports whether the first segment of a path is one of the website's.
func ours(path string) bool {
	switch first(path) {
	case "assets", "sign-up", "sign-in", "sign-out", "confirm", "forgot-password", "reset-password",
		"settings", "oauth", "invitations", "group", "operator":
		return true
	}
	return false
}

// apis reports whether the first segment of a path is one of the API's.
func apis(path string) bool {
	switch first(path) {
	case "v3", "ext", ".well-known":
		return true
	}
	return false
}

func first(path string) string {
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return segment
}

// wantsPage reports whether a client names HTML among what it accepts, as browsers do.
func wantsPage(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}

// ServeHTTP answers what it Handles.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.writeHeaders(w.Header(), "")
	if name, ok := strings.CutPrefix(r.URL.Path, "/assets/"); ok && s.assets.serve(w, r, name) {
		return
	}
	v := &visit{s: s, w: w, r: r}
	if err := v.answer(); err != nil {
		v.fail(err)
	}
}

// Render answers with a page that tells of an error (a middleware.Renderer).
func (s *Site) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	s.writeHeaders(w.Header(), "")
	v := &visit{s: s, w: w, r: r}
	if message == "" {
		message = "Something went wrong on the server. Request id: " + middleware.From(r.Context()).RequestID
	}
	v.failure(status, message)
}
