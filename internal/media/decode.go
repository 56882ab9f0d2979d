package media

import (
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/bmp"
)

// decode decodes an image's first frame as it is stored. A decoder that panics
// has met a broken image.
func (s *Studio) decode(in *input, k Kind, h header) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("the decoder gave up: %v", r)
		}
	}()
	switch k.ContentType {
	case typeJPEG:
		img, err = jpeg.Decode(in.section())
	case typePNG:
		img, err = png.Decode(in.section())
	case typeGIF:
		img, err = decodeGIF(in, h)
	case typeWebP:
		img, err = s.codecs.decodeWebP(in, h)
	case typeAVIF:
		img, err = s.codecs.decodeAVIF(in, h)
	case typeHEIC, typeHEIF:
		img, err = s.codecs.decodeHEIC(in, h)
	case typeTIFF:
		img, err = decodeTIFF(in)
	case typeBMP:
		img, err = bmp.Decode(in.section())
	default:
		err = errUnsupported
	}
	if err != nil {
		return nil, err
	}
	if b := img.Bounds(); b.Dx() != h.width || b.Dy() != h.height {
		return nil, fmt.Errorf("%d × %d pixels, but the header says %d × %d", b.Dx(), b.Dy(), h.width, h.height)
	}
	return img, nil
}
