package obs

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const namespace = "vitrine"

// Metrics is the program's registry with the metrics of requests and jobs.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	refusals *prometheus.CounterVec
	outgoing *prometheus.HistogramVec
	jobs     jobMetrics
}

// NewMetrics creates the registry. It contains:
//
//	vitrine_http_requests_total{operation,method,status}
//	vitrine_http_request_duration_seconds{operation,method,class}
//	vitrine_http_requests_in_flight
//	vitrine_http_refusals_total{kind,tier}
//	vitrine_outgoing_duration_seconds{to,operation,outcome}
//	vitrine_job_runs_total{kind,outcome}
//	vitrine_job_duration_seconds{kind}
//	vitrine_build_info{version,revision,go_version}, always 1
//
// and the go_ and process_ metrics of the runtime.
func NewMetrics(version, revision string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_requests_total",
			Help: "Answered requests by status; aborted if no response was sent.",
		}, []string{"operation", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds",
			Help:    "Time from the arrival of a request to the end of its response.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15},
		}, []string{"operation", "method", "class"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "http_requests_in_flight",
			Help: "Requests being answered now.",
		}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_refusals_total",
			Help: "Refused requests: over a limit on requests, concurrent requests, actions such as signing in, size or time, or because a service was unavailable.",
		}, []string{"kind", "tier"}),
		outgoing: newOutgoing(),
		jobs:     newJobMetrics(),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info",
		Help:        "Version of the running build; always 1.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "go_version": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.duration, m.inFlight, m.refusals, m.outgoing, m.jobs.runs, m.jobs.duration, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics in the formats that Prometheus reads.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Observe counts one answered request. The operation is the operationId of its route, or empty; it
// must come from a bounded set.
func (m *Metrics) Observe(operation, method string, status int, took time.Duration) {
	if operation == "" {
		operation = "none"
	}
	exact, class := statusLabels(status)
	m.requests.WithLabelValues(operation, knownMethod(method), exact).Inc()
	m.duration.WithLabelValues(operation, knownMethod(method), class).Observe(took.Seconds())
}

// ObserveRefusal counts a refused request by its kind and the caller's tier, which is empty if
// unknown. Both must come from bounded sets.
func (m *Metrics) ObserveRefusal(kind, tier string) {
	if tier == "" {
		tier = "none"
	}
	m.refusals.WithLabelValues(kind, tier).Inc()
}

// InFlight counts the requests that next is handling.
func (m *Metrics) InFlight(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.inFlight.Inc()
		defer m.inFlight.Dec()
		next.ServeHTTP(w, r)
	})
}

// knownMethod maps unknown methods to one label, so that clients cannot create any number of
// series.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// statusLabels returns the labels of a status, such as 200 and 2xx, or aborted for 0: no response
// was sent.
func statusLabels(status int) (exact, class string) {
	if status == 0 {
		return "aborted", "aborted"
	}
	return strconv.Itoa(status), classes[status/100%len(classes)]
}

var classes = [...]string{"0xx", "1xx", "2xx", "3xx", "4xx", "5xx"}
