package obs

import "github.com/prometheus/client_golang/prometheus"

// Replica holds the measurements of a database replica.
type Replica struct {
	Name           string
	Up             bool
	Lag            float64 // upper bound, in seconds
	Served, Failed int64   // requests read from it, and failed statements
}

// SkippedReplicas counts the requests that could have used a replica but read from the primary.
type SkippedReplicas struct{ Late, OwnWrite int64 }

// WatchReplicas adds metrics of the replicas, read from of at each scrape.
func (m *Metrics) WatchReplicas(of func() ([]Replica, SkippedReplicas)) {
	m.registry.MustRegister(replicas{of})
}

var (
	replicaUp     = replicaMetric("replica_up", "1 if the database replica is in use, else 0.", "replica")
	replicaLag    = replicaMetric("replica_lag_seconds", "Upper bound of the replica's lag behind the primary.", "replica")
	replicaReads  = replicaMetric("replica_reads_total", "Requests that read from the replica.", "replica")
	replicaFailed = replicaMetric("replica_failures_total", "Statements that failed on the replica. Their requests were repeated on the primary.", "replica")
	replicaPassed = replicaMetric("replica_skipped_total",
		"Requests that read from the primary although a replica would do: no replica was usable (late), or it did not have the account's own writes yet (own_write).", "reason")
)

func replicaMetric(name, help, label string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, []string{label}, nil)
}

// replicas implements prometheus.Collector.
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
