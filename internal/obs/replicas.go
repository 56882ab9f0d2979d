package obs

import "github.com/prometheus/client_golang/prometheus"

// Replica is what is measured of a replica of the database.
type Replica struct {
	Name           string
	Up             bool
	Lag            float64 // seconds, at most
	Served, Failed int64   // requests that read there, and statements that failed
}

// SkippedReplicas are requests that could have read at a replica and read at the primary.
type SkippedReplicas struct{ Late, OwnWrite int64 }

// WatchReplicas adds what of gives of replicas whenever the metrics are read.
func (m *Metrics) WatchReplicas(of func() ([]Replica, SkippedReplicas)) {
	m.registry.MustRegister(replicas{of})
}

var (
	replicaUp     = replicaMetric("replica_up", "Whether a replica of the database is read: 1, or 0 while it is left out.", "replica")
	replicaLag    = replicaMetric("replica_lag_seconds", "How far a replica of the database is behind the primary, at most.", "replica")
	replicaReads  = replicaMetric("replica_reads_total", "Requests that were read at a replica of the database.", "replica")
	replicaFailed = replicaMetric("replica_failures_total", "Statements that failed at a replica of the database, whose requests were made again at the primary.", "replica")
	replicaPassed = replicaMetric("replica_skipped_total",
		"Requests that read at the primary of the database for a reason: no replica could be read (late), or it did not have what the account had written yet (own_write).", "reason")
)

func replicaMetric(name, help, label string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, []string{label}, nil)
}

// replicas is a prometheus.Collector.
type replicas struct {
	of func() ([]Replica, SkippedReplicas)
}

// Describe implements prometheus.Collector.
func (r replicas) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{replicaUp, replicaLag, replicaReads, replicaFailed, replicaPassed} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (r replicas) Collect(to chan<- prometheus.Metric) {
	all, skipped := r.of()
	send := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, label string) {
		to <- prometheus.MustNewConstMetric(d, kind, value, label)
	}
	for _, of := range all {
		up := 0.0
		if of.Up {
			up = 1
		}
		send(replicaUp, prometheus.GaugeValue, up, of.Name)
		send(replicaLag, prometheus.GaugeValue, of.Lag, of.Name)
		send(replicaReads, prometheus.CounterValue, float64(of.Served), of.Name)
		send(replicaFailed, prometheus.CounterValue, float64(of.Failed), of.Name)
	}
	send(replicaPassed, prometheus.CounterValue, float64(skipped.Late), "late")
	send(replicaPassed, prometheus.CounterValue, float64(skipped.OwnWrite), "own_write")
}
