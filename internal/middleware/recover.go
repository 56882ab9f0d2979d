package middleware

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover answers a panic by 500 through render and logs it with its stack. If
// the response had already begun, the connection is cut instead, so that the
// client does not take half a body for a whole one. http.ErrAbortHandler passes.
func Recover(log *slog.Logger, render Renderer) Piece {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				if v == http.ErrAbortHandler {
					panic(v)
				}
				x := From(r.Context())
				x.Error = fmt.Errorf("panic: %v", v)
				log.ErrorContext(r.Context(), "panic",
					"request_id", x.RequestID, "error", x.Error, "stack", string(debug.Stack()))
				if x.Status != 0 {
					panic(http.ErrAbortHandler)
				}
				dropRepresentation(w.Header())
				render(w, r, http.StatusInternalServerError, "")
			}()
			next.ServeHTTP(w, r)
		})
	}
}
