// Package middleware contains HTTP middleware that knows no rule of the service. Each function
// wraps an http.Handler with one concern. Begin puts an Exchange into the request's context, which
// others read; so only StripPrefix and Pace run before it.
//
// The order in which a request passes them is in httpedge.Options.wrap. Two parts of it matter
// here: Recover is outside Compress and Conditional, so that a panic in the middle of a buffered
// body is still answered by a complete 500; and Conditional is inside Compress, so that an ETag
// is the same for every encoding.
package middleware

import "net/http"

// Middleware wraps a handler.
type Middleware = func(http.Handler) http.Handler

// Renderer writes an error response: status, headers and body. Each API passes its own, so that all
// its errors have the same shape. The message is shown to the client; if it is empty, the renderer
// writes its message for internal errors.
type Renderer func(w http.ResponseWriter, r *http.Request, status int, message string)

// Chain wraps h in the middleware; the first one is the outermost.
func Chain(h http.Handler, ms ...Middleware) http.Handler {
	for i := len(ms) - 1; i >= 0; i-- {
		h = ms[i](h)
	}
	return h
}

// dropRepresentation removes the headers of a body that is replaced by an error.
func dropRepresentation(h http.Header) {
	for _, name := range []string{
		"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type",
		"ETag", "Last-Modified", "Location",
	} {
		h.Del(name)
	}
}
