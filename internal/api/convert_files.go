package api

import (
	"math"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// address is that of a version of a file, by the name below its key.
func (h *handler) address(f domain.File, name string) string {
	return h.files + "/" + f.Key + "/" + name
}

// preview is the image of a block that may have one.
func (h *handler) preview(b domain.Block) v3.OptNilBlockImage {
	if b.Image == nil {
		return v3.OptNilBlockImage{Set: true, Null: true}
	}
	return v3.NewOptNilBlockImage(h.image(b))
}

// image is the image of a block and its resized versions.
func (h *handler) image(b domain.Block) v3.BlockImage {
	f := *b.Image
	w := v3.BlockImage{
		AltText: optNilString(b.AltText), Blurhash: optNilString(f.Blurhash),
		Width: pixels(f.Width), Height: pixels(f.Height), AspectRatio: v3.OptNilFloat32{Set: true, Null: true},
		Src:         v3.NewOptString(h.address(f, f.Original())),
		ContentType: v3.NewOptString(f.ContentType), Filename: v3.NewOptString(f.Name),
		FileSize: v3.NewOptNilInt64(f.Size), UpdatedAt: v3.NewOptTime(wire.Time{Time: f.CreatedAt}),
		Small: h.version(f, "small"), Medium: h.version(f, "medium"), Large: h.version(f, "large"), Square: h.version(f, "square"),
	}
	if f.Width > 0 && f.Height > 0 {
		w.AspectRatio = v3.NewOptNilFloat32(float32(math.Round(float64(f.Width)/float64(f.Height)*1e4) / 1e4))
	}
	return w
}

// version is one size of an image. Width and height are those at 1x.
func (h *handler) version(f domain.File, name string) v3.ImageVersion {
	w := v3.ImageVersion{Src: h.address(f, f.Version(name)), Src2x: h.address(f, f.Version(name+domain.Double))}
	width, height := app.VersionSize(f, name)
	w.Width, w.Height = pixels(width), pixels(height)
	return w
}

func pixels(n int64) v3.OptNilInt64 {
	if n == 0 {
		return v3.OptNilInt64{Set: true, Null: true}
	}
	return v3.NewOptNilInt64(n)
}

func (h *handler) attachment(f domain.File) v3.BlockAttachment {
	w := v3.BlockAttachment{
		Filename: v3.NewOptNilString(f.Name), ContentType: v3.NewOptNilString(f.ContentType),
		FileSize: v3.NewOptNilInt64(f.Size), FileExtension: v3.OptNilString{Set: true, Null: true},
		UpdatedAt: v3.NewOptTime(wire.Time{Time: f.CreatedAt}), URL: h.address(f, f.Original()),
	}
	if f.Extension != "" {
		w.FileExtension = v3.NewOptNilString(f.Extension)
	}
	return w
}

func embed(e domain.Embed) v3.BlockEmbed {
	return v3.BlockEmbed{
		URL: known(e.URL), Type: known(e.Type), Title: known(e.Title), AuthorName: known(e.AuthorName),
		AuthorURL: known(e.AuthorURL), SourceURL: known(e.SourceURL), Width: pixels(e.Width), Height: pixels(e.Height),
		HTML: known(e.HTML), ThumbnailURL: known(e.ThumbnailURL),
	}
}

// known is null for what is not known.
func known(s string) v3.OptNilString {
	if s == "" {
		return v3.OptNilString{Set: true, Null: true}
	}
	return v3.NewOptNilString(s)
}

// avatar is the address of a picture: a file's version by its path below the
// address of files, or an address of its own.
func (h *handler) avatar(a *string) v3.NilString {
	switch {
	case a == nil:
		return v3.NilString{Null: true}
	case strings.Contains(*a, "://"):
		return v3.NewNilString(*a)
	}
	return v3.NewNilString(h.files + "/" + *a)
}
