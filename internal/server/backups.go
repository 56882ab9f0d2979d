package server

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/backup"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/obs"
)

// backupCheckInterval is how often a server checks whether a backup is due.
const backupCheckInterval = time.Minute

// backups makes the scheduled backups. They are not jobs because a backup may take hours, and a job
// that runs this long is assumed to hang. Each backup is made by one of the servers (backup.Claim).
type backups struct {
	background // a backup that a shutdown interrupts is retried soon
	s          *Server
	o          Options
	storage    blob.Store
}

// measured returns the measurements of backups for the metrics.
func (b *backups) measured(ctx context.Context) (m obs.Backup, err error) {
	last, err := b.s.Store.Backups().LastBackup(ctx, b.o.Now())
	if err != nil {
		return m, err
	}
	if last != nil {
		m = obs.Backup{Last: last.StartedAt, Files: last.Bytes, Written: last.Written, Missing: last.Missing}
	}
	failed, err := b.s.Store.Backups().LastFailure(ctx, b.o.Now())
	if failed != nil {
		m.Failed = failed.StartedAt
	}
	return m, err
}

// start starts making backups in the background if --backup-to is set.
func (b *backups) start() {
	if b.s.cfg.Backup.To == "" {
		return
	}
	b.background.start(backupCheckInterval, func(ctx context.Context) bool {
		b.makeDue(ctx)
		return true
	})
}

// makeDue makes a backup if one is due and no other server is making it.
func (b *backups) makeDue(ctx context.Context) {
	log := b.s.log
	if err := backup.Behind(ctx, b.s.db); err != nil { // during an upgrade, newer servers make them
		if ctx.Err() == nil {
			log.WarnContext(ctx, "making no backups", "error", err)
		}
		return
	}
	run, err := backup.Claim(ctx, b.s.Store, b.s.cfg.Backup.Every, b.o.Now())
	if err != nil {
		if ctx.Err() == nil {
			log.ErrorContext(ctx, "checking whether a backup is due", "error", err)
		}
		return
	}
	if run == "" {
		return
	}
	log.InfoContext(ctx, "making a backup")
	began := time.Now()
	res, err := b.make(ctx, run)
	if err != nil {
		log.ErrorContext(ctx, "the backup failed", "error", err)
		return
	}
	m := res.Manifest
	log.InfoContext(ctx, "made a backup", "backup", res.ID, "rows", m.Rows, "files", m.Files, "written", res.New,
		"missing", len(m.Missing), "removed", len(res.Removed), "took", time.Since(began).Round(time.Second))
}

func (b *backups) make(ctx context.Context, run string) (backup.Result, error) {
	ctx, span := b.s.tracer.Root(ctx, obs.InternalSpan, "backup", "", false)
	defer span.End()
	at := phases{tracer: b.s.tracer, of: span}
	keys := BackupKeys(b.s.cfg)
	keys.Watch = func(next http.RoundTripper) http.RoundTripper { return b.s.stats.Watched(obs.Backups, next) }
	to, opening := backup.ToWrite(ctx, b.s.cfg.Backup.To, keys)
	res, err := backup.Run(ctx, backup.Options{DB: b.s.db, Store: b.s.Store, Blobs: b.storage, To: to, Opening: opening, Keep: b.s.cfg.Backup.Keep,
		Program: b.o.Version, Now: b.o.Now, OnProgress: at.update, Scheduled: run})
	at.end(err)
	span.Number("vitrine.rows", res.Manifest.Rows)
	span.Number("vitrine.files", res.Manifest.Files)
	span.Number("vitrine.written", res.New)
	if err != nil {
		span.Fail("") // the error's text may contain folders and hosts
	}
	return res, err
}

// phases records the phases of a backup as spans. Each is a root span with its own limit, so that
// the many statements and requests of one phase do not push out the next.
type phases struct {
	tracer *obs.Tracer
	of, at *obs.Span
	phase  string
}

func (p *phases) update(now backup.Progress) {
	if p.of == nil || now.Phase == p.phase {
		return
	}
	p.end(nil)
	p.phase = now.Phase
	_, p.at = p.tracer.Root(context.Background(), obs.InternalSpan, "backup "+now.Phase, p.of.Traceparent(), true)
}

func (p *phases) end(err error) {
	if err != nil {
		p.at.Fail("")
	}
	p.at.End()
}

// BackupKeys returns the access keys of buckets with backups.
func BackupKeys(cfg config.Config) backup.Keys {
	return backup.Keys{Access: cfg.Backup.AccessKey, Secret: cfg.Backup.SecretKey}
}
