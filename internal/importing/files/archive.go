package files

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"vitrine/internal/importing/bundle"
	"vitrine/internal/importing/plain"
	"vitrine/internal/importing/source"
)

// Limits of an archive. Anything beyond is reported and not read.
const (
	maxChannels = 20_000
	maxEntries  = 100_000
)

// archive is a ZIP file of texts, such as that of Google Takeout.
type archive struct {
	entries []*zip.File
	title   string
	options Options
	about   source.About
}

// readable are the extensions of files in an archive that may contain bookmarks, lists or notes.
// Their contents decide.
var readable = map[string]bool{".html": true, ".htm": true, ".csv": true, ".tsv": true, ".txt": true, ".json": true, ".opml": true, ".xml": true}

const takeout = "Google Takeout"

func newArchive(entries []*zip.File, o Options) *archive {
	a := &archive{title: o.Title, options: o, about: source.About{Format: "ZIP"}}
	for _, f := range entries {
		if strings.HasPrefix(f.Name, "Takeout/") {
			a.title, a.about.Format = takeout, takeout
		}
		if readable[strings.ToLower(path.Ext(f.Name))] && len(a.entries) < maxEntries {
			a.entries = append(a.entries, f)
		}
	}
	return a
}

// Origin returns the origin of the service, or else of the name of the file.
func (a *archive) Origin() string { return plain.Origin("zip", a.title) }

// Others implements source.Document.
func (a *archive) Others() []string { return nil }

// Former returns the origin that all files of bookmarks had in earlier versions, which read no archives.
func (a *archive) Former() string { return plain.FormerOrigin }

// Sample implements source.Document.
func (a *archive) Sample(context.Context) []string { return nil }

// About implements source.Document.
func (a *archive) About() source.About { return a.about }

// Read hands over the files in the archive that are recognized.
func (a *archive) Read(ctx context.Context, to source.Taker) error {
	m := &merged{Taker: to, tree: plain.Tree{To: to, Title: a.title}, known: map[string]bool{}}
	other := 0
	for _, f := range a.entries {
		switch recognized, err := a.entry(ctx, m, f); {
		case err != nil:
			return err
		case !recognized:
			other++
		}
	}
	if len(m.order) == 0 && m.tree.Untouched() && m.leftOut == 0 {
		return plain.ErrNotRecognized
	}
	if other > 0 && a.title != takeout { // Takeout contains many other files
		m.Taker.LeftOut(source.LeftOut{What: "Other files", Where: fmt.Sprintf("%d files", other), Why: "they contain no bookmarks, lists or notes"})
	}
	return m.end(ctx)
}

// entry reads one file.
func (a *archive) entry(ctx context.Context, m *merged, f *zip.File) (recognized bool, err error) {
	m.where = plain.Short(f.Name)
	r, err := f.Open()
	if err != nil {
		m.LeftOut(source.LeftOut{What: "A file", Why: "it cannot be unpacked"})
		return true, nil
	}
	defer func() { _ = r.Close() }() // errors of closing a reader do not matter
	unpacked := &unpacking{in: r, left: bundle.MostUnpacked(f)}
	doc := Text(unpacked, Options{Title: strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name)), Encoding: a.options.Encoding})
	m.begin()
	err = doc.Read(ctx, m)
	switch {
	case unpacked.bad != nil: // the error of Read is a consequence
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		m.LeftOut(source.LeftOut{What: "The rest of a file", Why: unpacked.why()})
		return true, nil
	case errors.Is(err, plain.ErrNotRecognized), errors.Is(err, plain.ErrEmpty):
		return false, nil
	}
	return true, err
}

// unpacking reads an entry, and records why it cannot be read to its end.
type unpacking struct {
	in   io.Reader
	left int64
	bad  error
}

var errBomb = errors.New("it unpacks to far more than its size")

func (u *unpacking) why() string {
	if errors.Is(u.bad, errBomb) {
		return errBomb.Error()
	}
	return "it is damaged"
}

func (u *unpacking) Read(p []byte) (int, error) {
	if u.left <= 0 {
		u.bad = errBomb
		return 0, u.bad
	}
	n, err := u.in.Read(p[:min(int64(len(p)), u.left)])
	u.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		u.bad = err
	}
	return n, err
}

// merged combines several files. Each file has a channel in the channel of the archive; files with
// the same title share it. Channels are closed at the end of the archive, since several files may
// add to them.
type merged struct {
	source.Taker
	tree    plain.Tree
	known   map[string]bool // ids of channels, including nested ones
	order   []string        // channels to close
	root    string          // id of the current file's channel
	where   string          // name of the current file
	leftOut int
}

func (m *merged) begin() { m.root = "" }

// id returns the id of a channel of the current file.
func (m *merged) id(of string) string {
	if of == "/" {
		return m.root
	}
	return plain.ID(m.root + strings.TrimPrefix(of, "/"))
}

// Channel creates a channel within that of the archive. It combines channels with the same title.
func (m *merged) Channel(ctx context.Context, c source.Channel) error {
	if c.Root {
		top, err := m.tree.Root(ctx)
		if err != nil {
			return err
		}
		c.Root, c.Where = false, m.where
		inner, err := m.tree.Named(ctx, top, c)
		m.root = inner.ID
		return err
	}
	if c.ID = m.id(c.ID); m.known[c.ID] || len(m.order) >= maxChannels {
		return nil
	}
	m.known[c.ID] = true
	m.order = append(m.order, c.ID)
	return m.Taker.Channel(ctx, c)
}

// Item hands over an item with an id that is unique in the archive.
func (m *merged) Item(ctx context.Context, channel string, it source.Item) error {
	if channel = m.id(channel); channel != m.root && !m.known[channel] { // a channel beyond the limit
		channel = m.root
	}
	it.Where = m.at(it.Where)
	if it.Kind == source.Nested {
		it.ID = m.id(it.ID)
		if nested := "nested:" + it.ID; m.known[nested] || !m.known[it.ID] {
			return nil
		} else {
			m.known[nested] = true
		}
	}
	return m.Taker.Item(ctx, channel, it)
}

// Close does nothing, since later files may add to the channel.
func (m *merged) Close(context.Context, string) error { return nil }

// LeftOut adds the name of the file.
func (m *merged) LeftOut(l source.LeftOut) {
	m.leftOut++
	l.Where = m.at(l.Where)
	m.Taker.LeftOut(l)
}

func (m *merged) at(where string) string {
	if where == "" {
		return m.where
	}
	return m.where + ", " + where
}

func (m *merged) end(ctx context.Context) error {
	for i := len(m.order) - 1; i >= 0; i-- {
		if err := m.Taker.Close(ctx, m.order[i]); err != nil {
			return err
		}
	}
	return m.tree.End(ctx)
}
