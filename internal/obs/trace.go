package obs

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"
)

// SpanKind is the relation of a span to its parent, numbered as in OTLP.
type SpanKind int

const (
	InternalSpan SpanKind = iota + 1
	ServerSpan
	ClientSpan
	ProducerSpan
	ConsumerSpan
)

// Limits of one trace in this process, so that a job over a million rows does not push out other
// traces. The root span has the number of omitted spans.
const (
	maxSpans = 1000
	maxText  = 2 << 10 // bytes per attribute
)

// Span measures one operation. Only the goroutine that started it may use and end it; others may
// start children.
type Span struct {
	tracer *Tracer
	root   *root
	trace  [16]byte
	id     [8]byte
	parent [8]byte // zero for a root
	remote bool    // the parent is in another process
	name   string
	kind   SpanKind
	start  time.Time
	took   time.Duration
	attrs  []attribute
	failed bool
	why    string
	ended  bool
}

// root is shared by all spans below one root span.
type root struct {
	span    *Span
	started atomic.Int64
	skipped atomic.Int64
}

type attribute struct {
	key    string
	text   string
	number int64
	isText bool
}

type spanKey struct{}

// SpanOf returns the current span of ctx, or nil.
func SpanOf(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Root starts a span without a parent in this process. If traceparent is valid, the span joins that
// trace. If trusted is also set, the caller's sampling flag decides whether the span is recorded;
// otherwise Ratio does, so that outside callers cannot choose how much is recorded. Root returns
// ctx and nil if the span is not recorded.
func (t *Tracer) Root(ctx context.Context, kind SpanKind, name, traceparent string, trusted bool) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	from, ok := parse(traceparent)
	recorded := from.sampled
	if !ok || !trusted {
		recorded = rand.Float64() < t.o.Ratio
	}
	if !recorded {
		return ctx, nil
	}
	s := &Span{tracer: t, root: new(root), trace: from.trace, parent: from.span, remote: ok, name: name, kind: kind, start: time.Now()}
	s.root.span = s
	if !ok {
		binary.LittleEndian.PutUint64(s.trace[:], rand.Uint64())
		binary.LittleEndian.PutUint64(s.trace[8:], newID())
	}
	binary.LittleEndian.PutUint64(s.id[:], newID())
	return context.WithValue(ctx, spanKey{}, s), s
}

// StartSpan starts a child of the current span of ctx. Without one it returns ctx and nil.
func StartSpan(ctx context.Context, kind SpanKind, name string) (context.Context, *Span) {
	s := SpanOf(ctx).child(kind, name)
	if s == nil {
		return ctx, nil
	}
	return context.WithValue(ctx, spanKey{}, s), s
}

// PastSpan returns a child span that started took ago, for an operation that is already over.
func PastSpan(ctx context.Context, kind SpanKind, name string, took time.Duration) *Span {
	s := SpanOf(ctx).child(kind, name)
	if s != nil {
		s.start = s.start.Add(-took)
	}
	return s
}

func (s *Span) child(kind SpanKind, name string) *Span {
	if s == nil {
		return nil
	}
	if s.root.started.Add(1) > maxSpans {
		s.root.skipped.Add(1)
		s.tracer.skipped.Add(1)
		return nil
	}
	c := &Span{tracer: s.tracer, root: s.root, trace: s.trace, parent: s.id, name: name, kind: kind, start: time.Now()}
	binary.LittleEndian.PutUint64(c.id[:], newID())
	return c
}

// newID never returns 0, which means no span.
func newID() uint64 {
	for {
		if id := rand.Uint64(); id != 0 {
			return id
		}
	}
}

// Name renames a span. Names must come from a bounded set; use attributes for variable values.
func (s *Span) Name(name string) {
	if s != nil {
		s.name = name
	}
}

// Text sets an attribute unless the value is empty, and truncates long values.
func (s *Span) Text(key, value string) {
	if s == nil || value == "" {
		return
	}
	if len(value) > maxText {
		value = strings.ToValidUTF8(value[:maxText], "")
	}
	s.attrs = append(s.attrs, attribute{key: key, text: value, isText: true})
}

// Number sets a numeric attribute.
func (s *Span) Number(key string, value int64) {
	if s != nil {
		s.attrs = append(s.attrs, attribute{key: key, number: value})
	}
}

// Fail marks a span as failed. The reason may be empty.
func (s *Span) Fail(why string) {
	if s != nil {
		s.failed, s.why = true, why[:min(len(why), maxText)]
	}
}

// End queues the span for sending. It never blocks: if the queue is full, the span is dropped and
// counted. Calling End again does nothing.
func (s *Span) End() {
	if s == nil || s.ended {
		return
	}
	s.ended, s.took = true, time.Since(s.start)
	if s.root.span == s {
		if n := s.root.skipped.Load(); n > 0 {
			s.Number("vitrine.spans_left_out", n)
		}
	}
	s.tracer.take(s)
}

// Traceparent returns the value of the traceparent header for requests made within the span
// (https://www.w3.org/TR/trace-context/), or "" for a nil span.
func (s *Span) Traceparent() string {
	if s == nil {
		return ""
	}
	return "00-" + hex.EncodeToString(s.trace[:]) + "-" + hex.EncodeToString(s.id[:]) + "-01"
}

// caller is a parsed traceparent.
type caller struct {
	trace   [16]byte
	span    [8]byte
	sampled bool
}

// parentLength is the length of "00-<32>-<16>-<2>". Later versions may append fields.
const parentLength = 55

// validTraceparent reports whether traceparent is well-formed.
func validTraceparent(traceparent string) bool {
	_, ok := parse(traceparent)
	return ok
}

// TraceID returns the hexadecimal trace ID of a traceparent, or "" if it is invalid.
func TraceID(traceparent string) string {
	if !validTraceparent(traceparent) {
		return ""
	}
	return traceparent[3:35]
}

// Unsampled returns a valid traceparent with the sampling flag cleared.
func Unsampled(traceparent string) string { return traceparent[:parentLength-2] + "00" }

func parse(t string) (c caller, ok bool) {
	if len(t) < parentLength || len(t) > 2*parentLength || t[2] != '-' || t[35] != '-' || t[52] != '-' || t[:2] == "ff" {
		return caller{}, false
	}
	if len(t) > parentLength && (t[:2] == "00" || t[parentLength] != '-') {
		return caller{}, false
	}
	for i := range parentLength {
		if b := t[i]; b != '-' && (b < '0' || b > '9') && (b < 'a' || b > 'f') { // upper case hexadecimal is not allowed
			return caller{}, false
		}
	}
	var version, flags [1]byte
	for _, part := range [...]struct {
		to   []byte
		text string
	}{{version[:], t[:2]}, {c.trace[:], t[3:35]}, {c.span[:], t[36:52]}, {flags[:], t[53:55]}} {
		if _, err := hex.Decode(part.to, []byte(part.text)); err != nil {
			return caller{}, false
		}
	}
	if c.trace == [16]byte{} || c.span == [8]byte{} {
		return caller{}, false
	}
	c.sampled = flags[0]&1 == 1
	return c, true
}
