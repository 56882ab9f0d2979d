package content

import (
	"bufio"
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
	source      string // a better address than the one given
	sourceTitle string
	image, file *domain.File
	embed       *domain.Embed
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

// contentOfURL gets what is at an address. A known provider is asked before the page:
// its pages often need a browser.
func (a *intake) contentOfURL(ctx context.Context, address string) (content, error) {
	at, err := weburl.Parse(address)
	if err != nil {
		return content{}, &errUnavailable{"The address cannot be read", err}
	}
	if endpoint, ok := a.providers.Find(at); ok {
		if made, ok, err := a.embedded(ctx, at, endpoint); ok || err != nil {
			return made, err
		}
	}
	answer, err := a.get(ctx, fetch.Request{URL: address, Accept: acceptAny, MaxBytes: a.uploadLimit})
	if err != nil {
		return content{}, err
	}
	defer closing(answer.Body)
	body := bufio.NewReaderSize(answer.Body, 1<<12)
	head, err := body.Peek(sniffed) // an error shows again when it is read
	empty := len(head) == 0 && errors.Is(err, io.EOF)
	if empty || isPage(answer, head) {
		return a.contentOfPage(ctx, address, answer, body)
	}
	staged, err := a.staging.Receive(ctx, body, a.uploadLimit)
	if err != nil {
		return content{}, fetched(err)
	}
	defer a.discard(staged)
	return a.contentOfFile(ctx, staged, fileName(answer))
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

// contentOfPage makes an Embed or a Link of a web page that was asked for at an address. An empty answer is a
// page, too: there is no file to keep.
func (a *intake) contentOfPage(ctx context.Context, address string, answer *fetch.Response, r io.Reader) (content, error) {
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
	for _, endpoint := range p.OEmbed[:min(len(p.OEmbed), oEmbedTries)] {
		made, ok, err := a.embedded(ctx, answer.URL, endpoint)
		if ok || err != nil {
			made.description = p.Description
			if made.title == "" {
				made.title, made.sourceTitle = cut(p.Title), cut(p.Title)
			}
			return made, err
		}
	}
	made := content{kind: domain.LinkBlock, title: cut(p.Title), description: p.Description, markdown: p.Markdown,
		source: betterAddress(address, answer.URL, p.Canonical), sourceTitle: cut(p.Title)}
	blocked, err := a.BlockedSites(ctx, made.source)
	if err != nil {
		return made, err
	}
	if blocked[0] {
		made.source = ""
	}
	made.image, made.altText, err = a.previewOf(ctx, p)
	return made, err
}

// betterAddress is the one that a page gives as its own, unless it was led to (from
// behind a login, say) or gives the site's: what a user linked to is not lost.
func betterAddress(given string, at, canonical *url.URL) string {
	asked, err := url.Parse(given)
	led := err != nil || !strings.EqualFold(asked.Hostname(), at.Hostname()) || asked.EscapedPath() != at.EscapedPath() ||
		asked.RawQuery != at.RawQuery
	home := strings.Trim(canonical.Path, "/") == "" && strings.Trim(at.Path, "/") != ""
	if address := canonical.String(); !led && !home && len(address) <= domain.MaxURL {
		return address
	}
	return ""
}

// embedded asks a provider for the player of a page; ok reports whether there is one.
// An error is one of this server: a provider that does not answer is none.
func (a *intake) embedded(ctx context.Context, at *url.URL, endpoint page.Endpoint) (made content, ok bool, err error) {
	aside, cancel := context.WithTimeout(ctx, asideTimeout)
	defer cancel()
	answer, err := a.get(aside, fetch.Request{URL: endpoint.URL, Accept: "application/json, text/xml;q=0.8", MaxBytes: maxOEmbed})
	if err != nil {
		return made, false, busyOrStopped(ctx, err)
	}
	body, err := io.ReadAll(answer.Body)
	closing(answer.Body)
	if err != nil {
		return made, false, busyOrStopped(ctx, err)
	}
	said, err := page.ReadOEmbed(body, answer.MediaType())
	if err != nil || said.Type == "photo" || said.Type == "link" {
		return made, false, nil
	}
	html := said.SafeHTML(answer.URL, at, a.ownHosts...)
	if html == "" {
		return made, false, nil
	}
	made = content{kind: domain.EmbedBlock, title: cut(said.Title), sourceTitle: cut(said.Title),
		embed: &domain.Embed{URL: said.URL, Type: said.Type, Title: said.Title, AuthorName: said.AuthorName, AuthorURL: said.AuthorURL,
			SourceURL: at.String(), Width: int64(said.Width), Height: int64(said.Height), HTML: html, ThumbnailURL: said.ThumbnailURL}}
	if said.ThumbnailURL != "" {
		made.image, err = a.preview(ctx, []string{said.ThumbnailURL})
	}
	return made, err == nil, err
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
