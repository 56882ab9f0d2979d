package obs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// countTimeout limits the queries of a scrape.
const countTimeout = 5 * time.Second

type jobMetrics struct {
	runs     *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newJobMetrics() jobMetrics {
	return jobMetrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "job_runs_total",
			Help: "Job runs in this process.",
		}, []string{"kind", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "job_duration_seconds",
			Help:    "Duration of job runs.",
			Buckets: []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 180},
		}, []string{"kind"}),
	}
}

// ObserveJob counts one run of a job. Kind and outcome must come from bounded sets.
func (m *Metrics) ObserveJob(kind, outcome string, took time.Duration) {
	m.jobs.runs.WithLabelValues(kind, outcome).Inc()
	m.jobs.duration.WithLabelValues(kind).Observe(took.Seconds())
}

// CountJobs adds vitrine_jobs{state}, the number of jobs by state, read from count at each scrape.
// If count fails, the metric is omitted.
func (m *Metrics) CountJobs(count func(ctx context.Context) (map[string]int64, error)) {
	m.registry.MustRegister(jobCounter{count, prometheus.NewDesc(namespace+"_jobs",
		"Unfinished jobs in the database, of all processes.", []string{"state"}, nil)})
}

// jobCounter implements prometheus.Collector.
type jobCounter struct {
	count func(ctx context.Context) (map[string]int64, error)
	desc  *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c jobCounter) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

// Collect implements prometheus.Collector.
func (c jobCounter) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	counts, err := c.count(ctx)
	if err != nil {
		return
	}
	for state, n := range counts {
		metrics <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(n), state)
	}
}
