// Package moving runs the imports that users start on the server. Each job runs one step, which is
// a channel of another server or a file.
package moving

import (
	"bytes"
	"context"
	"errors"
	"io"

	"vitrine/internal/app"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/importing"
	"vitrine/internal/importing/arena"
	"vitrine/internal/importing/bookmarks"
	"vitrine/internal/importing/bundle"
	"vitrine/internal/importing/sheet"
	"vitrine/internal/importing/source"
)

// Run runs the next step of an import. It can be interrupted and run again at any point; items that
// were imported before are recognized.
func Run(ctx context.Context, a *app.App, id domain.ImportID) error {
	w, ok, err := a.BeginImport(ctx, id)
	if err != nil || !ok {
		return err
	}
	if w.Listed {
		return step(ctx, a, w)
	}
	if w.Source != domain.FromArena {
		return a.ListImport(ctx, w, []domain.ImportStep{{N: 1, Ref: w.FileName, Title: w.FileName, Head: "{}", State: domain.StepWaiting}}, nil)
	}
	found, err := list(ctx, a, w)
	if err != nil {
		return stopped(ctx, a, w, err, false)
	}
	return a.ListImport(ctx, w, found.steps, found.left)
}

// step imports one channel or one file.
func step(ctx context.Context, a *app.App, w transfer.ImportWork) error {
	if err := a.RestartImportStep(ctx, &w); err != nil {
		return stopped(ctx, a, w, err, false)
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	n := newNotes(running, stop, a, w)
	src, closing, err := open(ctx, a, w, n)
	if err != nil {
		return stopped(ctx, a, w, err, false)
	}
	defer closing()
	report, err := importing.Run(running, a, w.Actor, watch(src, n), importing.Options{Visibility: w.Visibility, IntoVisible: w.IntoVisible,
		Progress: n.progress, LeftOut: n.leftOut})
	if cause := context.Cause(running); err != nil && cause != nil && ctx.Err() == nil {
		err = cause
	}
	n.count(report.Counts)
	if err == nil {
		return a.EndImportStep(ctx, n.work, n.left)
	}
	if !errors.Is(err, transfer.ErrImportOver) {
		err = errors.Join(err, n.last(ctx))
	}
	c := report.Counts
	further := c.Channels+c.Connections+c.Comments+c.Changed > 0 || n.work.Step.Page > w.Step.Page
	return stopped(ctx, a, n.work, err, further)
}

// open opens the source of a step.
func open(ctx context.Context, a *app.App, w transfer.ImportWork, n *notes) (source.Source, func(), error) {
	if w.Source == domain.FromArena {
		src, err := openChannel(a, w, n)
		return src, func() {}, err
	}
	f, err := a.OpenUpload(ctx, w.UploadID)
	if domain.KindOf(err) == domain.NotFound {
		err = domain.NewUnprocessable("The file is gone")
	}
	if err != nil {
		return nil, nil, err
	}
	closing := func() { _ = f.Close() } // the file was only read
	if read := readFile(w.Source, f, f.Name); read != nil {
		return read, closing, nil
	}
	b, err := bundle.New(f, f.Size)
	if err != nil {
		closing()
		return nil, nil, err
	}
	return b, closing, nil
}

// readFile returns the Document for a file of bookmarks or a table, or nil for other sources.
func readFile(from domain.ImportSource, r io.Reader, name string) source.Document {
	title := importing.TitleOf(name)
	switch from {
	case domain.FromBookmarks:
		return bookmarks.New(r, title)
	case domain.FromSheet:
		return sheet.New(r, title)
	}
	return nil
}

// Identify implements transfer.Identify.
func Identify(from domain.ImportSource, head []byte, name string) transfer.Identity {
	f := readFile(from, bytes.NewReader(head), name)
	if f == nil {
		return transfer.Identity{}
	}
	return importing.IdentityOf(f)
}

// stopped records that a job did not finish: permanent errors fail the step, others are retried.
func stopped(ctx context.Context, a *app.App, w transfer.ImportWork, err error, further bool) error {
	why, lasting := reason(err)
	if lasting && ctx.Err() == nil {
		return a.RefuseImportStep(ctx, w, why)
	}
	return a.ImportStepStopped(ctx, w, err, further, why)
}

// reason returns why a source could not be read, in words for the user, and whether that is
// permanent. It returns "" for internal errors.
func reason(err error) (why string, lasting bool) {
	known, fetching := errors.AsType[*fetch.Error](err)
	if from, ok := errors.AsType[*arena.Error](err); ok {
		return from.Why, !fetching || !known.Temporary
	}
	if fetching {
		return known.Reason, !known.Temporary
	}
	if why, ok := source.ReasonOf(err); ok {
		return why, false
	}
	if ours, ok := errors.AsType[*domain.Error](err); ok {
		switch ours.Kind {
		case domain.Invalid, domain.Unauthenticated, domain.Forbidden, domain.NotFound, domain.Unprocessable, domain.TooLarge:
			return ours.Message, true
		}
	}
	return "", false
}
