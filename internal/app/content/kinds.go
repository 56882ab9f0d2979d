package content

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/app/core"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/strip"
)

// contentOfFile makes an Image of raster images and SVG, and an Attachment of everything else. The bytes decide
// (behaviour.md section 10).
func (a *intake) contentOfFile(ctx context.Context, staged *blob.Staged, name string) (content, error) {
	bytes, err := staged.Open()
	if err != nil {
		return content{}, err
	}
	defer closing(bytes)
	src := io.NewSectionReader(bytes, 0, staged.Size)
	kind, err := filetype.Detect(ctx, src, name)
	if err != nil {
		return content{}, err
	}
	made := content{kind: domain.AttachmentBlock, title: cut(name)}
	switch kind.Class {
	case filetype.Vector:
		made.image, err = a.drawing(ctx, src, name, kind)
	case filetype.Raster:
		made.image, err = a.picture(ctx, staged, src, name, kind)
	}
	if _, unusable := errors.AsType[*media.Error](err); err != nil && !unusable {
		return content{}, err
	}
	if made.image != nil {
		made.kind = domain.ImageBlock
		return made, nil
	}
	return a.attachment(ctx, staged, src, made, name, kind)
}

// attachment stores a file unchanged, with a preview if one can be made.
func (a *intake) attachment(ctx context.Context, staged *blob.Staged, src *io.SectionReader, made content, name string, kind filetype.Kind) (content, error) {
	if kind.Class == filetype.Vector { // but it could not be made safe to show
		kind.ContentType = "application/xml"
	}
	kept, err := a.keep(ctx, staged, kind.ContentType)
	if err != nil {
		return content{}, err
	}
	f := newFile(kept, name, kind)
	made.file = &f
	if kind.Class != filetype.Document {
		return made, nil
	}
	page, text, err := a.studio.ReadDocument(ctx, src)
	if _, unusable := errors.AsType[*media.Error](err); err != nil && !unusable {
		return content{}, err
	}
	made.text = text
	if page == nil {
		return made, nil
	}
	made.image, err = a.pageImage(ctx, page, name)
	if _, unusable := errors.AsType[*media.Error](err); err != nil && !unusable && !errors.Is(err, errOverQuota) {
		return content{}, err
	}
	return made, nil
}

// picture stores an image and renders its versions.
func (a *intake) picture(ctx context.Context, staged *blob.Staged, src *io.SectionReader, name string, kind filetype.Kind) (*domain.File, error) {
	if _, err := a.studio.Inspect(ctx, src, kind); err != nil { // before anything is stored
		return nil, err
	}
	kept, err := a.keep(ctx, staged, kind.ContentType)
	if err != nil {
		return nil, err
	}
	f := newFile(kept, name, kind)
	made, extension, err := a.render(ctx, src, kept.Object, kind)
	if err != nil {
		return nil, err
	}
	f.Width, f.Height, f.Resized, f.Animated = int64(made.Width), int64(made.Height), extension, made.Animated
	f.Blurhash = core.NonEmpty(&made.Blurhash)
	return &f, nil
}

// drawing stores an SVG without its scripts and external references.
func (a *intake) drawing(ctx context.Context, src *io.SectionReader, name string, kind filetype.Kind) (*domain.File, error) {
	clean, err := strip.SanitizeSVG(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return nil, err
	}
	staged, err := a.staging.Receive(ctx, bytes.NewReader(clean.Bytes), int64(len(clean.Bytes)))
	if err != nil {
		return nil, err
	}
	defer a.discard(staged)
	kept, err := a.keep(ctx, staged, kind.ContentType)
	if err != nil {
		return nil, err
	}
	f := newFile(kept, name, kind)
	f.Width, f.Height = int64(clean.Width), int64(clean.Height)
	return &f, nil
}

// pageImage stores the JPEG of a document's first page and renders its versions.
func (a *intake) pageImage(ctx context.Context, shot []byte, name string) (*domain.File, error) {
	staged, err := a.staging.Receive(ctx, bytes.NewReader(shot), int64(len(shot)))
	if err != nil {
		return nil, err
	}
	defer a.discard(staged)
	seen := io.NewSectionReader(bytes.NewReader(shot), 0, int64(len(shot)))
	kind, err := filetype.Detect(ctx, seen, "")
	if err != nil {
		return nil, err
	}
	return a.picture(ctx, staged, seen, strings.TrimSuffix(name, path.Ext(name))+"."+kind.Extension, kind)
}

// tidyName makes a foreign file name fit for display: its last part, as valid text on one line, no longer than a title.
func tidyName(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) { // bidirectional controls would show it as another name
			return -1
		}
		return r
	}, name))
	if name == "" || name == "." || name == "/" {
		return "file"
	}
	if ext := path.Ext(name); utf8.RuneCountInString(name) > domain.MaxTitle && len(ext) < 20 {
		return string([]rune(name)[:domain.MaxTitle-utf8.RuneCountInString(ext)]) + ext
	}
	return cut(name)
}
