package obs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of the queue and of requests to the collector.
const (
	queued      = 4096 // spans
	batchSize   = 512
	maxTries    = 5
	longestWait = 30 * time.Second // between attempts
	maxAnswer   = 64 << 10         // bytes
)

// TraceOptions configure a Tracer.
type TraceOptions struct {
	Endpoint string          // of the collector, without /v1/traces
	Header   http.Header     // added to each request, for example a token; may be nil
	Ratio    float64         // share of the traces started here that is recorded, 0 to 1
	Resource []TraceResource // attributes of this process
	Version  string          // of the program
	Log      *slog.Logger

	Every   time.Duration // time between sends; 5 s by default
	Timeout time.Duration // of one request; 10 s by default
	Pause   time.Duration // before the second attempt, doubled before each further one; 1 s by default
}

// TraceResource is an attribute of the process.
type TraceResource struct{ Key, Value string }

// Tracer records spans and sends them. It is safe for concurrent use.
type Tracer struct {
	o      TraceOptions
	url    string
	client *http.Client
	queue  chan *Span
	begin  sync.Once

	ctx      context.Context // context of requests to the collector
	cut      context.CancelFunc
	stop     sync.Once
	stopping chan struct{}
	done     chan struct{}
	away     bool // the last request failed; only used by the sender goroutine

	sent, full, failed, refused, skipped atomic.Int64
}

// TraceStats counts spans since the process started.
type TraceStats struct {
	Sent    int64 // accepted by the collector
	Full    int64 // dropped because the queue was full
	Failed  int64 // dropped because all attempts failed
	Refused int64 // dropped because the collector rejected them
	Skipped int64 // omitted from a trace with too many spans
}

// NewTracer creates a tracer. Until the first span ends, it sends nothing and needs no shutdown.
func NewTracer(o TraceOptions) *Tracer {
	if o.Every == 0 {
		o.Every = 5 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1
	t := &Tracer{o: o, url: CollectorAddress(o.Endpoint), queue: make(chan *Span, queued), stopping: make(chan struct{}), done: make(chan struct{}),
		client: &http.Client{Transport: transport, Timeout: o.Timeout,
			// Following a redirect would send the token to another server.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	t.ctx, t.cut = context.WithCancel(context.Background())
	return t
}

// CollectorAddress returns the URL that spans for an endpoint are sent to.
func CollectorAddress(endpoint string) string {
	const path = "/v1/traces"
	if strings.HasSuffix(endpoint, path) {
		return endpoint
	}
	return strings.TrimSuffix(endpoint, "/") + path
}

// Stats returns the counters. A nil Tracer has zero Stats.
func (t *Tracer) Stats() TraceStats {
	if t == nil {
		return TraceStats{}
	}
	return TraceStats{t.sent.Load(), t.full.Load(), t.failed.Load(), t.refused.Load(), t.skipped.Load()}
}

// take queues an ended span, or drops it if the queue is full.
func (t *Tracer) take(s *Span) {
	t.begin.Do(func() { go t.run() })
	select {
	case t.queue <- s:
	default:
		t.full.Add(1)
	}
}

// Shutdown sends the remaining spans, trying each batch once, until ctx is done. Spans that end
// later are dropped. The error contains the number of spans lost since Shutdown was called.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	before := t.lost()
	t.stop.Do(func() { close(t.stopping) })
	t.begin.Do(func() { close(t.done) }) // no span has ended yet
	select {
	case <-t.done:
	case <-ctx.Done():
		t.cut()
		<-t.done
	}
	t.cut()
	t.client.CloseIdleConnections()
	if n := t.lost() - before; n > 0 {
		return fmt.Errorf("trace: %d spans did not reach the collector", n)
	}
	return nil
}

func (t *Tracer) lost() int64 { return t.failed.Load() + t.refused.Load() }

// run sends queued spans until Shutdown.
func (t *Tracer) run() {
	defer close(t.done)
	tick := time.NewTicker(t.o.Every)
	defer tick.Stop()
	batch := make([]*Span, 0, batchSize)
	flush := func() {
		if len(batch) > 0 {
			t.send(batch)
			clear(batch)
			batch = batch[:0]
		}
	}
	add := func(s *Span) {
		if batch = append(batch, s); len(batch) == batchSize {
			flush()
		}
	}
	for {
		select {
		case s := <-t.queue:
			add(s)
		case <-tick.C:
			flush()
		case <-t.stopping:
			for {
				select {
				case s := <-t.queue:
					add(s)
				default:
					flush()
					return
				}
			}
		}
	}
}

// send sends a batch and retries temporary errors.
func (t *Tracer) send(batch []*Span) {
	body, err := json.Marshal(t.encode(batch))
	if err != nil { // strings and numbers always encode
		t.refused.Add(int64(len(batch)))
		return
	}
	n, pause := int64(len(batch)), t.o.Pause
	for try := 1; ; try++ {
		rejected, err := t.post(body)
		if err == nil {
			t.sent.Add(n - min(rejected, n))
			t.refused.Add(min(rejected, n))
			t.logState(nil)
			return
		}
		t.logState(err)
		later, ok := errors.AsType[again](err)
		switch {
		case !ok:
			t.refused.Add(n)
			return
		case try == maxTries || !t.wait(max(later.after, pause/2+rand.N(pause))):
			t.failed.Add(n)
			return
		}
		pause = min(2*pause, longestWait)
	}
}

// logState logs when the collector becomes unreachable or reachable.
func (t *Tracer) logState(err error) {
	switch {
	case err != nil && !t.away:
		t.o.Log.Warn("the trace collector does not accept spans", "collector", t.url, "error", err)
	case err == nil && t.away:
		t.o.Log.Info("the trace collector accepts spans again", "collector", t.url)
	}
	t.away = err != nil
}

// wait waits before the next attempt. It returns false on shutdown.
func (t *Tracer) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-t.stopping:
		return false
	case <-timer.C:
		return true
	}
}

// again is a temporary error with a minimum delay before the next attempt.
type again struct {
	error
	after time.Duration
}

func (a again) Unwrap() error { return a.error }

// post sends a body once and returns the number of spans that the collector rejected. OTLP defines
// four statuses to retry; a retry after any other would fail again.
func (t *Tracer) post(body []byte) (rejected int64, err error) {
	req, err := http.NewRequestWithContext(t.ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, values := range t.o.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Vitrine/"+t.o.Version)
	res, err := t.client.Do(req)
	if err != nil {
		return 0, again{err, 0}
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusBadGateway,
		res.StatusCode == http.StatusServiceUnavailable, res.StatusCode == http.StatusGatewayTimeout:
		return 0, again{errors.New(res.Status), retryAfter(res.Header.Get("Retry-After"))}
	case res.StatusCode/100 != 2:
		return 0, fmt.Errorf("%s: %.200q", res.Status, answer)
	case err != nil:
		return 0, again{err, 0}
	}
	return rejections(answer), nil
}

// retryAfter parses a delay in seconds. It ignores dates, which collectors do not send.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(min(seconds, 3600))*time.Second, longestWait)
}

// rejections parses an ExportTraceServiceResponse. An empty one rejects nothing.
func rejections(answer []byte) int64 {
	var r struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage // a number, or a string as usual for 64-bit numbers
		}
	}
	_ = json.Unmarshal(answer, &r)
	n, _ := strconv.ParseInt(strings.Trim(string(r.PartialSuccess.RejectedSpans), `"`), 10, 64)
	return max(n, 0)
}
