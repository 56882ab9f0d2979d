package middleware

import (
	"net/http"
	"strconv"
)

// BodyLimit bounds request bodies to limit bytes. A larger Content-Length is
// answered by 413 at once; a larger body of unknown length makes reading it fail
// with *http.MaxBytesError, which the handler turns into 413.
func BodyLimit(limit int64, render Renderer) Piece {
	message := "The request body may have at most " + strconv.FormatInt(limit, 10) + " bytes"
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > limit {
				render(w, r, http.StatusRequestEntityTooLarge, message)
				return
			}
			if r.Body != nil && r.Body != http.NoBody {
				r.Body = http.MaxBytesReader(w, r.Body, limit)
			}
			next.ServeHTTP(w, r)
		})
	}
}
