package exporting

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// noteEvery is the interval for saving an export's progress.
const noteEvery = 2 * time.Second

// Make makes a requested export in a job. It runs at least once, from the beginning each time, but
// takes effect once. It streams into the storage.
func (e *Exporter) Make(ctx context.Context, id domain.ExportID) error {
	x, ok, err := e.o.App.Transfer.BeginExport(ctx, id)
	if err != nil || !ok {
		return err
	}
	making, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w := io.Pipe()
	var writing sync.WaitGroup
	wanted, failed := true, error(nil) // set while the progress is saved
	writing.Go(func() {
		note := x
		var last time.Time
		_, err := e.Person(making, x.UserID, w, func(p Progress) {
			now := e.o.Now()
			if making.Err() != nil || now.Sub(last) < noteEvery && p.Done < p.Of {
				return
			}
			last = now
			note.Counts = domain.ExportCounts{Expected: p.Of, Done: p.Done, Channels: p.Channels, Blocks: p.Blocks, Files: p.Files,
				Bytes: p.Bytes, LeftOut: p.LeftOut}
			if wanted, failed = e.o.App.Transfer.NoteExport(making, note); failed != nil || !wanted {
				cancel()
			}
		})
		if err != nil {
			err = errors.Join(failed, err)
		}
		_ = w.CloseWithError(err) // never fails
	})
	err = e.o.App.Transfer.KeepExport(ctx, x, r)
	cancel()
	_ = r.Close() // stops the writer if the reader has failed
	writing.Wait()
	if err != nil && (wanted || failed != nil) {
		return e.o.App.Transfer.ExportStopped(ctx, x, err)
	}
	return nil
}
