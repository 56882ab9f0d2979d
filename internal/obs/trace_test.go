package obs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/obs"
)

// collector accepts all spans unless answer returns an error status.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []span
	bodies [][]byte
	header http.Header
	asked  chan struct{} // receives one value per request
	answer func(w http.ResponseWriter, r *http.Request, n int) bool
}

type span struct {
	TraceID, SpanID, ParentSpanID string
	Flags                         uint32
	Name                          string
	Kind                          int
	Start                         string `json:"startTimeUnixNano"`
	End                           string `json:"endTimeUnixNano"`
	Attributes                    []struct {
		Key   string
		Value struct {
			StringValue *string
			IntValue    *string
		}
	}
	Status struct {
		Code    int
		Message string
	}
}

func (s span) attr(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key && a.Value.StringValue != nil {
			return *a.Value.StringValue
		} else if a.Key == key {
			return *a.Value.IntValue
		}
	}
	return ""
}

func collect(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int) bool) *collector {
	t.Helper()
	c := &collector{asked: make(chan struct{}, 1000), answer: answer}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the sender has given up
		}
		c.mu.Lock()
		c.bodies = append(c.bodies, body)
		c.header = r.Header
		n := len(c.bodies)
		c.mu.Unlock()
		c.asked <- struct{}{}
		if c.answer != nil && !c.answer(w, r, n) {
			return
		}
		var got struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		if r.URL.Path != "/v1/traces" || r.Method != http.MethodPost || json.Unmarshal(body, &got) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		c.spans = append(c.spans, got.ResourceSpans[0].ScopeSpans[0].Spans...)
		c.mu.Unlock()
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) names() (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		names = append(names, s.Name)
	}
	return names
}

func tracer(t *testing.T, o obs.TraceOptions) *obs.Tracer {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Pause == 0 {
		o.Pause = time.Millisecond
	}
	tr := obs.NewTracer(o)
	t.Cleanup(func() {
		ended, end := context.WithCancel(context.Background())
		end()
		_ = tr.Shutdown(ended)
	})
	return tr
}

func root(t *testing.T, tr *obs.Tracer, name string) *obs.Span {
	t.Helper()
	_, s := tr.Root(t.Context(), obs.ServerSpan, name, "", false)
	if s == nil {
		t.Fatal("not recorded")
	}
	return s
}

const (
	theirs  = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	silent  = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	theirID = "4bf92f3577b34da6a3ce929d0e0e4736"
)

// Spans are sent as OTLP JSON and form the expected tree.
func TestTree(t *testing.T) {
	t.Parallel()
	c := collect(t, nil)
	tr := tracer(t, obs.TraceOptions{Endpoint: c.URL + "/", Header: http.Header{"Authorization": {"Bearer s3cret"}}, Version: "v1",
		Resource: []obs.TraceResource{{Key: "service.name", Value: "vitrine"}}})
	ctx, top := tr.Root(t.Context(), obs.ServerSpan, "request", theirs, true)
	within, tx := obs.StartSpan(ctx, obs.InternalSpan, "transaction")
	_, statement := obs.StartSpan(within, obs.ClientSpan, "SELECT")
	statement.Text("db.query.text", strings.Repeat("ü", 3000)+"\xff")
	statement.Text("none", "")
	statement.Number("rows", 1<<60)
	statement.End()
	tx.Fail("conflict")
	tx.End()
	tx.End()
	if got := obs.SpanOf(within).Traceparent(); !strings.HasPrefix(got, "00-"+theirID+"-") || !strings.HasSuffix(got, "-01") || got == theirs {
		t.Errorf("traceparent %q", got)
	}
	obs.PastSpan(ctx, obs.ClientSpan, "mail", time.Hour).End()
	top.Name("getChannel")
	top.End()
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.header.Get("Authorization") != "Bearer s3cret" || c.header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", c.header)
	}
	if len(c.spans) != 4 {
		t.Fatalf("%d spans: %s", len(c.spans), c.bodies)
	}
	by := map[string]span{}
	for _, s := range c.spans {
		by[s.Name] = s
		if s.TraceID != theirID || !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(s.SpanID) {
			t.Errorf("%s: ids %q, %q", s.Name, s.TraceID, s.SpanID)
		}
		if len(s.Start) != 19 || len(s.End) != 19 || s.End < s.Start {
			t.Errorf("%s: from %q to %q", s.Name, s.Start, s.End)
		}
	}
	request, inner := by["getChannel"], by["transaction"]
	for _, at := range []struct {
		name, parent string
		kind         int
		flags        uint32
		status       int
	}{
		{"getChannel", "00f067aa0ba902b7", 2, 0x301, 0}, {"transaction", request.SpanID, 1, 0x101, 2},
		{"SELECT", inner.SpanID, 3, 0x101, 0}, {"mail", request.SpanID, 3, 0x101, 0},
	} {
		if s := by[at.name]; s.ParentSpanID != at.parent || s.Kind != at.kind || s.Flags != at.flags || s.Status.Code != at.status {
			t.Errorf("%s: parent %q, kind %d, flags %#x, status %d, want %+v", at.name, s.ParentSpanID, s.Kind, s.Flags, s.Status.Code, at)
		}
	}
	if s := by["SELECT"]; s.attr("db.query.text") != strings.Repeat("ü", 1024) || s.attr("rows") != "1152921504606846976" || len(s.Attributes) != 2 {
		t.Errorf("attributes %d", len(s.Attributes))
	}
	if by["transaction"].Status.Message != "conflict" {
		t.Errorf("status %+v", by["transaction"].Status)
	}
	// Any JSON reader accepts the above; check that it is also written as OTLP requires.
	for _, want := range []string{`"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"vitrine"}}]},"scopeSpans":[{"scope":{"name":"vitrine","version":"v1"},"spans":[{"traceId":"` + theirID, `"kind":3`, `"startTimeUnixNano":"`, `"intValue":"1152921504606846976"`} {
		if !bytes.Contains(c.bodies[0], []byte(want)) {
			t.Errorf("no %s in %s", want, c.bodies[0])
		}
	}
	if s := tr.Stats(); s != (obs.TraceStats{Sent: 4}) {
		t.Errorf("%+v", s)
	}
}

