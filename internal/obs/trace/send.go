package trace

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

// How much is held and sent.
const (
	queued      = 4096 // spans that wait
	batchSize   = 512
	mostTries   = 5
	longestWait = 30 * time.Second // between two of them
	mostAnswer  = 64 << 10         // bytes that are read of an answer
)

// Options say where spans go.
type Options struct {
	Endpoint string      // of the collector, to which /v1/traces is added
	Header   http.Header // of each request, such as a token; may be nil
	Ratio    float64     // of the traces that begin here which are recorded, 0 to 1
	Resource []Resource  // what is said of this process
	Version  string      // of the program
	Log      *slog.Logger

	Every   time.Duration // how often what is there is sent; 5 s by default
	Timeout time.Duration // of one request; 10 s by default
	Pause   time.Duration // before the second try, doubled before each other; 1 s by default
}

// Resource is something that is said of the process.
type Resource struct{ Key, Value string }

// Tracer records spans and sends them. It is safe for concurrent use.
type Tracer struct {
	o      Options
	url    string
	client *http.Client
	queue  chan *Span
	begin  sync.Once

	life     context.Context // of what is being sent
	cut      context.CancelFunc
	stop     sync.Once
	stopping chan struct{}
	done     chan struct{}
	away     bool // of the sender: the collector took nothing the last time

	sent, full, failed, refused, skipped atomic.Int64
}

// Stats are what became of spans since the process began.
type Stats struct {
	Sent    int64 // the collector has taken them
	Full    int64 // dropped, since too many waited
	Failed  int64 // dropped, since the collector did not answer, or asked for a later time again and again
	Refused int64 // dropped, since the collector does not want them
	Skipped int64 // left out of a trace that had too many
}

// New makes a tracer. It sends nothing, and has nothing to be closed, before the first span ends.
func New(o Options) *Tracer {
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
	t := &Tracer{o: o, url: Address(o.Endpoint), queue: make(chan *Span, queued), stopping: make(chan struct{}), done: make(chan struct{}),
		client: &http.Client{Transport: transport, Timeout: o.Timeout,
			// A redirect would take the token elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	t.life, t.cut = context.WithCancel(context.Background())
	return t
}

// Address is where the spans of an endpoint are sent.
func Address(endpoint string) string {
	const path = "/v1/traces"
	if strings.HasSuffix(endpoint, path) {
		return endpoint
	}
	return strings.TrimSuffix(endpoint, "/") + path
}

// Stats may be asked of a nil Tracer.
func (t *Tracer) Stats() Stats {
	if t == nil {
		return Stats{}
	}
	return Stats{t.sent.Load(), t.full.Load(), t.failed.Load(), t.refused.Load(), t.skipped.Load()}
}

// take queues an ended span.
func (t *Tracer) take(s *Span) {
	t.begin.Do(func() { go t.run() })
	select {
	case t.queue <- s:
	default:
		t.full.Add(1)
	}
}

// Shutdown sends what is left, each batch tried once, until ctx is done. Spans that end later are
// dropped. The error says how many spans did not arrive since the shutdown began.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	before := t.lost()
	t.stop.Do(func() { close(t.stopping) })
	t.begin.Do(func() { close(t.done) }) // nothing has ended yet
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

// run sends until the end.
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

// send sends a batch, and tries again where the collector may take it later.
func (t *Tracer) send(batch []*Span) {
	body, err := json.Marshal(t.encode(batch))
	if err != nil { // structs of texts and numbers always encode
		t.refused.Add(int64(len(batch)))
		return
	}
	n, pause := int64(len(batch)), t.o.Pause
	for try := 1; ; try++ {
		rejected, err := t.post(body)
		if err == nil {
			t.sent.Add(n - min(rejected, n))
			t.refused.Add(min(rejected, n))
			t.tell(nil)
			return
		}
		t.tell(err)
		later, ok := errors.AsType[again](err)
		switch {
		case !ok:
			t.refused.Add(n)
			return
		case try == mostTries || !t.wait(max(later.after, pause/2+rand.N(pause))):
			t.failed.Add(n)
			return
		}
		pause = min(2*pause, longestWait)
	}
}

// tell logs that the collector is away, or back.
func (t *Tracer) tell(err error) {
	switch {
	case err != nil && !t.away:
		t.o.Log.Warn("traces do not arrive", "collector", t.url, "error", err)
	case err == nil && t.away:
		t.o.Log.Info("traces arrive again", "collector", t.url)
	}
	t.away = err != nil
}

// wait waits before another try, and reports whether there is to be one.
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

// again is an error that may pass, after so long at least.
type again struct {
	error
	after time.Duration
}

func (a again) Unwrap() error { return a.error }

// post sends a body once, and gives how many of its spans the collector has rejected. OTLP has four
// statuses that may pass; whoever answers otherwise would answer so again.
func (t *Tracer) post(body []byte) (rejected int64, err error) {
	req, err := http.NewRequestWithContext(t.life, http.MethodPost, t.url, bytes.NewReader(body))
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
	answer, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
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

// retryAfter reads seconds; a date, which collectors do not send, is none.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(min(seconds, 3600))*time.Second, longestWait)
}

// rejections reads an ExportTraceServiceResponse. An empty answer rejects nothing.
func rejections(answer []byte) int64 {
	var r struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage // a number, or as JSON has those of 64 bits, a text
		}
	}
	_ = json.Unmarshal(answer, &r)
	n, _ := strconv.ParseInt(strings.Trim(string(r.PartialSuccess.RejectedSpans), `"`), 10, 64)
	return max(n, 0)
}
