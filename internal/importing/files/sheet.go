package files

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"vitrine/internal/importing/source"
)

type sheetFile struct{ source.TextFile }

// NewSheet reads a list as a stream in bounded memory. The title is for the channel of the whole file,
// unless the file is recognized as the export of a service.
func NewSheet(text *source.Decoded, title string) source.Document {
	head, all := source.HeadOf(text)
	sample := source.Sample{Title: title}
	sample.Of(context.Background(), &sheetFile{source.TextFile{Text: bytes.NewReader(head), Title: title}})
	f := &sheetFile{source.TextFile{Text: all, Title: title, Identity: source.Identity{Name: source.Origin("csv", sample.Title), Blocks: sample.Blocks}}}
	if sample.Title != title { // earlier versions recognized fewer services
		f.Identity.Others = []string{source.Origin("csv", title)}
	}
	return f
}

// Read hands over the rows in their order.
func (f *sheetFile) Read(ctx context.Context, to source.Sink) error {
	in := source.LinesOf(f.Text)
	start, err := in.Peek(near)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	l := &list{to: to, tree: source.Tree{To: to, Title: f.Title}}
	switch start := strings.TrimSpace(string(start)); {
	case strings.HasPrefix(start, "["), strings.HasPrefix(start, "{"):
		l.plainTexts()
		err = l.json(ctx, in)
	case isLines(start):
		l.plainTexts()
		err = l.lines(ctx, in, start)
	default:
		err = l.csv(ctx, in)
	}
	f.Format = l.format
	if err != nil {
		return err
	}
	return l.tree.End(ctx)
}

// near is how many bytes at the beginning of a file are read to recognize its kind.
const near = 32 << 10

// list hands over the rows of one file.
type list struct {
	to     source.Sink
	tree   source.Tree
	format string
}

// plainTexts marks the texts of the file as plain instead of Markdown.
func (l *list) plainTexts() {
	l.to = source.Literal(l.to)
	l.tree.To = l.to
}

// of sets the service that wrote the file, which is also the title of its channel.
func (l *list) of(service string) { l.tree.Title, l.format = service, service }

// csv reads the rows below the headings.
func (l *list) csv(ctx context.Context, in *bufio.Reader) error {
	r := rows{in: in}
	columns, err := heading(&r)
	if err != nil {
		return err
	}
	l.format = cmp.Or(columns.service, "CSV")
	if columns.service != "" && !columns.list {
		l.of(columns.service)
	}
	r.comma = columns.comma
	if !columns.markdown {
		l.plainTexts()
	}
	for {
		fields, at, err := r.next()
		where := fmt.Sprintf("line %d", at)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errRowTooLong), errors.Is(err, errUnclosed):
			l.to.LeftOut(source.LeftOut{What: "A row", Where: where, Why: err.Error()})
			continue
		case errors.Is(err, errTooMany):
			l.to.LeftOut(source.LeftOut{What: "The rest of the file", Where: where, Why: err.Error()})
			return nil
		case err != nil:
			return err
		}
		e := sheetEntry{row: columns.row(fields)}
		if e.row == (row{}) {
			continue
		}
		e.tags = source.TagsOf(e.row[tags], columns.separators())
		if columns.service == "Raindrop.io" {
			e.marks, e.row[highlights] = raindropHighlights(e.row[highlights])
		}
		if err := l.take(ctx, e, where); err != nil {
			return err
		}
	}
}

// heading reads the line with the headings. Excel writes a line before it, and Google Takeout the
// description of the list.
func heading(r *rows) (layout, error) {
	for first := true; r.line < 10; {
		line, err := r.readLine()
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errRowTooLong) {
			return layout{}, err
		}
		if err != nil {
			break
		}
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "sep=") {
			continue
		}
		if columns, known := layoutOf(line); columns.usable() && (first || known >= 3) {
			return columns, nil
		}
		first = false
	}
	return layout{}, source.ErrNotRecognized
}

// take hands over the item of a row.
func (l *list) take(ctx context.Context, e sheetEntry, where string) error {
	r := e.row
	it, why := r.item(e.tags)
	if why != "" {
		l.to.LeftOut(source.LeftOut{What: r.name(), Where: where, Why: why})
		return nil
	}
	it.Where, it.Highlights = where, e.marks
	in, err := l.folder(ctx, r, where)
	if err == nil && yes(r[private]) {
		in, err = l.tree.Private(ctx, in)
	}
	if err != nil {
		return err
	}
	return l.put(ctx, in, it)
}

func (l *list) put(ctx context.Context, in *source.TreeFolder, it source.Item) error {
	l.to.Expect(1)
	return l.to.Item(ctx, in.ID, it)
}

// folder returns the channel for a row.
func (l *list) folder(ctx context.Context, r row, where string) (*source.TreeFolder, error) {
	in, err := l.tree.Root(ctx)
	if r[channel] != "" && err == nil {
		in, err = l.tree.Named(ctx, in, source.Channel{Title: r[channel], Where: where})
	}
	for _, name := range sheetPath(r[folder]) {
		if err != nil {
			break
		}
		in, err = l.tree.Named(ctx, in, source.Channel{Title: name, Where: where})
	}
	return in, err
}

// sheetPath splits the path of a folder. If there are slashes with spaces around them, only these
// separate.
func sheetPath(text string) (names []string) {
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

// item returns the block for a row, or the reason for skipping it.
func (r row) item(tags []string) (it source.Item, why string) {
	it = source.Item{Title: r[title], CreatedAt: source.DateOf(r[created]), Tags: tags}
	it.ConnectedAt = it.CreatedAt
	var texts []string
	for c := note; c <= highlights; c++ {
		if r[c] != "" {
			texts = append(texts, r[c])
		}
	}
	it.Description = strings.Join(texts, "\n\n")
	it.Metadata = source.Stated(map[string]bool{"favorite": yes(r[favorite]), "to_read": yes(r[toRead]), "archived": yes(r[archived])})
	link := r.address()
	if link == "" && r[textColumn] != "" {
		it.Kind, it.Content, it.ID = source.Text, r[textColumn], source.SumOf("text", r[textColumn])
		return it, ""
	}
	it.Kind = source.Link
	it.Content = r[article]
	it.Address, it.ID, why = source.LinkOf(link)
	it.FormerID = source.FormerID(link, it.ID)
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

// name returns the name of a row for reports.
func (r row) name() string {
	for _, c := range []column{title, address, picture, page} {
		if r[c] != "" {
			return source.Shortened(r[c])
		}
	}
	return "A row"
}
