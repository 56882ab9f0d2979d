package obs

import (
	"context"

	"vitrine/internal/domain"
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

// OriginOf gives what the work of a context was begun by; empty for what begins by itself.
func OriginOf(ctx context.Context) Origin {
	if known, ok := ctx.Value(OriginKey{}).(interface{ Origin() Origin }); ok {
		return known.Origin()
	}
	return Origin{}
}

// TraceID is that of a traceparent, empty where it is none. A later version of the header may
// have more behind what is looked at.
func (o Origin) TraceID() string {
	const id, whole = 3, 55 // where it begins in "00-<32>-<16>-<2>", and how long that is
	t := o.Trace
	if len(t) < whole || len(t) > 2*whole || t[2] != '-' || t[35] != '-' || t[52] != '-' || t[:2] == "ff" {
		return ""
	}
	for i := range whole {
		if c := t[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ""
		}
	}
	return t[id:35]
}
