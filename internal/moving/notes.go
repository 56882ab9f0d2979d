package moving

import (
	"context"
	"sync/atomic"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/source"
)

// How often a step writes how far it is, and asks whether it is to go on.
const (
	noteEvery = time.Second
	askEvery  = 25 // items, of which a page of a server has no fewer
)

// mostHeld is how much of what was left out is held for the next note; the rest is counted.
const mostHeld = 1000

// notes writes how far a step has come. Its calls come one after the other, as those of Progress
// and LeftOut do.
type notes struct {
	ctx   context.Context
	stop  context.CancelCauseFunc
	app   *app.App
	work  transfer.ImportWork
	base  domain.ImportCounts // of attempts before this one
	file  domain.ImportFile   // with the counts of those attempts
	left  []domain.LeftOut    // since the last note
	noted time.Time
	items atomic.Int64 // that were handed over

	first int64        // page that this attempt reads
	began []pageBegan  // those pages from which the step could go on; of the goroutine that reads
	page  atomic.Int64 // the one from which it could now
}

// pageBegan is a page and how many items were handed over before it.
type pageBegan struct{ page, items int64 }

func newNotes(ctx context.Context, stop context.CancelCauseFunc, a *app.App, w transfer.ImportWork) *notes {
	n := &notes{ctx: ctx, stop: stop, app: a, work: w, base: w.Step.Counts, file: w.File, noted: time.Now()}
	n.first = w.Step.Page
	n.page.Store(w.Step.Page)
	return n
}

// mostWaiting is how many items may have been handed over and not be written yet.
const mostWaiting = 100

// paged notes that a page of a channel is about to be read. A step that is cut off goes on from
// the last page of which all is surely written: it is read again, and tells where the next has its
// place.
func (n *notes) paged(page int) {
	n.began = append(n.began, pageBegan{int64(page), n.items.Load()})
	for len(n.began) > 1 && n.began[1].items <= n.items.Load()-mostWaiting {
		n.page.Store(n.began[0].page)
		n.began = n.began[1:]
	}
}

// count adds what this attempt has come to. What attempts before it brought is here already, and
// was counted then; where it goes on from a page, that one is counted as unchanged.
func (n *notes) count(c importing.Counts) {
	b, step := n.base, &n.work.Step
	before := (max(n.first, 1) - 1) * mostWaiting
	done := domain.ImportCounts{Expected: c.Expected, Done: c.Seen, Channels: b.Channels + c.Channels, Blocks: b.Blocks + c.Blocks,
		Connections: b.Connections + c.Connections, Comments: b.Comments + c.Comments, Files: b.Files + c.Files, Bytes: b.Bytes + c.Bytes,
		Unchanged: max(c.Unchanged-b.Connections, 0), Changed: b.Changed + c.Changed, Moved: b.Moved + c.Moved, LeftOut: c.LeftOut}
	if before > 0 {
		done.Done, done.LeftOut = min(c.Seen+before, c.Expected), b.LeftOut+c.LeftOut
		done.Unchanged = b.Unchanged + max(c.Unchanged-2*mostWaiting, 0)
	}
	step.Counts, step.Page = done, n.page.Load()
	of, file := n.file, &n.work.File
	file.Links, file.Texts, file.Embeds, file.Files = of.Links+c.Links, of.Texts+c.Texts, of.Embeds+c.Embeds, of.Files+c.Uploads
}

func (n *notes) leftOut(l source.LeftOut) {
	if len(n.left) < mostHeld {
		n.left = append(n.left, domain.LeftOut{What: l.What, Where: l.Where, Why: l.Why})
	}
}

// progress writes a note, unless it has just written one.
func (n *notes) progress(c importing.Counts) {
	if n.ctx.Err() != nil || time.Since(n.noted) < noteEvery {
		return
	}
	n.count(c)
	if err := n.note(n.ctx); err != nil {
		n.stop(err)
	}
}

func (n *notes) note(ctx context.Context) error {
	err := n.app.NoteImport(ctx, n.work, n.left)
	if err == nil {
		n.left, n.noted = n.left[:0], time.Now()
	}
	return err
}

// last writes a note at the end of an attempt, whose context may be over.
func (n *notes) last(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastNote)
	defer cancel()
	return n.note(ctx)
}

// lastNote is how long a note may take when a job is already to end.
const lastNote = 5 * time.Second

// ask ends the step if its import has ended.
func (n *notes) ask(ctx context.Context) error {
	going, err := n.app.ImportGoesOn(ctx, n.work.ID)
	if err == nil && !going {
		n.stop(transfer.ErrImportOver)
		err = transfer.ErrImportOver
	}
	return err
}

// watched is a source that is asked, as it is read, whether its import is to go on.
type watched struct {
	source.Source
	notes *notes
}

// Read implements source.Source.
func (w watched) Read(ctx context.Context, to source.Taker) error {
	return w.Source.Read(ctx, watcher{to, w.notes})
}

// watchedDocument is a watched source.Document.
type watchedDocument struct {
	source.Document
	notes *notes
}

// Read implements source.Source.
func (w watchedDocument) Read(ctx context.Context, to source.Taker) error {
	return w.Document.Read(ctx, watcher{to, w.notes})
}

// watch wraps a source. A wrapped Document is a Document, too.
func watch(src source.Source, n *notes) source.Source {
	if d, ok := src.(source.Document); ok {
		return watchedDocument{d, n}
	}
	return watched{src, n}
}

type watcher struct {
	source.Taker
	notes *notes
}

// Channel implements source.Taker.
func (w watcher) Channel(ctx context.Context, c source.Channel) error {
	if err := w.notes.ask(ctx); err != nil {
		return err
	}
	return w.Taker.Channel(ctx, c)
}

// Item implements source.Taker.
func (w watcher) Item(ctx context.Context, channel string, it source.Item) error {
	if w.notes.items.Add(1)%askEvery == 0 {
		if err := w.notes.ask(ctx); err != nil {
			return err
		}
	}
	return w.Taker.Item(ctx, channel, it)
}

// Close implements source.Taker.
func (w watcher) Close(ctx context.Context, channel string) error {
	if err := w.notes.ask(ctx); err != nil {
		return err
	}
	return w.Taker.Close(ctx, channel)
}
