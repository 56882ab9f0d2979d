package content

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/media/filetype"
	"vitrine/internal/page"
	"vitrine/internal/weburl"
)

// Bounds of what is fetched, in bytes.
const (
	maxPage    = 5 << 20
	maxOEmbed  = 1 << 20
	maxPreview = 20 << 20
)

// How many of a page's images are tried as its preview, and of its oEmbed endpoints.
const (
	previewTries = 3
	oEmbedTries  = 2
)

// asideTimeout is how long the fetch of a preview or of an oEmbed answer may take: a page
// is not lost because what it refers to is slow.
const asideTimeout = 15 * time.Second

// asidesTimeout limits all of these fetches for one block, so that the rest of the job has time left.
const asidesTimeout = 30 * time.Second

// What is asked for.
const (
	acceptAny   = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
	acceptImage = "image/*"
)

// content is what was found for a block. Empty fields were not found.
type content struct {
	kind        domain.BlockType
	title       string
	description string // plain text
	altText     string
	markdown    string
	text        string // of a document, for searches only
	sourceTitle string
	image, file *domain.File
	embed       *domain.Embed
	page        *domain.PageFacts
}

// content gets what a block is to hold. Its errors are temporary unless explain says
// otherwise.
func (a *intake) content(ctx context.Context, b domain.Block, p domain.ProcessingStatus) (content, error) {
	if p.UploadID != 0 {
		return a.contentOfUpload(ctx, p.UploadID)
	}
	if b.ValueURL == nil {
		return content{}, &errUnavailable{reason: "There is nothing to process"}
	}
	return a.contentOfURL(ctx, *b.ValueURL)
}

// contentOfURL gets the content of a URL. A known provider is asked before the page, whose own form often
// needs a browser.
func (a *intake) contentOfURL(ctx context.Context, address string) (content, error) {
	at, err := weburl.Parse(address)
	if err != nil {
		return content{}, &errUnavailable{"The address cannot be read", err}
	}
	made, said, err := a.fromProvider(ctx, at)
	if made.kind != "" || err != nil {
		return made, err
	}
	answer, err := a.get(ctx, fetch.Request{URL: address, Accept: acceptAny, MaxBytes: a.uploadLimit, Onward: onward})
	if err != nil {
		return content{}, err
	}
	defer closing(answer.Body)
	body := bufio.NewReaderSize(answer.Body, 1<<12)
	head, err := body.Peek(sniffed) // an error shows again when it is read
	empty := len(head) == 0 && errors.Is(err, io.EOF)
	if empty || isPage(answer, head) {
		return a.contentOfPage(ctx, at, answer, body, said)
	}
	staged, err := a.staging.Receive(ctx, body, a.uploadLimit)
	if err != nil {
		return content{}, fetched(err)
	}
	defer a.discard(staged)
	return a.contentOfFile(ctx, staged, fileName(answer))
}

// onward follows pages that redirect by their content.
func onward(answer *fetch.Response, beginning []byte) *url.URL {
	if !isPage(answer, beginning[:min(len(beginning), sniffed)]) {
		return nil
	}
	return page.Onward(answer.URL, answer.Header, beginning)
}

// get fetches what somebody, or a page of theirs, links to: from no site that is blocked here, wherever
// the address leads.
func (a *Content) get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	r.Permit = func(ctx context.Context, to *url.URL) error {
		blocked, err := a.BlockedSites(ctx, to.String())
		if err == nil && blocked[0] {
			err = &fetch.Error{Reason: "The address " + core.SiteBlocked}
		}
		return err
	}
	return a.fetcher.Get(ctx, r)
}

// aside fetches something that a page refers to. done closes the body; the time until then counts towards
// asidesTimeout.
func (a *intake) aside(ctx context.Context, r fetch.Request) (answer *fetch.Response, done func(), err error) {
	ctx, end, err := a.asides.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	if answer, err = a.get(ctx, r); err != nil {
		end()
		return nil, nil, err
	}
	return answer, func() { closing(answer.Body); end() }, nil
}

// asides limits the time of the fetches of what a page refers to.
type asides struct{ spent time.Duration }

// begin returns a context for one fetch, or an error if all of the time is spent. end ends the context and
// adds up the time.
func (s *asides) begin(ctx context.Context) (aside context.Context, end func(), err error) {
	left := asidesTimeout - s.spent
	if left <= 0 {
		return nil, nil, &fetch.Error{Reason: "What the page refers to took too long", Temporary: true}
	}
	began := time.Now()
	aside, cancel := context.WithTimeout(ctx, min(asideTimeout, left))
	return aside, func() {
		cancel()
		s.spent += time.Since(began)
	}, nil
}

// fetched finds the reason for which a body could not be staged.
func fetched(err error) error {
	if errors.Is(err, blob.ErrTooLarge) {
		return &errUnavailable{"The file is too large", err}
	}
	return err
}

