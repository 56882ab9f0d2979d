package obs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Backup is what is measured of backups.
type Backup struct {
	Last, Failed   time.Time // when the last whole one began, and the last that failed; zero for none
	Files, Written int64     // bytes of the last whole one: of all its files, and what was new where it is kept
	Missing        int64     // files that it lacks
}

// WatchBackups adds what last gives of backups whenever the metrics are read. What there is
// none of, and everything when last fails, is left out.
func (m *Metrics) WatchBackups(last func(ctx context.Context) (Backup, error)) {
	describe := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_backup_"+name, help, nil, nil)
	}
	m.registry.MustRegister(backupWatch{last,
		describe("last_success_timestamp_seconds", "When the last whole backup began, by whatever server or command."),
		describe("last_success_file_bytes", "Bytes of the files in the last whole backup."),
		describe("last_success_written_bytes", "Bytes that the last whole backup wrote: what was not there from an earlier one."),
		describe("last_success_missing_files", "Files that the last whole backup lacks, since the storage did not have them."),
		describe("last_failure_timestamp_seconds", "When the last backup began that failed or was cut off.")})
}

// backupWatch implements prometheus.Collector.
type backupWatch struct {
	last                                     func(ctx context.Context) (Backup, error)
	success, files, written, missing, failed *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (w backupWatch) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.success, w.files, w.written, w.missing, w.failed} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (w backupWatch) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	b, err := w.last(ctx)
	if err != nil {
		return
	}
	gauge := func(d *prometheus.Desc, value float64) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	if !b.Last.IsZero() {
		gauge(w.success, float64(b.Last.Unix()))
		gauge(w.files, float64(b.Files))
		gauge(w.written, float64(b.Written))
		gauge(w.missing, float64(b.Missing))
	}
	if !b.Failed.IsZero() {
		gauge(w.failed, float64(b.Failed.Unix()))
	}
}
