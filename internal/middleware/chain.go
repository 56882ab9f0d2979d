// Package middleware contains the HTTP middleware of the server. It does not know the application's
// rules. Begin creates the Exchange of a request, which the other middleware finds in the context,
// so it must come first; only StripPrefix and Pace may be outside it.
//
// The order, outermost first, is that of httpedge's mounts:
//
//	StripPrefix, Begin, ClientAddr, RequestID, Traced, CacheHeaders, SecureHeaders, CORS,
//	Recover, HeaderLimit, Memory, Head, Compress, Conditional, Deadline, BodyLimit
//
// Recover is outside Compress and Conditional so that a panic while a body is buffered still
// results in a 500. Conditional is inside Compress so that the entity tag is the same for every
// encoding.
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
