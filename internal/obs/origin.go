package obs

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/obs/trace"
)

// Origin identifies what caused some work, for the log: a request to this server, and the trace it
// belongs to (https://www.w3.org/TR/trace-context/). Jobs store it as JSON.
type Origin struct {
	Request string `json:"request_id,omitempty"`
	Trace   string `json:"traceparent,omitempty"`
}

// Origin implements the interface of values stored under OriginKey.
func (o Origin) Origin() Origin { return o }

// OriginKey is the context key of values with an Origin method.
type OriginKey = domain.OriginKey

// OriginOf returns the origin of the work in ctx, or an empty one if nothing caused it. If the work
// is traced, Trace is the current span.
func OriginOf(ctx context.Context) (o Origin) {
	if known, ok := ctx.Value(OriginKey{}).(interface{ Origin() Origin }); ok {
		o = known.Origin()
	}
	if span := trace.Of(ctx); span != nil {
		o.Trace = span.Traceparent()
	}
	return o
}

// TraceID returns the ID of the trace, or "" without one.
func (o Origin) TraceID() string { return trace.TraceID(o.Trace) }
