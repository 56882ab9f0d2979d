package content

import (
	"context"
	"errors"
	"io"

	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/strip"
)

// CheckPicture reads an upload of the actor and checks at once that a picture can be made of it, although a job makes
// the picture later. A problem is reported as a fault of the field. It takes as long as decoding the image.
func (a *Content) CheckPicture(ctx context.Context, actor domain.Actor, field, address string) error {
	upload, named, err := a.UploadNamed(ctx, actor, field, address)
	if err == nil && !named {
		err = domain.InvalidField(field, domain.FieldUnknown, "must be the address of an upload of yours")
	}
	if err != nil {
		return err
	}
	staged, err := a.fetchUpload(ctx, upload)
	if err != nil {
		return err
	}
	defer a.discard(staged)
	bytes, err := staged.Open()
	if err != nil {
		return err
	}
	defer closing(bytes)
	src := io.NewSectionReader(bytes, 0, staged.Size)
	kind, err := filetype.Detect(ctx, src, tidyName(upload.Name))
	if err != nil {
		return err
	}
	switch kind.Class {
	case filetype.Raster:
		_, err = a.studio.Render(ctx, src, kind, []domain.ImageVersion{avatarVersion})
	case filetype.Vector:
		_, err = strip.SanitizeSVG(src)
	default:
		return domain.InvalidField(field, domain.FieldMalformed, "must be an image")
	}
	if _, unusable := errors.AsType[*media.Error](err); unusable {
		return domain.InvalidField(field, domain.FieldMalformed, "is an image that is broken or too large")
	}
	return err
}
