package files

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"vitrine/internal/importing/source"
)

// Limits of a file. Anything beyond is reported and not read.
const (
	maxTag      = 1 << 20 // bytes of an element's tag, or of a text
	maxOpen     = 10_000  // nested elements
	maxOpenTags = 8 << 20 // bytes of the tags of elements within elements
)

type outlineFile struct{ source.TextFile }

// NewOutline reads a file as a stream in bounded memory. The title is for the channel of the whole file,
// unless the file has a title.
func NewOutline(text *source.Decoded, title string) source.Document {
	head, all := source.HeadOf(text)
	sample := source.Sample{Title: title}
	sample.Of(context.Background(), &outlineFile{source.TextFile{Text: bytes.NewReader(head), Title: title}})
	return &outlineFile{source.TextFile{Text: all, Title: title, Identity: source.Identity{Name: source.Origin("opml", sample.Title), Blocks: sample.Blocks}}}
}

// IsOutline reports whether a text begins as OPML does.
func IsOutline(start string) bool {
	return strings.Contains(strings.ToLower(start[:min(len(start), 2<<10)]), "<opml")
}

// Read hands over the outlines in their order.
func (f *outlineFile) Read(ctx context.Context, to source.Sink) error {
	to = source.Literal(to)
	from := &source.Bounded{In: source.LinesOf(f.Text), Full: errLong}
	r := &outlineReader{to: to, tree: source.Tree{To: to, Title: f.Title}, open: []outline{{}}}
	r.xml = xml.NewDecoder(from)
	r.xml.Strict = false
	r.xml.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // already decoded
	f.Format = "OPML"
	if err := r.all(ctx, from); err != nil {
		return err
	}
	return r.tree.End(ctx)
}

// outline is an open element. It becomes a block at its end, or a channel when another outline
// begins in it.
type outline struct {
	folder *source.TreeFolder // nil: none yet
	text   string
	item   source.Item
	link   bool
	done   bool // its block was handed over
}

type outlineReader struct {
	to    source.Sink
	tree  source.Tree
	xml   *xml.Decoder
	open  []outline // the first is the file
	tags  []int64   // lengths of the tags of all open elements, which the decoder may keep
	held  int64     // the sum of tags
	title bool      // the title of the file is being read
	found bool      // the file is OPML
}

// all reads the tokens. The rest of the file after an invalid or overlong tag is reported as
// unread.
func (r *outlineReader) all(ctx context.Context, from *source.Bounded) error {
	for {
		from.Left = maxTag
		before := r.xml.InputOffset()
		token, err := r.xml.Token()
		switch {
		case errors.Is(err, io.EOF) && from.Err == nil:
			return r.end(ctx, "")
		case from.Err != nil && !errors.Is(from.Err, errLong):
			return from.Err
		case err != nil && !r.found:
			return source.ErrNotRecognized
		case errors.Is(from.Err, errLong):
			return r.end(ctx, from.Err.Error())
		case err != nil:
			return r.end(ctx, broken(err))
		}
		r.count(token, r.xml.InputOffset()-before)
		switch {
		case len(r.tags) > maxOpen:
			return r.end(ctx, fmt.Sprintf("it is more than %d outlines deep", maxOpen))
		case r.held > maxOpenTags:
			return r.end(ctx, fmt.Sprintf("the tags of the outlines around it are longer than %d bytes together", maxOpenTags))
		}
		if err := r.token(ctx, token); err != nil {
			return err
		}
	}
}

// count keeps the lengths of the tags of all open elements.
func (r *outlineReader) count(token xml.Token, length int64) {
	switch token.(type) {
	case xml.StartElement:
		r.tags = append(r.tags, length)
		r.held += length
	case xml.EndElement:
		if last := len(r.tags) - 1; last >= 0 {
			r.held -= r.tags[last]
			r.tags = r.tags[:last]
		}
	}
}

// broken returns why the XML cannot be read any further.
func broken(err error) string {
	if bad, ok := errors.AsType[*xml.SyntaxError](err); ok && bad.Msg == "unexpected EOF" {
		return "the file breaks off"
	}
	return "it is not valid XML"
}

func (r *outlineReader) token(ctx context.Context, token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		switch strings.ToLower(token.Name.Local) {
		case "opml":
			r.found = true
		case "title":
			r.title = len(r.open) == 1
		case "outline":
			return r.begin(ctx, token)
		}
	case xml.EndElement:
		r.title = false
		if strings.EqualFold(token.Name.Local, "outline") && len(r.open) > 1 {
			return r.close(ctx)
		}
	case xml.CharData:
		if title := strings.TrimSpace(string(token)); r.title && title != "" {
			r.tree.Title = title
		}
	}
	return ctx.Err()
}

