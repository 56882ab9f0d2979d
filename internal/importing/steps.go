package importing

import (
	"bytes"
	"context"
	"errors"
	"io"

	"vitrine/internal/app"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/importing/arena"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
)

// RunStep runs the next step of an import. It can be interrupted and run again at any point; items that
// were imported before are recognized.
func RunStep(ctx context.Context, a *app.App, job transfer.RunImport) error {
	w, ok, err := a.Transfer.BeginImport(ctx, job.Import)
	if err != nil || !ok {
		return err
	}
	if w.Listed {
		return a.Transfer.FinishImportStep(ctx, step(ctx, a, w))
	}
	if w.Source.IsFile() {
		head := domain.ImportFile{Asked: job.Encoding}.Head()
		return a.Transfer.ListImport(ctx, w, []domain.ImportStep{{N: 1, Ref: w.FileName, Title: w.FileName, Head: head, State: domain.StepWaiting}}, nil)
	}
	found, err := list(ctx, a, w)
	if err != nil {
		return a.Transfer.FinishImportStep(ctx, unfinished(ctx, w, err))
	}
	return a.Transfer.ListImport(ctx, w, found.steps, found.left)
}

// step imports one channel or one file.
func step(ctx context.Context, a *app.App, w transfer.ImportWork) transfer.StepResult {
	going, err := a.Transfer.RestartImportStep(ctx, &w)
	if err != nil {
		return unfinished(ctx, w, err)
	}
	if !going {
		return transfer.StepResult{End: transfer.StepStopped, Work: w}
	}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	n := newProgress(running, cancel, a, w)
	src, closing, err := open(ctx, a, w, n)
	if err != nil {
		return unfinished(ctx, w, err)
	}
	defer closing()
	report, err := Run(running, a, w.Actor, watch(src, n), Options{Visibility: w.Visibility, IntoVisible: w.IntoVisible,
		Progress: n.progress, LeftOut: n.leftOut})
	n.count(report.Counts)
	n.work.File.Format, n.work.File.Encoding = report.File.Format, report.File.Encoding
	if err == nil {
		return transfer.StepResult{Work: n.work, LeftOut: n.left}
	}
	if n.failed != nil && ctx.Err() == nil {
		err = n.failed
	}
	if !n.over.Load() {
		err = errors.Join(err, n.last(ctx))
	}
	if n.over.Load() {
		return transfer.StepResult{End: transfer.StepStopped, Work: n.work}
	}
	r, c := unfinished(ctx, n.work, err), report.Counts
	r.Further = c.Channels+c.Connections+c.Comments+c.Changed > 0 || n.work.Step.Page > w.Step.Page
	return r
}

// open opens the source of a step.
func open(ctx context.Context, a *app.App, w transfer.ImportWork, n *progress) (source.Source, func(), error) {
	if !w.Source.IsFile() {
		src, err := openChannel(a, w, n)
		return src, func() {}, err
	}
	f, err := a.Content.OpenUpload(ctx, w.UploadID)
	if domain.KindOf(err) == domain.NotFound {
		err = domain.NewUnprocessable("The file is gone")
	}
	if err != nil {
		return nil, nil, err
	}
	closing := func() { _ = f.Close() } // the file was only read
	src, err := readFile(w.Source, f, files.Options{Title: TitleOf(f.Name), Encoding: w.File.Asked, Archive: f, Size: f.Size})
	if err != nil {
		closing()
		return nil, nil, err
	}
	return src, closing, nil
}

// readFile opens a file. A source that names a format of text is as good as none, since the format is
// recognized.
func readFile(from domain.ImportSource, r io.Reader, o files.Options) (source.Source, error) {
	if from == domain.FromExport {
		return files.NewBundle(o.Archive, o.Size)
	}
	return files.Open(r, o)
}

// Identify implements transfer.Identify. An archive is identified when it is read, since its directory
// is at its end.
func Identify(from domain.ImportSource, head []byte, name, encoding string) transfer.Identity {
	if from == domain.FromExport || files.IsArchive(head) {
		return transfer.Identity{}
	}
	return IdentityOf(files.Text(bytes.NewReader(head), files.Options{Title: TitleOf(name), Encoding: encoding}))
}

// unfinished returns the result of an attempt that failed: permanent errors fail the step, others are retried.
func unfinished(ctx context.Context, w transfer.ImportWork, err error) transfer.StepResult {
	why, lasting := reason(err)
	if lasting && ctx.Err() == nil {
		return transfer.StepResult{End: transfer.StepRefused, Work: w, Reason: why}
	}
	return transfer.StepResult{End: transfer.StepInterrupted, Work: w, Reason: why, Err: err}
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