// sniffed is how many bytes tell a page from a file.
const sniffed = 512

// isPage reports whether a response is a web page and not a file. A page is labelled as one or not at all, is
// not meant to be saved, and its first bytes are text. Control characters may be among them.
func isPage(answer *fetch.Response, head []byte) bool {
	if isAttachment(answer.Header.Get("Content-Disposition")) {
		return false
	}
	looks := http.DetectContentType(head)
	switch answer.ContentType {
	case "text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml":
		wide := strings.HasPrefix(answer.Charset, "utf-16") // without a byte order mark
		return strings.HasPrefix(looks, "text/") || looks == "application/octet-stream" && (wide || pageTag.Match(head))
	case "application/xml", "text/xml":
		return rootTag.Match(head)
	case "":
		return strings.HasPrefix(looks, "text/html")
	}
	return false
}

var (
	pageTag = regexp.MustCompile(`(?i)<(?:!doctype html|html|head|title|meta|body)[\s/>]`)
	rootTag = regexp.MustCompile(`(?i)^[^<]*(?:<[?!][^>]*>\s*)*<html[\s>]`)
)

// contentOfPage makes an Embed or a Link of a web page. given is the URL that the user saved, and said what
// its provider answered, if there is a known one. An empty answer is a page, too: there is no file to keep.
func (a *intake) contentOfPage(ctx context.Context, given *url.URL, answer *fetch.Response, r io.Reader, said page.OEmbed) (content, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxPage))
	closing(answer.Body) // makes room for the page's images, which are often at the same site
	if len(body) > 0 && errors.Is(err, fetch.ErrCutOff) {
		err = nil // browsers show as much of a page as arrived, too
	}
	if err != nil {
		return content{}, err
	}
	p, err := page.Read(answer.URL, answer.MediaType(), body)
	if err != nil {
		return content{}, &errUnavailable{"The page cannot be read", err}
	}
	player, said, err := a.player(ctx, given, answer.URL, p, said)
	if player.kind != "" || err != nil {
		player.title, player.description = cut(cmp.Or(said.Title, p.Title)), p.Description
		player.sourceTitle = player.title
		if err == nil && player.image == nil {
			player.image, err = a.preview(ctx, p.Images)
		}
		return player, err
	}
	title := p.Title
	if said.Title != "" && (!p.Titled || title == p.SiteName || title == answer.URL.Hostname()) {
		title = said.Title
	}
	made := content{kind: domain.LinkBlock, title: cut(title), description: p.Description, markdown: p.Markdown, sourceTitle: cut(title),
		page: &domain.PageFacts{Canonical: canonicalOf(given, answer, p.Canonical), AuthorName: cmp.Or(said.AuthorName, p.Author), AuthorURL: said.AuthorURL}}
	if made.page.Canonical != "" {
		blocked, err := a.BlockedSites(ctx, made.page.Canonical)
		if err != nil {
			return made, err
		}
		if blocked[0] {
			made.page.Canonical = ""
		}
	}
	if thumbnails := said.Pictures(); len(thumbnails) > 0 {
		if made.image, err = a.preview(ctx, thumbnails); made.image != nil || err != nil {
			return made, err
		}
	}
	made.image, made.altText, err = a.previewOf(ctx, p)
	return made, err
}

// player returns the Embed of a page, with the kind "" if the page has no player: of a known provider to which the
// URL redirected, or of an answer of the type "video" that the page itself links to. Other answers that it
// links to often only repeat the page in a frame, so they describe the Link instead; said is the first.
func (a *intake) player(ctx context.Context, given, at *url.URL, p page.Page, said page.OEmbed) (content, page.OEmbed, error) {
	if at.String() != given.String() {
		made, known, err := a.fromProvider(ctx, at)
		if made.kind != "" || err != nil {
			return made, known, err
		}
		said = known
	}
	for _, endpoint := range p.OEmbed[:min(len(p.OEmbed), oEmbedTries)] {
		found, from, err := a.ask(ctx, endpoint)
		if err != nil {
			return content{}, said, err
		}
		if found.Type == "video" {
			if made, err := a.embedded(ctx, found, from, at); made.kind != "" || err != nil {
				return made, found, err
			}
		}
		if said.Type == "" {
			said = found
		}
	}
	return content{}, said, nil
}

// fromProvider asks the known provider of a page, if there is one. It returns an Embed, or the kind "" if the
// answer holds nothing to play.
func (a *intake) fromProvider(ctx context.Context, at *url.URL) (made content, said page.OEmbed, err error) {
	endpoint, ok := a.providers.Find(at)
	if !ok {
		return made, said, nil
	}
	said, from, err := a.ask(ctx, endpoint)
	if err != nil || said.Type != "video" && said.Type != "rich" || said.IsCard() {
		return made, said, err
	}
	made, err = a.embedded(ctx, said, from, at)
	return made, said, err
}

