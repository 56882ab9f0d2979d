package read

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"vitrine/internal/app/reading"
	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
	"vitrine/internal/words"
)

// pageTags are the ETags of blocks on pages. Fresh adds everything else that pages depend on.
var pageTags = present.NewTags(nil)

// readView is the data of the page for reading a block.
type readView struct {
	Block      present.Block
	Manage     bool
	Heading    string
	Titled     bool
	Author     string // of the page, or of the block
	HTML       template.HTML
	Language   string // "" if it is not recognised
	Direction  string
	Path, Back string
	Reader     bool // somebody is signed in
	Place      int64
	Highlights []shownHighlight
}

// shownHighlight is a highlight as the pages show it.
type shownHighlight struct {
	reading.Highlight
	Name string // of its mark in the text
	Edit string // path
}

func showHighlight(h reading.Highlight) shownHighlight {
	id := strconv.FormatInt(int64(h.ID), 10)
	return shownHighlight{h, "highlight-" + id, "/settings/highlights/" + id}
}

// readPage shows the text of a block.
func readPage(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	return showText(v, domain.BlockID(id), nil)
}

func showText(v *web.Visit, id domain.BlockID, f *web.Form) error {
	o, err := v.App().Reading.Open(v.R.Context(), v.Actor(), id)
	if err != nil {
		return err
	}
	b := o.Block
	if !b.Readable() && b.Type != domain.LinkBlock {
		return domain.NewNotFound()
	}
	shown := readView{Block: v.Addresses().Block(&b), Manage: domain.AbilitiesOnBlock(v.Actor(), b).Manage, Place: o.Place, Reader: v.Account != nil}
	shown.Path, shown.Back = shown.Block.Path()+"/read", shown.Block.Path()
	if in, _, ok := domain.IsID(v.Query("in")); ok {
		shown.Back = web.BlockPath(b.ID, domain.ChannelID(in))
	}
	shown.Titled = b.Title != nil && *b.Title != ""
	if shown.Heading = shown.Block.Heading(); !shown.Titled && b.Type == domain.LinkBlock {
		shown.Heading = cmp.Or(shown.Block.Source().Shown(), shown.Heading)
	}
	if shown.Author = b.Author.Name; b.Type == domain.LinkBlock {
		shown.Author = ""
		if b.Page != nil {
			shown.Author = b.Page.AuthorName
		}
	}
	from := []string{pageTags.Block(v.Actor(), b), fmt.Sprint(o.Place, b.Author.Version)}
	for _, h := range o.Highlights {
		shown.Highlights = append(shown.Highlights, showHighlight(h))
		from = append(from, fmt.Sprint(h.ID, h.UpdatedAt.UnixMicro()))
	}
	v.Wide = true
	if f == nil && v.Fresh(from...) {
		return nil
	}
	if b.Readable() {
		shown.set(b.Content)
	}
	return v.Page("read", shown.Heading, f, shown)
}

// set marks the highlights in the text, and finds out its language and direction.
func (s *readView) set(t *domain.Text) {
	var marks []markup.Range
	for _, h := range s.Highlights {
		if !h.Lost {
			marks = append(marks, markup.Range{Name: h.Name, Start: h.Quote.Start, End: h.Quote.End})
		}
	}
	s.HTML, s.Direction = web.Article(t, marks), "ltr"
	var right bool
	if s.Language, right = words.Written(t.Plain); right {
		s.Direction = "rtl"
	}
}

// downloadArticle answers with the text of a block as a book.
func downloadArticle(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	return v.ExportArticle(domain.BlockID(id))
}

// keepPlace remembers how far the reader has read, for the script of the page.
func keepPlace(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	place, err := strconv.ParseInt(v.Form().Get("place"), 10, 64)
	if err != nil {
		return domain.InvalidField("place", domain.FieldMalformed, "must be a number from 0")
	}
	if err := v.App().Reading.KeepPlace(v.R.Context(), v.Actor(), domain.BlockID(id), place); err != nil {
		return err
	}
	v.W.WriteHeader(http.StatusNoContent)
	return nil
}

