package media

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"vitrine/internal/domain"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
)

func TestRenderFormats(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	r := mediatest.Rect()
	full := mediatest.Painted(image.NewNRGBA(r))
	first := mediatest.Painted(image.NewPaletted(r, mediatest.Palette()))
	for name, c := range map[string]struct {
		file        []byte
		contentType string
		animated    bool
	}{
		"jpeg":           {mediatest.JPEG(t, full), filetype.JPEG, false},
		"png":            {mediatest.PNG(t, full), filetype.PNG, false},
		"png, 16 bits":   {mediatest.PNG(t, mediatest.Painted(image.NewNRGBA64(r))), filetype.PNG, false},
		"png, palette":   {mediatest.PNG(t, first), filetype.PNG, false},
		"gif":            {mediatest.GIF(t, first), filetype.GIF, false},
		"gif, animated":  {mediatest.GIF(t, first, image.NewPaletted(r, mediatest.Palette())), filetype.GIF, true},
		"webp, lossy":    {mediatest.Fixture(t, "lossy.webp"), filetype.WebP, false},
		"webp, lossless": {mediatest.Fixture(t, "lossless.webp"), filetype.WebP, false},
		"webp, animated": {mediatest.Fixture(t, "anim.webp"), filetype.WebP, true},
		"apng":           {mediatest.Fixture(t, "anim.png"), filetype.PNG, true},
		"avif, animated": {mediatest.Fixture(t, "anim.avif"), filetype.AVIF, true},
		"avif, both":     {stillFirst(mediatest.Fixture(t, "anim.avif")), filetype.AVIF, true},
		"avif":           {mediatest.Fixture(t, "plain.avif"), filetype.AVIF, false},
		"avif, 10 bits":  {mediatest.Fixture(t, "ten.avif"), filetype.AVIF, false},
		"heic":           {mediatest.Fixture(t, "plain.heic"), filetype.HEIC, false},
		"heic, 10 bits":  {mediatest.Fixture(t, "ten.heic"), filetype.HEIC, false},
		"heic, 4:2:2":    {mediatest.Fixture(t, "f422.heic"), filetype.HEIC, false},
		"tiff":           {mediatest.Encode(t, func(b *bytes.Buffer) error { return tiff.Encode(b, full, nil) }), filetype.TIFF, false},
		"bmp":            {mediatest.Encode(t, func(b *bytes.Buffer) error { return bmp.Encode(b, full) }), filetype.BMP, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := bytes.NewReader(c.file)
			k, err := filetype.Detect(t.Context(), src, "")
			if err != nil || k.ContentType != c.contentType || k.Class != filetype.Raster {
				t.Fatalf("kind %+v, error %v", k, err)
			}
			got, err := s.Render(t.Context(), src, k, []domain.ImageVersion{domain.SmallImage})
			if err != nil {
				t.Fatal(err)
			}
			if want := (Info{48, 32, c.animated}); got.Info != want || !got.Opaque || len(got.Blurhash) != 28 {
				t.Errorf("got %+v opaque %v blurhash %q, want %+v", got.Info, got.Opaque, got.Blurhash, want)
			}
			checkQuarters(t, got.Renditions[0], mediatest.Quarters)
		})
	}
}

// stillFirst makes a still image the main content of an animated AVIF file.
func stillFirst(file []byte) []byte { return bytes.Replace(file, []byte("avis"), []byte("avif"), 1) }

// checkQuarters compares a rendition with the test image.
func checkQuarters(t *testing.T, r Rendition, want [4]color.NRGBA) {
	t.Helper()
	img, format, err := image.Decode(bytes.NewReader(r.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != r.Width || b.Dy() != r.Height || r.ContentType != "image/"+format {
		t.Errorf("a %s of %v is called a %s of %d × %d", format, b, r.ContentType, r.Width, r.Height)
	}
	for i, c := range mediatest.Corners(img) {
		if !mediatest.Near(c, want[i], 14) {
			t.Errorf("quarter %d is %v, want %v", i, c, want[i])
		}
	}
}

func closeStudio(t testing.TB, s *Studio) {
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
