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
	"slices"
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

// Limits for fetched content, in bytes.
const (
	maxPage    = 5 << 20
	maxOEmbed  = 1 << 20
	maxPreview = 20 << 20
)

// MaxPoster is the maximum size in bytes of the image that a browser takes of a video.
const MaxPoster = 2 << 20

// The number of images and of oEmbed endpoints of a page that are tried.
const (
	previewTries = 3
	oEmbedTries  = 2
)

// relatedTimeout limits the fetch of a preview or an oEmbed answer. A slow one does not fail the page.
const relatedTimeout = 15 * time.Second

// relatedTotalTimeout limits all of these fetches for one block, so that the rest of the job has time left.
const relatedTotalTimeout = 30 * time.Second

// Values of the Accept header.
const (
	acceptAny   = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
	acceptImage = "image/*"
)

// content is the result of processing a block. Fields that were not found are empty.
type content struct {
	kind        domain.BlockType
	title       string
	description string // plain text
	altText     string
	markdown    string
	text        string // of a document, only for search
	sourceTitle string
	image, file *domain.File
	embed       *domain.Embed
	page        *domain.PageMetadata
	sound       *domain.Sound
}

// content fetches the content of a block. Its errors are temporary unless explain says otherwise.
func (a *intake) content(ctx context.Context, b domain.Block, p domain.ProcessingStatus) (content, error) {
	if p.UploadID != 0 {
		a.posterID = p.PosterID
		return a.contentOfUpload(ctx, p.UploadID)
	}
	if b.ValueURL == nil {
		return content{}, &errUnavailable{reason: "There is nothing to process"}
	}
	return a.contentOfURL(ctx, *b.ValueURL)
}

// contentOfURL fetches the content of a URL. A known provider is asked before the page, because the page itself often
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
	answer, err := a.get(ctx, fetch.Request{URL: address, Accept: acceptAny, MaxBytes: a.uploadLimit, Redirect: contentRedirect})
	if err != nil {
		return content{}, err
	}
	defer closing(answer.Body)
	body := bufio.NewReaderSize(answer.Body, 1<<12)
	head, err := body.Peek(sniffed) // reading returns the error again
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

// contentRedirect returns the target of a page that redirects by its content.
func contentRedirect(answer *fetch.Response, beginning []byte) *url.URL {
	if !isPage(answer, beginning[:min(len(beginning), sniffed)]) {
		return nil
	}
	return page.RedirectTarget(answer.URL, answer.MediaType(), answer.Header, beginning)
}

// errBlocked is why nothing is fetched from a blocked site.
var errBlocked = &fetch.Error{Reason: "The address " + core.SiteBlocked}

// get fetches a URL given by a user or a page. It never reaches a blocked site, or one that r.Permit refuses, not even
// through a redirect.
func (a *Content) get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	also := r.Permit
	r.Permit = func(ctx context.Context, to *url.URL) error {
		blocked, err := a.BlockedSites(ctx, to.String())
		if err == nil && blocked[0] {
			err = errBlocked
		}
		if err == nil && also != nil {
			err = also(ctx, to)
		}
		return err
	}
	return a.fetcher.Get(ctx, r)
}

// getRelated fetches something that a page refers to. done closes the body; the time until then counts towards
// relatedTotalTimeout.
func (a *intake) getRelated(ctx context.Context, r fetch.Request) (answer *fetch.Response, done func(), err error) {
	ctx, end, err := a.related.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	if answer, err = a.get(ctx, r); err != nil {
		end()
		return nil, nil, err
	}
	return answer, func() { closing(answer.Body); end() }, nil
}

// relatedTime limits the total time for fetching the resources of a page.
type relatedTime struct{ spent time.Duration }

// begin returns a context for one fetch, or an error if all of the time is spent. end ends the context and
// adds up the time.
func (s *relatedTime) begin(ctx context.Context) (aside context.Context, end func(), err error) {
	left := relatedTotalTimeout - s.spent
	if left <= 0 {
		return nil, nil, &fetch.Error{Reason: "What the page refers to took too long", Temporary: true}
	}
	began := time.Now()
	aside, cancel := context.WithTimeout(ctx, min(relatedTimeout, left))
	return aside, func() {
		cancel()
		s.spent += time.Since(began)
	}, nil
}

// fetched returns the reason why a body could not be staged.
func fetched(err error) error {
	if errors.Is(err, blob.ErrTooLarge) {
		return &errUnavailable{"The file is too large", err}
	}
	return err
}

// sniffed is the number of bytes that distinguish a page from a file.
const sniffed = 512

// isPage reports whether a response is a web page rather than a file. A page is labelled as HTML or not at all, is not
// meant to be downloaded, and its first bytes are text, possibly with control characters.
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

