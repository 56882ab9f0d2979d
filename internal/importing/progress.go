package importing

import (
	"context"
	"sync/atomic"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// How often a step saves its progress and checks whether the import was stopped.
const (
	saveInterval  = time.Second
	checkInterval = 25 // items; a server's page has at least as many
)

// maxHeld limits the skipped items that are kept until the next save; further ones are only
// counted.
const maxHeld = 1000

// progress saves the progress of a step. Calls to it are serialized, like those of Progress and
// LeftOut.
type progress struct {
	ctx    context.Context
	cancel context.CancelFunc
	app    *app.App
	work   transfer.ImportWork
	base   domain.ImportCounts // of earlier attempts
	file   domain.ImportFile   // with the counts of those attempts
	left   []domain.LeftOut    // skipped since the last save
	noted  time.Time
	items  atomic.Int64 // items passed on

	over   atomic.Bool // the import has ended
	failed error       // the progress could not be saved

	first  int64        // first page that this attempt reads
	starts []pageStart  // pages that the step could resume from; only used by the reading goroutine
	page   atomic.Int64 // page to resume from now
}

// pageStart is a page and the number of items passed on before it.
type pageStart struct{ page, items int64 }

func newProgress(ctx context.Context, cancel context.CancelFunc, a *app.App, w transfer.ImportWork) *progress {
	n := &progress{ctx: ctx, cancel: cancel, app: a, work: w, base: w.Step.Counts, file: w.File, noted: time.Now()}
	n.first = w.Step.Page
	n.page.Store(w.Step.Page)
	return n
}

// maxPending is the maximum number of items that were passed on but not written yet.
const maxPending = 100

// paged records that a page of a channel is about to be read. An interrupted step resumes from the
// last page whose predecessors are certainly written. It reads that page again, which determines
// the position of the next one.
func (n *progress) paged(page int) {
	n.starts = append(n.starts, pageStart{int64(page), n.items.Load()})
	for len(n.starts) > 1 && n.starts[1].items <= n.items.Load()-maxPending {
		n.page.Store(n.starts[0].page)
		n.starts = n.starts[1:]
	}
}

// count adds the counts of this attempt to those of earlier ones. Items of earlier attempts already
// exist, so this attempt counts them as unchanged; if it resumes from a page, it counts only that
// page again.
func (n *progress) count(c Counts) {
	b, step := n.base, &n.work.Step
	before := (max(n.first, 1) - 1) * maxPending
	done := domain.ImportCounts{Expected: c.Expected, Done: c.Seen, Channels: b.Channels + c.Channels, Blocks: b.Blocks + c.Blocks,
		Connections: b.Connections + c.Connections, Comments: b.Comments + c.Comments, Files: b.Files + c.Files, Bytes: b.Bytes + c.Bytes,
		Unchanged: max(c.Unchanged-b.Connections, 0), Changed: b.Changed + c.Changed, Moved: b.Moved + c.Moved, LeftOut: c.LeftOut}
	if before > 0 {
		done.Done, done.LeftOut = min(c.Seen+before, c.Expected), b.LeftOut+c.LeftOut
		done.Unchanged = b.Unchanged + max(c.Unchanged-2*maxPending, 0)
	}
	step.Counts, step.Page = done, n.page.Load()
	of, file := n.file, &n.work.File
	file.Links, file.Texts, file.Embeds, file.Files = of.Links+c.Links, of.Texts+c.Texts, of.Embeds+c.Embeds, of.Files+c.Uploads
}

func (n *progress) leftOut(l source.LeftOut) {
	if len(n.left) < maxHeld {
		n.left = append(n.left, domain.LeftOut{What: l.What, Where: l.Where, Why: l.Why})
	}
}

// progress saves the progress unless it was just saved.
func (n *progress) progress(c Counts) {
	if n.ctx.Err() != nil || time.Since(n.noted) < saveInterval {
		return
	}
	n.count(c)
	if n.failed = n.note(n.ctx); n.failed != nil {
		n.cancel()
	}
}

func (n *progress) note(ctx context.Context) error {
	going, err := n.app.Transfer.NoteImport(ctx, n.work, n.left)
	if err != nil {
		return err
	}
	if !going {
		n.end()
	}
	n.left, n.noted = n.left[:0], time.Now()
	return nil
}

// end stops the step because its import has ended.
func (n *progress) end() {
	n.over.Store(true)
	n.cancel()
}

// last saves the progress at the end of an attempt, even if its context is done.
func (n *progress) last(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastNote)
	defer cancel()
	return n.note(ctx)
}

// lastNote limits the last save when a job has to end.
const lastNote = 5 * time.Second

// ask stops the step if its import has ended.
func (n *progress) ask(ctx context.Context) error {
	going, err := n.app.Transfer.ImportGoesOn(ctx, n.work.ID)
	if err != nil || going {
		return err
	}
	n.end()
	return n.ctx.Err()
}

// watched is a source that checks while it is read whether its import was stopped.
type watched struct {
	source.Source
	progress *progress
}

// Read implements source.Source.
func (w watched) Read(ctx context.Context, to source.Sink) error {
	return w.Source.Read(ctx, watcher{to, w.progress})
}

// watchedDocument is a watched source.Document.
type watchedDocument struct {
	source.Document
	progress *progress
}

// Read implements source.Source.
func (w watchedDocument) Read(ctx context.Context, to source.Sink) error {
	return w.Document.Read(ctx, watcher{to, w.progress})
}

// watch wraps a source. A wrapped Document remains a Document.
func watch(src source.Source, n *progress) source.Source {
	if d, ok := src.(source.Document); ok {
		return watchedDocument{d, n}
	}
	return watched{src, n}
}

type watcher struct {
	source.Sink
	progress *progress
}

// Channel implements source.Sink.
func (w watcher) Channel(ctx context.Context, c source.Channel) error {
	if err := w.progress.ask(ctx); err != nil {
		return err
	}
	return w.Sink.Channel(ctx, c)
}

// Item implements source.Sink.
func (w watcher) Item(ctx context.Context, channel string, it source.Item) error {
	if w.progress.items.Add(1)%checkInterval == 0 {
		if err := w.progress.ask(ctx); err != nil {
			return err
		}
	}
	return w.Sink.Item(ctx, channel, it)
}

// Close implements source.Sink.
func (w watcher) Close(ctx context.Context, channel string) error {
	if err := w.progress.ask(ctx); err != nil {
		return err
	}
	return w.Sink.Close(ctx, channel)
}
