// Package backup copies a snapshot of the whole site to a folder, file or bucket, and restores such a
// backup to either database.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/blob"
	"vitrine/internal/database"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
)

// filesAtOnce is the number of files that are copied concurrently.
const filesAtOnce = 4

// Progress is the progress of a backup or restore. Totals are 0 while they are unknown.
type Progress struct {
	Phase    string `json:"phase"`
	Rows     int64  `json:"rows"`
	Files    int64  `json:"files"`
	OfFiles  int64  `json:"of_files,omitempty"`
	Bytes    int64  `json:"bytes"` // of files
	OfBytes  int64  `json:"of_bytes,omitempty"`
	Words    int64  `json:"words,omitempty"` // documents in the search index
	Checks   int64  `json:"checks,omitempty"`
	OfChecks int64  `json:"of_checks,omitempty"`
}

// The phases of a backup or restore.
const (
	PhaseRows  = "rows"
	PhaseFiles = "files"
	PhaseWords = "words"
	PhaseCheck = "check"
)

// Options configure a backup.
type Options struct {
	DB         *database.DB
	Store      *store.Store // uses DB
	Blobs      blob.Store
	To         *Place
	Keep       int    // number of backups to keep; 0 for all
	Program    string // program version
	Now        func() time.Time
	OnProgress func(Progress) // never called concurrently

	Scheduled string // name of a run from Claim; "" starts a new run
	Opening   error  // why the place cannot be used; recorded as the result of the run
}

// Result is a finished backup.
type Result struct {
	ID       string
	Manifest Manifest
	New      int64    // bytes written
	Removed  []string // ids of removed backups
}