// contentOfPage makes an Embed or a Link of a web page. given is the URL that the user saved, and said is the answer of
// its provider, if the provider is known. An empty response is a page, too: there is no file to store.
func (a *intake) contentOfPage(ctx context.Context, given *url.URL, answer *fetch.Response, r io.Reader, said page.OEmbed) (content, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxPage))
	closing(answer.Body) // frees the slot of the site, which often serves the page's images too
	if len(body) > 0 && errors.Is(err, fetch.ErrCutOff) {
		err = nil // use the part that arrived, as browsers do
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
		page: &domain.PageMetadata{Canonical: canonicalOf(given, answer, p.Canonical), AuthorName: cmp.Or(said.AuthorName, p.Author)}}
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

// player returns the Embed of a page. The kind is "" if the page has no player. The player comes from a known provider
// to which the URL redirected, or from an answer of the type "video" that the page itself links to. Other linked answers
// often only repeat the page in a frame, so they only describe the Link, unless a known provider does. Endpoints of known
// providers are requested once, even if the page links to them.
func (a *intake) player(ctx context.Context, given, at *url.URL, p page.Page, said page.OEmbed) (content, page.OEmbed, error) {
	if at.String() != given.String() {
		made, known, err := a.fromProvider(ctx, at)
		if made.kind != "" || err != nil {
			return made, known, err
		}
		if known.Type != "" {
			said = known
		}
	}
	first, _ := a.providers.Find(given)
	second, _ := a.providers.Find(at)
	linked := slices.DeleteFunc(slices.Clone(p.OEmbed), func(e page.Endpoint) bool { return e.Same(first) || e.Same(second) })
	for _, endpoint := range linked[:min(len(linked), oEmbedTries)] {
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

// fromProvider requests the oEmbed answer of a page's known provider, if there is one. It returns an Embed, or the kind
// "" if the answer contains no player.
func (a *intake) fromProvider(ctx context.Context, at *url.URL) (made content, said page.OEmbed, err error) {
	endpoint, ok := a.providers.Find(at)
	if !ok {
		return made, said, nil
	}
	said, from, err := a.ask(ctx, endpoint)
	if err != nil || said.Type != "video" && (said.Type != "rich" || said.IsCard()) {
		return made, said, err
	}
	made, err = a.embedded(ctx, said, from, at)
	return made, said, err
}

// ask returns the answer of an oEmbed endpoint and its URL. Without a valid answer, the type is "". Errors are those of
// this server, not of the provider.
func (a *intake) ask(ctx context.Context, endpoint page.Endpoint) (said page.OEmbed, from *url.URL, err error) {
	answer, done, err := a.getRelated(ctx, fetch.Request{URL: endpoint.URL, Accept: "application/json, text/xml;q=0.8", MaxBytes: maxOEmbed})
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

// embedded makes an Embed of an oEmbed answer for the page at a URL. The kind is "" if the answer contains no safe
// frame.
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

// busyOrStopped returns the errors that make the whole attempt pointless for now.
func busyOrStopped(ctx context.Context, err error) error {
	if errors.Is(err, fetch.ErrBusy) || ctx.Err() != nil {
		return err
	}
	return nil
}

// contentOfUpload makes an Image or an Attachment of uploaded bytes.
func (a *intake) contentOfUpload(ctx context.Context, id domain.UploadID) (content, error) {
	u, err := a.Store.Blobs().UploadByID(ctx, id)
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

// HeadOfUpload reads up to limit bytes from the beginning of an upload.
func (a *Content) HeadOfUpload(ctx context.Context, id domain.UploadID, limit int64) ([]byte, error) {
	u, err := a.Store.Blobs().UploadByID(ctx, id)
	if err != nil {
		return nil, err
	}
	sent, err := a.openUpload(ctx, u)
	if err != nil {
		return nil, missing(err)
	}
	defer closing(sent)
	return io.ReadAll(io.LimitReader(sent, limit))
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
		b, err := a.Store.Blobs().Blob(ctx, u.BlobID)
		if err != nil {
			return nil, err
		}
		object = b.Object
	}
	return a.blobs.Open(ctx, object)
}

// cut shortens a text to the maximum length of a title.
func cut(s string) string {
	if r := []rune(s); len(r) > domain.MaxTitle {
		return strings.TrimSpace(string(r[:domain.MaxTitle-1])) + "…"
	}
	return s
}

// newFile returns a file with stored bytes.
func newFile(b domain.Blob, name string, kind filetype.Kind) domain.File {
	return domain.File{Key: auth.NewKey(), BlobID: b.ID, Object: b.Object, Name: name,
		ContentType: kind.ContentType, Extension: kind.Extension, Size: b.Size}
}
