// Package middleware contains HTTP middleware that knows no rule of the service. Each function
// wraps an http.Handler with one concern. Begin puts an Exchange into the request's context, which
// others read; so only Below and Pace run before it.
//
// The order in which a request passes them is in httpedge.Options.behind. Two parts of it matter
// here: Recover is outside Compress and Conditional, so that a panic in the middle of a buffered
// body is still answered by a complete 500; and Conditional is inside Compress, so that an ETag
// is the same for every encoding.
package middleware

import "net/http"

// Piece is a middleware.
type Piece = func(http.Handler) http.Handler

// Renderer writes an error response: status, headers and body. Each mount has its own, so that
// errors of middleware have the same shape as those of its handlers. The message is shown to the
// client; an empty message means the text for failures of the server.
type Renderer func(w http.ResponseWriter, r *http.Request, status int, message string)

// Chain wraps h in the pieces. The first one is the outermost.
func Chain(h http.Handler, pieces ...Piece) http.Handler {
	for i := len(pieces) - 1; i >= 0; i-- {
		h = pieces[i](h)
	}
	return h
}

// dropRepresentation removes the header fields that describe a body, before a different body is
// sent instead.
func dropRepresentation(h http.Header) {
	for _, name := range []string{
		"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type",
		"ETag", "Last-Modified", "Location",
	} {
		h.Del(name)
	}
}
