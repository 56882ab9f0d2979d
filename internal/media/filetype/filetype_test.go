package filetype

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"vitrine/internal/media/mediatest"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	jpg := string(mediatest.JPEG(t, image.NewGray(mediatest.Rect())))
	gif := string(mediatest.GIF(t, image.NewPaletted(mediatest.Rect(), mediatest.Palette())))
	for name, c := range map[string]struct {
		file, label string
		want        Kind
	}{
		"jpeg":               {jpg, "a.png", Kind{"image/jpeg", "jpg", Raster}},
		"jpeg and zip":       {jpg + "PK\x03\x04", "a.zip", Kind{"image/jpeg", "jpg", Raster}},
		"jpeg and html":      {jpg + "<script>alert(1)</script>", "a.html", Kind{"image/jpeg", "jpg", Raster}},
		"gif and script":     {strings.Replace(gif, "GIF89a", "GIF89a", 1) + "=1;alert(1)", "a.js", Kind{"image/gif", "gif", Raster}},
		"apng":               {string(mediatest.Fixture(t, "anim.png")), "", Kind{"image/png", "png", Raster}},
		"avif":               {string(mediatest.Fixture(t, "plain.avif")), "", Kind{"image/avif", "avif", Raster}},
		"heic":               {string(mediatest.Fixture(t, "plain.heic")), "", Kind{"image/heic", "heic", Raster}},
		"mp3":                {"ID3\x03\x00\x00\x00\x00\x00\x0a" + strings.Repeat("\x00", 10), "a.txt", Kind{"audio/mpeg", "mp3", Other}},
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
	if _, err := Detect(t.Context(), mediatest.Failing{File: strings.NewReader("abc"), Err: down}, ""); !errors.Is(err, down) {
		t.Errorf("with a source that fails: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Detect(ended, strings.NewReader("abc"), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
