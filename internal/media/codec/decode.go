package codec

import (
	"errors"
	"fmt"
	"image"
	"image/jpeg"

	"golang.org/x/image/bmp"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/source"
)

// Decode decodes an image's first frame, cropped but not rotated. It returns a *source.Error for a
// file that cannot be decoded.
func (c *Codecs) Decode(in *source.Input, k filetype.Kind, h Header) (image.Image, error) {
	img, err := c.decode(in, k, h)
	return img, in.Judge("image", err)
}

// decode is Decode without converting errors. It treats a panic of a decoder as a broken image.
func (c *Codecs) decode(in *source.Input, k filetype.Kind, h Header) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("the decoder gave up: %v", r)
		}
	}()
	switch k.ContentType {
	case filetype.JPEG:
		if h.truncated != nil {
			img, err = h.truncated.decode(in, h.Height)
		} else {
			img, err = jpeg.Decode(in.Section())
		}
	case filetype.PNG:
		img, err = decodePNG(in)
	case filetype.GIF:
		img, err = decodeGIF(in, h)
	case filetype.WebP:
		img, err = c.decodeWebP(in, h)
	case filetype.AVIF:
		img, err = c.decodeAVIF(in, h)
	case filetype.HEIC, filetype.HEIF:
		img, err = c.decodeHEIC(in, h)
	case filetype.TIFF:
		img, err = decodeTIFF(in)
	case filetype.BMP:
		img, err = bmp.Decode(in.Section())
	default:
		err = errUnsupported
	}
	if err != nil {
		return nil, err
	}
	if inks, ok := img.(*image.CMYK); ok && h.Profile != nil && h.Profile.CMYK() {
		h.Profile.Convert(inks.Pix)
		img = &image.RGBA{Pix: inks.Pix, Stride: inks.Stride, Rect: inks.Rect}
	}
	if part, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok && !h.crop.Empty() {
		img = part.SubImage(h.crop)
	}
	if b := img.Bounds(); b.Dx() != h.Width || b.Dy() != h.Height {
		return nil, fmt.Errorf("%d × %d pixels, but the header says %d × %d", b.Dx(), b.Dy(), h.Width, h.Height)
	}
	return img, nil
}

// errUnsupported is the error for types that decode does not support.
var errUnsupported = errors.New("no decoder")