// A trusted caller decides whether its trace is recorded; the ratio decides for others.
func TestSampling(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		ratio   float64
		parent  string
		trusted bool
		want    bool
		trace   string
	}{
		{1, "", false, true, ""}, {0, "", false, false, ""}, {0, "", true, false, ""},
		{0, theirs, true, true, theirID}, {1, silent, true, false, ""},
		{0, theirs, false, false, ""}, {1, silent, false, true, theirID},
		{1, "00-00000000000000000000000000000000-00f067aa0ba902b7-01", true, true, ""},
		{0, "00-00000000000000000000000000000000-00f067aa0ba902b7-01", true, false, ""},
		{0, "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", true, false, ""},
		{0, "00-4bf92f3577b34da6a3ce929d0e0e47-6-00f067aa0ba902b7-01", true, false, ""},
		{0, theirs + "-more", true, false, ""}, {0, "01" + theirs[2:] + "-more", true, true, theirID}, {0, "01" + theirs[2:] + "more", true, false, ""},
	} {
		tr := tracer(t, obs.TraceOptions{Endpoint: "http://127.0.0.1:1", Ratio: at.ratio})
		ctx, s := tr.Root(t.Context(), obs.ServerSpan, "x", at.parent, at.trusted)
		if (s != nil) != at.want || at.trace != "" && obs.TraceID(s.Traceparent()) != at.trace || obs.SpanOf(ctx) != s {
			t.Errorf("%+v: %q", at, s.Traceparent())
		}
	}
	if got := obs.Unsampled(theirs); got != silent {
		t.Errorf("%q", got)
	}
}

// Traces that are too large lose their later spans, and count them.
func TestLargeTrace(t *testing.T) {
	t.Parallel()
	c := collect(t, nil)
	tr := tracer(t, obs.TraceOptions{Endpoint: c.URL, Ratio: 1})
	ctx, top := tr.Root(t.Context(), obs.ConsumerSpan, "job", "", false)
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			for range 300 {
				_, s := obs.StartSpan(ctx, obs.ClientSpan, "SELECT")
				s.End()
			}
		})
	}
	g.Wait()
	top.End()
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := tr.Stats(); s != (obs.TraceStats{Sent: 1001, Skipped: 200}) || len(c.spans) != 1001 {
		t.Errorf("%d spans, %+v", len(c.spans), s)
	}
	if got := c.spans[1000].attr("vitrine.spans_left_out"); got != "200" {
		t.Errorf("left out: %q", got)
	}
}

// A collector that does not answer blocks no caller. The queue is bounded, and lost spans are counted.
func TestSlowCollector(t *testing.T) {
	t.Parallel()
	c := collect(t, func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		<-r.Context().Done()
		return false
	})
	tr := tracer(t, obs.TraceOptions{Endpoint: c.URL, Ratio: 1, Every: time.Millisecond, Timeout: time.Hour})
	root(t, tr, "first").End()
	<-c.asked // without a response
	const all = 6000
	for range all {
		root(t, tr, "x").End()
	}
	if full := tr.Stats().Full; full < all-4096-1 || full > all-4096+512 {
		t.Errorf("%d dropped of %d", full, all)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := tr.Shutdown(ended); err == nil {
		t.Error("nothing is lost")
	}
	if s := tr.Stats(); s.Sent != 0 || s.Full+s.Failed != all+1 {
		t.Errorf("%+v", s)
	}
}

