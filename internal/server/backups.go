package server

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/backup"
	"vitrine/internal/backup/dump"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/obs"
	"vitrine/internal/obs/trace"
)

// backupLook is how often a server looks whether a backup is due.
const backupLook = time.Minute

// backups makes the backups of the settings. They are no job: one may take hours, and a job
// that takes long is taken to hang. Of all servers one makes each (backup.Claim).
type backups struct {
	s       *Server
	o       Options
	storage blob.Store
	stop    context.CancelFunc
	done    chan struct{}
}

// measured is what the metrics say of backups.
func (b *backups) measured(ctx context.Context) (m obs.Backup, err error) {
	last, err := b.s.Store.LastBackup(ctx, b.o.Now())
	if err != nil {
		return m, err
	}
	if last != nil {
		m = obs.Backup{Last: last.StartedAt, Files: last.Bytes, Written: last.Written, Missing: last.Missing}
	}
	failed, err := b.s.Store.LastFailure(ctx, b.o.Now())
	if failed != nil {
		m.Failed = failed.StartedAt
	}
	return m, err
}

// start makes backups, if there are to be any, until the end.
func (b *backups) start() {
	if b.s.cfg.Backup.To == "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.stop, b.done = cancel, make(chan struct{})
	go func() {
		defer close(b.done)
		tick := time.NewTicker(backupLook)
		defer tick.Stop()
		for ctx.Err() == nil {
			b.look(ctx)
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
}

// end cuts off a backup that is being made, which is tried again soon.
func (b *backups) end() {
	if b.stop != nil {
		b.stop()
		<-b.done
	}
}

// look makes a backup if one is due and no other server makes it.
func (b *backups) look(ctx context.Context) {
	log := b.s.log
	if err := dump.Behind(ctx, b.s.db); err != nil { // during an upgrade newer servers make them
		if ctx.Err() == nil {
			log.WarnContext(ctx, "making no backups", "error", err)
		}
		return
	}
	run, err := backup.Claim(ctx, b.s.Store, b.s.cfg.Backup.Every, b.o.Now())
	if err != nil {
		if ctx.Err() == nil {
			log.ErrorContext(ctx, "looking whether a backup is due", "error", err)
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
	ctx, span := b.s.tracer.Root(ctx, trace.Internal, "backup", "", false)
	defer span.End()
	at := phases{tracer: b.s.tracer, of: span}
	keys := BackupKeys(b.s.cfg)
	keys.Watch = func(next http.RoundTripper) http.RoundTripper { return b.s.stats.Watched(obs.Backups, next) }
	to, opening := backup.ToWrite(ctx, b.s.cfg.Backup.To, keys)
	res, err := backup.Run(ctx, backup.Options{DB: b.s.db, Store: b.s.Store, Blobs: b.storage, To: to, Opening: opening, Keep: b.s.cfg.Backup.Keep,
		Program: b.o.Version, Now: b.o.Now, Tell: at.tell, Scheduled: run})
	at.end(err)
	span.Number("vitrine.rows", res.Manifest.Rows)
	span.Number("vitrine.files", res.Manifest.Files)
	span.Number("vitrine.written", res.New)
	if err != nil {
		span.Fail("") // its text may name folders and hosts
	}
	return res, err
}

// phases makes the phases of a backup spans below it. Each is counted by itself, so that the many
// statements and requests of one phase do not crowd out the next.
type phases struct {
	tracer *trace.Tracer
	of, at *trace.Span
	phase  string
}

func (p *phases) tell(now backup.Progress) {
	if p.of == nil || now.Phase == p.phase {
		return
	}
	p.end(nil)
	p.phase = now.Phase
	_, p.at = p.tracer.Root(context.Background(), trace.Internal, "backup "+now.Phase, p.of.Traceparent(), true)
}

func (p *phases) end(err error) {
	if err != nil {
		p.at.Fail("")
	}
	p.at.End()
}

// BackupKeys are those of buckets that hold backups.
func BackupKeys(cfg config.Config) backup.Keys {
	return backup.Keys{Access: cfg.Backup.AccessKey, Secret: cfg.Backup.SecretKey}
}
