// Package capture copies a web page into one HTML file that opens offline: styles, images and fonts are in the file,
// and scripts are not. All input may be hostile: time, memory and requests are bounded, and the file never causes a
// request or runs a script.
package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"

	"vitrine/internal/fetch"
	"vitrine/internal/page"
)

// Limits of a copy. Copying a page holds at most about three times Bytes in memory, and another 100 MiB for the tree of
// the page; an ordinary page takes 10 to 30 MiB.
type Limits struct {
	Bytes      int64         // of the file
	PageBytes  int64         // of the page, and of each page in a frame
	PartBytes  int64         // of a style sheet, an image or a font
	MediaBytes int64         // of a video or a sound
	AllMedia   int64         // of all videos and sounds
	Parts      int           // requests after the one for the page
	Elements   int           // of the page and its frames
	Pages      int           // the page, and those in its frames
	Frames     int           // pages inside one another
	Imports    int           // style sheets inside one another
	Time       time.Duration // for the whole copy; when it ends, the missing parts stay out
	PartTime   time.Duration // for one part
}

// Default returns the limits for copies of pages from the web.
func Default() Limits {
	return Limits{Bytes: 32 << 20, PageBytes: 8 << 20, PartBytes: 8 << 20, MediaBytes: 4 << 20, AllMedia: 8 << 20, Parts: 300, Elements: 100_000, Pages: 30, Frames: 2, Imports: 5,
		Time: 2 * time.Minute, PartTime: 20 * time.Second}
}

// maxReported is the number of missing parts that a Copy lists.
const maxReported = 100

