package content

import (
	"context"
	"errors"
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

// Arrival is a file that comes with something brought in from elsewhere: its bytes are kept, and
// room for them is held on the quota of who brings it, until it is settled or released.
type Arrival struct {
	in   *intake
	made content
}

// Receive keeps the bytes of a file that is brought in. Unusable tells of its errors which are
// the file's fault.
func (a *Content) Receive(ctx context.Context, owner domain.UserID, name string, r io.Reader) (*Arrival, error) {
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
	return &Arrival{in, made}, nil
}

// ReceivePreview is Receive for an image that stands for something else.
func (a *Content) ReceivePreview(ctx context.Context, owner domain.UserID, name string, r io.Reader) (*Arrival, error) {
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

// Kind is what a block of the file is.
func (r *Arrival) Kind() domain.BlockType { return r.made.kind }

// HasImage reports whether the file is an image, or has one that stands for it.
func (r *Arrival) HasImage() bool { return r.made.image != nil }

// Words returns the text of the file as the content of its block, nil if it has none.
func (r *Arrival) Words() *domain.Text { return r.made.words() }

// Bytes is how many are kept for it.
func (r *Arrival) Bytes() (n int64) {
	for _, f := range []*domain.File{r.made.image, r.made.file} {
		if f != nil {
			n += f.Size
		}
	}
	return n
}

// Settle gives the files addresses in the transaction that makes their block: the image, or the
// preview, and the file of an attachment. If keepMetadata, they are served with all their metadata.
func (r *Arrival) Settle(ctx context.Context, tx *store.Tx, keepMetadata bool) (image, file *domain.File, err error) {
	if err := r.in.settle(ctx, tx, r.made.image, r.made.file); err != nil {
		return nil, nil, err
	}
	image, file = copied(r.made.image), copied(r.made.file)
	for _, f := range []*domain.File{image, file} {
		if f == nil {
			continue
		}
		f.Owner, f.KeepsMetadata = r.in.held.user, keepMetadata
		if f.ID, err = tx.AddFile(ctx, *f, r.in.Now()); err != nil {
			return nil, nil, err
		}
	}
	return image, file, nil
}

// Release gives back room that was not settled. It may be called after Settle.
func (r *Arrival) Release(ctx context.Context) { r.in.release(ctx) }

// Player is the media of a page, as somebody elsewhere says that it is played: with a frame of this
// server's making, or nil where there is none that is safe. Fetch says that the provider is known,
// and can be asked for a better one.
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

// Unusable tells why a file cannot be kept, where that is due to the file, its source or the
// quota of who brings it, and not to this server.
func Unusable(err error) (why string, ok bool) {
	if e, is := errors.AsType[*media.Error](err); is {
		return e.Reason, true
	}
	why, _ = explain(err)
	return why, theirs(err)
}
