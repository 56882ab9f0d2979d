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
)

// maxSide bounds both sides of an image in pixels: rows of samples and weights
// are as long. JPEG and GIF end at 65,535, WebP at 16,384.
const maxSide = 32_768

// header is what an image says of itself before it is decoded.
type header struct {
	width, height int         // as stored
	orientation   orientation // how to turn it for viewing
	animated      bool
	videoRange    bool // YCbCr samples are of the range that video uses

	// How many bytes the image takes at most: while it is decoded, all in all,
	// and afterwards as one of the pictures that normal returns.
	decoding, decoded int64
	channels          int   // 4 where that picture is RGBA
	opaque            bool  // for sure
	codec             int64 // bytes of decoding that are a codec's own memory
}

func (h header) pixels() int64 { return int64(h.width) * int64(h.height) }

// pixelSize is how many bytes a pixel takes while a decoder in Go works, and
// after normal.
type pixelSize struct {
	decoding, decoded int64
	channels          int
}

// The pixels of the types of package image. RGBA is made beside a palette's
// indexes, and in place of everything else.
var (
	grayPixels    = pixelSize{1, 1, 1}
	gray16Pixels  = pixelSize{2, 2, 1}
	palettePixels = pixelSize{1, 1 + 4, 4}
	rgbaPixels    = pixelSize{4, 4, 4}
	rgba64Pixels  = pixelSize{8, 8, 4}
)

func pixelSizeOf(m color.Model) pixelSize {
	switch m {
	case color.GrayModel:
		return grayPixels
	case color.Gray16Model:
		return gray16Pixels
	case color.NRGBA64Model, color.RGBA64Model:
		return rgba64Pixels
	}
	if _, ok := m.(color.Palette); ok {
		return palettePixels
	}
	return rgbaPixels
}

// take sets what the image takes with pixels of a size.
func (h *header) take(p pixelSize) {
	h.decoding, h.decoded, h.channels = p.decoding*h.pixels(), p.decoded*h.pixels(), p.channels
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
	h.channels = max(1, h.channels)
	h.opaque = h.opaque || h.channels == 1
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
		return tiffHeader(in)
	case typeBMP:
		return configured(bmp.DecodeConfig(in.section()))
	}
	return header{}, refused("Images of the type %s cannot be resized", k.ContentType)
}

// configured makes a header of a decoder's config.
func configured(c image.Config, err error) (header, error) {
	h := header{width: c.Width, height: c.Height}
	h.take(pixelSizeOf(c.ColorModel))
	return h, err
}

func pngHeader(in *input) (header, error) {
	h, err := configured(png.DecodeConfig(in.section()))
	if err != nil {
		return header{}, err
	}
	shape, err := in.bytes(24, 5) // of IHDR: PNG, section 11.2.1
	if err != nil {
		return header{}, err
	}
	const alpha = 4 // a bit of the colour type
	h.opaque = shape[1]&alpha == 0
	interlaced := shape[4] != 0
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
		case "tRNS": // a colour that is transparent: such images get an alpha channel
			h.opaque = false
			if h.channels == 1 {
				h.take(map[bool]pixelSize{false: rgbaPixels, true: rgba64Pixels}[shape[0] == 16])
			}
		case "IDAT":
			if interlaced { // its seven passes are images of their own
				h.decoding *= 2
			}
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
	// The first frame, twice if it is interlaced, and the screen that it is drawn
	// on when it does not fill it.
	h := header{width: c.Width, height: c.Height}
	h.take(pixelSize{1 + 1 + 4, 1 + 4, 4})
	h.animated, err = gifAnimated(in)
	return h, err
}
