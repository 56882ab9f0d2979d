package media

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
)

// quality is what photographs are encoded with: visibly as the original on a
// screen at a tenth of its bytes.
const quality = 82

// encode writes a picture as JPEG, or as WebP with up to limit bytes of memory
// if something shines through.
func (s *Studio) encode(ctx context.Context, picture image.Image, opaque bool, limit int64) (Rendition, error) {
	b := picture.Bounds()
	r := Rendition{Width: b.Dx(), Height: b.Dy()}
	if !opaque {
		var err error
		r.ContentType = typeWebP
		r.Bytes, err = s.codecs.encodeWebP(ctx, picture, limit)
		return r, err
	}
	var file bytes.Buffer
	file.Grow(b.Dx() * b.Dy() / 4)
	if err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: quality}); err != nil {
		return Rendition{}, fmt.Errorf("encode a version as JPEG: %w", err)
	}
	r.ContentType = typeJPEG
	r.Bytes = bytes.Clone(file.Bytes())
	return r, nil
}

// opaque reports whether nothing shines through a picture.
func opaque(picture image.Image) bool {
	o, ok := picture.(interface{ Opaque() bool })
	return ok && o.Opaque()
}
