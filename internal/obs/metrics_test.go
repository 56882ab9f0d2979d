package obs_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"vitrine/internal/obs"
)

// scrape reads the metrics like Prometheus.
func scrape(t *testing.T, m *obs.Metrics) []string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status = %d: %s", w.Code, w.Body)
	}
	return strings.Split(w.Body.String(), "\n")
}

func wantLines(t *testing.T, lines []string, want ...string) {
	t.Helper()
	have := map[string]bool{}
	for _, line := range lines {
		have[line] = true
	}
	for _, line := range want {
		if !have[line] {
			t.Errorf("no line %s", line)
		}
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	m := obs.NewMetrics("v1", "abc")
	m.Observe("getChannel", http.MethodGet, 200, 30*time.Millisecond)
	m.Observe("getChannel", http.MethodGet, 304, 30*time.Millisecond)
	m.Observe("getChannel", http.MethodGet, 201, 20*time.Second)
	m.Observe("", "BREW", 405, 0)
	m.Observe("getFeed", http.MethodHead, 0, 0)
	wantLines(t, scrape(t, m),
		`vitrine_http_requests_total{method="GET",operation="getChannel",status="200"} 1`,
		`vitrine_http_requests_total{method="GET",operation="getChannel",status="201"} 1`,
		`vitrine_http_requests_total{method="GET",operation="getChannel",status="304"} 1`,
		`vitrine_http_requests_total{method="other",operation="none",status="405"} 1`,
		`vitrine_http_requests_total{method="HEAD",operation="getFeed",status="aborted"} 1`,
		`vitrine_http_request_duration_seconds_bucket{class="2xx",method="GET",operation="getChannel",le="0.025"} 0`,
		`vitrine_http_request_duration_seconds_bucket{class="2xx",method="GET",operation="getChannel",le="0.05"} 1`,
		`vitrine_http_request_duration_seconds_bucket{class="2xx",method="GET",operation="getChannel",le="15"} 1`,
		`vitrine_http_request_duration_seconds_count{class="2xx",method="GET",operation="getChannel"} 2`,
	)
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	m := obs.NewMetrics("v1", "abc")
	h := m.InFlight(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		wantLines(t, scrape(t, m), "vitrine_http_requests_in_flight 1")
		panic(http.ErrAbortHandler)
	}))
	func() {
		defer func() {
			if v := recover(); v != http.ErrAbortHandler {
				t.Errorf("panic = %v, want it passed on", v)
			}
		}()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}()
	wantLines(t, scrape(t, m), "vitrine_http_requests_in_flight 0")
}

func TestBuildAndRuntime(t *testing.T) {
	t.Parallel()
	lines := scrape(t, obs.NewMetrics("v1", "abc"))
	wantLines(t, lines, `vitrine_build_info{go_version="`+runtime.Version()+`",revision="abc",version="v1"} 1`)
	if text := strings.Join(lines, "\n"); !strings.Contains(text, "\ngo_goroutines ") {
		t.Error("the runtime is not measured")
	}
}

func TestRegistriesAreApart(t *testing.T) {
	t.Parallel()
	a, b := obs.NewMetrics("a", ""), obs.NewMetrics("b", "")
	a.Observe("x", http.MethodGet, 200, 0)
	if text := strings.Join(scrape(t, b), "\n"); strings.Contains(text, `operation="x"`) {
		t.Error("one registry shows what the other counted")
	}
}

func TestOutgoing(t *testing.T) {
	t.Parallel()
	m := obs.NewMetrics("v1", "abc")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	client := &http.Client{Transport: m.Watched(obs.Storage, http.DefaultTransport)}
	ask := func(method string) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := client.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}
	ask(http.MethodGet)
	ask(http.MethodPut)
	ask(http.MethodPut)
	s.Close()
	ask(http.MethodGet)
	m.ObserveOutgoing(t.Context(), obs.Asked{To: obs.Mail, Operation: "send", Outcome: "taken", Took: 2 * time.Second})
	m.ObserveRefusal("requests", "free")
	m.ObserveRefusal("size", "")
	wantLines(t, scrape(t, m),
		`vitrine_outgoing_duration_seconds_count{operation="GET",outcome="2xx",to="storage"} 1`,
		`vitrine_outgoing_duration_seconds_count{operation="PUT",outcome="5xx",to="storage"} 2`,
		`vitrine_outgoing_duration_seconds_count{operation="GET",outcome="failed",to="storage"} 1`,
		`vitrine_outgoing_duration_seconds_bucket{operation="send",outcome="taken",to="mail",le="1"} 0`,
		`vitrine_outgoing_duration_seconds_bucket{operation="send",outcome="taken",to="mail",le="2.5"} 1`,
		`vitrine_http_refusals_total{kind="requests",tier="free"} 1`,
		`vitrine_http_refusals_total{kind="size",tier="none"} 1`,
	)
}

// Requests to external services are recorded as spans, and failures are marked.
func TestOutgoingTraced(t *testing.T) {
	t.Parallel()
	var sent []byte
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent, _ = io.ReadAll(r.Body) }))
	defer collector.Close()
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer storage.Close()
	m := obs.NewMetrics("v1", "abc")
	tracer := obs.NewTracer(obs.TraceOptions{Endpoint: collector.URL, Ratio: 1, Log: slog.New(slog.DiscardHandler)})
	m.WatchTraces(tracer.Stats)
	ctx, span := tracer.Root(t.Context(), obs.ConsumerSpan, "job", "", true)
	m.ObserveOutgoing(ctx, obs.Asked{To: obs.Mail, Operation: "send", Outcome: "taken", Host: "mail.example", Took: time.Second})
	m.ObserveOutgoing(t.Context(), obs.Asked{To: obs.Mail, Operation: "send", Outcome: "refused"}) // without a span
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, storage.URL+"/secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Transport: m.Watched(obs.Storage, http.DefaultTransport)}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	span.End()
	if err := tracer.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for want, n := range map[string]int{`"name":"mail send"`: 1, `"name":"storage PUT"`: 1, `{"key":"server.address","value":{"stringValue":"127.0.0.1"}}`: 1,
		`"status":{"message":"5xx","code":2}`: 1, `"status"`: 1, "secret": 0} {
		if got := strings.Count(string(sent), want); got != n {
			t.Errorf("%d times %s in %s", got, want, sent)
		}
	}
	wantLines(t, scrape(t, m), `vitrine_trace_spans_total{outcome="sent"} 3`, `vitrine_trace_spans_total{outcome="full"} 0`)
}
