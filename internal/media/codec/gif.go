package codec

import (
	"bufio"
	"errors"
	"image"
	"image/draw"
	"image/gif"
	"io"

	"vitrine/internal/media/source"
)

// gifAnimated walks over the blocks of a GIF (GIF89a, appendix A) until a second image begins,
// without decoding. For a truncated file it counts the images up to the end, because the first one
// may still be complete.
func gifAnimated(in *source.Input) (bool, error) {
	screen, err := in.Bytes(0, 13)
	if err != nil {
		return false, err
	}
	at := 13 + colourTable(screen[10])
	for images := 0; ; {
		b, err := in.Bytes(at, 1)
		if err != nil {
			return false, in.Err()
		}
		switch b[0] {
		case 0x21: // extension
			at += 2
		case 0x2C: // image
			if images++; images > 1 {
				return true, nil
			}
			descriptor, err := in.Bytes(at, 10)
			if err != nil {
				return false, in.Err()
			}
			at += 11 + colourTable(descriptor[9])
		default: // the trailer, or garbage
			return false, nil
		}
		if at, err = skipSubBlocks(in, at); err != nil {
			return false, in.Err()
		}
	}
}

// colourTable returns the size in bytes of the colour table declared by packed fields.
func colourTable(packed byte) int64 {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

// skipSubBlocks returns the offset after the sub-blocks at at, which have up to 255 bytes each.
func skipSubBlocks(in *source.Input, at int64) (int64, error) {
	buffered := bufio.NewReader(io.NewSectionReader(in, at, in.Size()-at))
	for {
		n, err := buffered.ReadByte()
		if err != nil {
			return 0, err
		}
		at++
		if n == 0 {
			return at, nil
		}
		if _, err := buffered.Discard(int(n)); err != nil {
			return 0, err
		}
		at += int64(n)
	}
}

// decodeGIF decodes the first frame at its position on the screen.
func decodeGIF(in *source.Input, h Header) (image.Image, error) {
	frame, err := gif.Decode(in.Section())
	if err != nil {
		return nil, err
	}
	screen := image.Rect(0, 0, h.Width, h.Height)
	if frame.Bounds() == screen {
		return frame, nil
	}
	if frame.Bounds().Empty() {
		return nil, errors.New("an empty frame")
	}
	canvas := image.NewNRGBA(screen)
	draw.Draw(canvas, frame.Bounds(), frame, frame.Bounds().Min, draw.Src)
	return canvas, nil
}
