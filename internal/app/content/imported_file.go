package content

import (
	"context"
	"io"
	"net/url"
	"strings"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/page"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
)

// ImportedFile is a stored file of an import. Its size is reserved in the importing user's quota until it is settled or
// released.
type ImportedFile struct {
	in   *intake
	made content
}

// Receive stores the bytes of an imported file. Unusable reports which of its errors are caused by the file.
func (a *Content) Receive(ctx context.Context, owner domain.UserID, name string, r io.Reader) (*ImportedFile, error) {
	staged, err := a.staging.Receive(ctx, r, a.uploadLimit)
	if err != nil {
		return nil, fetched(err)
	}
	defer a.discard(staged)
	in := a.newIntake("bring:"+auth.NewKey(), owner)
	made, err := in.contentOfFile(ctx, staged, tidyName(name))
	if err != nil {
		in.release(ctx)
		return nil, err
	}
	return &ImportedFile{in, made}, nil
}

// ReceivePreview is Receive for a preview image.
func (a *Content) ReceivePreview(ctx context.Context, owner domain.UserID, name string, r io.Reader) (*ImportedFile, error) {
	arrived, err := a.Receive(ctx, owner, name, r)
	if err == nil && arrived.made.kind != domain.ImageBlock {
		arrived.Release(ctx)
		err = &media.Error{Reason: "The preview is no image"}
	}
	if err != nil {
		return nil, err
	}
	return arrived, nil
}

// Kind returns the type of a block made of the file.
func (r *ImportedFile) Kind() domain.BlockType { return r.made.kind }

// HasImage reports whether the file is an image or has a preview image.
func (r *ImportedFile) HasImage() bool { return r.made.image != nil }

// Words returns the text of the file as the content of its block, or nil if it has none.
func (r *ImportedFile) Words() *domain.Text { return r.made.words() }

// Sound returns what an audio file says about itself, or nil.
func (r *ImportedFile) Sound() *domain.Sound { return r.made.sound }

// Bytes returns the number of bytes stored for the file.
func (r *ImportedFile) Bytes() (n int64) {
	for _, f := range []*domain.File{r.made.image, r.made.file} {
		if f != nil {
			n += f.Size
		}
	}
	return n
}

// Settle creates the files in the transaction that creates their block: the image or preview, and the file of an
// attachment. If keepMetadata is set, they are served with all their metadata.
func (r *ImportedFile) Settle(ctx context.Context, tx *store.Tx, keepMetadata bool) (image, file *domain.File, err error) {
	if err := r.in.settle(ctx, tx, r.made.image, r.made.file); err != nil {
		return nil, nil, err
	}
	image, file = copied(r.made.image), copied(r.made.file)
	for _, f := range []*domain.File{image, file} {
		if f == nil {
			continue
		}
		f.Owner, f.KeepsMetadata = r.in.held.user, keepMetadata
		if f.ID, err = tx.Blobs().AddFile(ctx, *f, r.in.Now()); err != nil {
			return nil, nil, err
		}
	}
	return image, file, nil
}

// Release releases the reservation if it was not settled. It may be called after Settle.
func (r *ImportedFile) Release(ctx context.Context) { r.in.release(ctx) }

// Player returns the player of a page from the claims of another server: with a frame that this server builds, or nil if
// no safe frame exists. fetch reports whether the provider is known, so that the caller can request a better player.
func (a *Content) Player(address string, said domain.Embed) (safe *domain.Embed, fetch bool) {
	at, err := weburl.Parse(address)
	if err != nil {
		return nil, false
	}
	endpoint, known := a.providers.Find(at)
	var asked *url.URL
	if known {
		asked, _ = weburl.Parse(endpoint.URL) // nil matches no frame
	}
	o := page.OEmbed{Type: said.Type, Title: said.Title, HTML: said.HTML, Width: int(said.Width), Height: int(said.Height)}
	if said.HTML = o.SafeHTML(asked, at, a.ownHosts...); said.HTML == "" {
		return nil, known
	}
	for _, link := range []*string{&said.URL, &said.AuthorURL, &said.SourceURL, &said.ThumbnailURL} {
		plain, err := weburl.Canonical(*link)
		if err != nil || len(plain) > domain.MaxURL {
			plain = ""
		}
		*link = plain
	}
	for _, text := range []*string{&said.Type, &said.Title, &said.AuthorName} {
		*text = cut(strings.ToValidUTF8(strings.ReplaceAll(*text, "\x00", ""), "\uFFFD"))
	}
	return &said, false
}

// Unusable returns the reason why a file cannot be stored if the file, its source or the user's quota is the cause,
// rather than this server.
func Unusable(err error) (why string, ok bool) {
	why, _ = explain(err)
	return why, theirs(err)
}