// begin begins an outline, and turns its parent into a channel.
func (r *outlineReader) begin(ctx context.Context, e xml.StartElement) error {
	if _, err := r.folder(ctx, len(r.open)-1); err != nil {
		return err
	}
	line, _ := r.xml.InputPos()
	r.open = append(r.open, read(e, fmt.Sprintf("line %d", line)))
	if top := &r.open[len(r.open)-1]; top.link {
		top.done = true
		return r.put(ctx, top)
	}
	return nil
}

// read reads the attributes of an outline.
func read(e xml.StartElement, where string) (o outline) {
	var title, page, feed, note string
	var created time.Time
	var tags []string
	for _, a := range e.Attr {
		value := strings.TrimSpace(a.Value)
		switch strings.ToLower(a.Name.Local) {
		case "text":
			o.text = value
		case "title":
			title = value
		case "htmlurl", "url":
			page = value
		case "xmlurl":
			feed = value
		case "description", "_note":
			note = value
		case "created":
			created = source.DateOf(value)
		case "category":
			tags = source.TagsOf(value, ",")
		}
	}
	if o.text == "" {
		o.text = title
	}
	o.item = source.Item{Kind: source.Text, Title: o.text, Description: note, Tags: tags, CreatedAt: created, ConnectedAt: created, Where: where}
	if o.link = page != "" || feed != ""; !o.link {
		return o
	}
	o.item.Kind = source.Link
	if _, _, why := source.LinkOf(page); why != "" && feed != "" {
		page = feed
	}
	o.item.Address = page
	if feed != "" {
		o.item.Metadata = map[string]any{"feed": feed}
	}
	return o
}

// put hands over the block of an outline, into the channel of its parent.
func (r *outlineReader) put(ctx context.Context, o *outline) error {
	it, why := o.item, ""
	switch {
	case o.link:
		it.Address, it.ID, why = source.LinkOf(it.Address)
	case o.text == "":
		return nil
	default:
		it.Content, it.Title = o.text, ""
		if it.Description != "" {
			it.Content, it.Description = it.Content+"\n\n"+it.Description, ""
		}
		it.ID = source.SumOf("text", it.Content)
	}
	if why != "" {
		r.to.LeftOut(source.LeftOut{What: source.Shortened(o.text), Where: it.Where, Why: why})
		return nil
	}
	in, err := r.folder(ctx, len(r.open)-2)
	if err != nil {
		return err
	}
	r.to.Expect(1)
	return r.to.Item(ctx, in.ID, it)
}

// folder returns the channel of an open outline, and creates it if necessary.
func (r *outlineReader) folder(ctx context.Context, n int) (*source.TreeFolder, error) {
	o := &r.open[n]
	if o.folder != nil {
		return o.folder, nil
	}
	var err error
	if n == 0 {
		o.folder, err = r.tree.Root(ctx)
		return o.folder, err
	}
	above := r.open[n-1].folder // created when this one began
	o.folder, err = r.tree.Add(ctx, above, source.Channel{Title: o.text, Description: o.item.Description, CreatedAt: o.item.CreatedAt, Where: o.item.Where})
	o.text, o.item = "", source.Item{} // a folder needs them no longer
	return o.folder, err
}

// close ends an outline.
func (r *outlineReader) close(ctx context.Context) error {
	top := &r.open[len(r.open)-1]
	defer func() { r.open = r.open[:len(r.open)-1] }()
	if top.folder != nil {
		if above := r.open[len(r.open)-2].folder; top.folder != above {
			return r.tree.Close(ctx, top.folder)
		}
		return nil
	}
	if top.done {
		return nil
	}
	return r.put(ctx, top)
}

// end closes open outlines at the end of the file, or where reading failed for a reason.
func (r *outlineReader) end(ctx context.Context, why string) error {
	if !r.found {
		return source.ErrNotRecognized
	}
	if why == "" && len(r.open) > 1 {
		why = "the file breaks off"
	}
	if why != "" {
		line, _ := r.xml.InputPos()
		r.to.LeftOut(source.LeftOut{What: "The rest of the file", Where: fmt.Sprintf("line %d", line), Why: why})
	}
	for len(r.open) > 1 {
		if err := r.close(ctx); err != nil {
			return err
		}
	}
	return nil
}

var errLong = fmt.Errorf("a tag is longer than %d bytes", maxTag)
