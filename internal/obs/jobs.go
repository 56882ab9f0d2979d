package obs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// countTimeout is how long counting jobs may take when the metrics are read.
const countTimeout = 5 * time.Second

// jobMetrics is what is measured of jobs.
type jobMetrics struct {
	runs     *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newJobMetrics() jobMetrics {
	return jobMetrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "job_runs_total",
			Help: "Runs of jobs by this process.",
		}, []string{"kind", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "job_duration_seconds",
			Help:    "Time that a run of a job took.",
			Buckets: []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 180},
		}, []string{"kind"}),
	}
}

// ObserveJob counts one run of a job. Kind and outcome must come from bounded sets.
func (m *Metrics) ObserveJob(kind, outcome string, took time.Duration) {
	m.jobs.runs.WithLabelValues(kind, outcome).Inc()
	m.jobs.duration.WithLabelValues(kind).Observe(took.Seconds())
}

// CountJobs adds vitrine_jobs{state}: how many jobs there are, by state, counted by
// count whenever the metrics are read. When that fails they are left out.
func (m *Metrics) CountJobs(count func(ctx context.Context) (map[string]int64, error)) {
	m.registry.MustRegister(jobCounter{count, prometheus.NewDesc(namespace+"_jobs",
		"Jobs of all processes in the database, those that are done left out.", []string{"state"}, nil)})
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
