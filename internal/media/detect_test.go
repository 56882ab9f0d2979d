package media

import (
	"bytes"
	"image"
	"testing"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
)

// Inspect must not fail unexpectedly for anything that Detect considers an image.
func FuzzDetect(f *testing.F) {
	for _, name := range []string{"plain.avif", "plain.heic", "anim.webp", "alpha.webp", "turned.avif"} {
		f.Add(mediatest.Fixture(f, name), "a.svg")
	}
	f.Add(mediatest.GIF(f, image.NewPaletted(mediatest.Rect(), mediatest.Palette())), "a.txt")
	f.Add(mediatest.JPEG(f, image.NewGray(mediatest.Rect())), "a.jpg")
	f.Add(mediatest.PNG(f, image.NewGray(mediatest.Rect())), "a.png")
	s := NewStudio(Options{})
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		src := bytes.NewReader(file)
		k, err := filetype.Detect(t.Context(), src, name)
		if err != nil {
			t.Fatal(err)
		}
		if k.Class != filetype.Raster {
			return
		}
		facts, err := s.Inspect(t.Context(), src, k)
		if err == nil && (facts.Width < 1 || facts.Height < 1 || facts.Width*facts.Height > defaultMaxPixels) {
			t.Fatalf("%+v", facts)
		}
		if err != nil && mediatest.Reason(err) == "" {
			t.Fatal(err)
		}
	})
}
