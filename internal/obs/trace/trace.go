// Package trace records spans, what a request or a job spent its time on, and sends them to a
// collector by OTLP over HTTP, encoded as JSON (https://opentelemetry.io/docs/specs/otlp/).
//
// It is our own because of what the others cost this program: the SDK of OpenTelemetry adds 1.1 MB
// before it sends anything, has no exporter that writes JSON and does not tell what it drops; with
// its exporter over HTTP, which writes protobuf, it is 6.4 MB.
//
// A nil *Tracer and a nil *Span do nothing and allocate nothing, so that nobody asks whether
// requests are traced.
package trace

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"
)

// Kind is what a span is to its parent, by the numbers of OTLP.
type Kind int

// The kinds.
const (
	Internal Kind = iota + 1
	Server
	Client
	Producer
	Consumer
)

// What one trace may hold within this process, so that a job over a million rows does not crowd out
// all else. What is left out is counted, and its root says how much it was.
const (
	mostSpans = 1000
	mostText  = 2 << 10 // bytes of one attribute
)

// Span is something that takes time. It belongs to the goroutine that began it, which ends it;
// others may begin children of it.
type Span struct {
	tracer *Tracer
	root   *root
	trace  [16]byte
	id     [8]byte
	parent [8]byte // zero for none
	remote bool    // the parent is another's
	name   string
	kind   Kind
	start  time.Time
	took   time.Duration
	attrs  []attribute
	failed bool
	why    string
	ended  bool
}

// root is what the spans below one have in common.
type root struct {
	span    *Span
	begun   atomic.Int64
	skipped atomic.Int64
}

type attribute struct {
	key    string
	text   string
	number int64
	isText bool
}

type spanKey struct{}

// Of gives the span that a context is within, nil for none.
func Of(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Root begins a span that has no parent here. If traceparent is one, the span is part of that
// trace; believed says that it also decides whether the span is recorded. Otherwise the ratio
// does: whoever may call from outside is not to choose how much is recorded. It gives ctx and nil
// for a span that is not.
func (t *Tracer) Root(ctx context.Context, kind Kind, name, traceparent string, believed bool) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	from, ok := parse(traceparent)
	recorded := from.sampled
	if !ok || !believed {
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

// Start begins a span below that of a context. It gives ctx and nil where there is none.
func Start(ctx context.Context, kind Kind, name string) (context.Context, *Span) {
	s := Of(ctx).child(kind, name)
	if s == nil {
		return ctx, nil
	}
	return context.WithValue(ctx, spanKey{}, s), s
}

// Past begins a span that is over: it has taken so long until now.
func Past(ctx context.Context, kind Kind, name string, took time.Duration) *Span {
	s := Of(ctx).child(kind, name)
	if s != nil {
		s.start = s.start.Add(-took)
	}
	return s
}

func (s *Span) child(kind Kind, name string) *Span {
	if s == nil {
		return nil
	}
	if s.root.begun.Add(1) > mostSpans {
		s.root.skipped.Add(1)
		s.tracer.skipped.Add(1)
		return nil
	}
	c := &Span{tracer: s.tracer, root: s.root, trace: s.trace, parent: s.id, name: name, kind: kind, start: time.Now()}
	binary.LittleEndian.PutUint64(c.id[:], newID())
	return c
}

// newID is never 0, which stands for no span.
func newID() uint64 {
	for {
		if id := rand.Uint64(); id != 0 {
			return id
		}
	}
}

// Name renames a span. Names come from bounded sets: what differs each time is an attribute.
func (s *Span) Name(name string) {
	if s != nil {
		s.name = name
	}
}

// Text sets an attribute, unless the value is empty. A long one is cut off.
func (s *Span) Text(key, value string) {
	if s == nil || value == "" {
		return
	}
	if len(value) > mostText {
		value = strings.ToValidUTF8(value[:mostText], "")
	}
	s.attrs = append(s.attrs, attribute{key: key, text: value, isText: true})
}

// Number sets an attribute.
func (s *Span) Number(key string, value int64) {
	if s != nil {
		s.attrs = append(s.attrs, attribute{key: key, number: value})
	}
}

// Fail marks a span as failed. The reason may be empty.
func (s *Span) Fail(why string) {
	if s != nil {
		s.failed, s.why = true, why[:min(len(why), mostText)]
	}
}

// End hands the span over to be sent. It never waits: where there is no room the span is dropped,
// and counted. Ending it again does nothing.
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

// Traceparent names the span to others, as a header of that name does
// (https://www.w3.org/TR/trace-context/); empty for none.
func (s *Span) Traceparent() string {
	if s == nil {
		return ""
	}
	return "00-" + hex.EncodeToString(s.trace[:]) + "-" + hex.EncodeToString(s.id[:]) + "-01"
}

// caller is what a traceparent says.
type caller struct {
	trace   [16]byte
	span    [8]byte
	sampled bool
}

// wholeParent is the length of "00-<32>-<16>-<2>". A later version may have more behind it.
const wholeParent = 55

// Valid reports whether a text is a traceparent, whose trace has an id then: its TraceID.
func Valid(traceparent string) bool {
	_, ok := parse(traceparent)
	return ok
}

// TraceID is that of a traceparent, in hexadecimal; empty where it is none.
func TraceID(traceparent string) string {
	if !Valid(traceparent) {
		return ""
	}
	return traceparent[3:35]
}

// Unsampled is a valid traceparent that says that nothing is recorded.
func Unsampled(traceparent string) string { return traceparent[:wholeParent-2] + "00" }

func parse(t string) (c caller, ok bool) {
	if len(t) < wholeParent || len(t) > 2*wholeParent || t[2] != '-' || t[35] != '-' || t[52] != '-' || t[:2] == "ff" {
		return caller{}, false
	}
	if len(t) > wholeParent && (t[:2] == "00" || t[wholeParent] != '-') {
		return caller{}, false
	}
	for i := range wholeParent {
		if b := t[i]; b != '-' && (b < '0' || b > '9') && (b < 'a' || b > 'f') { // capitals are no hexadecimal here
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
