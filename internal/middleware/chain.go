// Package middleware holds the pieces that stand between the listener and the
// handlers: each wraps an http.Handler, does one thing, and knows no rule of the
// service. Begin must be the outermost, except for Below, which needs no Exchange; the others
// find the request's Exchange in the context.
//
// The order that their doc comments assume, outermost first:
//
//	Below, Begin, ClientAddr, RequestID, Traced, CacheHeaders, SecureHeaders, CORS, Recover,
//	Head, Compress, Conditional, Deadline, BodyLimit, then the handlers.
//
// Recover stands outside Compress and Conditional so that a panic in the middle
// of a buffered body is still answered by a clean 500. Conditional stands inside
// Compress so that an entity tag is the same for every encoding.
package middleware

import "net/http"

// Piece wraps a handler with one concern.
type Piece = func(http.Handler) http.Handler

// Renderer writes an error response: status, headers and body. The one
// implementation is the API's; pieces call it so that every error has the same
// shape. The message is shown to the client; for an empty one the renderer says
// what it says of failures of the server.
type Renderer func(w http.ResponseWriter, r *http.Request, status int, message string)

// Chain wraps h in the pieces; the first piece is the outermost.
func Chain(h http.Handler, pieces ...Piece) http.Handler {
	for i := len(pieces) - 1; i >= 0; i-- {
		h = pieces[i](h)
	}
	return h
}

// dropRepresentation removes the header fields that described a body which is
// not going to be sent, before another one is rendered in its place.
func dropRepresentation(h http.Header) {
	for _, name := range []string{
		"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type",
		"ETag", "Last-Modified", "Location",
	} {
		h.Del(name)
	}
}
