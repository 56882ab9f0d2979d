// Package site is the website: pages rendered on the server, for people who sign in,
// keep their tokens and applications, and allow clients to act for them.
package site

import (
	"log/slog"
	"net/http"
	"time"

	"vitrine/internal/app"
)

// Options is what the website stands on.
type Options struct {
	App      *app.App
	SiteURL  string // absolute, without a slash at its end
	BaseURL  string // of the API, the same
	FilesURL string // of files, the same
	Version  string
	Log      *slog.Logger
	Now      func() time.Time
}

// Site answers the addresses of the website.
type Site struct{ o Options }

// New makes the website.
func New(o Options) *Site { return &Site{o} }

// Handles tells whether a request is for the website.
func (s *Site) Handles(r *http.Request) bool { return false }

// ServeHTTP answers what it Handles.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

// Render answers with a page that tells of an error (a middleware.Renderer).
func (s *Site) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	w.WriteHeader(status)
}
