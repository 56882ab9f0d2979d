package obs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Backup holds the measurements of backups.
type Backup struct {
	Last, Failed   time.Time // start of the last complete one and of the last failed one; zero if none
	Files, Written int64     // bytes of the last complete one: of all files, and newly written
	Missing        int64     // files that the storage did not have
}

// WatchBackups adds metrics of backups, read from last at each scrape. Metrics without a value are
// omitted, and all of them if last fails.
func (m *Metrics) WatchBackups(last func(ctx context.Context) (Backup, error)) {
	describe := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_backup_"+name, help, nil, nil)
	}
	m.registry.MustRegister(backupWatch{last,
		describe("last_success_timestamp_seconds", "Start time of the last complete backup, made by any server or command."),
		describe("last_success_file_bytes", "Size of the files in the last complete backup."),
		describe("last_success_written_bytes", "Bytes written by the last complete backup. Files from earlier backups are not written again."),
		describe("last_success_missing_files", "Files missing from the last complete backup because the storage did not have them."),
		describe("last_failure_timestamp_seconds", "Start time of the last backup that failed or was interrupted.")})
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
