package middleware

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover responds 500 with render after a panic and logs the stack. If the response had already
// started, it cuts the connection, so that the client does not mistake a partial body for a
// complete one. It passes http.ErrAbortHandler on.
func Recover(log *slog.Logger, render Renderer) Middleware {
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
