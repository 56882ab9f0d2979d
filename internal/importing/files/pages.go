package files

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"time"

	"vitrine/internal/capture"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/importing/source"
	webpage "vitrine/internal/page"
	"vitrine/internal/warc"
	"vitrine/internal/weburl"
)

// pagesOrigin is the origin of all files with copies of web pages: copies of one page that are in several files belong to
// one block.
const pagesOrigin = "pages"

// pages is a file with copies of web pages: WARC or WACZ.
type pages struct {
	source.TextFile
	open   func(ctx context.Context) (*warc.Archive, error)
	failed func() error // returns why the file could not be read; nil: the file is at fault
}

// newWARC returns the Document for a WARC file.
func newWARC(o Options) source.Document {
	in := readingAll(o)
	return &pages{savedPages(o.Title, "WARC"), func(ctx context.Context) (*warc.Archive, error) { return warc.Open(ctx, in, o.Size) }, in.failure}
}

// newWACZ returns the Document for a WACZ file with these entries.
func newWACZ(entries []*zip.File, o Options) source.Document {
	in := readingAll(o)
	return &pages{savedPages(o.Title, "WACZ"), func(ctx context.Context) (*warc.Archive, error) {
		return warc.OpenPackage(ctx, in, entries)
	}, in.failure}
}

// readingAll returns the file without a limit on how much of it is read.
func readingAll(o Options) *input {
	in := &input{ReaderAt: o.Archive}
	in.left.Store(math.MaxInt64)
	return in
}

func savedPages(title, format string) source.TextFile {
	return source.TextFile{Title: title, Identity: source.Identity{Name: pagesOrigin}, Format: format}
}

// Read hands over a link with a copy for each page.
func (p *pages) Read(ctx context.Context, to source.Sink) error {
	archive, err := p.open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return cmp.Or(p.failed(), error(domain.Wrap(domain.Unprocessable, "The copies of pages in the file cannot be read: "+strings.TrimPrefix(err.Error(), "warc: "), err)))
	}
	found := archive.Pages()
	if len(found) == 0 {
		return source.ErrNotRecognized
	}
	// The archive answers instead of the web, so no limit on one site is needed.
	web := fetch.New(fetch.Options{Instead: archive, PerHost: 100})
	tree := source.Tree{To: to, Title: p.Title}
	root, err := tree.Root(ctx)
	if err != nil {
		return err
	}
	to.Expect(len(found))
	for _, f := range found {
		at, err := weburl.Canonical(f.URL)
		if err != nil {
			to.LeftOut(source.LeftOut{What: "a page", Where: source.Shortened(f.URL), Why: "its address is not valid"})
			continue
		}
		it := source.Item{ID: source.IDOf(at), Kind: source.Link, Title: f.Title, Address: at, CreatedAt: f.Time, Where: source.Shortened(at)}
		if it.Title == "" {
			it.Title = titleIn(ctx, web, at)
		}
		it.Copies = []source.Copy{{TakenAt: f.Time, Title: it.Title, ContentType: "text/html; charset=utf-8", Open: copyIn(web, at)}}
		if err := to.Item(ctx, root.ID, it); err != nil {
			return err
		}
	}
	return tree.End(ctx)
}

// maxTitled is the number of bytes of a page in which its title is looked for.
const maxTitled = 1 << 20

// titleIn returns the title of a page, or "".
func titleIn(ctx context.Context, web *fetch.Client, address string) string {
	answer, err := web.Get(ctx, fetch.Request{URL: address, MaxBytes: maxTitled})
	if err != nil {
		return ""
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	text, _ := io.ReadAll(answer.Body)         // the beginning is enough
	p, err := webpage.Read(answer.URL, answer.MediaType(), text)
	if err != nil || !p.Titled {
		return ""
	}
	return p.Title
}

// copyIn returns a function that makes the copy of a page.
func copyIn(web *fetch.Client, address string) func(ctx context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		made, err := capture.Page(ctx, web, address, capture.Default())
		if err == nil {
			return io.NopCloser(bytes.NewReader(made.HTML)), nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e, ok := errors.AsType[*fetch.Error](err); ok {
			return nil, &source.Unusable{Why: e.Reason, Cause: err}
		}
		if e, ok := errors.AsType[*capture.Error](err); ok {
			return nil, &source.Unusable{Why: e.Reason, Cause: err}
		}
		return nil, err
	}
}

// savedBy finds the comment with which SingleFile begins a page, and its lines.
var savedBy = regexp.MustCompile(`(?s)^[^<]*(?:<!DOCTYPE[^>]*>\s*)?<html[^>]*>\s*<!--\s*Page saved with SingleFile\s*\n\s*url:\s*(\S+)\s*\n\s*saved date:\s*([^\n]+?)\s*\n`)

// newSavedPage returns the Document for a page that was saved with SingleFile, or nil for another text.
func newSavedPage(start string, o Options) source.Document {
	found := savedBy.FindStringSubmatch(start)
	if found == nil || o.Archive == nil {
		return nil
	}
	address, err := weburl.Canonical(found[1])
	if err != nil {
		return nil
	}
	return &savedPage{savedPages(o.Title, "SingleFile"), o, address, savedAt(found[2])}
}

// savedAt reads a date as scripts write it ("Mon Jan 02 2006 15:04:05 GMT+0100 (Central European Standard Time)").
func savedAt(text string) time.Time {
	text, _, _ = strings.Cut(text, " (")
	at, err := time.Parse("Mon Jan 02 2006 15:04:05 GMT-0700", text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// savedPage is a page that was saved with SingleFile.
type savedPage struct {
	source.TextFile
	from    Options
	address string
	at      time.Time
}

// Read hands over a link with the file as its copy.
func (p *savedPage) Read(ctx context.Context, to source.Sink) error {
	tree := source.Tree{To: to, Title: p.Title}
	root, err := tree.Root(ctx)
	if err != nil {
		return err
	}
	to.Expect(1)
	file := io.NewSectionReader(p.from.Archive, 0, p.from.Size)
	it := source.Item{ID: source.IDOf(p.address), Kind: source.Link, Address: p.address, CreatedAt: p.at, Where: source.Shortened(p.address)}
	head, err := io.ReadAll(io.LimitReader(file, maxTitled))
	if err != nil {
		return err
	}
	u, err := weburl.Parse(p.address)
	if err != nil {
		return err
	}
	if read, err := webpage.Read(u, "text/html", head); err == nil && read.Titled {
		it.Title = read.Title
	}
	it.Copies = []source.Copy{{TakenAt: p.at, Title: it.Title, Open: func(context.Context) (io.ReadCloser, error) {
		_, err := file.Seek(0, io.SeekStart)
		return io.NopCloser(file), err
	}}}
	if err := to.Item(ctx, root.ID, it); err != nil {
		return err
	}
	return tree.End(ctx)
}
