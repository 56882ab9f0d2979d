// Package bookmarks reads files of bookmarks in the format of Netscape, which browsers and
// services of bookmarks export: folders become channels, bookmarks links.
package bookmarks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"

	"vitrine/internal/domain"
	"vitrine/internal/importing/plain"
	"vitrine/internal/importing/source"
	"vitrine/internal/markup"
)

// Bounds of what is held of a file. What is beyond them is cut or left out.
const (
	maxToken = 1 << 20  // bytes of a tag, in which icons stand
	maxText  = 64 << 10 // bytes of a title or a note
)

type file struct {
	from   io.Reader
	title  string
	origin string
	sample []string
}

// New reads a file as it comes, in memory that does not grow with it. The title is that of
// the channel in which all of it stands, unless the file has one.
func New(r io.Reader, title string) source.Document {
	head, all := plain.Head(r)
	f := &file{from: all, title: title}
	var names []string
	f.sample, names = identify(head, title)
	f.origin = plain.Origin("bookmarks", names...)
	return f
}

// identify returns the ids of the first bookmarks, and the names by which later versions of the file are
// recognized: its title and its heading, or else its file name.
func identify(head []byte, title string) (sample, names []string) {
	text, err := plain.Text(bytes.NewReader(head))
	if err != nil {
		return nil, []string{title}
	}
	var s plain.Sample
	r := newReading(&s, title)
	_ = r.all(context.Background(), text) // it stops at the end of the head or of the sample
	if names = append(names, r.document.String(), r.heading.String()); names[0] == "" && names[1] == "" {
		names = []string{title}
	}
	return s.Blocks, names
}

// Origin returns the origin of the file. Later versions of the file have the same origin.
func (f *file) Origin() string { return f.origin }

// Former returns the origin that all bookmark files had in earlier versions.
func (f *file) Former() string { return plain.FormerOrigin }

// Sample returns the ids of the first bookmarks.
func (f *file) Sample(context.Context) []string { return f.sample }

// Read tells of the bookmarks in the order in which they stand.
func (f *file) Read(ctx context.Context, to source.Taker) error {
	text, err := plain.Text(f.from)
	if err != nil {
		return err
	}
	r := newReading(to, f.title)
	if err := r.all(ctx, text); err != nil {
		return err
	}
	return r.end(ctx)
}

// reading is that of one file. An entry is told when the next one begins, since programs leave
// out the tags at which it would end.
type reading struct {
	to       source.Taker
	tree     plain.Tree
	line     int
	known    bool    // whether the file was recognized as bookmarks
	levels   []level // the current folder and its parents; the first is the file
	entry    *entry  // the current one
	document text    // the title of the document
	heading  text
	into     *text // the text that is being read
	unread   int   // line of a tag that was too long; 0: none
}

func newReading(to source.Taker, title string) *reading {
	return &reading{to: to, tree: plain.Tree{To: to, Title: title}, line: 1, levels: make([]level, 1)}
}

// all goes through the tokens. A tokenizer ends at a tag that is too long: the next one goes on
// behind it, and the entry in which it stood is left out.
func (r *reading) all(ctx context.Context, from io.Reader) error {
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
		if len(z.Raw()) > 0 { // a tag; of a text that is too long its beginning has been told
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

func (r *reading) token(ctx context.Context, z *html.Tokenizer, kind html.TokenType) error {
	switch kind {
	case html.TextToken:
		r.into.add(z.Text())
	case html.StartTagToken, html.SelfClosingTagToken:
		z.NextIsNotRawText() // a script in it is text as any other
		name, _ := z.TagName()
		return r.start(ctx, z, string(name))
	case html.EndTagToken:
		switch name, _ := z.TagName(); string(name) {
		case "a", "title", "h1", "h2", "h3", "h4", "dt", "dd", "li":
			r.into = nil
		case "dl":
			return r.up(ctx)
		}
	case html.DoctypeToken:
		r.known = r.known || bytes.Contains(bytes.ToLower(z.Raw()), []byte("netscape-bookmark-file"))
	}
	return ctx.Err()
}

func (r *reading) start(ctx context.Context, z *html.Tokenizer, name string) error {
	switch name {
	case "title":
		r.into = &r.document
	case "h1":
		r.into = &r.heading
	case "dt", "li":
		return r.finish(ctx)
	case "h2", "h3", "h4", "a":
		err := r.finish(ctx)
		r.begin(z, name != "a")
		return err
	case "dd":
		r.into = nil
		if r.entry != nil {
			r.into = &r.entry.note
		}
	case "dl":
		r.known = true
		return r.down(ctx)
	case "br", "p":
		r.into.add([]byte("\n"))
	}
	return nil
}

// begin begins an entry with the attributes of its tag.
func (r *reading) begin(z *html.Tokenizer, isFolder bool) {
	e := &entry{isFolder: isFolder, line: r.line}
	dated := false
	for {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "href":
			e.address = string(value)
		case "add_date", "time_added":
			dated = true
			e.created = plain.Date(string(value))
		case "tags":
			e.tags = plain.Tags(string(value), ",")
		case "private":
			e.private = string(value) == "1"
		case "toread":
			e.toRead = string(value) == "1"
		case "data-important":
			e.favorite = string(value) == "true"
		}
		if !more {
			break
		}
	}
	if r.known = r.known || dated; r.known {
		r.entry, r.into = e, &e.title
	}
}

// finish tells of the entry that has been read.
func (r *reading) finish(ctx context.Context) error {
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
		return r.tell(ctx, e)
	}
	above, inner, err := r.folder(ctx, e) // without a list: there is nothing in it
	if err != nil || inner == above {
		return err
	}
	return r.tree.Close(ctx, inner)
}

// tell hands over a bookmark.
func (r *reading) tell(ctx context.Context, e *entry) error {
	address, id, why := plain.Link(e.address)
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
	it := source.Item{ID: id, FormerID: plain.FormerID(e.address, id), Kind: source.Link, Address: address, Title: e.title.String(), Description: markup.Escape(e.note.String()), Tags: e.tags,
		CreatedAt: e.created, ConnectedAt: e.created, Where: where(e.line)}
	if it.Title == strings.TrimSpace(e.address) { // programs write it where there is none
		it.Title = ""
	}
	it.Metadata = plain.Said(map[string]bool{"favorite": e.favorite, "to_read": e.toRead})
	r.to.Expect(1)
	return r.to.Item(ctx, in.ID, it)
}

// end closes what is open at the end of the file.
func (r *reading) end(ctx context.Context) error {
	if err := r.finish(ctx); err != nil {
		return err
	}
	if !r.known {
		return domain.NewUnprocessable("This is no file of bookmarks: such a file begins with <!DOCTYPE NETSCAPE-Bookmark-file-1>")
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
