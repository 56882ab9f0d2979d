package middleware

import (
	"cmp"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"vitrine/internal/obs/trace"
)

// Traced makes each request a span, as a child of the incoming traceparent. For a proxy
// (Exchange.fromProxy) that decides whether the span is recorded. For all others the tracer's ratio does,
// or they could make us record everything. Jobs of requests that are not recorded are not recorded either.
// EndTrace must be among the observers of Begin.
func Traced(tracer *trace.Tracer, trusted []netip.Prefix) Piece {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			ctx, span := tracer.Root(r.Context(), trace.Server, "request", x.Trace, x.fromProxy(trusted))
			switch {
			case span != nil:
				x.span, x.Trace = span, span.Traceparent()
				r = r.WithContext(ctx)
			case x.Trace != "":
				x.Trace = trace.Unsampled(x.Trace)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// EndTrace is an Observer that ends the span of a request. It says what the access log says, less
// the address of the client.
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
		span.Fail("") // why is in the log
	}
	if x.Status != 0 {
		span.Number("http.response.status_code", int64(x.Status))
	}
	span.End()
}
