package media

import (
	"context"
	"fmt"
	"image"
	"image/draw"

	"github.com/buckket/go-blurhash"

	"vitrine/internal/colour"
	"vitrine/internal/domain"
	"vitrine/internal/media/codec"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/pdf"
	"vitrine/internal/media/wasm"
)

// Rendition is an image file of one version.
type Rendition struct {
	Version     domain.ImageVersion
	ContentType string // "image/jpeg", or "image/webp" if it is transparent
	Width       int    // in pixels
	Height      int
	Bytes       []byte // without metadata; versions of the same size share them
}

// Rendered is the result of rendering an image.
type Rendered struct {
	Info
	Look
	Opaque     bool   // there are no transparent pixels
	Blurhash   string // 4 × 3 components, 3 × 4 for portraits; on white
	Renditions []Rendition
}

// Look is what an image looks like, for finding it and similar ones.
type Look struct {
	Palette string // as colour.Palette stores it
	Hash    *int64 // perceptual (colour.Hash), or nil
}

// Render decodes an image once and makes the versions from it, in the given order. For an
// animation they show the first frame: serve the original to show it moving. It returns an *Error
// if the image is broken, too large or of an unknown format.
func (s *Studio) Render(ctx context.Context, src Source, k filetype.Kind, versions []domain.ImageVersion) (made Rendered, err error) {
	err = s.decode(ctx, src, k, versions, func(img image.Image, h codec.Header, p plan) error {
		made, err = s.renderAll(ctx, img, h, p)
		return err
	})
	return made, err
}

// Look decodes an image and describes what it looks like. Its errors are those of Render.
func (s *Studio) Look(ctx context.Context, src Source, k filetype.Kind) (l Look, err error) {
	err = s.decode(ctx, src, k, nil, func(img image.Image, h codec.Header, p plan) error {
		picture := picturesOf(img, h, p)[p.size(thumbnail)]
		l = lookOf(picture, flattened(picture))
		return nil
	})
	return l, err
}

// decode decodes an image and uses it while the memory for its versions is reserved.
func (s *Studio) decode(ctx context.Context, src Source, k filetype.Kind, versions []domain.ImageVersion, use func(image.Image, codec.Header, plan) error) error {
	h, err := s.header(ctx, src, k)
	if err != nil {
		return err
	}
	if err := s.start(ctx, s.codecs.Modules(k, h)...); err != nil {
		return err
	}
	p := planFor(h, versions, s.memory.max)
	release, err := s.memory.reserve(ctx, p.need)
	if err != nil {
		return err
	}
	defer release()
	in, done := s.input(ctx, src)
	defer done()
	img, err := s.codecs.Decode(in, k, h)
	if err != nil {
		return fmt.Errorf("decode an image: %w", err)
	}
	return use(img, h, p)
}

// start compiles the modules that an image needs and that are not compiled yet.
func (s *Studio) start(ctx context.Context, modules ...*wasm.Module) error {
	for _, m := range modules {
		if m.Started() {
			continue
		}
		release, err := s.memory.reserve(ctx, min(wasm.Compiling, s.memory.max))
		if err != nil {
			return err
		}
		err = m.Compile()
		release()
		if err != nil {
			return err
		}
	}
	return nil
}

// renderAll makes all pictures and then encodes them one by one.
func (s *Studio) renderAll(ctx context.Context, img image.Image, h codec.Header, p plan) (Rendered, error) {
	pictures := picturesOf(img, h, p)
	rendered := Rendered{Info: infoOf(h), Opaque: codec.Opaque(pictures[p.sizes[0]])}
	var err error
	whole := pictures[p.size(thumbnail)]
	flat := flattened(whole)
	rendered.Look = lookOf(whole, flat)
	if rendered.Blurhash, err = hash(whole, flat); err != nil {
		return Rendered{}, err
	}
	files := map[size]Rendition{}
	for want, picture := range pictures {
		if err := ctx.Err(); err != nil {
			return Rendered{}, err
		}
		if files[want], err = s.encode(ctx, picture, rendered.Opaque, p.encoding); err != nil {
			return Rendered{}, err
		}
	}
	for _, v := range p.versions {
		file := files[p.size(v)]
		file.Version = v
		rendered.Renditions = append(rendered.Renditions, file)
	}
	return rendered, nil
}

// encode writes a picture, with up to limit bytes of memory if it is not opaque.
func (s *Studio) encode(ctx context.Context, picture image.Image, opaque bool, limit int64) (r Rendition, err error) {
	b := picture.Bounds()
	r.Width, r.Height = b.Dx(), b.Dy()
	r.ContentType, r.Bytes, err = s.codecs.Encode(ctx, picture, opaque, limit)
	return r, err
}

// ReadDocument returns the first page of a PDF as a JPEG, for Render, and its text for searches.
// With an *Error, it may still return one of them; see pdf.Printer.Read.
func (s *Studio) ReadDocument(ctx context.Context, src Source) (page []byte, text string, err error) {
	release, err := s.memory.reserve(ctx, min(s.printer.Memory(), s.memory.max))
	if err != nil {
		return nil, "", err
	}
	defer release()
	return s.printer.Read(ctx, src)
}

// Outline describes the first MaxPages pages of a PDF.
type Outline = pdf.Outline

// MaxPages is the number of pages of a PDF that can be read.
const MaxPages = pdf.MaxPages

// ReadPage returns a page of a PDF, counted from 0, as a JPEG; see pdf.Printer.Page.
func (s *Studio) ReadPage(ctx context.Context, src Source, n int) ([]byte, error) {
	release, err := s.memory.reserve(ctx, min(s.printer.Memory(), s.memory.max))
	if err != nil {
		return nil, err
	}
	defer release()
	return s.printer.Page(ctx, src, n)
}

// ReadOutline returns the sizes and texts of the pages of a PDF; see pdf.Printer.Outline.
func (s *Studio) ReadOutline(ctx context.Context, src Source) (Outline, error) {
	release, err := s.memory.reserve(ctx, min(s.printer.Memory(), s.memory.max))
	if err != nil {
		return Outline{}, err
	}
	defer release()
	return s.printer.Outline(ctx, src)
}

// flattened returns a picture as a few pixels on white.
func flattened(picture image.Image) *image.RGBA {
	flat := image.NewRGBA(image.Rect(0, 0, colour.Side, colour.Side))
	draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, codec.Resize(picture, colour.Side, colour.Side), image.Point{}, draw.Over)
	return flat
}

// lookOf describes a picture that was also flattened.
func lookOf(picture image.Image, flat *image.RGBA) (l Look) {
	const side = 64
	few := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.Draw(few, few.Rect, codec.Resize(picture, side, side), image.Point{}, draw.Src)
	l.Palette = colour.PaletteOf(few).String()
	if hash, ok := colour.Hash(flat); ok {
		l.Hash = &hash
	}
	return l
}

// hash returns the blurhash of a picture that was flattened.
func hash(picture image.Image, flat *image.RGBA) (string, error) {
	x, y := 4, 3
	if b := picture.Bounds(); b.Dy() > b.Dx() {
		x, y = 3, 4
	}
	text, err := blurhash.Encode(x, y, flat)
	if err != nil {
		return "", fmt.Errorf("make a blurhash: %w", err)
	}
	return text, nil
}
