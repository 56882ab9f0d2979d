package content

import (
	"context"
	"errors"

	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/media"
)

// preview gets the first of some images that can be shown; nil if there is none. An
// error is one of this server.
func (a *intake) preview(ctx context.Context, addresses []string) (*domain.File, error) {
	for _, address := range addresses[:min(len(addresses), previewTries)] {
		f, err := a.previewAt(ctx, address)
		if err == nil || !theirs(err) || busyOrStopped(ctx, err) != nil {
			return f, err
		}
	}
	return nil, nil
}

// theirs tells of an error that is due to what was fetched, or for which the author has no
// room: the block does without.
func theirs(err error) bool {
	_, fetching := errors.AsType[*fetch.Error](err)
	_, reading := errors.AsType[*media.Error](err)
	_, lasting := errors.AsType[*errUnavailable](err)
	return fetching || reading || lasting || errors.Is(err, errOverQuota)
}

func (a *intake) previewAt(ctx context.Context, address string) (*domain.File, error) {
	aside, cancel := context.WithTimeout(ctx, asideTimeout)
	defer cancel()
	answer, err := a.get(aside, fetch.Request{URL: address, Accept: acceptImage, MaxBytes: maxPreview})
	if err != nil {
		return nil, err
	}
	defer closing(answer.Body)
	staged, err := a.staging.Receive(ctx, answer.Body, maxPreview) // ends with aside by its source
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
