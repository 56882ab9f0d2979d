package codec

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
	"vitrine/internal/media/source"
)

// A truncated file is decoded up to the missing part.
func TestTruncated(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 600, 400)
	photo := func(t *testing.T, img image.Image) []byte {
		return mediatest.Encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: 90}) })
	}
	coloured := noisy(image.NewRGBA(r))
	files := map[string]struct {
		kind string
		file []byte
	}{
		"jpeg":            {filetype.JPEG, photo(t, coloured)},
		"grey jpeg":       {filetype.JPEG, photo(t, noisy(image.NewGray(r)))},
		"rgb jpeg":        {filetype.JPEG, rgbJPEGAhead(photo(t, coloured))},
		"progressive":     {filetype.JPEG, mediatest.Fixture(t, "progressive.jpg")},
		"png":             {filetype.PNG, mediatest.PNG(t, coloured)},
		"png, 16 bits":    {filetype.PNG, mediatest.PNG(t, noisy(image.NewNRGBA64(r)))},
		"interlaced png":  {filetype.PNG, interlacedPNG(600, 400)},
		"png, no end":     {filetype.PNG, mediatest.Fixture(t, "noiend.png")},
		"jpeg, no marker": {filetype.JPEG, mediatest.Fixture(t, "noeoi.jpg")},
	}
	for name, c := range files {
		for _, cut := range []int{0, 2, 20, len(c.file) / 3} {
			img, h, err := decodeFile(t, c.kind, c.file[:len(c.file)-cut])
			if err != nil {
				t.Errorf("%s without its last %d bytes: %v", name, cut, err)
				continue
			}
			if b := img.Bounds(); b.Dx() != h.Width || b.Dy() != h.Height {
				t.Errorf("%s without its last %d bytes: %v, want %d × %d", name, cut, b, h.Width, h.Height)
			}
		}
		if _, _, err := decodeFile(t, c.kind, c.file[:36]); err == nil {
			t.Errorf("%s: 36 bytes are an image", name)
		}
	}
	// The rows above the cut equal those of the complete image, and the rest is grey.
	whole, _, err := decodeFile(t, filetype.JPEG, files["jpeg"].file)
	if err != nil {
		t.Fatal(err)
	}
	file := files["jpeg"].file
	part, _, err := decodeFile(t, filetype.JPEG, file[:len(file)/2])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := part.At(300, 100), whole.At(300, 100); got != want {
		t.Errorf("above the cut: %v, want %v", got, want)
	}
	if got := color.GrayModel.Convert(part.At(300, 390)).(color.Gray); got.Y != 128 {
		t.Errorf("below the cut: %v, want grey", got)
	}
}

// Decoding a truncated file takes no more memory than the header's estimate.
func TestTruncatedIsBounded(t *testing.T) {
	img := noisy(image.NewRGBA(image.Rect(0, 0, 1_200, 800)))
	file := mediatest.JPEG(t, img)
	in := source.New(t.Context(), bytes.NewReader(file[:len(file)/2]))
	k := filetype.Kind{ContentType: filetype.JPEG}
	h, err := ReadHeader(in, k)
	if err != nil {
		t.Fatal(err)
	}
	if whole := int64(1_200 * 800 * 3 / 2); h.Decoding < 3*whole {
		t.Errorf("the header announces %d bytes for decoding", h.Decoding)
	}
}

func decodeFile(t *testing.T, kind string, file []byte) (image.Image, Header, error) {
	t.Helper()
	in, k := source.New(t.Context(), bytes.NewReader(file)), filetype.Kind{ContentType: kind}
	h, err := ReadHeader(in, k)
	if err != nil {
		return nil, h, err
	}
	img, err := New().Decode(in, k, h)
	if err != nil {
		return nil, h, err
	}
	return Normal(img), h, nil
}

// noisy fills an image with noise, so that its file is large.
func noisy[T interface {
	image.Image
	Set(x, y int, c color.Color)
}](img T) T {
	b := img.Bounds()
	seed := uint32(1)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			seed = seed*1664525 + 1013904223
			img.Set(x, y, color.NRGBA{R: byte(seed >> 24), G: byte(x), B: byte(y), A: 255})
		}
	}
	return img
}

// rgbJPEGAhead inserts a segment before the frame that declares the components red, green and blue.
func rgbJPEGAhead(file []byte) []byte {
	adobe := []byte("\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x00")
	return bytes.Join([][]byte{file[:2], file[2:]}, adobe)
}
