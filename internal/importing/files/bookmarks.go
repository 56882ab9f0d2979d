package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"

	"vitrine/internal/importing/source"
)

// Limits of memory. Anything longer is truncated or left out.
const (
	maxToken = 1 << 20  // bytes of a tag, which may contain an icon
	maxText  = 64 << 10 // bytes of a title or a note
)

type bookmarksFile struct{ source.TextFile }

// NewBookmarks reads a file as a stream in bounded memory. The title is for the channel of the whole file,
// unless the file has a title.
func NewBookmarks(text *source.Decoded, title string) source.Document {
	head, all := source.HeadOf(text)
	return &bookmarksFile{source.TextFile{Text: all, Title: title, Identity: identify(head, title)}}
}

// identify returns the identity of a file: its title and its heading, or else its file name.
func identify(head []byte, title string) (id source.Identity) {
	var s source.Sample
	r := newBookmarkReader(&s, title)
	_ = r.all(context.Background(), bytes.NewReader(head)) // it stops at the end of the head or of the sample
	document, heading := r.document.String(), r.heading.String()
	if r.service == shaarli { // its heading contains the date of the export
		heading = shaarli
	}
	id = source.Identity{Name: source.Origin(format, document, heading), Blocks: s.Blocks}
	if document == "" && heading == "" {
		id.Name = source.Origin(format, title)
	}
	if r.service != "" { // earlier versions joined all headings
		id.Others = []string{source.Origin(format, document, r.headings.String())}
	}
	return id
}

const format = "bookmarks"

// Read hands over the bookmarks in their order.
func (f *bookmarksFile) Read(ctx context.Context, to source.Sink) error {
	r := newBookmarkReader(source.Literal(to), f.Title)
	err := r.all(ctx, f.Text)
	f.Format = cmp.Or(r.service, "Bookmarks")
	if err != nil {
		return err
	}
	return r.end(ctx)
}

// bookmarkReader reads a file. An entry is handed over when the next one begins, since
// programs omit its end tags.
type bookmarkReader struct {
	to       source.Sink
	tree     source.Tree
	line     int
	known    bool    // whether the file was recognized as bookmarks
	levels   []level // the current folder and its parents; the first is the file
	entry    *entry  // the current one
	document text    // the title of the document
	heading  text
	headings text   // all headings of the first level, joined
	service  string // that wrote the file; "": any other
	section  text   // the heading of the next list, in files of services that have sections
	link     string // the address of the link in a note that is being read
	into     *text  // the text that is being read
	unread   int    // line of a tag that was too long; 0: none
}

func newBookmarkReader(to source.Sink, title string) *bookmarkReader {
	return &bookmarkReader{to: to, tree: source.Tree{To: to, Title: title}, line: 1, levels: make([]level, 1)}
}

// all processes the tokens. A tokenizer stops at a tag that is too long: reading continues after it
// with a new tokenizer, and the entry that contains the tag is left out.
func (r *bookmarkReader) all(ctx context.Context, from io.Reader) error {
	z := tokenizer(from)
	for {
		kind := z.Next()
		length := bytes.Count(z.Raw(), []byte("\n"))
		if kind != html.ErrorToken {
			if err := r.token(ctx, z, kind); err != nil {
				return err
			}
			r.line += length
			continue
		}
		switch err := z.Err(); {
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, html.ErrBufferExceeded):
			return err
		}
		if len(z.Raw()) > 0 { // a tag; of a text that is too long, the beginning was already used
			r.unread = r.line
		}
		r.line += length
		from = io.MultiReader(bytes.NewReader(bytes.Clone(z.Buffered())), from)
		z = tokenizer(from)
	}
}

func tokenizer(from io.Reader) *html.Tokenizer {
	z := html.NewTokenizer(from)
	z.SetMaxBuf(maxToken)
	return z
}

