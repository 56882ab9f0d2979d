package codec

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"

	"vitrine/internal/media/filetype"
)

// quality is the JPEG and WebP quality for photographs: visually equal to the original on a screen,
// at a tenth of its size.
const quality = 82

// Encode encodes a picture as JPEG, or if it has transparency as WebP, with up to limit bytes of
// memory.
func (c *Codecs) Encode(ctx context.Context, picture image.Image, opaque bool, limit int64) (contentType string, file []byte, err error) {
	if !opaque {
		file, err = c.encodeWebP(ctx, picture, limit)
		return filetype.WebP, file, err
	}
	b := picture.Bounds()
	var buffer bytes.Buffer
	buffer.Grow(b.Dx() * b.Dy() / 4)
	if err := jpeg.Encode(&buffer, picture, &jpeg.Options{Quality: quality}); err != nil {
		return "", nil, fmt.Errorf("encode a version as JPEG: %w", err)
	}
	return filetype.JPEG, bytes.Clone(buffer.Bytes()), nil
}
