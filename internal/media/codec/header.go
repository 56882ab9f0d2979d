// Package codec reads, decodes and encodes images in all common formats. It calculates the memory
// for decoding in advance; the figures are next to the decoders that they describe.
package codec

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"

	"golang.org/x/image/bmp"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/source"
)

// Header describes an image before it is decoded.
type Header struct {
	Width, Height int         // as stored, without the parts that crop removes
	Orientation   Orientation // how to rotate it for viewing
	Animated      bool
	videoRange    bool // YCbCr samples have the range used in video

	// For AVIF and HEIC, the size of the coded image and the part of it to show. An empty crop
	// shows all of it.
	stored image.Point
	crop   image.Rectangle

	truncated *truncatedJPEG // nil for a complete file

	// Profile converts the colours to sRGB. It applies after Decode if there are three
	// channels. It is nil if the colours are sRGB, or if the file does not define them.
	Profile *ColorTransform
	icc     []byte // the bytes of the profile
	cmyk    bool

	alpha   uint32 // the item of a HEIC file with the alpha channel, or 0
	samples int64  // maximum bytes of the samples of an item of a HEIC file

	// Maximum memory of the image in bytes: in total while it is decoded, and afterwards as a
	// picture returned by Normal.
	Decoding, Decoded int64
	Channels          int   // 4 if that picture is RGBA
	Opaque            bool  // certainly opaque
	codec             int64 // part of Decoding that is a codec's own memory
}

// Pixels returns the number of pixels.
func (h Header) Pixels() int64 { return int64(h.Width) * int64(h.Height) }

// pixelSize is the number of bytes per pixel while a Go decoder works, and after Normal.
type pixelSize struct {
	decoding, decoded int64
	channels          int
}

// Pixel sizes of the types of package image. For a palette, RGBA is allocated in addition to the
// indexes; otherwise it replaces the original.
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

// take sets the memory of the image for a pixel size.
func (h *Header) take(p pixelSize) {
	h.Decoding, h.Decoded, h.Channels = p.decoding*h.Pixels(), p.decoded*h.Pixels(), p.channels
}

// Upright returns the width and height as viewed.
func (h Header) Upright() (int, int) {
	if h.Orientation.Swaps() {
		return h.Height, h.Width
	}
	return h.Width, h.Height
}

// ReadHeader reads the header of an image. It returns a *source.Error if the file is not an image.
func ReadHeader(in *source.Input, k filetype.Kind) (Header, error) {
	h, err := parseHeader(in, k)
	if err != nil {
		return Header{}, in.Judge("image", err)
	}
	if h.Width < 1 || h.Height < 1 {
		return Header{}, source.Broken("image", fmt.Errorf("%d × %d pixels", h.Width, h.Height))
	}
	h.Channels = max(1, h.Channels)
	h.Opaque = h.Opaque || h.Channels == 1
	if len(h.icc) > 0 {
		channels := 3
		if h.cmyk {
			channels = 4
		}
		// An image whose profile cannot be used is shown without it, as browsers do.
		h.Profile, _ = NewColorTransform(h.icc, channels)
		h.icc = nil
	}
	if h.Orientation < 1 || h.Orientation > 8 {
		h.Orientation = 1
	}
	return h, nil
}

func parseHeader(in *source.Input, k filetype.Kind) (Header, error) {
	switch k.ContentType {
	case filetype.JPEG:
		return jpegHeader(in)
	case filetype.PNG:
		return pngHeader(in)
	case filetype.GIF:
		return gifHeader(in)
	case filetype.WebP:
		return webpHeader(in)
	case filetype.AVIF, filetype.HEIC, filetype.HEIF:
		return isobmffHeader(in, k)
	case filetype.TIFF:
		return tiffHeader(in)
	case filetype.BMP:
		return configured(bmp.DecodeConfig(in.Section()))
	}
	return Header{}, source.Refused("Images of the type %s cannot be resized", k.ContentType)
}

// configured returns the header for a decoder's config.
func configured(c image.Config, err error) (Header, error) {
	h := Header{Width: c.Width, Height: c.Height}
	h.take(pixelSizeOf(c.ColorModel))
	return h, err
}

func pngHeader(in *source.Input) (Header, error) {
	h, err := configured(png.DecodeConfig(in.Section()))
	if err != nil {
		return Header{}, err
	}
	shape, err := in.Bytes(24, 5) // of IHDR: PNG, section 11.2.1
	if err != nil {
		return Header{}, err
	}
	const alpha = 4 // a bit of the colour type
	h.Opaque = shape[1]&alpha == 0
	interlaced := shape[4] != 0
	// A chunk is length, type, data and checksum: PNG, section 5.3.
	for at := int64(8); at < in.Size(); {
		b, err := in.Bytes(at, 8)
		if err != nil {
			return Header{}, err
		}
		length := int64(binary.BigEndian.Uint32(b))
		switch string(b[4:]) {
		case "acTL":
			h.Animated = true
		case "iCCP":
			h.icc = pngProfile(in, span{at + 8, length})
		case "eXIf":
			h.Orientation = tiffOrientation(in, at+8)
		case "tRNS": // a colour that is transparent: such images get an alpha channel
			h.Opaque = false
			if h.Channels == 1 {
				h.take(map[bool]pixelSize{false: rgbaPixels, true: rgba64Pixels}[shape[0] == 16])
			}
		case "IDAT":
			if interlaced { // each of the seven passes is a separate image
				h.Decoding *= 2
			}
			return h, nil
		}
		at += length + 12
	}
	return Header{}, errors.New("no IDAT chunk")
}

// pngProfile returns the profile in an iCCP chunk, or nil if it is broken. A
// name, a zero and a method come before the profile: PNG, section 11.3.2.3.
func pngProfile(in *source.Input, chunk span) []byte {
	if chunk.length > maxProfileSize {
		return nil
	}
	b, err := in.Bytes(chunk.at, int(chunk.length))
	if err != nil {
		return nil
	}
	_, packed, ok := bytes.Cut(b, []byte{0})
	if !ok || len(packed) < 1 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	icc, err := io.ReadAll(io.LimitReader(z, maxProfileSize+1))
	if err != nil {
		return nil
	}
	return icc
}

func gifHeader(in *source.Input) (Header, error) {
	c, err := gif.DecodeConfig(in.Section())
	if err != nil {
		return Header{}, err
	}
	// The first frame, twice if it is interlaced, and the screen if the frame does not fill it.
	h := Header{Width: c.Width, Height: c.Height}
	h.take(pixelSize{1 + 1 + 4, 1 + 4, 4})
	h.Animated, err = gifAnimated(in)
	return h, err
}
