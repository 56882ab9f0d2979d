// Package mediatest contains test files for media and its subpackages.
package mediatest

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
	"testing/iotest"

	"vitrine/internal/media/source"
)

// Quarters are the colours of the test image: red and white above blue and black.
var Quarters = [4]color.NRGBA{{255, 0, 0, 255}, {255, 255, 255, 255}, {0, 0, 255, 255}, {0, 0, 0, 255}}

// Paint draws the test image.
func Paint(img draw.Image) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			i := 0
			if 2*(x-b.Min.X) >= b.Dx() {
				i++
			}
			if 2*(y-b.Min.Y) >= b.Dy() {
				i += 2
			}
			img.Set(x, y, Quarters[i])
		}
	}
}

// Painted returns img with the test image on it.
func Painted[T draw.Image](img T) T {
	Paint(img)
	return img
}

// Rect is the size of a small test image.
func Rect() image.Rectangle { return image.Rect(0, 0, 48, 32) }

// Corners returns the colours in the middle of the four Quarters.
func Corners(img image.Image) [4]color.NRGBA {
	var found [4]color.NRGBA
	b := img.Bounds()
	for i := range found {
		x, y := b.Min.X+b.Dx()*(1+2*(i%2))/4, b.Min.Y+b.Dy()*(1+2*(i/2))/4
		found[i] = color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	}
	return found
}

// Near reports whether the channels of two colours differ by at most `by`.
func Near(a, b color.NRGBA, by int) bool {
	off := func(a, b uint8) bool { return max(int(a)-int(b), int(b)-int(a)) > by }
	return !off(a.R, b.R) && !off(a.G, b.G) && !off(a.B, b.B) && !off(a.A, b.A)
}

// Encode returns the output of an encoder.
func Encode(t testing.TB, encode func(b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// PNG returns an image as a PNG file.
func PNG(t testing.TB, img image.Image) []byte {
	return Encode(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
}

// JPEG returns an image as a JPEG file.
func JPEG(t testing.TB, img image.Image) []byte {
	return Encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: 95}) })
}

// GIF returns frames as a GIF file.
func GIF(t testing.TB, frames ...*image.Paletted) []byte {
	g := &gif.GIF{Image: frames, Delay: make([]int, len(frames))}
	return Encode(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

//go:embed testdata
var files embed.FS

// Fixture returns a file of testdata.
func Fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := files.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Palette returns the colours of the test image.
func Palette() color.Palette {
	return color.Palette{Quarters[0], Quarters[1], Quarters[2], Quarters[3]}
}

// GIFAround returns a GIF of a given size with a frame of one pixel.
func GIFAround(t *testing.T, width, height int) []byte {
	file := GIF(t, image.NewPaletted(image.Rect(0, 0, 1, 1), Palette()))
	binary.LittleEndian.PutUint16(file[6:], uint16(width))
	binary.LittleEndian.PutUint16(file[8:], uint16(height))
	return file
}

// Failing is a source whose reads fail.
type Failing struct {
	source.File
	Err error
}

func (f Failing) ReadAt(p []byte, _ int64) (int, error) { return iotest.ErrReader(f.Err).Read(p) }

// Reason returns the reason of a *source.Error, "" for other errors.
func Reason(err error) string {
	if e, ok := errors.AsType[*source.Error](err); ok {
		return e.Reason
	}
	return ""
}
