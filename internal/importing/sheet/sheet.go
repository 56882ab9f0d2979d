// Package sheet reads lists of addresses: CSV as programs of all kinds write it, and Pinboard's
// JSON.
package sheet

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/importing/plain"
	"vitrine/internal/importing/source"
	"vitrine/internal/markup"
)

type file struct {
	from   io.Reader
	title  string
	origin string
	sample []string
}

// New reads a list as it comes, in memory that does not grow with it. The title is that of the
// channel in which all of it stands, unless it is seen to be the export of a service.
func New(r io.Reader, title string) source.Document {
	head, all := plain.Head(r)
	sample := plain.Sample{Title: title}
	sample.Of(context.Background(), &file{from: bytes.NewReader(head), title: title})
	return &file{from: all, title: title, origin: plain.Origin("csv", sample.Title), sample: sample.Blocks}
}

// Origin returns the origin of the service or, if no service is recognized, of the file name. Later
// versions of the file have the same origin.
func (f *file) Origin() string { return f.origin }

// Former returns the origin that tables shared with bookmarks in earlier versions.
func (f *file) Former() string { return plain.FormerOrigin }

// Sample returns the ids of the first rows.
func (f *file) Sample(context.Context) []string { return f.sample }

// Read tells of the rows in the order in which they stand.
func (f *file) Read(ctx context.Context, to source.Taker) error {
	in, err := plain.Text(f.from)
	if err != nil {
		return err
	}
	first, err := firstCharacter(in)
	if err != nil {
		return err
	}
	l := &list{to: to, tree: plain.Tree{To: to, Title: f.title}}
	if first == '[' {
		l.tree.Title = "Pinboard"
		err = l.pinboard(ctx, in)
	} else {
		err = l.csv(ctx, in)
	}
	if err != nil {
		return err
	}
	return l.tree.End(ctx)
}

// firstCharacter looks at the first that is not white space; 0 if there is none near.
func firstCharacter(in *bufio.Reader) (byte, error) {
	const near = 1 << 10
	start, err := in.Peek(near)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if start := strings.TrimSpace(string(start)); start != "" {
		return start[0], nil
	}
	return 0, nil
}

// list is what one file tells.
type list struct {
	to       source.Taker
	tree     plain.Tree
	markdown bool // see layout
}

// csv reads rows below a line of headings.
func (l *list) csv(ctx context.Context, in *bufio.Reader) error {
	r := rows{in: in}
	columns, err := heading(&r)
	if err != nil {
		return err
	}
	if columns.title != "" {
		l.tree.Title = columns.title
	}
	r.comma, l.markdown = columns.comma, columns.markdown
	for {
		fields, at, err := r.next()
		where := fmt.Sprintf("line %d", at)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong), errors.Is(err, errUnclosed):
			l.to.LeftOut(source.LeftOut{What: "A row", Where: where, Why: err.Error()})
			continue
		case errors.Is(err, errTooMany):
			l.to.LeftOut(source.LeftOut{What: "The rest of the file", Where: where, Why: err.Error()})
			return nil
		case err != nil:
			return err
		}
		if err := l.take(ctx, columns.row(fields), columns.separators(), where); err != nil {
			return err
		}
	}
}

// heading reads the first line, or the second where the first is Excel's.
func heading(r *rows) (layout, error) {
	for range 10 { // lines, of which some may be empty
		line, err := r.readLine()
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLong) {
			return layout{}, err
		}
		if text := strings.TrimSpace(string(line)); err == nil && (text == "" || strings.HasPrefix(text, "sep=")) {
			continue
		}
		if columns, _ := layoutOf(line); columns.usable() {
			return columns, nil
		}
		break
	}
	return layout{}, domain.NewUnprocessable(
		"This is no list that can be read: the first line of CSV must name its columns, one of which is called url, link or text. Pinboard's JSON begins with [")
}

// take hands over what a row says.
func (l *list) take(ctx context.Context, r row, separators, where string) error {
	it, why := r.item(separators)
	if !l.markdown {
		it.Description, it.Content = markup.Escape(it.Description), markup.Escape(it.Content)
	}
	if why != "" {
		l.to.LeftOut(source.LeftOut{What: r.name(), Where: where, Why: why})
		return nil
	}
	it.Where = where
	in, err := l.folder(ctx, r, where)
	if err == nil && yes(r[private]) {
		in, err = l.tree.Private(ctx, in)
	}
	if err != nil {
		return err
	}
	l.to.Expect(1)
	return l.to.Item(ctx, in.ID, it)
}

// folder is the channel for a row.
func (l *list) folder(ctx context.Context, r row, where string) (*plain.Folder, error) {
	in, err := l.tree.Root(ctx)
	if r[channel] != "" && err == nil {
		in, err = l.tree.Named(ctx, in, source.Channel{Title: r[channel], Where: where})
	}
	for _, name := range path(r[folder]) {
		if err != nil {
			break
		}
		in, err = l.tree.Named(ctx, in, source.Channel{Title: name, Where: where})
	}
	return in, err
}

// path splits the path to a folder. Services that put spaces around the strokes mean those.
func path(text string) (names []string) {
	stroke := "/"
	if strings.Contains(text, " / ") {
		stroke = " / "
	}
	for name := range strings.SplitSeq(text, stroke) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// item is the block that a row describes, or why there is none.
func (r row) item(separators string) (it source.Item, why string) {
	it = source.Item{Title: r[title], CreatedAt: plain.Date(r[created]), Tags: plain.Tags(r[tags], separators)}
	it.ConnectedAt = it.CreatedAt
	var texts []string
	for c := note; c <= highlights; c++ {
		if r[c] != "" {
			texts = append(texts, r[c])
		}
	}
	it.Description = strings.Join(texts, "\n\n")
	it.Metadata = plain.Said(map[string]bool{"favorite": yes(r[favorite]), "to_read": yes(r[toRead])})
	link := r.address()
	if link == "" && r[text] != "" {
		it.Kind, it.Content, it.ID = source.Text, r[text], plain.Sum("text", r[text])
		return it, ""
	}
	it.Kind = source.Link
	it.Address, it.ID, why = plain.Link(link)
	it.FormerID = plain.FormerID(link, it.ID)
	if it.Title == strings.TrimSpace(link) {
		it.Title = ""
	}
	return it, why
}

func (r row) address() string {
	for _, c := range []column{address, picture, page} {
		if r[c] != "" {
			return r[c]
		}
	}
	return ""
}

// name is what a report calls a row.
func (r row) name() string {
	for _, c := range []column{title, address, picture, page} {
		if r[c] != "" {
			return plain.Short(r[c])
		}
	}
	return "A row"
}
