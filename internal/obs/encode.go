package obs

import (
	"encoding/hex"
	"strconv"
)

// The following types are ExportTraceServiceRequest in OTLP's JSON encoding. It differs from
// protobuf's: IDs are hexadecimal instead of base64. 64-bit numbers are strings, and kinds and
// states are numbers.

type request struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []keyValue `json:"attributes"`
}

type scopeSpans struct {
	Scope scope      `json:"scope"`
	Spans []spanJSON `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type spanJSON struct {
	TraceID      string     `json:"traceId"`
	SpanID       string     `json:"spanId"`
	ParentSpanID string     `json:"parentSpanId,omitempty"`
	Flags        uint32     `json:"flags"`
	Name         string     `json:"name"`
	Kind         SpanKind   `json:"kind"`
	Start        string     `json:"startTimeUnixNano"`
	End          string     `json:"endTimeUnixNano"`
	Attributes   []keyValue `json:"attributes,omitempty"`
	Status       *status    `json:"status,omitempty"`
}

type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code"`
}

type keyValue struct {
	Key   string   `json:"key"`
	Value anyValue `json:"value"`
}

// anyValue holds one of its fields.
type anyValue struct {
	Text *string `json:"stringValue,omitempty"`
	Int  string  `json:"intValue,omitempty"`
}

// Flags and the status of a span.
const (
	flagSampled     = 1
	flagKnowsRemote = 1 << 8
	flagRemote      = 1 << 9
	statusError     = 2
)

func (t *Tracer) encode(batch []*Span) request {
	own := make([]keyValue, len(t.o.Resource))
	for i, r := range t.o.Resource {
		own[i] = keyValue{r.Key, anyValue{Text: &r.Value}}
	}
	spans := make([]spanJSON, len(batch))
	for i, s := range batch {
		spans[i] = s.encode()
	}
	return request{[]resourceSpans{{Resource: resource{own}, ScopeSpans: []scopeSpans{{scope{"vitrine", t.o.Version}, spans}}}}}
}

func (s *Span) encode() spanJSON {
	j := spanJSON{
		TraceID: hex.EncodeToString(s.trace[:]), SpanID: hex.EncodeToString(s.id[:]),
		Flags: flagSampled | flagKnowsRemote, Name: s.name, Kind: s.kind,
		Start: strconv.FormatInt(s.start.UnixNano(), 10), End: strconv.FormatInt(s.start.Add(s.took).UnixNano(), 10),
	}
	if s.parent != [8]byte{} {
		j.ParentSpanID = hex.EncodeToString(s.parent[:])
	}
	if s.remote {
		j.Flags |= flagRemote
	}
	for i := range s.attrs {
		a := &s.attrs[i]
		v := keyValue{Key: a.key}
		if a.isText {
			v.Value.Text = &a.text
		} else {
			v.Value.Int = strconv.FormatInt(a.number, 10)
		}
		j.Attributes = append(j.Attributes, v)
	}
	if s.failed {
		j.Status = &status{s.why, statusError}
	}
	return j
}
