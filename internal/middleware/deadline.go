package middleware

import (
	"context"
	"net/http"
	"time"
)

// Deadline limits the time of each request to d (behaviour.md section 1). After that the context is
// cancelled and reading the body fails. If the handler then responds with an error (status 400 and
// up) or not at all, the response is a 408 from render. A late success is still sent, because it
// took effect. Deadline starts no goroutine, so it does not interrupt a handler that ignores both
// its context and its body.
func Deadline(d time.Duration, render Renderer) Middleware {
	message := "The request took longer than " + d.String()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			deadline := time.Now().Add(d)
			ctx, cancel := context.WithDeadline(r.Context(), deadline)
			defer cancel()
			r = r.WithContext(ctx)
			limitReading(w, r, deadline)
			dw := &deadlineWriter{ResponseWriter: w, deadline: deadline}
			next.ServeHTTP(dw, r)
			if !dw.missed() {
				return
			}
			dropRepresentation(w.Header())
			render(w, r, http.StatusRequestTimeout, message)
		})
	}
}

// limitReading sets the connection's read deadline if the request has a body. Without a body,
// net/http is already reading ahead for the next request and would treat the deadline as a lost
// client. net/http clears the deadline after the body has been read. If the body is not read to the
// end, net/http fails to drain it and closes the connection instead of waiting.
func limitReading(w http.ResponseWriter, r *http.Request, deadline time.Time) {
	if r.Body != nil && r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(deadline) // not every writer has a connection
	}
}

// deadlineWriter drops error responses that start after the deadline.
type deadlineWriter struct {
	http.ResponseWriter
	deadline time.Time
	wrote    bool
	dropped  bool
}

func (w *deadlineWriter) late() bool { return !time.Now().Before(w.deadline) }

// missed reports whether the response must be 408.
func (w *deadlineWriter) missed() bool { return w.dropped || !w.wrote && w.late() }

func (w *deadlineWriter) WriteHeader(status int) {
	if !w.wrote && !w.dropped && status >= http.StatusOK {
		w.dropped = status >= http.StatusBadRequest && w.late()
		w.wrote = !w.dropped
	}
	if !w.dropped {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *deadlineWriter) Write(p []byte) (int, error) {
	if w.dropped {
		return len(p), nil
	}
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

func (w *deadlineWriter) Flush() {
	if !w.dropped {
		w.wrote = true
		flush(w.ResponseWriter)
	}
}

// Unwrap supports http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
