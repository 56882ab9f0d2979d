package obs

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/obs/trace"
)

// Origin is what work was begun by, for the log: a request that arrived here, and the trace
// that it is part of elsewhere (https://www.w3.org/TR/trace-context/). Jobs keep it as JSON.
type Origin struct {
	Request string `json:"request_id,omitempty"`
	Trace   string `json:"traceparent,omitempty"`
}

// Origin makes an Origin what a context can hold.
func (o Origin) Origin() Origin { return o }

// OriginKey is where a context holds what has an Origin.
type OriginKey = domain.OriginKey

// OriginOf gives what the work of a context was begun by; empty for what begins by itself. Where
// the work is traced, what comes of it is part of the span that it is in.
func OriginOf(ctx context.Context) (o Origin) {
	if known, ok := ctx.Value(OriginKey{}).(interface{ Origin() Origin }); ok {
		o = known.Origin()
	}
	if span := trace.Of(ctx); span != nil {
		o.Trace = span.Traceparent()
	}
	return o
}

// TraceID is that of the trace, empty where there is none.
func (o Origin) TraceID() string { return trace.TraceID(o.Trace) }
