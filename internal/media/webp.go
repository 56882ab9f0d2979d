package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"io"

	"golang.org/x/image/webp"
)

// span is a part of a file.
type span struct{ at, length int64 }

// webpParts are the parts of a WebP file that x/image/webp leaves to us: RFC
// 9649, section 2.
type webpParts struct {
	exif  span
	frame span // the first frame of an animation, its 16 bytes of placing included
}

func parseWebP(in *input) (webpParts, error) {
	var parts webpParts
	size := in.src.Size()
	for at := int64(12); at+8 <= size; {
		b, err := in.bytes(at, 8)
		if err != nil {
			return webpParts{}, err
		}
		length := int64(binary.LittleEndian.Uint32(b[4:]))
		switch part := (span{at + 8, min(length, size-at-8)}); string(b[:4]) {
		case "EXIF":
			parts.exif = part
		case "ANMF":
			if parts.frame.length == 0 {
				parts.frame = part
			}
		}
		at += 8 + length + length&1
	}
	return parts, nil
}

// decodeWebP decodes a still image, or the first frame of an animation in its
// place on the canvas.
func decodeWebP(in *input, h header) (image.Image, error) {
	if !h.animated {
		return readWebP(in.section())
	}
	parts, err := parseWebP(in)
	if err != nil {
		return nil, err
	}
	b, err := in.bytes(parts.frame.at, 16)
	if err != nil {
		return nil, err
	}
	at := image.Pt(2*uint24(b), 2*uint24(b[3:]))
	place := image.Rect(0, 0, uint24(b[6:])+1, uint24(b[9:])+1).Add(at)
	canvas := image.Rect(0, 0, h.width, h.height)
	if !place.In(canvas) {
		return nil, errors.New("a frame beyond the canvas")
	}
	frame, err := readWebP(stillWebP(in, parts.frame, b))
	if err != nil || place == canvas {
		return frame, err
	}
	img := image.NewNRGBA(canvas)
	draw.Draw(img, place, frame, frame.Bounds().Min, draw.Src)
	return img, nil
}

// readWebP decodes a still image. The samples of a lossy one are of the range
// of video (RFC 6386, section 9.2), but x/image/webp leaves them so.
func readWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	switch img := img.(type) {
	case *image.YCbCr:
		widenRange(img)
	case *image.NYCbCrA:
		widenRange(&img.YCbCr)
	}
	return img, err
}

// stillWebP returns a file with a single frame: the chunks of an animation's
// frame behind a header that gives the frame's size.
func stillWebP(in *input, frame span, placing []byte) io.Reader {
	body := io.NewSectionReader(in, frame.at+16, max(0, frame.length-16))
	const extended = 8 + 10
	var head bytes.Buffer
	head.WriteString("RIFF")
	head.Write(binary.LittleEndian.AppendUint32(nil, uint32(4+extended+body.Size())))
	head.WriteString("WEBPVP8X\x0a\x00\x00\x00")
	flags := make([]byte, 4)
	if b, err := in.bytes(frame.at+16, 4); err == nil && string(b) == "ALPH" {
		flags[0] = 1 << 4
	}
	head.Write(flags)
	head.Write(placing[6:12])
	return io.MultiReader(&head, body)
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
