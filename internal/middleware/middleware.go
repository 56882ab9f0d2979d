// Package middleware contains HTTP middleware that knows no rule of the service. Each function
// wraps an http.Handler with one concern. Begin puts an Exchange into the request's context, which
// others read; so only StripPrefix and Pace run before it. httpedge's chain determines the order.
package middleware

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"time"

	"vitrine/internal/obs"
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

// AccessLog returns an Observer that writes one line per request. It omits the query, which may
// contain tokens and codes, and writes LogPath instead of the path if it is set. The level is Error
// for 5xx, with the cause, Warn for 5xx because of a limit, and Info otherwise.
func AccessLog(log *slog.Logger) Observer {
	handler := log.Handler()
	return func(r *http.Request, x *Exchange, took time.Duration) {
		level, path := slog.LevelInfo, r.URL.Path
		if x.Status >= http.StatusInternalServerError {
			if level = slog.LevelError; x.Refused != "" {
				level = slog.LevelWarn
			}
		}
		if !handler.Enabled(r.Context(), level) {
			return
		}
		if x.LogPath != "" {
			path = x.LogPath
		}
		attrs := make([]slog.Attr, 0, 11)
		attrs = append(attrs,
			slog.String("method", r.Method),
			slog.String("path", path),
			slog.Int("status", x.Status),
			slog.Int64("bytes", x.Bytes),
			slog.Duration("duration", took),
			slog.String("request_id", x.RequestID),
			slog.String("operation", x.Operation),
			slog.Int64("user_id", x.UserID),
			slog.String("client", clientText(x)),
		)
		if x.Trace != "" {
			attrs = append(attrs, slog.String("trace_id", obs.TraceID(x.Trace)))
		}
		if x.Status >= http.StatusInternalServerError && x.Error != nil {
			attrs = append(attrs, slog.String("error", x.Error.Error()))
		}
		line := slog.NewRecord(time.Now(), level, "request", 0) // without the caller, which no format shows
		line.AddAttrs(attrs...)
		_ = handler.Handle(r.Context(), line) // like the methods of slog.Logger
	}
}

func clientText(x *Exchange) string {
	if !x.ClientIP.IsValid() {
		return "unknown"
	}
	return x.ClientIP.String()
}

// Traced records each request as a span, a child of the incoming traceparent. A proxy
// (Exchange.fromProxy) decides whether the span is recorded. For other clients the tracer's ratio
// decides, or they could make us record everything. Jobs of unrecorded requests are not recorded
// either. EndTrace must be one of Begin's observers.
func Traced(tracer *obs.Tracer, trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			ctx, span := tracer.Root(r.Context(), obs.ServerSpan, "request", x.Trace, x.fromProxy(trusted))
			switch {
			case span != nil:
				x.span, x.Trace = span, span.Traceparent()
				r = r.WithContext(ctx)
			case x.Trace != "":
				x.Trace = obs.Unsampled(x.Trace)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// EndTrace is an Observer that ends the request's span. The span has the attributes of the access
// log except the client's address.
func EndTrace(r *http.Request, x *Exchange, _ time.Duration) {
	span := x.span
	if span == nil {
		return
	}
	method := "_OTHER"
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		method = r.Method
	}
	span.Name(cmp.Or(x.Operation, method))
	span.Text("http.request.method", method)
	span.Text("url.path", cmp.Or(x.LogPath, r.URL.Path))
	span.Text("vitrine.operation", x.Operation)
	span.Text("vitrine.request_id", x.RequestID)
	if x.UserID != 0 {
		span.Text("user.id", strconv.FormatInt(x.UserID, 10))
	}
	span.Number("http.response.body.size", x.Bytes)
	switch {
	case x.Status == 0:
		span.Fail("aborted")
	case x.Status >= http.StatusInternalServerError:
		span.Text("error.type", strconv.Itoa(x.Status))
		span.Fail("") // the log has the cause
	}
	if x.Status != 0 {
		span.Number("http.response.status_code", int64(x.Status))
	}
	span.End()
}
