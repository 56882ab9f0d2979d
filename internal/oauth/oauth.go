// Package oauth answers the endpoints of OAuth 2.0 that clients call (RFC 6749, 7009,
// 7591, 7662, 8414). The page where a user consents is the website's.
package oauth

import (
	"net/http"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/middleware"
)

// Options is what the endpoints stand on.
type Options struct {
	App          *app.App
	Limiter      *middleware.Limiter
	SiteURL      string // absolute, without a slash at its end
	BaseURL      string // of the API, the same
	Registration bool   // clients may register themselves
	Now          func() time.Time
}

// Endpoints answers clients.
type Endpoints struct{ o Options }

// New makes the endpoints.
func New(o Options) *Endpoints { return &Endpoints{o} }

// Handles tells whether a path is one of an endpoint.
func Handles(path string) bool { return false }

// ServeHTTP answers what is Handled.
func (e *Endpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

// Render answers with an error in the shape of RFC 6749 section 5.2 (a
// middleware.Renderer).
func (e *Endpoints) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	w.WriteHeader(status)
}