// Getter fetches an address. *fetch.Client implements it.
type Getter interface {
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Copy is a page in one file.
type Copy struct {
	URL     *url.URL // after redirects
	HTML    []byte   // UTF-8
	Parts   int      // in the file
	Missing []Missing
	Omitted int // number of missing parts, including those that Missing does not list
}

// Missing is a part of a page that its copy does not contain.
type Missing struct {
	Address string
	Reason  string // a sentence without its full stop, for users
}

// errTooComplex is the error for a page that would take too much time or memory to read.
var errTooComplex = errors.New("capture: the page has too many elements")

// Page fetches a page and its parts, and returns its copy. Errors are those of the fetch, or *Error for something that
// cannot be copied.
func Page(ctx context.Context, from Getter, address string, limits Limits) (*Copy, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	s, err := Open(ctx, from, address, limits)
	if err != nil {
		return nil, err
	}
	return s.Copy(ctx, from, limits)
}

// Source is a page whose parts are not fetched yet.
type Source struct {
	URL         *url.URL // after redirects
	ContentType string   // with the character set, if the server declares it
	Body        []byte
}

// Open fetches a page. Its errors are those of Page.
func Open(ctx context.Context, from Getter, address string, limits Limits) (*Source, error) {
	answer, err := from.Get(ctx, fetch.Request{URL: address, Accept: accepted[framePart], MaxBytes: limits.PageBytes, Redirect: redirect})
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if len(body) > 0 && errors.Is(err, fetch.ErrCutOff) {
		err = nil // use the part that arrived, as browsers do
	}
	if err != nil {
		return nil, err
	}
	if !isPage(answer.ContentType, body) {
		return nil, &Error{"The address is not a web page"}
	}
	return &Source{URL: answer.URL, ContentType: answer.MediaType(), Body: body}, nil
}

// Copy fetches the parts of a page and returns its copy. Its errors are those of Page. Parts that are not fetched when ctx
// ends stay out.
func (s *Source) Copy(ctx context.Context, from Getter, limits Limits) (*Copy, error) {
	c := &capture{limits: limits, loader: newLoader(ctx, from, limits), url: s.URL}
	return c.copy(ctx, decoded(s.ContentType, s.Body))
}

// Error is why a page that was fetched cannot be copied.
type Error struct {
	Reason string // a sentence without its full stop, for users
}

func (e *Error) Error() string { return e.Reason }

// redirect returns the target of a page that redirects by its content.
func redirect(answer *fetch.Response, beginning []byte) *url.URL {
	if !isPage(answer.ContentType, beginning) {
		return nil
	}
	return page.RedirectTarget(answer.URL, answer.MediaType(), answer.Header, beginning)
}

// isPage reports whether a response is HTML. An archive of a page (MHTML) is not.
func isPage(contentType string, body []byte) bool {
	switch contentType {
	case "text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml":
		return true
	case "":
		return strings.HasPrefix(http.DetectContentType(body), "text/html")
	}
	return false
}

// selfClosed matches an element of XHTML that ends with its start tag.
var selfClosed = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9]*)((?:\s[^<>]*)?)/>`)

// void are the elements of HTML without an end tag.
var void = []byte(" area base br col embed hr img input link meta param source track wbr ")

// decoded returns the text of a page as HTML.
func decoded(contentType string, body []byte) []byte {
	text := page.Decode(contentType, body)
	if strings.Contains(contentType, "xhtml") {
		text = selfClosed.ReplaceAllFunc(text, func(tag []byte) []byte {
			m := selfClosed.FindSubmatch(tag)
			if bytes.Contains(void, append(append([]byte(" "), bytes.ToLower(m[1])...), ' ')) {
				return tag
			}
			return fmt.Appendf(nil, "<%s%s></%s>", m[1], m[2], m[1])
		})
	}
	return text
}

// capture is the copying of one page.
type capture struct {
	limits   Limits
	loader   *loader
	url      *url.URL
	elements int
	pages    int
	shown    map[rune]bool // characters of the page
}

func (c *capture) copy(ctx context.Context, text []byte) (*Copy, error) {
	defer c.loader.stop()
	c.shown = map[rune]bool{}
	if !c.loader.charge(2 * len(text)) { // the file escapes some characters
		return nil, errFile
	}
	d, err := c.document(ctx, c.url, text, nil)
	if errors.Is(err, errTooComplex) {
		return nil, &Error{"The page has too many elements"}
	}
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := html.Render(&limited{w: &file, left: c.limits.Bytes}, d); err != nil {
		if errors.Is(err, errTooLarge) {
			err = errFile
		}
		return nil, err
	}
	made := &Copy{URL: c.url, HTML: file.Bytes()}
	made.Parts, made.Missing, made.Omitted = c.loader.report()
	return made, nil
}

var errFile = &Error{"The copy is too large"}

var errTooLarge = errors.New("capture: the file is too large")

// limited fails once more than left bytes are written.
type limited struct {
	w    *bytes.Buffer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errTooLarge
	}
	return l.w.Write(p)
}

// render returns a page inside another one.
func (c *capture) render(doc *html.Node) (string, error) {
	var text bytes.Buffer
	err := html.Render(&limited{w: &text, left: c.limits.Bytes}, doc)
	return text.String(), err
}

// parse reads HTML as a browser without scripts does. Deep nesting is an error of the parser.
func (c *capture) parse(ctx context.Context, text []byte) (*html.Node, error) {
	if !c.count(text) {
		return nil, errTooComplex
	}
	ctx, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	doc, err := html.ParseWithOptions(&until{ctx: ctx, r: bytes.NewReader(text)}, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errTooComplex, err)
	}
	return doc, nil
}

// parseTime limits the time for reading one page. Some pages would take time that grows with the square of their size.
const parseTime = 10 * time.Second

// until reads until a context ends.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// formatting are elements that the parser opens again in each following block until they are closed. A page with many
// of them may have a tree much larger than its text.
var formatting = map[string]bool{"a": true, "b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "nobr": true,
	"s": true, "small": true, "strike": true, "strong": true, "tt": true, "u": true}

// count adds the elements of a page, and reports whether they are within the limit. It assumes that each tag opens all
// unclosed formatting elements again.
func (c *capture) count(text []byte) bool {
	z := html.NewTokenizer(bytes.NewReader(text))
	tags, attributes, opened, open := 0, 0, 0, 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			c.elements += tags
			return true
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			for tags++; more; attributes++ {
				_, _, more = z.TagAttr()
			}
			if formatting[string(name)] {
				open++
			} else {
				opened += open
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); open > 0 && formatting[string(name)] {
				open--
			}
		}
		if c.elements+tags > c.limits.Elements || opened > c.limits.Elements || attributes > 5*c.limits.Elements {
			return false
		}
	}
}
