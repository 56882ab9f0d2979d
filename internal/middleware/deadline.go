package middleware

import (
	"context"
	"net/http"
	"time"
)

// Deadline gives each request d to finish (behaviour.md section 1). When it has run
// out, the context is cancelled, a read of the body fails, and the answer is
// 408 through render, in place of nothing or of the error (status 400 and up)
// that the cancellation led to. A success that comes late is still sent, since
// its effects have happened. No goroutine is started: a handler that heeds
// neither its context nor its body is not interrupted.
func Deadline(d time.Duration, render Renderer) Piece {
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

// limitReading sets the connection's read deadline if the request has a body.
// Without one net/http is already reading ahead for the next request, and would
// take the deadline for a lost client. It lifts the deadline itself once the
// body has arrived; one left unread it then fails to drain, and it closes the
// connection instead of waiting for the rest.
func limitReading(w http.ResponseWriter, r *http.Request, deadline time.Time) {
	if r.Body != nil && r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(deadline) // not every writer has a connection
	}
}

// deadlineWriter swallows error responses that begin after the deadline.
type deadlineWriter struct {
	http.ResponseWriter
	deadline time.Time
	wrote    bool
	dropped  bool
}

func (w *deadlineWriter) late() bool { return !time.Now().Before(w.deadline) }

// missed reports whether the answer has to be 408.
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

// Unwrap serves http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
