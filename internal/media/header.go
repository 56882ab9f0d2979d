package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// header is what an image says of itself before it is decoded.
type header struct {
	width, height int         // as stored
	orientation   orientation // how to turn it for viewing
	animated      bool
	videoRange    bool // YCbCr samples are of the range that video uses
	// perPixel is how many bytes decoding needs for each pixel at most, the
	// decoded image included.
	perPixel float64
}

// upright returns width and height as viewed.
func (h header) upright() (int, int) {
	if h.orientation.swaps() {
		return h.height, h.width
	}
	return h.width, h.height
}

func readHeader(in *input, k Kind) (header, error) {
	h, err := parseHeader(in, k)
	if err != nil {
		return header{}, judge(in, "image", err)
	}
	if h.width < 1 || h.height < 1 {
		return header{}, broken("image", fmt.Errorf("%d × %d pixels", h.width, h.height))
	}
	if h.orientation < 1 || h.orientation > 8 {
		h.orientation = 1
	}
	return h, nil
}

func parseHeader(in *input, k Kind) (header, error) {
	switch k.ContentType {
	case typeJPEG:
		return jpegHeader(in)
	case typePNG:
		return pngHeader(in)
	case typeGIF:
		return gifHeader(in)
	case typeWebP:
		return webpHeader(in)
	case typeAVIF, typeHEIC, typeHEIF:
		return isobmffHeader(in, k)
	case typeTIFF:
		h, err := configured(tiff.DecodeConfig(in.section()))
		h.orientation = tiffOrientation(in, 0)
		h.perPixel *= 2 // strips are unpacked beside the image
		return h, err
	case typeBMP:
		return configured(bmp.DecodeConfig(in.section()))
	}
	return header{}, refused("Images of the type %s cannot be resized", k.ContentType)
}

// configured makes a header of a decoder's config.
func configured(c image.Config, err error) (header, error) {
	return header{width: c.Width, height: c.Height, perPixel: pixelBytes(c.ColorModel)}, err
}

// pixelBytes is how many bytes a decoded pixel takes, with those of the RGBA
// that is made of what is neither planes nor RGBA.
func pixelBytes(m color.Model) float64 {
	const rgba = 4
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2 + rgba
	case color.YCbCrModel:
		return 3
	case color.NYCbCrAModel:
		return 4 + rgba
	case color.NRGBA64Model, color.RGBA64Model:
		return 8 + rgba
	}
	if _, ok := m.(color.Palette); ok {
		return 1 + rgba
	}
	return rgba
}

func pngHeader(in *input) (header, error) {
	h, err := configured(png.DecodeConfig(in.section()))
	if err != nil {
		return header{}, err
	}
	// A chunk is length, type, data and checksum: PNG, section 5.3.
	for at := int64(8); at < in.src.Size(); {
		b, err := in.bytes(at, 8)
		if err != nil {
			return header{}, err
		}
		length := int64(binary.BigEndian.Uint32(b))
		switch string(b[4:]) {
		case "acTL":
			h.animated = true
		case "eXIf":
			h.orientation = tiffOrientation(in, at+8)
		case "IDAT":
			return h, nil
		}
		at += length + 12
	}
	return header{}, errors.New("no IDAT chunk")
}

func gifHeader(in *input) (header, error) {
	c, err := gif.DecodeConfig(in.section())
	if err != nil {
		return header{}, err
	}
	// The first frame, and the screen it is drawn on when it does not fill it.
	h := header{width: c.Width, height: c.Height, perPixel: 1 + 4}
	h.animated, err = gifAnimated(in)
	return h, err
}

func webpHeader(in *input) (header, error) {
	w, err := parseWebP(in)
	if err != nil {
		return header{}, err
	}
	h, err := configured(webp.DecodeConfig(in.section()))
	h.animated = w.frame.length > 0
	h.perPixel = max(h.perPixel, 8) // lossless ones keep their tables beside them
	if w.exif.length > 0 {
		h.orientation = tiffOrientation(in, w.exif.at)
	}
	return h, err
}
