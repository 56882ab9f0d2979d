package middleware

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"vitrine/internal/obs"
)

// AccessLog returns an Observer that writes one line per request. It omits the query, which may
// contain tokens and codes, and writes LogPath instead of the path if it is set. The level is Error
// for 5xx, with the cause, Warn for 5xx because of a limit, and Info otherwise.
func AccessLog(log *slog.Logger) Observer {
	return func(r *http.Request, x *Exchange, took time.Duration) {
		level, path := slog.LevelInfo, r.URL.Path
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
		if x.Status >= http.StatusInternalServerError {
			if level = slog.LevelError; x.Refused != "" {
				level = slog.LevelWarn
			}
			if x.Error != nil {
				attrs = append(attrs, slog.String("error", x.Error.Error()))
			}
		}
		log.LogAttrs(r.Context(), level, "request", attrs...)
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
