package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"io"

	"golang.org/x/image/webp"

	"vitrine/internal/media/source"
)

// span is a part of a file.
type span struct{ at, length int64 }

// webpImage is one image of a WebP file: RFC 9649, section 2.
type webpImage struct {
	alpha, samples span // contents of the chunks; alpha may be missing
	lossless       bool
	width, height  int
}

// webpParts are the parts of a WebP file that we use.
type webpParts struct {
	webpImage // the only one, or the first frame of an animation

	canvas image.Rectangle // empty without a header of the extended format
	place  image.Rectangle // position of an animation's frame on the canvas
	exif   span
	icc    span
}

func (p webpParts) animated() bool { return !p.place.Empty() }

// fills reports whether the image covers the whole canvas.
func (p webpParts) fills() bool { return !p.animated() || p.place == p.canvas }

func parseWebP(in *source.Input) (webpParts, error) {
	var p webpParts
	err := eachChunk(in, span{12, in.Size() - 12}, func(kind string, data span) error {
		switch kind {
		case "VP8X":
			b, err := in.Bytes(data.at, 10)
			if err != nil {
				return err
			}
			p.canvas = image.Rect(0, 0, uint24(b[4:])+1, uint24(b[7:])+1)
		case "EXIF":
			p.exif = data
		case "ICCP":
			p.icc = data
		case "ANMF":
			if p.animated() || p.samples.length > 0 {
				return nil
			}
			b, err := in.Bytes(data.at, 16)
			if err != nil {
				return err
			}
			at := image.Pt(2*uint24(b), 2*uint24(b[3:]))
			p.place = image.Rect(0, 0, uint24(b[6:])+1, uint24(b[9:])+1).Add(at)
			return eachChunk(in, span{data.at + 16, data.length - 16}, func(kind string, data span) error {
				return p.take(in, kind, data)
			})
		default:
			return p.take(in, kind, data)
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	own := image.Rect(0, 0, p.width, p.height)
	switch {
	case p.samples.length == 0:
		return p, errors.New("no image")
	case p.animated() && (p.place.Size() != own.Size() || !p.place.In(p.canvas)):
		return p, errors.New("a frame beyond the canvas")
	case p.canvas.Empty():
		p.canvas = own
	case !p.animated() && p.canvas != own:
		return p, errors.New("an image that is not as large as the canvas")
	}
	return p, nil
}

// eachChunk calls f for every chunk in a part of the file. A chunk that is longer than the file is
// an error, because decoders would allocate its declared length.
func eachChunk(in *source.Input, part span, f func(kind string, data span) error) error {
	for end := part.at + part.length; part.at+8 <= end; {
		b, err := in.Bytes(part.at, 8)
		if err != nil {
			return err
		}
		data := span{part.at + 8, int64(binary.LittleEndian.Uint32(b[4:]))}
		if data.at+data.length > end {
			return io.ErrUnexpectedEOF
		}
		if err := f(string(b[:4]), data); err != nil {
			return err
		}
		part.at = data.at + data.length + data.length&1
	}
	return nil
}

// take records a chunk of the first image.
func (w *webpImage) take(in *source.Input, kind string, data span) error {
	if w.samples.length > 0 {
		return nil
	}
	switch kind {
	case "ALPH":
		w.alpha = data
	case "VP8 ": // RFC 6386, section 9.1
		b, err := in.Bytes(data.at, 10)
		if err != nil {
			return err
		}
		w.samples = data
		w.width, w.height = int(binary.LittleEndian.Uint16(b[6:])&0x3FFF), int(binary.LittleEndian.Uint16(b[8:])&0x3FFF)
	case "VP8L": // RFC 9649, section 3.4
		b, err := in.Bytes(data.at, 5)
		if err != nil {
			return err
		}
		w.samples, w.lossless = data, true
		size := binary.LittleEndian.Uint32(b[1:])
		w.width, w.height = int(size&0x3FFF)+1, int(size>>14&0x3FFF)+1
	}
	return nil
}

// planes reports whether the samples are planes without alpha, which x/image/webp decodes. It is
// not used for lossless images or lossless alpha, because its tables can take thousands of times
// the size of a malicious file.
func (w webpImage) planes() bool { return !w.lossless && w.alpha.length == 0 }

func webpHeader(in *source.Input) (Header, error) {
	p, err := parseWebP(in)
	if err != nil {
		return Header{}, err
	}
	h := Header{Width: p.width, Height: p.height, Animated: p.animated(), Channels: 1}
	if p.planes() {
		blocks := int64((p.width+15)/16) * int64((p.height+15)/16)
		h.Decoded = blocks * 256 * 3 / 2
		h.Decoding = h.Decoded + 32*blocks + p.samples.length
	} else {
		h.take(pixelSize{3, 3 + 4, 4}) // planes, and the RGBA made from them
		h.codec = Base + p.alpha.length + p.samples.length + webpPixel*h.Pixels()
		h.Decoding += h.codec
	}
	h.Width, h.Height = p.canvas.Dx(), p.canvas.Dy()
	if !p.fills() {
		frame := h.Decoding
		h.take(rgbaPixels)
		h.Decoding += frame
	}
	if p.icc.length > 0 && p.icc.length <= maxProfileSize {
		if h.icc, err = in.Bytes(p.icc.at, int(p.icc.length)); err != nil {
			return Header{}, err
		}
	}
	if p.exif.length > 0 {
		h.Orientation = tiffOrientation(in, p.exif.at)
	}
	return h, nil
}

// decodeWebP decodes a still image, or the first frame of an animation at its position on the
// canvas.
func (c *Codecs) decodeWebP(in *source.Input, h Header) (image.Image, error) {
	p, err := parseWebP(in)
	if err != nil {
		return nil, err
	}
	var frame image.Image
	file, length := p.file(in)
	if p.planes() {
		frame, err = decodePlanes(file)
	} else {
		frame, err = c.decodeLosslessWebP(in, file, length, p.width, p.height, h.codec)
	}
	if err != nil || p.fills() {
		return frame, err
	}
	img := image.NewNRGBA(p.canvas)
	draw.Draw(img, p.place, frame, frame.Bounds().Min, draw.Src)
	return img, nil
}

// decodePlanes decodes a lossy image. Its samples have the range used in video (RFC 6386, section
// 9.2), which x/image/webp does not convert.
func decodePlanes(file io.Reader) (image.Image, error) {
	img, err := webp.Decode(file)
	if y, ok := img.(*image.YCbCr); ok {
		widenRange(y)
	}
	return img, err
}

// file returns a file that contains only this image.
func (w webpImage) file(in *source.Input) (io.Reader, int64) {
	var parts []io.Reader
	length := int64(4)
	chunk := func(kind string, data io.Reader, n int64) {
		head := binary.LittleEndian.AppendUint32([]byte(kind), uint32(n))
		parts = append(parts, bytes.NewReader(head), data, bytes.NewReader(make([]byte, n&1)))
		length += 8 + n + n&1
	}
	if w.alpha.length > 0 && !w.lossless {
		extended := []byte{1 << 4, 0, 0, 0}
		extended = append(extended, size24(w.width-1)...)
		extended = append(extended, size24(w.height-1)...)
		chunk("VP8X", bytes.NewReader(extended), int64(len(extended)))
		chunk("ALPH", io.NewSectionReader(in, w.alpha.at, w.alpha.length), w.alpha.length)
	}
	kind := map[bool]string{false: "VP8 ", true: "VP8L"}[w.lossless]
	chunk(kind, io.NewSectionReader(in, w.samples.at, w.samples.length), w.samples.length)
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(length))
	head = append(head, "WEBP"...)
	return io.MultiReader(append([]io.Reader{bytes.NewReader(head)}, parts...)...), 8 + length
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func size24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }
