package look

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// Limits of a page that shows a document.
const (
	documentPages = 20  // pages of the document
	documentHits  = 100 // search results
	documentQuery = 200 // characters
	hitLength     = 180 // characters of an excerpt
)

// documentView is the data of a page that shows a document.
type documentView struct {
	Item   itemView
	Around around
	Path   string // of this page
	Whole  string // of this page, with the reader's channel
	Back   string // of the block's page, with the reader's channel
	Count  int    // number of pages in the document
	Most   int    // number of pages that can be read
	Sheets []documentSheet
	Pager  web.Pager
	Query  string
	Hits   []hit
	Reason string // why the document cannot be read
}

// documentSheet is a page of a document.
type documentSheet struct {
	Number        int
	Src           string
	Width, Height int
	Text          string
}

// hit is a page of a document that contains the query.
type hit struct {
	Number  int
	Path    string // of the page that shows it
	Excerpt string
}

// documentPage shows the pages of a document, or finds those that contain a phrase.
func documentPage(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	number, err := v.PageNumber()
	if err != nil {
		return err
	}
	b, err := v.App().Collections.Block(v.R.Context(), v.Actor(), domain.BlockID(id))
	if err != nil {
		return err
	}
	if !b.File.IsDocument() {
		return domain.NewNotFound()
	}
	shown := documentView{Item: newItemView(v, &b), Query: strings.TrimSpace(v.Query("q"))}
	if shown.Around, err = findAround(v, b.ID); err != nil {
		return err
	}
	shown.Path = documentPath(shown.Item.Block)
	shown.Whole, shown.Back = shown.Around.in(shown.Path), shown.Around.in(shown.Item.Path())
	if utf8.RuneCountInString(shown.Query) > documentQuery {
		return domain.InvalidField("q", domain.FieldTooLong, "must be at most "+strconv.Itoa(documentQuery)+" characters long")
	}
	v.Wide = true
	outline, err := v.Outline(*b.File)
	if refused, ok := errors.AsType[*domain.Error](err); ok && refused.Kind == domain.Unprocessable {
		shown.Reason = v.Lang.Fault(refused.Message)
		return v.Page("document", shown.Item.Heading, nil, shown)
	}
	if err != nil {
		return err
	}
	if v.Fresh(pageTags.Block(v.Actor(), b), shown.Whole) {
		return nil
	}
	shown.Count, shown.Most = outline.Count, len(outline.Pages)
	if shown.Query != "" {
		shown.find(outline)
		return v.Page("document", shown.Item.Heading, nil, shown)
	}
	at := domain.Page{Number: number, Per: documentPages}
	shown.Pager = v.Pager(at, int64(len(outline.Pages)))
	first := (min(number, int64(len(outline.Pages))+1) - 1) * documentPages
	if first >= int64(len(outline.Pages)) {
		return domain.NewNotFound()
	}
	for n, p := range outline.Pages[first:min(first+documentPages, int64(len(outline.Pages)))] {
		n += int(first) + 1
		shown.Sheets = append(shown.Sheets, documentSheet{n, shown.Item.Attachment().Page(n), p.Width, p.Height, p.Text})
	}
	return v.Page("document", shown.Item.Heading, nil, shown)
}

// documentPath returns the path of the page that shows a document.
func documentPath(b present.Block) string { return b.Path() + "/pages" }

// find lists the pages that contain the query.
func (d *documentView) find(outline content.Outline) {
	for _, h := range content.FindPages(outline, d.Query, documentHits) {
		at := strconv.Itoa((h.Number-1)/documentPages + 1)
		d.Hits = append(d.Hits, hit{h.Number, d.Around.with(d.Path, "page", at), present.Excerpt(h.Text, hitLength)})
	}
}
