package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	jpg := string(jpegOf(t, image.NewGray(testRect())))
	gif := string(gifOf(t, image.NewPaletted(testRect(), palette())))
	for name, c := range map[string]struct {
		file, label string
		want        Kind
	}{
		"jpeg":               {jpg, "a.png", Kind{"image/jpeg", "jpg", Raster}},
		"jpeg and zip":       {jpg + "PK\x03\x04", "a.zip", Kind{"image/jpeg", "jpg", Raster}},
		"jpeg and html":      {jpg + "<script>alert(1)</script>", "a.html", Kind{"image/jpeg", "jpg", Raster}},
		"gif and script":     {strings.Replace(gif, "GIF89a", "GIF89a", 1) + "=1;alert(1)", "a.js", Kind{"image/gif", "gif", Raster}},
		"avif":               {string(fixture(t, "plain.avif")), "", Kind{"image/avif", "avif", Raster}},
		"heic":               {string(fixture(t, "plain.heic")), "", Kind{"image/heic", "heic", Raster}},
		"pdf":                {"%PDF-1.7\n", "a.jpg", Kind{"application/pdf", "pdf", Document}},
		"svg":                {`<svg xmlns="http://www.w3.org/2000/svg"/>`, "a.txt", Kind{"image/svg+xml", "svg", Vector}},
		"svg, late":          {"<?xml version=\"1.0\"?><!--" + strings.Repeat(" ", 5000) + "--><svg/>", "a.svg", Kind{"image/svg+xml", "svg", Vector}},
		"html called image":  {"<!DOCTYPE html><html></html>", "a.jpg", Kind{"text/html", "html", Other}},
		"html called svg":    {"<!DOCTYPE html><html></html>", "a.svg", Kind{"text/html", "html", Other}},
		"text":               {"hello", "", Kind{"text/plain", "txt", Other}},
		"text called html":   {"hello", "a.html", Kind{"text/plain", "txt", Other}},
		"text called script": {"alert(1)", "a.js", Kind{"text/plain", "txt", Other}},
		"markdown":           {"# hello", "a.MD", Kind{"text/markdown", "md", Other}},
		"commas":             {"a,b\nc,d\n", "a.txt", Kind{"text/plain", "txt", Other}},
		"binary":             {"\x00\x01\x02\xff", "a.md", Kind{"application/octet-stream", "", Other}},
		"empty":              {"", "a.jpg", Kind{"text/plain", "txt", Other}},
	} {
		if got, err := Detect(t.Context(), strings.NewReader(c.file), c.label); err != nil || got != c.want {
			t.Errorf("%s: %+v, error %v, want %+v", name, got, err, c.want)
		}
	}
	down := errors.New("the disk is gone")
	if _, err := Detect(t.Context(), failing{strings.NewReader("abc"), down}, ""); !errors.Is(err, down) {
		t.Errorf("with a source that fails: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Detect(ended, strings.NewReader("abc"), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// Headers are read from whatever Detect takes for an image.
func FuzzDetect(f *testing.F) {
	for _, name := range []string{"plain.avif", "plain.heic", "anim.webp", "alpha.webp", "turned.avif"} {
		f.Add(fixture(f, name), "a.svg")
	}
	f.Add(gifOf(f, image.NewPaletted(testRect(), palette())), "a.txt")
	f.Add(jpegOf(f, image.NewGray(testRect())), "a.jpg")
	f.Add(pngOf(f, image.NewGray(testRect())), "a.png")
	s := NewStudio(Options{})
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		src := bytes.NewReader(file)
		k, err := Detect(t.Context(), src, name)
		if err != nil {
			t.Fatal(err)
		}
		if k.Class != Raster {
			return
		}
		facts, err := s.Inspect(t.Context(), src, k)
		if err == nil && (facts.Width < 1 || facts.Height < 1 || facts.Width*facts.Height > defaultMaxPixels) {
			t.Fatalf("%+v", facts)
		}
		if err != nil && reasonOf(err) == "" {
			t.Fatal(err)
		}
	})
}