func (r *bookmarkReader) token(ctx context.Context, z *html.Tokenizer, kind html.TokenType) error {
	switch kind {
	case html.TextToken:
		text := z.Text()
		r.into.add(text)
		if r.into == &r.heading || r.into == &r.section {
			r.headings.add(text)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		z.NextIsNotRawText() // a script in it is ordinary text
		name, _ := z.TagName()
		return r.start(ctx, z, string(name))
	case html.EndTagToken:
		name, _ := z.TagName()
		return r.close(ctx, string(name))
	case html.DoctypeToken:
		r.known = r.known || bytes.Contains(bytes.ToLower(z.Raw()), []byte("netscape-bookmark-file"))
	}
	return ctx.Err()
}

func (r *bookmarkReader) start(ctx context.Context, z *html.Tokenizer, name string) error {
	switch name {
	case "title":
		r.into = &r.document
	case "h1":
		return r.headline(ctx)
	case "dt", "li":
		return r.finish(ctx)
	case "h2", "h3", "h4":
		err := r.finish(ctx)
		r.begin(r.attributes(z), true)
		return err
	case "a":
		e := r.attributes(z)
		if r.noting() && !e.dated { // bookmarks have a date
			r.link = e.address
			return nil
		}
		err := r.finish(ctx)
		r.begin(e, false)
		return err
	case "dd":
		r.into = nil
		if r.entry != nil {
			r.into = &r.entry.note
		}
	case "dl":
		r.known = true
		return r.down(ctx)
	case "ul", "ol":
		return r.list(ctx)
	case "br", "p":
		r.into.add([]byte("\n"))
	}
	return nil
}

// noting reports whether a note is being read.
func (r *bookmarkReader) noting() bool { return r.entry != nil && r.into == &r.entry.note }

// close handles an end tag.
func (r *bookmarkReader) close(ctx context.Context, name string) error {
	switch name {
	case "a":
		if !r.noting() {
			r.into = nil
		} else if r.link != "" && !r.into.full() && !r.into.endsWith(r.link) {
			r.into.add([]byte(" (" + r.link + ")"))
		}
		r.link = ""
	case "h1":
		r.into = nil
		if strings.HasPrefix(r.heading.start(), "Shaarli export of ") {
			r.service, r.tree.Title = shaarli, shaarli
		}
	case "title":
		r.into = nil
		if service := sectioned[r.document.start()]; service != "" {
			r.service, r.tree.Title, r.known = service, service, true
		}
	case "h2", "h3", "h4", "dt", "dd", "li":
		r.into = nil
	case "dl":
		return r.up(ctx)
	case "ul", "ol":
		if r.sections() {
			return r.up(ctx)
		}
	}
	return nil
}

// attributes reads the attributes of a bookmark or a folder.
func (r *bookmarkReader) attributes(z *html.Tokenizer) *entry {
	e := &entry{line: r.line}
	for {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "href":
			e.address = string(value)
		case "add_date", "time_added":
			e.dated = true
			e.created = source.DateOf(string(value))
		case "tags":
			e.tags = source.TagsOf(string(value), ",")
		case "private":
			e.private = string(value) == "1"
		case "toread":
			e.toRead = string(value) == "1"
		case "data-important":
			e.favorite = string(value) == "true"
		}
		if !more {
			return e
		}
	}
}

// begin begins an entry.
func (r *bookmarkReader) begin(e *entry, isFolder bool) {
	e.isFolder = isFolder
	if r.known = r.known || e.dated; r.known {
		r.entry, r.into = e, &e.title
	}
}

// finish hands over the current entry.
func (r *bookmarkReader) finish(ctx context.Context) error {
	e := r.entry
	r.entry, r.into = nil, nil
	if r.unread > 0 {
		r.to.LeftOut(source.LeftOut{What: e.name(), Where: where(r.unread), Why: fmt.Sprintf("a tag of it is longer than %d bytes", maxToken)})
		r.unread = 0
		return nil
	}
	if e == nil {
		return nil
	}
	if !e.isFolder {
		return r.sendEntry(ctx, e)
	}
	above, inner, err := r.folder(ctx, e) // a folder without a list is empty
	if err != nil || inner == above {
		return err
	}
	return r.tree.Close(ctx, inner)
}

// sendEntry hands over a bookmark.
func (r *bookmarkReader) sendEntry(ctx context.Context, e *entry) error {
	it, why := r.item(e)
	if why != "" {
		r.to.LeftOut(source.LeftOut{What: e.name(), Where: where(e.line), Why: why})
		return nil
	}
	in, err := r.top(ctx)
	if err == nil && e.private {
		in, err = r.tree.Private(ctx, in)
	}
	if err != nil {
		return err
	}
	r.to.Expect(1)
	return r.to.Item(ctx, in.ID, it)
}

// item returns the block for a bookmark, or the reason for skipping it.
func (r *bookmarkReader) item(e *entry) (it source.Item, why string) {
	note, archived := linkding(e)
	it = source.Item{Title: e.title.String(), Description: note, Tags: e.tags, CreatedAt: e.created, ConnectedAt: e.created, Where: where(e.line),
		Metadata: source.Stated(map[string]bool{"favorite": e.favorite, "to_read": e.toRead, "archived": archived})}
	if id := shaarliNote.FindStringSubmatch(e.address); r.service == shaarli && id != nil {
		it.Kind, it.ID, it.Content, it.Description = source.Text, "shaarli:"+id[1], note, ""
		if note == "" {
			it.Content, it.Title = it.Title, ""
		}
		return it, ""
	}
	it.Kind = source.Link
	it.Address, it.ID, why = source.LinkOf(e.address)
	it.FormerID = source.FormerID(e.address, it.ID)
	if it.Title == strings.TrimSpace(e.address) { // programs write it if there is no title
		it.Title = ""
	}
	return it, why
}

// end closes what is open at the end of the file.
func (r *bookmarkReader) end(ctx context.Context) error {
	if err := r.finish(ctx); err != nil {
		return err
	}
	if !r.known {
		return source.ErrNotRecognized
	}
	if last := r.levels[len(r.levels)-1]; len(r.levels) > 1 || last.lists > 0 {
		r.to.LeftOut(source.LeftOut{What: "The end of the file", Where: where(r.line), Why: "the file breaks off: a folder has no end"})
	}
	for len(r.levels) > 1 {
		if err := r.up(ctx); err != nil {
			return err
		}
	}
	return r.tree.End(ctx)
}

func where(line int) string { return fmt.Sprintf("line %d", line) }