// Run creates a backup. Files that are missing in the storage are listed in its manifest and are not an
// error.
func Run(ctx context.Context, o Options) (res Result, err error) {
	run := o.Scheduled
	if run == "" {
		err = o.Store.InTxAlways(ctx, func(tx *store.Tx) error {
			run, err = tx.Backups().BeginBackup(ctx, o.Now())
			return err
		})
		if err != nil {
			return res, err
		}
	}
	stop := keepHold(ctx, o, run)
	defer func() {
		stop()
		ended := blobs.EndedBackup{Rows: res.Manifest.Rows, Files: res.Manifest.Files, Bytes: res.Manifest.Bytes,
			Written: res.New, Missing: int64(len(res.Manifest.Missing)), Copy: res.ID}
		if err != nil {
			ended.Error = err.Error()
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		e := o.Store.InTxAlways(ctx, func(tx *store.Tx) error { return tx.Backups().EndBackup(ctx, run, ended, o.Now()) })
		if e != nil && err == nil {
			err = fmt.Errorf("the backup %s is complete, but could not be recorded in the database: %w", res.ID, e)
		}
	}()
	switch {
	case o.Opening != nil:
		return res, o.Opening
	case o.To.kept == nil:
		return o.toFile(ctx)
	}
	return o.toFolder(ctx)
}

// Claim records a new run if a backup is due, or an operator has requested one since the last, and returns its name. It returns "" if no backup is due or
// another server has claimed it.
func Claim(ctx context.Context, s *store.Store, every time.Duration, now time.Time) (name string, err error) {
	err = s.InTxAlways(ctx, func(tx *store.Tx) error {
		asked, err := tx.Account().BackupRequested(ctx)
		if err != nil {
			return err
		}
		if !asked.IsZero() { // an older backup does not count
			every = max(min(every, now.Sub(asked)), 1)
		}
		name, err = tx.Backups().ClaimBackup(ctx, every, now)
		return err
	})
	return name, err
}

// keepHold prevents the removal of files from the storage until it is stopped.
func keepHold(ctx context.Context, o Options, run string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(blobs.HoldBackupEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// A failure does not matter, because the hold is valid for several intervals.
				_ = o.Store.InTxAlways(ctx, func(tx *store.Tx) error { return tx.Backups().HoldBackup(ctx, run, o.Now()) })
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (o Options) toFile(ctx context.Context) (res Result, err error) {
	release, err := hold(ctx, database.HoldLockBriefly, filepath.Join(filepath.Dir(o.To.path), "."+filepath.Base(o.To.path)+".lock"))
	if err != nil {
		return res, err
	}
	defer release()
	to, err := newTarSink(o.To.path)
	if err != nil {
		return res, err
	}
	if res, err = o.write(ctx, to); err != nil {
		return Result{}, errors.Join(err, to.drop())
	}
	return res, to.disk.Close()
}

// unfinishedName exists while a backup is running. If it exists before, an earlier backup was interrupted
// and may have left unneeded content.
const unfinishedName = "unfinished"

func (o Options) toFolder(ctx context.Context) (res Result, err error) {
	p := o.To
	release, err := p.lock(ctx)
	if err != nil {
		return res, err
	}
	defer release()
	if err := p.kept.Sweep(ctx, 0); err != nil {
		return res, err
	}
	_, err = p.kept.Stat(ctx, unfinishedName)
	died := err == nil
	if err == nil || errors.Is(err, blob.ErrNotFound) {
		err = p.write(ctx, unfinishedName, []byte("a backup is being made, or was cut off\n"))
	}
	if err != nil {
		return res, err
	}
	if res, err = o.write(ctx, folderSink{p}); err != nil {
		return Result{}, err
	}
	if err := o.tidy(ctx, &res, died); err != nil {
		return res, fmt.Errorf("the backup %s is complete, but removing unneeded data failed: %w", res.ID, err)
	}
	return res, nil
}

func (o Options) tidy(ctx context.Context, res *Result, died bool) (err error) {
	if o.Keep > 0 {
		if res.Removed, err = o.To.prune(ctx, o.Keep); err != nil {
			return err
		}
	}
	if died && res.Removed == nil {
		ids, err := o.To.ids(ctx)
		if err != nil {
			return err
		}
		needed, err := o.To.needed(ctx, ids)
		if err != nil {
			return err
		}
		if err := o.To.removeUnneeded(ctx, needed); err != nil {
			return err
		}
	}
	return o.To.kept.Delete(ctx, unfinishedName)
}

// write writes the rows and then the files to a sink.
func (o Options) write(ctx context.Context, to sink) (res Result, err error) {
	list, err := newSpool()
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, list.close()) }()
	w := writing{Options: o, ctx: ctx, to: to, list: list}
	if err := DumpDatabase(ctx, o.DB, &w); err != nil {
		return res, err
	}
	if err := w.rows.cut(); err != nil {
		return res, err
	}
	w.at.Phase = PhaseFiles
	if err := list.each(w.files); err != nil {
		return res, err
	}
	w.made.Rows, w.made.Files, w.made.Bytes = w.at.Rows, w.at.Files, w.at.Bytes
	id, err := to.end(ctx, w.made)
	return Result{ID: id, Manifest: w.made, New: w.written}, err
}

// writing is a backup in progress.
type writing struct {
	Options
	ctx     context.Context // for callbacks without a context
	to      sink
	list    *spool
	rows    cutter
	made    Manifest
	at      Progress
	written int64
}

// Begin implements Dumping.
func (w *writing) Begin(schema int64, last map[string]int64) error {
	w.made = Manifest{Head: Head{Format: formatVersion, Program: w.Program, Database: w.Store.Database(), Schema: schema,
		CreatedAt: w.Now().UTC().Truncate(time.Millisecond), Last: last}, Chunks: []Chunk{}, Missing: []Missing{}}
	w.at, w.written = Progress{Phase: PhaseRows}, 0
	w.rows = cutter{keep: w.keep}
	if err := w.list.clear(); err != nil {
		return err
	}
	return w.to.begin(w.ctx, w.made.Head)
}

// Row implements Dumping.
func (w *writing) Row(t database.Table, row []any) error {
	if t.Name == FilesTable {
		w.at.OfFiles++
		w.at.OfBytes += row[2].(int64)
	}
	return w.rows.add(t, row)
}

// keep stores a chunk. Chunks of the file list are kept until all rows are written.
func (w *writing) keep(c Chunk, packed []byte) error {
	if c.Table == FilesTable {
		return w.list.put(packed)
	}
	w.at.Rows += c.Rows
	w.OnProgress(w.at)
	return w.chunk(c, packed)
}

func (w *writing) chunk(c Chunk, packed []byte) error {
	taken, err := w.to.chunk(w.ctx, c, packed)
	w.made.Chunks = append(w.made.Chunks, c)
	w.written += taken
	return err
}

// files writes the files of a chunk of the file list.
func (w *writing) files(packed []byte) error {
	head, rows, err := unpack(packed)
	if err != nil {
		return err
	}
	all, err := listOf(rows)
	if err != nil {
		return err
	}
	c := Chunk{Sum: sumOf(packed), Size: int64(len(packed)), Table: head.Table, Rows: head.Rows}
	if err := w.chunk(c, packed); err != nil {
		return err
	}
	type outcome struct {
		taken int64
		why   string
	}
	outcomes := make([]outcome, len(all))
	group, ctx := errgroup.WithContext(w.ctx)
	group.SetLimit(w.to.atOnce())
	for i, f := range all {
		group.Go(func() error {
			taken, err := w.to.file(ctx, f, func() (io.ReadCloser, error) { return w.Blobs.Open(ctx, f.object) })
			outcomes[i].taken = taken
			switch {
			case errors.Is(err, blob.ErrNotFound):
				outcomes[i].why = "is missing"
			case errors.Is(err, errContent):
				outcomes[i].why = errContent.Error()
			default:
				return err
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, f := range all {
		if why := outcomes[i].why; why != "" {
			w.made.Missing = append(w.made.Missing, Missing{Object: f.object, Sum: f.sum, Why: why})
			if len(w.made.Missing) > missingMax {
				return fmt.Errorf("backup: more than %d files are missing in the storage: check that it is the storage of this site", missingMax)
			}
			continue
		}
		w.at.Files++
		w.at.Bytes += f.size
		w.written += outcomes[i].taken
	}
	w.OnProgress(w.at)
	return nil
}