// highlight highlights a passage. The form of the page has only its words; the script adds what is around them.
func highlight(v *web.Visit) error {
	n, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	id, f := domain.BlockID(n), v.Form()
	start, _ := strconv.Atoi(f.Get("start")) // only chooses among several
	_, again, err := v.App().Reading.AddHighlight(v.R.Context(), v.Actor(), id, reading.HighlightInput{Note: strings.TrimSpace(f.Get("note")),
		Quote: domain.Quote{Exact: f.Get("exact"), Prefix: f.Get("prefix"), Suffix: f.Get("suffix"), Start: max(start, 0)}})
	if err == nil {
		note := "highlighted"
		if again {
			note = "highlighted-before"
		}
		return v.Done(cmp.Or(v.Next(), fmt.Sprintf("/block/%d/read", id)), note)
	}
	if !f.Refused(err, "exact", "note") {
		return err
	}
	return showText(v, id, f)
}

// highlightsPage lists the reader's highlights.
func highlightsPage(v *web.Visit) error {
	page, err := v.PageNumber()
	if err != nil {
		return err
	}
	at := domain.Page{Number: page, Per: 30}
	all, err := v.App().Reading.Highlights(v.R.Context(), v.Actor(), at)
	if err != nil {
		return err
	}
	shown := highlightsView{Total: all.Total, Pager: v.Pager(at, all.Total)}
	for _, h := range all.Items {
		b := v.Addresses().Block(h.On)
		if len(shown.Blocks) == 0 || shown.Blocks[len(shown.Blocks)-1].ID != h.On.ID {
			shown.Blocks = append(shown.Blocks, highlighted{Block: b, Heading: b.Heading(), Path: b.Path() + "/read"})
		}
		last := &shown.Blocks[len(shown.Blocks)-1]
		last.Highlights = append(last.Highlights, showHighlight(h))
	}
	return v.Page("highlights", v.T("read.highlights"), nil, shown)
}

// highlightsView is the data of the list of a reader's highlights.
type highlightsView struct {
	Blocks []highlighted
	Total  int64
	Pager  web.Pager
}

// highlighted is a block with some of its highlights.
type highlighted struct {
	present.Block
	Heading, Path string
	Highlights    []shownHighlight
}

// highlightPage shows a highlight with a form for its note.
func highlightPage(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	h, err := v.App().Reading.Highlight(v.R.Context(), v.Actor(), domain.HighlightID(id))
	if err != nil {
		return err
	}
	return showNote(v, web.Filled("note", h.Note), h)
}

func showNote(v *web.Visit, f *web.Form, h reading.Highlight) error {
	b := v.Addresses().Block(h.On)
	return v.Page("highlight", v.T("read.highlight"), f, noteView{showHighlight(h), b.Heading(), b.Path() + "/read"})
}

// noteView is the data of the page of a highlight.
type noteView struct {
	shownHighlight
	Heading, Text string // of the block, and the path of the page for reading it
}

// changeHighlight changes the note about a highlight, or deletes the highlight.
func changeHighlight(v *web.Visit) error {
	n, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	id, f := domain.HighlightID(n), v.Form()
	switch f.Get("do") {
	case "delete":
		if err := v.App().Reading.DeleteHighlight(v.R.Context(), v.Actor(), id); err != nil {
			return err
		}
		return v.Done(cmp.Or(v.Next(), "/settings/highlights"), "highlight-deleted")
	case "change":
	default:
		return web.UnknownButton()
	}
	h, err := v.App().Reading.ChangeNote(v.R.Context(), v.Actor(), id, reading.NoteInput{Note: strings.TrimSpace(f.Get("note")), Was: new(f.Get("was_note"))})
	if err == nil {
		return v.Done(cmp.Or(v.Next(), fmt.Sprintf("/block/%d/read#%s", h.Block, showHighlight(h).Name)), "highlight")
	}
	if !f.Refused(err, "note") {
		return err
	}
	stored, failed := v.App().Reading.Highlight(v.R.Context(), v.Actor(), id)
	if failed != nil {
		return failed
	}
	return showNote(v, f, stored)
}
