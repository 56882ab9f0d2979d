package media

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// The test image: red and white above blue and black.
var quarters = [4]color.NRGBA{{255, 0, 0, 255}, {255, 255, 255, 255}, {0, 0, 255, 255}, {0, 0, 0, 255}}

// paint draws the test image.
func paint(img draw.Image) {
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
			img.Set(x, y, quarters[i])
		}
	}
}

func painted[T draw.Image](img T) T {
	paint(img)
	return img
}

func testRect() image.Rectangle { return image.Rect(0, 0, 48, 32) }

// corners returns the colours in the middle of the four quarters.
func corners(img image.Image) [4]color.NRGBA {
	var found [4]color.NRGBA
	b := img.Bounds()
	for i := range found {
		x, y := b.Min.X+b.Dx()*(1+2*(i%2))/4, b.Min.Y+b.Dy()*(1+2*(i/2))/4
		found[i] = color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	}
	return found
}

func near(a, b color.NRGBA, by int) bool {
	off := func(a, b uint8) bool { return max(int(a)-int(b), int(b)-int(a)) > by }
	return !off(a.R, b.R) && !off(a.G, b.G) && !off(a.B, b.B) && !off(a.A, b.A)
}

func encoded(t testing.TB, encode func(b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, img image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
}

func jpegOf(t testing.TB, img image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: 95}) })
}

func gifOf(t testing.TB, frames ...*image.Paletted) []byte {
	g := &gif.GIF{Image: frames, Delay: make([]int, len(frames))}
	return encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func palette() color.Palette {
	return color.Palette{quarters[0], quarters[1], quarters[2], quarters[3]}
}

func TestRenderFormats(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	r := testRect()
	full := painted(image.NewNRGBA(r))
	first := painted(image.NewPaletted(r, palette()))
	for name, c := range map[string]struct {
		file        []byte
		contentType string
		animated    bool
	}{
		"jpeg":           {jpegOf(t, full), typeJPEG, false},
		"png":            {pngOf(t, full), typePNG, false},
		"png, 16 bits":   {pngOf(t, painted(image.NewNRGBA64(r))), typePNG, false},
		"png, palette":   {pngOf(t, first), typePNG, false},
		"gif":            {gifOf(t, first), typeGIF, false},
		"gif, animated":  {gifOf(t, first, image.NewPaletted(r, palette())), typeGIF, true},
		"webp, lossy":    {fixture(t, "lossy.webp"), typeWebP, false},
		"webp, lossless": {fixture(t, "lossless.webp"), typeWebP, false},
		"webp, animated": {fixture(t, "anim.webp"), typeWebP, true},
		"avif":           {fixture(t, "plain.avif"), typeAVIF, false},
		"avif, 10 bits":  {fixture(t, "ten.avif"), typeAVIF, false},
		"heic":           {fixture(t, "plain.heic"), typeHEIC, false},
		"heic, 10 bits":  {fixture(t, "ten.heic"), typeHEIC, false},
		"heic, 4:2:2":    {fixture(t, "f422.heic"), typeHEIC, false},
		"tiff":           {encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, full, nil) }), typeTIFF, false},
		"bmp":            {encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, full) }), typeBMP, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := bytes.NewReader(c.file)
			k, err := Detect(t.Context(), src, "")
			if err != nil || k.ContentType != c.contentType || k.Class != Raster {
				t.Fatalf("kind %+v, error %v", k, err)
			}
			got, err := s.Render(t.Context(), src, k, []Version{{Name: "small"}})
			if err != nil {
				t.Fatal(err)
			}
			if want := (Facts{48, 32, c.animated}); got.Facts != want || !got.Opaque || len(got.Blurhash) != 28 {
				t.Errorf("got %+v opaque %v blurhash %q, want %+v", got.Facts, got.Opaque, got.Blurhash, want)
			}
			checkQuarters(t, got.Renditions[0], quarters)
		})
	}
}

// checkQuarters holds a rendition against the test image.
func checkQuarters(t *testing.T, r Rendition, want [4]color.NRGBA) {
	t.Helper()
	img, format, err := image.Decode(bytes.NewReader(r.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != r.Width || b.Dy() != r.Height || r.ContentType != "image/"+format {
		t.Errorf("a %s of %v is called a %s of %d × %d", format, b, r.ContentType, r.Width, r.Height)
	}
	for i, c := range corners(img) {
		if !near(c, want[i], 14) {
			t.Errorf("quarter %d is %v, want %v", i, c, want[i])
		}
	}
}

func closeStudio(t testing.TB, s *Studio) {
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