// ask returns the answer at an oEmbed endpoint and its URL. Without a valid answer, the type is "". Errors are
// those of this server, not of the provider.
func (a *intake) ask(ctx context.Context, endpoint page.Endpoint) (said page.OEmbed, from *url.URL, err error) {
	answer, done, err := a.aside(ctx, fetch.Request{URL: endpoint.URL, Accept: "application/json, text/xml;q=0.8", MaxBytes: maxOEmbed})
	if err != nil {
		return said, nil, busyOrStopped(ctx, err)
	}
	body, err := io.ReadAll(answer.Body)
	done()
	if err != nil {
		return said, nil, busyOrStopped(ctx, err)
	}
	if said, err = page.ReadOEmbed(body, answer.MediaType()); err != nil {
		return page.OEmbed{}, nil, nil
	}
	return said, answer.URL, nil
}

// embedded makes an Embed of the answer of an oEmbed endpoint for the page at a URL. Its kind is "" if the
// answer holds no safe frame.
func (a *intake) embedded(ctx context.Context, said page.OEmbed, from, at *url.URL) (made content, err error) {
	html := said.SafeHTML(from, at, a.ownHosts...)
	if html == "" {
		return made, nil
	}
	made = content{kind: domain.EmbedBlock, title: cut(said.Title), sourceTitle: cut(said.Title),
		embed: &domain.Embed{URL: said.URL, Type: said.Type, Title: said.Title, AuthorName: said.AuthorName, AuthorURL: said.AuthorURL,
			SourceURL: at.String(), Width: int64(said.Width), Height: int64(said.Height), HTML: html, ThumbnailURL: said.ThumbnailURL}}
	if said.ThumbnailURL != "" {
		made.image, err = a.preview(ctx, []string{said.ThumbnailURL})
	}
	return made, err
}

// busyOrStopped passes on what makes the whole attempt pointless for now.
func busyOrStopped(ctx context.Context, err error) error {
	if errors.Is(err, fetch.ErrBusy) || ctx.Err() != nil {
		return err
	}
	return nil
}

// contentOfUpload makes an Image or an Attachment of bytes that a user sent.
func (a *intake) contentOfUpload(ctx context.Context, id domain.UploadID) (content, error) {
	u, err := a.Store.UploadByID(ctx, id)
	if domain.KindOf(err) == domain.NotFound {
		return content{}, &errUnavailable{"The upload was removed", err}
	}
	if err != nil {
		return content{}, err
	}
	a.from(u)
	staged, err := a.fetchUpload(ctx, u)
	if err != nil {
		return content{}, err
	}
	defer a.discard(staged)
	return a.contentOfFile(ctx, staged, tidyName(u.Name))
}

// HeadOfUpload reads at most most bytes from the beginning of an upload.
func (a *Content) HeadOfUpload(ctx context.Context, id domain.UploadID, most int64) ([]byte, error) {
	u, err := a.Store.UploadByID(ctx, id)
	if err != nil {
		return nil, err
	}
	sent, err := a.openUpload(ctx, u)
	if err != nil {
		return nil, missing(err)
	}
	defer closing(sent)
	return io.ReadAll(io.LimitReader(sent, most))
}

// fetchUpload stages the bytes of an upload.
func (a *Content) fetchUpload(ctx context.Context, u domain.Upload) (*blob.Staged, error) {
	sent, err := a.openUpload(ctx, u)
	if err != nil {
		return nil, err
	}
	defer closing(sent)
	staged, err := a.staging.Receive(ctx, sent, a.uploadLimit)
	if err != nil {
		return nil, fetched(err)
	}
	return staged, nil
}

// openUpload opens the stored bytes of an upload.
func (a *Content) openUpload(ctx context.Context, u domain.Upload) (*blob.File, error) {
	object := uploadFolder + u.Key
	if u.BlobID != 0 {
		b, err := a.Store.Blob(ctx, u.BlobID)
		if err != nil {
			return nil, err
		}
		object = b.Object
	}
	return a.blobs.Open(ctx, object)
}

// cut shortens a text to the length of a title.
func cut(s string) string {
	if r := []rune(s); len(r) > domain.MaxTitle {
		return strings.TrimSpace(string(r[:domain.MaxTitle-1])) + "…"
	}
	return s
}

// newFile is a file of bytes that have been kept.
func newFile(b domain.Blob, name string, kind filetype.Kind) domain.File {
	return domain.File{Key: auth.NewKey(), BlobID: b.ID, Object: b.Object, Name: name,
		ContentType: kind.ContentType, Extension: kind.Extension, Size: b.Size}
}
