package obs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Site is what is measured of what the program stands on. What is not known is left out of
// the metrics: nil, or below zero.
type Site struct {
	Unserved bool // the schema needs a newer program

	Pools        []Pool
	Due          map[string]time.Duration // by class of jobs: how long the oldest has been due, 0 for none
	DiskFree     int64                    // bytes of the disk of the data folder
	DiskSize     int64
	Database     int64                // bytes of the SQLite file
	WAL          int64                // and of its log
	Certificates map[string]time.Time // by domain: when they expire
	Backfills    map[string]int64     // by kind of job: rows from before an upgrade that it has yet to fill in
}

// Pool is what is measured of connections to the database, since the process began.
type Pool struct {
	Name       string
	InUse, Max int64
	Waits      int64 // how often somebody waited for one
	Waited     time.Duration
}

// WatchSite adds what of gives whenever the metrics are read:
//
//	vitrine_database_connections_in_use{pool}, vitrine_database_connections_max{pool}
//	vitrine_database_waits_total{pool}, vitrine_database_wait_seconds_total{pool}
//	vitrine_jobs_oldest_due_seconds{class}
//	vitrine_disk_free_bytes, vitrine_disk_size_bytes
//	vitrine_sqlite_file_bytes, vitrine_sqlite_wal_bytes
//	vitrine_backfill_rows_left{kind}
//	vitrine_schema_served
//	vitrine_certificate_expiry_timestamp_seconds{domain}
func (m *Metrics) WatchSite(of func(ctx context.Context) Site) {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
	}
	m.registry.MustRegister(siteWatch{of: of,
		inUse:  desc("database_connections_in_use", "Connections to the database that are in use.", "pool"),
		max:    desc("database_connections_max", "Connections to the database that there can be.", "pool"),
		waits:  desc("database_waits_total", "How often somebody waited for a connection.", "pool"),
		waited: desc("database_wait_seconds_total", "How long they waited, together.", "pool"),
		due:    desc("jobs_oldest_due_seconds", "How long the oldest job that could run has waited, by class.", "class"),
		free:   desc("disk_free_bytes", "Free space of the disk that the data folder is on."),
		size:   desc("disk_size_bytes", "Size of that disk."),
		file:   desc("sqlite_file_bytes", "Size of the SQLite file."),
		wal:    desc("sqlite_wal_bytes", "Size of SQLite's log of writes."),
		served: desc("schema_served", "Whether the database's schema serves this program: 1, or 0 if it needs a newer one."),
		left:   desc("backfill_rows_left", "Rows from before an upgrade that a job has yet to fill in, by its kind; above 10,000 a bound.", "kind"),
		expiry: desc("certificate_expiry_timestamp_seconds", "When the certificate that is served expires; 0 where there is none.", "domain")})
}

// siteWatch implements prometheus.Collector.
type siteWatch struct {
	of                                                                          func(ctx context.Context) Site
	inUse, max, waits, waited, due, left, free, size, file, wal, expiry, served *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (w siteWatch) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.inUse, w.max, w.waits, w.waited, w.due, w.left, w.free, w.size, w.file, w.wal, w.expiry, w.served} {
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
	for domain, until := range s.Certificates {
		send(w.expiry, prometheus.GaugeValue, float64(until.Unix()), domain)
	}
	served := 1.0
	if s.Unserved {
		served = 0
	}
	send(w.served, prometheus.GaugeValue, served)
	for d, bytes := range map[*prometheus.Desc]int64{w.free: s.DiskFree, w.size: s.DiskSize, w.file: s.Database, w.wal: s.WAL} {
		if bytes >= 0 {
			send(d, prometheus.GaugeValue, float64(bytes))
		}
	}
}
