// Package middleware contains HTTP middleware that knows no rule of the service. Each function
// wraps an http.Handler with one concern. Begin puts an Exchange into the request's context, which
// others read; so only StripPrefix and Pace run before it. httpedge's chain determines the order.
package middleware

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

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

// Unless returns middleware that is skipped for the requests selected by some.
func Unless(some func(*http.Request) bool, wrap Middleware) Middleware {
	if some == nil {
		return wrap
	}
	return func(next http.Handler) http.Handler {
		through := wrap(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if some(r) {
				next.ServeHTTP(w, r)
				return
			}
			through.ServeHTTP(w, r)
		})
	}
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

// headerHook calls before once, right before the final status is written, so that headers can still
// be changed. Informational responses do not trigger it.
type headerHook struct {
	http.ResponseWriter
	before func(status int)
	done   bool
}

func (w *headerHook) WriteHeader(status int) {
	if status >= http.StatusOK && !w.done {
		w.done = true
		w.before(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *headerHook) Write(p []byte) (int, error) {
	w.ensure()
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, which gzhttp requires.
func (w *headerHook) Flush() {
	w.ensure()
	flush(w.ResponseWriter)
}

// Unwrap supports http.ResponseController.
func (w *headerHook) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ensure sends 200, like net/http, if no status has been sent.
func (w *headerHook) ensure() {
	if !w.done {
		w.WriteHeader(http.StatusOK)
	}
}

// flush flushes w if it supports that.
func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

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
