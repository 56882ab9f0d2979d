package exporting

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	languages "vitrine/internal/words"
)

// Limits of a book of articles. Items are counted whether or not they have an article.
const (
	maxArticles      = 100
	maxArticleBytes  = 20 << 20 // of HTML
	maxArticleSearch = 2_000    // items of the channel
)

// errFull ends a book that has reached its limit.
var errFull = errors.New("the book is full")

// articlesWriter writes the articles of Links and the long Texts among blocks as a book, each as a document of its own.
type articlesWriter struct {
	*bookWriter
	languages map[string]int // how many articles are in each
	articles  int
	bytes     int
}

// articleStart is the beginning of the document of an article: its language, direction and title.
const articleStart = xml.Header + `<!DOCTYPE html>` + "\n" + `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"%s dir="%s"><head><title>%s</title>` +
	`<link rel="stylesheet" type="text/css" href="style.css"/></head><body>` + "\n"

// Articles exports the articles and long texts of a channel as a book, in the order of its page, the top first. It ends at
// the first limit. If the channel has none, it returns Unprocessable.
func (e *Exporter) Articles(ctx context.Context, actor domain.Actor, ref domain.Ref, begin Begin) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	var full collections.FullChannel
	var out *articlesWriter
	seen := 0
	err = e.contents(ctx, actor, ref, true, func(c collections.FullChannel, _ int64) error {
		full = c
		return nil
	}, func(items []placed) error {
		for _, item := range items {
			if seen++; seen > maxArticleSearch {
				return errFull
			}
			if !item.Block.IsArticle() {
				continue
			}
			if out == nil {
				if out, err = e.articles(begin, safeName(full.Slug)); err != nil {
					return err
				}
			}
			if err := out.article(item.Block); err != nil {
				return err
			}
		}
		return nil
	})
	if out != nil {
		defer out.free()
	}
	if err != nil && !errors.Is(err, errFull) {
		return err
	}
	if out == nil {
		return domain.NewUnprocessable("The channel has no articles")
	}
	return out.finish(e.aboutArticles(full, "", out))
}

// SelectedArticles exports the articles and texts of some connections of a channel as a book, in the given order. Those that
// have left the channel, or that the actor does not see, are omitted. It ends at the limits of Articles.
func (e *Exporter) SelectedArticles(ctx context.Context, actor domain.Actor, ref domain.Ref, ids []domain.ConnectionID, begin Begin) error {
	var f domain.Faults
	if !f.Count("connection", len(ids), domain.MaxRemoved) {
		return f.Err()
	}
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	full, err := e.o.App.Collections.Channel(ctx, actor, ref)
	if err != nil {
		return err
	}
	var once []domain.ConnectionID
	for _, id := range ids {
		if !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	items, err := e.o.App.Collections.Ordered(ctx, actor, full.ID, once)
	if err != nil {
		return err
	}
	var out *articlesWriter
	defer func() {
		if out != nil {
			out.free()
		}
	}()
	var named []string
	for _, item := range items {
		if item.Block == nil || !item.Block.Readable() {
			continue
		}
		if out == nil {
			if out, err = e.articles(begin, safeName(full.Slug)); err != nil {
				return err
			}
		}
		if err = out.article(item.Block); errors.Is(err, errFull) {
			break
		}
		if err != nil {
			return err
		}
		named = append(named, strconv.FormatInt(int64(item.Connection.ID), 10))
	}
	if out == nil {
		return domain.NewUnprocessable("None of the selected blocks has a text to read")
	}
	return out.finish(e.aboutArticles(full, "?connection="+strings.Join(named, ","), out))
}

// aboutArticles describes a book of articles of a channel.
func (e *Exporter) aboutArticles(full collections.FullChannel, which string, out *articlesWriter) bookAbout {
	c := e.o.Addresses.Channel(&full.Channel)
	return bookAbout{ID: e.o.Addresses.API + c.Links()[0].Path + "/articles" + which, Title: cmp.Or(strings.TrimSpace(c.Title), c.Slug), Language: out.language(),
		Creator: c.Owner().Name, Source: c.URL(), Modified: c.UpdatedAt}
}

// Article exports the article or text of a block as a book.
func (e *Exporter) Article(ctx context.Context, actor domain.Actor, id domain.BlockID, begin Begin) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	b, err := e.o.App.Collections.Block(ctx, actor, id)
	if err != nil {
		return err
	}
	if !b.Readable() {
		return domain.NewUnprocessable("The block has no text to read")
	}
	shown := e.o.Addresses.Block(&b)
	out, err := e.articles(begin, safeName(shown.Heading()))
	if out != nil {
		defer out.free()
	}
	if err == nil {
		err = out.article(&b)
	}
	if err != nil {
		return err
	}
	return out.finish(bookAbout{ID: shown.URL() + "#article", Title: shown.Heading(), Language: out.language(), Creator: articleAuthor(shown), Source: shown.URL(), Modified: b.UpdatedAt})
}

// articles begins a book.
func (e *Exporter) articles(begin Begin, name string) (*articlesWriter, error) {
	if name == "" {
		name = "articles"
	}
	w := &articlesWriter{bookWriter: newBookWriter(e, begin(name+".epub", EPUB.ContentType())), languages: map[string]int{}}
	return w, w.start()
}

// article writes the document of an article.
func (w *articlesWriter) article(b *domain.Block) error {
	if w.articles == maxArticles || w.bytes+len(b.Content.HTML) > maxArticleBytes && w.articles > 0 {
		return errFull
	}
	w.articles++
	w.bytes += len(b.Content.HTML)
	block := w.e.o.Addresses.Block(b)
	title := strings.TrimSpace(block.Heading())
	if title == "" {
		title = "–"
	}
	language, right := languages.Written(b.Content.Plain)
	w.languages[language]++
	marked, direction := "", "ltr"
	if language != "" {
		marked = ` lang="` + language + `" xml:lang="` + language + `"`
	}
	if right {
		direction = "rtl"
	}
	var text strings.Builder
	fmt.Fprintf(&text, articleStart, marked, direction, xmlText(title))
	fmt.Fprintf(&text, "<h1 dir=\"auto\">%s</h1>\n<p class=\"about\" dir=\"auto\">%s", xmlText(title), xmlText(articleAuthor(block)))
	if s := block.Source(); s.URL != "" {
		fmt.Fprintf(&text, " · <a href=\"%s\">%s</a>", xmlText(s.URL), xmlText(s.Provider.Shown()))
	}
	text.WriteString("</p>\n")
	writeProse(&text, b.Content)
	text.WriteString(documentEnd)
	return w.document(fmt.Sprintf("article-%d", b.ID), present.Excerpt(title, headingLength), text.String())
}

// articleAuthor returns the author of a block's page, or of the block if that is unknown.
func articleAuthor(b present.Block) string {
	if b.Page != nil && b.Page.AuthorName != "" {
		return b.Page.AuthorName
	}
	return b.Block.Author.Name
}

// language returns the language of most articles.
func (w *articlesWriter) language() string {
	best, most := "und", 0
	for language, n := range w.languages {
		if language != "" && (n > most || n == most && language < best) {
			best, most = language, n
		}
	}
	return best
}
