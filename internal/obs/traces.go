package obs

import (
	"github.com/prometheus/client_golang/prometheus"
)

// WatchTraces adds vitrine_trace_spans_total{outcome}, read from of at each scrape.
func (m *Metrics) WatchTraces(of func() TraceStats) {
	m.registry.MustRegister(traceCounter{of, prometheus.NewDesc(namespace+"_trace_spans_total",
		"Trace spans: sent to the collector; dropped because the queue was full (full), the collector did not answer (failed) or rejected them (refused); or omitted from traces with too many spans (skipped).",
		[]string{"outcome"}, nil)})
}

// traceCounter implements prometheus.Collector.
type traceCounter struct {
	of   func() TraceStats
	desc *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c traceCounter) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

// Collect implements prometheus.Collector.
func (c traceCounter) Collect(metrics chan<- prometheus.Metric) {
	s := c.of()
	for outcome, n := range map[string]int64{"sent": s.Sent, "full": s.Full, "failed": s.Failed, "refused": s.Refused, "skipped": s.Skipped} {
		metrics <- prometheus.MustNewConstMetric(c.desc, prometheus.CounterValue, float64(n), outcome)
	}
}
