package obs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Site holds the measurements of the database, the disk and the certificates. Unknown values are
// nil or negative, and are omitted from the metrics.
type Site struct {
	Unserved bool // the schema requires a newer program
	ReadOnly bool // changes are refused

	Pools        []Pool
	Due          map[string]time.Duration // time since the oldest job became due, by class; 0 if none is due
	DiskFree     int64                    // bytes, of the disk with the data folder
	DiskSize     int64
	Database     int64                // bytes of the SQLite file
	WAL          int64                // bytes of its write-ahead log
	Certificates map[string]time.Time // expiry by domain
	Vectors      *Vectors
	Changes      time.Duration    // how long the oldest committed change has waited for older transactions; negative if unknown
	Streams      int              // requests that wait for changes
	Backfills    map[string]int64 // rows that a backfill has not processed yet, by kind of job
}

// Vectors holds the measurements of search by meaning.
type Vectors struct {
	Waiting  int64 // blocks without a current vector
	Failures int64 // of the endpoint, in a row
}

// Pool holds the measurements of a connection pool since the process started.
type Pool struct {
	Name       string
	InUse, Max int64
	Waits      int64 // how often a caller had to wait for a connection
	Waited     time.Duration
}

// WatchSite adds these metrics, read from of at each scrape:
//
//	vitrine_database_connections_in_use{pool}, vitrine_database_connections_max{pool}
//	vitrine_database_waits_total{pool}, vitrine_database_wait_seconds_total{pool}
//	vitrine_jobs_oldest_due_seconds{class}
//	vitrine_disk_free_bytes, vitrine_disk_size_bytes
//	vitrine_sqlite_file_bytes, vitrine_sqlite_wal_bytes
//	vitrine_changes_streams
//	vitrine_backfill_rows_left{kind}
//	vitrine_vectors_waiting, vitrine_vectors_failures
//	vitrine_schema_served
//	vitrine_read_only
//	vitrine_certificate_expiry_timestamp_seconds{domain}
func (m *Metrics) WatchSite(of func(ctx context.Context) Site) {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
	}
	m.registry.MustRegister(siteWatch{of: of,
		inUse:    desc("database_connections_in_use", "Database connections in use.", "pool"),
		max:      desc("database_connections_max", "Maximum number of database connections.", "pool"),
		waits:    desc("database_waits_total", "How often a caller waited for a database connection.", "pool"),
		waited:   desc("database_wait_seconds_total", "Total time that callers waited for a database connection.", "pool"),
		due:      desc("jobs_oldest_due_seconds", "Time since the oldest waiting job became due, by class.", "class"),
		free:     desc("disk_free_bytes", "Free space on the disk with the data folder."),
		size:     desc("disk_size_bytes", "Size of the disk with the data folder."),
		file:     desc("sqlite_file_bytes", "Size of the SQLite file."),
		wal:      desc("sqlite_wal_bytes", "Size of SQLite's write-ahead log."),
		served:   desc("schema_served", "1 if this program supports the database schema, 0 if the schema needs a newer program."),
		readOnly: desc("read_only", "1 while the site is read-only, otherwise 0."),
		left:     desc("backfill_rows_left", "Rows that a backfill has not processed yet, by kind of job. Counts above 10,000 are a lower bound.", "kind"),
		lag:      desc("changes_lag_seconds", "Time for which the oldest committed change has waited for older transactions to end, before clients can read it."),
		streams:  desc("changes_streams", "Open streams of changes and other requests that wait for changes."),
		waiting:  desc("vectors_waiting", "Blocks whose vector for search by meaning is not computed yet."),
		failures: desc("vectors_failures", "How often the endpoint of search by meaning has failed in a row."),
		expiry:   desc("certificate_expiry_timestamp_seconds", "Expiry of the served certificate; 0 if there is none.", "domain")})
}

// siteWatch implements prometheus.Collector.
type siteWatch struct {
	of                                                                                                                     func(ctx context.Context) Site
	inUse, max, waits, waited, due, left, free, size, file, wal, expiry, served, readOnly, lag, streams, waiting, failures *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (w siteWatch) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.inUse, w.max, w.waits, w.waited, w.due, w.left, w.free, w.size, w.file, w.wal, w.expiry, w.served, w.readOnly, w.lag, w.streams, w.waiting, w.failures} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (w siteWatch) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	s := w.of(ctx)
	send := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	for _, p := range s.Pools {
		send(w.inUse, prometheus.GaugeValue, float64(p.InUse), p.Name)
		send(w.max, prometheus.GaugeValue, float64(p.Max), p.Name)
		send(w.waits, prometheus.CounterValue, float64(p.Waits), p.Name)
		send(w.waited, prometheus.CounterValue, p.Waited.Seconds(), p.Name)
	}
	for class, waits := range s.Due {
		send(w.due, prometheus.GaugeValue, waits.Seconds(), class)
	}
	for kind, rows := range s.Backfills {
		send(w.left, prometheus.GaugeValue, float64(rows), kind)
	}
	send(w.streams, prometheus.GaugeValue, float64(s.Streams))
	if s.Changes >= 0 {
		send(w.lag, prometheus.GaugeValue, s.Changes.Seconds())
	}
	if v := s.Vectors; v != nil {
		send(w.waiting, prometheus.GaugeValue, float64(v.Waiting))
		send(w.failures, prometheus.GaugeValue, float64(v.Failures))
	}
	for domain, until := range s.Certificates {
		send(w.expiry, prometheus.GaugeValue, float64(until.Unix()), domain)
	}
	send(w.served, prometheus.GaugeValue, indicator(!s.Unserved))
	send(w.readOnly, prometheus.GaugeValue, indicator(s.ReadOnly))
	for d, bytes := range map[*prometheus.Desc]int64{w.free: s.DiskFree, w.size: s.DiskSize, w.file: s.Database, w.wal: s.WAL} {
		if bytes >= 0 {
			send(d, prometheus.GaugeValue, float64(bytes))
		}
	}
}

// indicator returns 1 for true.
func indicator(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
