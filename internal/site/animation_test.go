package site_test

import (
	"bytes"
	"fmt"
	"image"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"vitrine/internal/apptest"
	"vitrine/internal/media/mediatest"
)

// uploadedImage creates an Image block from a file in ada's channel "Files", and returns the path
// of its page.
func uploadedImage(t *testing.T, r *apptest.Rig, channel int64, name string, file []byte) string {
	t.Helper()
	got := r.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": name, "content_type": "application/octet-stream"}}}).Want(201)
	address := got.Str("files.0.upload_url")
	r.Do("", "PUT", strings.TrimPrefix(address, apptest.Base), file, "Content-Type", "application/octet-stream").Want(200)
	value, _, _ := strings.Cut(address, "?")
	id := r.Block("ada", value, channel)
	r.WorkJobs()
	if kind := r.Get("ada", "/v3/blocks/%d", id).Str("type"); kind != "Image" {
		t.Fatalf("%s becomes a block of the type %s", name, kind)
	}
	return fmt.Sprint("/block/", id)
}

// Animations play on the page of their block and in full view, unless the reader prefers reduced
// motion or the file is large. They also play if an older version stored them.
func TestAnimationsPlay(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		palette := func() *image.Paletted {
			return mediatest.Painted(image.NewPaletted(mediatest.Rect(), mediatest.Palette()))
		}
		channel, guest := r.Channel("ada", "Moving", "public"), newBrowser(t, r)
		const button = `play=1" rel="nofollow"`
		for name, file := range map[string][]byte{
			"a.gif": mediatest.GIF(t, palette(), image.NewPaletted(mediatest.Rect(), mediatest.Palette())), "a.webp": mediatest.Fixture(t, "anim.webp"),
			"a.png": mediatest.Fixture(t, "anim.png"), "a.avif": mediatest.Fixture(t, "anim.avif"),
		} {
			_, extension, _ := strings.Cut(name, ".")
			at := uploadedImage(t, r, channel, name, file)
			p := guest.get(at).want(200).says(`<p class="animation reduced">`, button)
			original := p.find(`<img src="(/?[^"]+/original\.` + extension + `)" width="48" height="32"`)
			still := p.find(`<source media="\(prefers-reduced-motion: reduce\)" srcset="([^ "]+)"`)
			p.says(`<a class="large" href="`+original+`" data-zoom data-zoom-width="48" data-zoom-height="32" data-zoom-still="`+strings.Replace(still, "/large.", "/large-2x.", 1)+`"`, "Original image")
			if csp := p.header.Get("Content-Security-Policy"); !strings.Contains(csp, "img-src") {
				t.Errorf("the policy is %s", csp)
			}
			if got := r.Get("", "%s", strings.TrimPrefix(original, apptest.Base)); len(got.Body) < len(file)/2 || got.Header.Get("Content-Type") == "image/jpeg" {
				t.Errorf("%s: the original is %v", name, got.Header)
			}
			guest.get(at+"?play=1").want(200).says(`<picture><img src="`+original).hides("<source", button, "data-zoom-still")

			r.Exec(`UPDATE blobs SET clean_size = 10485761 WHERE id = (SELECT blob_id FROM files WHERE name = $1)`, name)
			large := guest.get(at).want(200).says("Animation, 10 MiB", button, `<img src="`+still+`"`).says(`<p class="animation">`).hides("<picture>", "data-zoom-still")
			if to := large.find(`<a class="large" href="([^"]+)"`); !strings.Contains(to, "/large-2x.") {
				t.Errorf("%s: the full view of a large animation is %s", name, to)
			}
			guest.get(at + "?play=1").want(200).says(`<picture><img src="` + original)
			r.Exec(`UPDATE blobs SET clean_size = size WHERE clean_size = 10485761 AND clean_plan IS NULL`)
			r.Exec(`UPDATE blobs SET clean_size = NULL, clean_plan = NULL WHERE clean_size = 10485761`)
		}
		guest.get("/ada/moving").want(200).hides("/original.")
		guest.get("/ada/moving/print").want(200).hides("<picture>")
		guest.get("/ada/moving/slideshow").want(200).says("<picture>")

		at := uploadedImage(t, r, channel, "still.gif", mediatest.GIF(t, palette()))
		guest.get(at).want(200).hides("<picture>", button)
		r.Exec(`UPDATE files SET animated = NULL`)
		guest.get("/ada/moving/slideshow").want(200).hides("<picture>")
		before := r.Dump()
		for range 2 {
			if err := r.S.App.Content.FindAnimations(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := before.Diff(r.Dump()); len(diff) != 10 {
			t.Errorf("the job changed %s", strings.Join(diff, "\n"))
		}
		guest.get(at).want(200).hides("<picture>")
		all, err := r.S.App.Operating.Backfills(t.Context())
		for _, b := range all {
			if err != nil || b.Kind == "find_animations" && b.Rows != 0 {
				t.Errorf("%+v %v", b, err)
			}
		}
		guest.get("/ada/moving/slideshow?page=2").want(200).says("<picture>")
	})
}

// The full view shows the largest version of an image that browsers do not display, and never the
// original. The link to the original stays.
func TestFullViewOfOtherFormats(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	channel, guest := r.Channel("ada", "Files", "public"), newBrowser(t, r)
	full := mediatest.Painted(image.NewNRGBA(mediatest.Rect()))
	for name, c := range map[string]struct {
		file []byte
		full string
	}{
		"a.heic": {mediatest.Fixture(t, "plain.heic"), "large-2x.jpg"},
		"a.tiff": {mediatest.Encode(t, func(b *bytes.Buffer) error { return tiff.Encode(b, full, nil) }), "large-2x.jpg"},
		"a.bmp":  {mediatest.Encode(t, func(b *bytes.Buffer) error { return bmp.Encode(b, full) }), "large-2x.jpg"},
		"a.jpg":  {mediatest.JPEG(t, full), "original.jpg"},
		"a.avif": {mediatest.Fixture(t, "plain.avif"), "original.avif"},
		"a.svg":  {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="48" height="32"/>`), "original.svg"},
	} {
		p := guest.get(uploadedImage(t, r, channel, name, c.file)).want(200).hides("<picture>").says("Original image")
		if to := p.find(`<a class="large" href="([^"]+)" data-zoom data-zoom-width="48" data-zoom-height="32">`); !strings.HasSuffix(to, "/"+c.full) {
			t.Errorf("%s: the full view is %s, want %s", name, to, c.full)
		}
		_, extension, _ := strings.Cut(name, ".")
		if to := p.find(`<a href="([^"]+)">Original image</a>`); !strings.HasSuffix(to, "/original."+extension) {
			t.Errorf("%s: the original is %s", name, to)
		}
	}
	r.Exec(`UPDATE blobs SET clean_size = -1`)
	if to := guest.get("/block/1").want(200).find(`<a class="large" href="([^"]+)"`); strings.Contains(to, "original") && !strings.HasSuffix(to, ".svg") {
		t.Errorf("the full view of a file that is not served as it came is %s", to)
	}
}