// A batch is sent again if the collector is unreachable or overloaded, but not if it is rejected.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]obs.TraceStats{429: {Sent: 1}, 502: {Sent: 1}, 503: {Sent: 1}, 504: {Sent: 1},
		500: {Refused: 1}, 400: {Refused: 1}, 401: {Refused: 1}, 307: {Refused: 1}} {
		c := collect(t, func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n > 2 {
				return true
			}
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
			return false
		})
		var log bytes.Buffer
		tr := tracer(t, obs.TraceOptions{Endpoint: c.URL, Ratio: 1, Every: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))})
		root(t, tr, "x").End()
		for range want.Sent*2 + 1 {
			<-c.asked
		}
		if err := tr.Shutdown(t.Context()); (err != nil) != (want.Sent == 0) && want.Sent > 0 {
			t.Errorf("%d: %v", status, err)
		}
		if s := tr.Stats(); s != want {
			t.Errorf("%d: %+v, want %+v", status, s, want)
		}
		if n := strings.Count(log.String(), "does not accept spans"); n != 1 || strings.Contains(log.String(), "accepts spans again") != (want.Sent == 1) {
			t.Errorf("%d: told %s", status, &log)
		}
	}
}

// Without a collector each batch is tried a few times, and once during shutdown.
func TestCollectorAway(t *testing.T) {
	t.Parallel()
	c := collect(t, nil)
	c.Close()
	tr := tracer(t, obs.TraceOptions{Endpoint: c.URL, Ratio: 1})
	root(t, tr, "x").End()
	if err := tr.Shutdown(t.Context()); err == nil || !strings.Contains(err.Error(), "1 spans") {
		t.Error(err)
	}
	root(t, tr, "late").End() // dropped silently
	if s := tr.Stats(); s != (obs.TraceStats{Failed: 1}) {
		t.Errorf("%+v", s)
	}
	busy := collect(t, func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return false
	})
	tr = tracer(t, obs.TraceOptions{Endpoint: busy.URL, Ratio: 1, Every: time.Millisecond})
	root(t, tr, "x").End()
	for range 5 {
		<-busy.asked
	}
	_ = tr.Shutdown(t.Context())
	if s := tr.Stats(); s != (obs.TraceStats{Failed: 1}) || len(busy.bodies) != 5 {
		t.Errorf("%+v after %d", s, len(busy.bodies))
	}
}

// A collector reports how many spans of a batch it rejected.
func TestPartialSuccess(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]obs.TraceStats{
		`{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`: {Sent: 1, Refused: 2},
		`{"partialSuccess":{"rejectedSpans":1}}`:                            {Sent: 2, Refused: 1},
		`{"partialSuccess":{"rejectedSpans":"99"}}`:                         {Refused: 3},
		`{"partialSuccess":{"rejectedSpans":"-1"}}`:                         {Sent: 3},
		`{"partialSuccess":{}}`:                                             {Sent: 3}, ``: {Sent: 3}, `no JSON`: {Sent: 3},
	} {
		c := collect(t, func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			_, _ = io.WriteString(w, answer)
			return false
		})
		tr := tracer(t, obs.TraceOptions{Endpoint: c.URL + "/v1/traces", Ratio: 1})
		for range 3 {
			root(t, tr, "x").End()
		}
		_ = tr.Shutdown(t.Context())
		if s := tr.Stats(); s != want {
			t.Errorf("%s: %+v, want %+v", answer, s, want)
		}
	}
}

// Shutdown sends the remaining spans in batches.
func TestShutdownSends(t *testing.T) {
	t.Parallel()
	c := collect(t, nil)
	tr := tracer(t, obs.TraceOptions{Endpoint: c.URL, Ratio: 1, Every: time.Hour})
	for range 1200 {
		root(t, tr, "x").End()
	}
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := slices.Repeat([]string{"x"}, 1200); !slices.Equal(c.names(), got) || len(c.bodies) != 3 {
		t.Errorf("%d spans in %d requests", len(c.names()), len(c.bodies))
	}
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := tracer(t, obs.TraceOptions{}).Shutdown(t.Context()); err != nil { // no span has ended
		t.Error(err)
	}
}

type otherKey struct{}

// Without tracing nothing is allocated. Not parallel because it counts allocations.
func TestOffCostsNothing(t *testing.T) {
	var off *obs.Tracer
	ctx := context.WithValue(t.Context(), otherKey{}, 1)
	for name, on := range map[string]*obs.Tracer{"off": off, "not recorded": tracer(t, obs.TraceOptions{Endpoint: "http://127.0.0.1:1", Ratio: 0})} {
		if n := testing.AllocsPerRun(100, func() {
			within, s := on.Root(ctx, obs.ServerSpan, "request", theirs, false)
			s.Name("a")
			s.Text("b", "c")
			s.Number("d", 1)
			s.Fail("e")
			_, below := obs.StartSpan(within, obs.ClientSpan, "f")
			below.End()
			obs.PastSpan(within, obs.ClientSpan, "g", time.Second).End()
			s.End()
			_ = s.Traceparent()
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
