package exporting

import (
	"context"
	"errors"
	"io"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// Format is the format of a channel's export.
type Format string

const (
	Files    Format = "zip"      // files, and Markdown for blocks without one
	Markdown Format = "markdown" // a single text
	CSV      Format = "csv"      // a table
	EPUB     Format = "epub"     // a book
	OPDS     Format = "opds"     // a catalogue for e-readers
)

// Formats returns all formats.
func Formats() []Format { return []Format{Files, Markdown, CSV, EPUB, OPDS} }

// ContentType returns the media type of the format.
func (f Format) ContentType() string {
	switch f {
	case Files:
		return "application/zip"
	case Markdown:
		return "text/markdown; charset=utf-8"
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	case EPUB:
		return "application/epub+zip"
	}
	return "application/atom+xml;profile=opds-catalog;kind=acquisition"
}

// extension returns the file name extension of the format.
func (f Format) extension() string {
	switch f {
	case Markdown:
		return ".md"
	case OPDS:
		return ".xml"
	}
	return "." + string(f)
}

// Begin is called when the channel has been found and may be exported. It returns the writer for
// the export. An error before that can be sent as a response; an error after it truncates the
// export.
type Begin = func(filename, contentType string) io.Writer

// writer writes the items of a channel in a format.
type writer interface {
	begin(full collections.FullChannel, items int64) error
	add(ctx context.Context, items []placed) error
	end(ctx context.Context) error
	free()
}

// errFormat is the error for an unknown format. HTTP handlers already check it by the API
// description.
var errFormat = domain.InvalidField("format", domain.FieldUnknown, "must be zip, markdown, csv, epub or opds")

// Channel exports a channel as the actor sees it. For OPDS, catalog returns the URLs of other
// channels' catalogues and books; nil means those of the API.
func (e *Exporter) Channel(ctx context.Context, actor domain.Actor, ref domain.Ref, f Format, catalog Catalog, begin Begin) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	if catalog == nil {
		catalog = e.apiCatalog
	}
	var out writer
	err = e.contents(ctx, actor, ref, f != CSV && f != Files, func(full collections.FullChannel, items int64) error {
		w, err := e.format(f, actor.UserID, catalog)
		if err != nil {
			return err
		}
		name := safeName(full.Slug)
		if name == "" {
			name = "channel"
		}
		out = w(begin(name+f.extension(), f.ContentType()))
		return out.begin(full, items)
	}, func(items []placed) error { return out.add(ctx, items) })
	if out != nil {
		defer out.free()
		if err == nil {
			err = out.end(ctx)
		}
	}
	return err
}

// enter reserves a free slot for an export, or returns Unavailable.
func (e *Exporter) enter() (leave func(), err error) {
	select {
	case e.slots <- struct{}{}:
		return func() { <-e.slots }, nil
	default:
		return nil, domain.NewUnavailableFor(busyPause, "Too many channels are being exported at once: try again in a few seconds")
	}
}

// format returns the constructor of a format's writer.
func (e *Exporter) format(f Format, user domain.UserID, catalog Catalog) (func(io.Writer) writer, error) {
	switch f {
	case Files:
		return func(w io.Writer) writer {
			return &filesWriter{e: e, user: user, zip: newArchive(w, e.o.Folder, e.o.Now())}
		}, nil
	case Markdown:
		return func(w io.Writer) writer { return &markdownWriter{e: e, w: w} }, nil
	case CSV:
		return func(w io.Writer) writer { return newTableWriter(e, w) }, nil
	case EPUB:
		return func(w io.Writer) writer { return newBookWriter(e, w) }, nil
	case OPDS:
		return func(w io.Writer) writer { return &catalogWriter{e: e, w: w, catalog: catalog} }, nil
	}
	return nil, errFormat
}

// filesWriter writes a ZIP of a channel's files, named by their positions. A block without a file
// becomes a Markdown file.
type filesWriter struct {
	e     *Exporter
	user  domain.UserID // who receives the files
	zip   *archive
	items int64
	gone  []string
}

func (w *filesWriter) begin(full collections.FullChannel, items int64) error {
	w.items = items
	r := recorder{at: w.e.o.Addresses}
	var b strings.Builder
	writeChannelHead(&b, r.channel(full, items))
	return w.zip.add("README.md", []byte(b.String()))
}

func (w *filesWriter) add(ctx context.Context, items []placed) error {
	lines, err := w.e.record(ctx, items, 0, nil)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if err := w.one(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// maxNamedMissing limits the list of files that could not be read.
const maxNamedMissing = 1_000

func (w *filesWriter) one(ctx context.Context, line connectionLine) error {
	if line.Channel != nil {
		var b strings.Builder
		writeNested(&b, line, line.Channel.URL)
		return w.zip.add(numbered(line.Position, w.items, line.Channel.Title, ".md"), []byte(b.String()))
	}
	block, f := line.Block, line.Block.bytes()
	if f != nil && f.Path != "" {
		extension := strings.TrimPrefix(f.Path, filesFolder+f.SHA256)
		title := block.Title
		if title == "" {
			title = stem(f.Name)
		}
		name := numbered(line.Position, w.items, strings.TrimSuffix(title, strings.TrimSuffix(extension, inert)), extension)
		err := w.e.copyFile(ctx, w.zip, name, w.user, *f.file)
		if isGone(err) {
			if len(w.gone) < maxNamedMissing {
				w.gone = append(w.gone, name)
			}
			return nil
		}
		return err
	}
	var b strings.Builder
	writeBlock(&b, *block, frontMatter, func(f *fileLine) string { return "" })
	return w.zip.add(numbered(line.Position, w.items, block.heading(), ".md"), []byte(b.String()))
}

func (w *filesWriter) end(context.Context) error {
	if len(w.gone) > 0 {
		if err := w.zip.add("MISSING.txt", []byte("These files are not in the storage, or contain metadata that cannot be removed:\n"+strings.Join(w.gone, "\n")+"\n")); err != nil {
			return err
		}
	}
	return w.zip.close()
}

func (w *filesWriter) free() { w.zip.free() }

// copyFile adds a file as an entry, in the form that the user may get. If isGone(err), nothing was
// written.
func (e *Exporter) copyFile(ctx context.Context, to *archive, name string, user domain.UserID, f domain.File) (err error) {
	in, err := e.o.App.Content.OpenFor(ctx, user, f)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return copyInto(ctx, to, name, in)
}

func copyInto(ctx context.Context, to *archive, name string, r io.Reader) error {
	w, err := to.create(name, packed[safeExtensionOf(name)])
	if err != nil {
		return err
	}
	_, err = io.Copy(w, contextReader{ctx, r})
	return err
}

// contextReader is a reader that stops when its context is done. It hides read errors that isGone would
// treat as a missing file.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

var errCutOff = errors.New("the bytes of a file ended before their time")

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF && isGone(err) {
		err = errors.Join(errCutOff, errors.New(err.Error()))
	}
	return n, err
}
