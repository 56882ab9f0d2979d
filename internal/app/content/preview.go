package content

import (
	"context"
	"errors"

	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/media"
	"vitrine/internal/page"
)

// preview fetches the first address that contains an image, or returns nil if none of them does. It
// only returns errors of this server.
func (a *intake) preview(ctx context.Context, addresses []string) (*domain.File, error) {
	for _, address := range addresses[:min(len(addresses), previewTries)] {
		f, err := a.previewAt(ctx, address)
		if err == nil || !theirs(err) || busyOrStopped(ctx, err) != nil {
			return f, err
		}
	}
	return nil, nil
}

// previewOf returns the preview image of a page and its description: an image that the page declares, or else
// the first large image in its body.
func (a *intake) previewOf(ctx context.Context, p page.Page) (f *domain.File, alt string, err error) {
	if f, err = a.preview(ctx, p.Images); f != nil || err != nil {
		return f, p.ImageAlt, err
	}
	for _, picture := range p.Pictures[:min(len(p.Pictures), previewTries)] {
		f, err = a.previewAt(ctx, picture.Address)
		if err != nil && (!theirs(err) || busyOrStopped(ctx, err) != nil) {
			return nil, "", err
		}
		// The size of an SVG without dimensions is 0.
		if err == nil && f.Width >= page.MinWidth && f.Height >= page.MinHeight {
			return f, picture.Alt, nil
		}
	}
	return nil, "", nil
}

// theirs reports whether an error is caused by the fetched file or the author's quota. The block then goes without a
// preview.
func theirs(err error) bool {
	_, fetching := errors.AsType[*fetch.Error](err)
	_, reading := errors.AsType[*media.Error](err)
	_, lasting := errors.AsType[*errUnavailable](err)
	return fetching || reading || lasting || errors.Is(err, errOverQuota)
}

func (a *intake) previewAt(ctx context.Context, address string) (*domain.File, error) {
	answer, done, err := a.getRelated(ctx, fetch.Request{URL: address, Accept: acceptImage, MaxBytes: maxPreview})
	if err != nil {
		return nil, err
	}
	staged, err := a.staging.Receive(ctx, answer.Body, maxPreview)
	done()
	if err != nil {
		return nil, fetched(err)
	}
	defer a.discard(staged)
	made, err := a.contentOfFile(ctx, staged, fileName(answer))
	if err == nil && made.kind != domain.ImageBlock {
		err = &media.Error{Reason: "The preview is no image"}
	}
	return made.image, err
}
