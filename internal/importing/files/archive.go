package files

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"vitrine/internal/domain"
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
	failed  func() error // returns why the file could not be read; nil: the archive is at fault
	title   string
	options Options
	about   source.About
}

// readable are the extensions of files in an archive that may contain bookmarks, lists or notes.
// Their contents decide.
var readable = map[string]bool{".html": true, ".htm": true, ".csv": true, ".tsv": true, ".txt": true, ".json": true, ".opml": true, ".xml": true}

const takeout = "Google Takeout"

func newArchive(entries []*zip.File, failed func() error, o Options) *archive {
	a := &archive{failed: failed, title: o.Title, options: o, about: source.About{Format: "ZIP"}}
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
func (a *archive) Origin() string { return source.Origin("zip", a.title) }

// Others implements source.Document.
func (a *archive) Others() []string { return nil }

// Former returns the origin that all files of bookmarks had in earlier versions, which read no archives.
func (a *archive) Former() string { return source.FormerOrigin }

// Sample implements source.Document.
func (a *archive) Sample(context.Context) [][]string { return nil }

// About implements source.Document.
func (a *archive) About() source.About { return a.about }

// Read hands over the files in the archive that are recognized.
func (a *archive) Read(ctx context.Context, to source.Sink) error {
	m := &merged{Sink: to, tree: source.Tree{To: to, Title: a.title}, known: map[string]bool{}}
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
		return source.ErrNotRecognized
	}
	if other > 0 && a.title != takeout { // Takeout contains many other files
		m.Sink.LeftOut(source.LeftOut{What: "Other files", Where: domain.Counted(other, "file", "files"), Why: "they contain no bookmarks, lists or notes"})
	}
	return m.end(ctx)
}

// entry reads one file.
func (a *archive) entry(ctx context.Context, m *merged, f *zip.File) (recognized bool, err error) {
	m.where = source.Shortened(f.Name)
	unpacked, err := a.unpack(f)
	if errors.Is(err, errDamaged) {
		m.LeftOut(source.LeftOut{What: "A file", Why: "it cannot be unpacked"})
		return true, nil
	}
	if err != nil {
		return true, err
	}
	defer func() { _ = unpacked.in.Close() }() // closing cannot lose data, because the file was only read
	doc := Text(unpacked, Options{Title: strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name)), Encoding: a.options.Encoding})
	m.begin()
	err = doc.Read(ctx, m)
	switch {
	case unpacked.bad != nil: // the error of Read is a consequence
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		if failed := a.failed(); failed != nil {
			return true, failed
		}
		m.LeftOut(source.LeftOut{What: "The rest of a file", Why: unpacked.why()})
		return true, nil
	case errors.Is(err, source.ErrNotRecognized), errors.Is(err, source.ErrEmpty):
		return false, nil
	}
	return true, err
}

// unpack opens an entry.
func (a *archive) unpack(f *zip.File) (*unpacking, error) {
	in, err := f.Open()
	if err != nil {
		return nil, cmp.Or(a.failed(), errDamaged)
	}
	return &unpacking{in: in, left: maxUnpacked(f), failed: a.failed}, nil
}

// unpacking reads an entry, and keeps why it cannot be read to its end: an error from reading the file of
// the archive, errDamaged or errBomb.
type unpacking struct {
	in     io.ReadCloser
	left   int64
	failed func() error
	bad    error
}

var errBomb error = domain.NewUnprocessable("The ZIP file unpacks to far more than its size. Unpack it, and import the file that is in it")

// why returns the reason for a report on one of several entries.
func (u *unpacking) why() string {
	if errors.Is(u.bad, errBomb) {
		return "it unpacks to far more than its size"
	}
	return "it is damaged"
}

func (u *unpacking) Read(p []byte) (int, error) {
	if u.left <= 0 && u.bad == nil {
		u.bad = errBomb
	}
	if u.bad != nil {
		return 0, u.bad
	}
	n, err := u.in.Read(p[:min(int64(len(p)), u.left)])
	u.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		u.bad = cmp.Or(u.failed(), errDamaged)
		err = u.bad
	}
	return n, err
}

// merged combines several files. Each file has a channel in the channel of the archive; files with
// the same title share it. Channels are closed at the end of the archive, since several files may
// add to them.
type merged struct {
	source.Sink
	tree    source.Tree
	known   map[string]bool // ids of channels, including nested ones
	order   []string        // channels to close
	root    string          // id of the current file's channel
	where   string          // name of the current file
	leftOut int

	// private contains the IDs of the current file's private channels that were not created. Their
	// items go to one private channel of the archive, because other channels may be visible to more
	// people.
	private map[string]bool
}

func (m *merged) begin() { m.root, m.private = "", map[string]bool{} }

// id returns the id of a channel of the current file.
func (m *merged) id(of string) string {
	if of == "/" {
		return m.root
	}
	return source.IDOf(m.root + strings.TrimPrefix(of, "/"))
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
	c.Where = m.at(c.Where)
	full := len(m.order) >= maxChannels
	switch c.ID = m.id(c.ID); {
	case m.known[c.ID]:
		return nil
	case c.Visibility == domain.Private && (full || m.root == "/"): // in "/", the ID is that of the archive's own private channel
		m.private[c.ID] = true
		m.Sink.LeftOut(source.LeftOut{What: source.Shortened(c.Title), Where: c.Where, Why: "there are too many folders; its contents go to a private folder of the ZIP file"})
		return nil
	case full:
		m.Sink.LeftOut(source.LeftOut{What: source.Shortened(c.Title), Where: c.Where, Why: "there are too many folders; its contents go to the folder of its file"})
		return nil
	}
	m.known[c.ID] = true
	m.order = append(m.order, c.ID)
	return m.Sink.Channel(ctx, c)
}

// Item hands over an item with an id that is unique in the archive.
func (m *merged) Item(ctx context.Context, channel string, it source.Item) error {
	switch channel = m.id(channel); {
	case m.private[channel]:
		top, err := m.tree.Root(ctx)
		if err != nil {
			return err
		}
		in, err := m.tree.Private(ctx, top)
		if err != nil {
			return err
		}
		channel = in.ID
	case channel != m.root && !m.known[channel]: // one channel too many
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
	return m.Sink.Item(ctx, channel, it)
}

// Close does nothing, since later files may add to the channel.
func (m *merged) Close(context.Context, string) error { return nil }

// LeftOut adds the name of the file.
func (m *merged) LeftOut(l source.LeftOut) {
	m.leftOut++
	l.Where = m.at(l.Where)
	m.Sink.LeftOut(l)
}

func (m *merged) at(where string) string {
	if where == "" {
		return m.where
	}
	return m.where + ", " + where
}

func (m *merged) end(ctx context.Context) error {
	for i := len(m.order) - 1; i >= 0; i-- {
		if err := m.Sink.Close(ctx, m.order[i]); err != nil {
			return err
		}
	}
	return m.tree.End(ctx)
}
