package content

import (
	"bytes"
	"cmp"
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
	"vitrine/internal/media/sound"
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
	switch family, _, _ := strings.Cut(kind.ContentType, "/"); family {
	case "audio":
		return a.describedSound(ctx, src, made)
	case "video":
		made.image, err = a.poster(ctx, staged, f)
		return made, err
	}
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

// poster stores the image to show of a video until it plays: the one that the browser uploaded with it, or else a frame from
// the camera. It returns nil if the video gets no image.
func (a *intake) poster(ctx context.Context, staged *blob.Staged, video domain.File) (*domain.File, error) {
	sent, err := a.sentPoster(ctx)
	if err != nil {
		return nil, err
	}
	if f, err := a.attached(ctx, sent, video.Name); f != nil || err != nil {
		return f, err
	}
	frame := a.camera.Picture(ctx, staged.Path(), video.ContentType)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return a.attached(ctx, frame, video.Name)
}

// attached stores a picture that came with a file. It returns nil if there is no picture or it cannot be used.
func (a *intake) attached(ctx context.Context, picture []byte, name string) (*domain.File, error) {
	if picture == nil {
		return nil, nil
	}
	f, err := a.pageImage(ctx, picture, name)
	if err != nil && theirs(err) {
		return nil, nil
	}
	return f, err
}

// sentPoster reads the image that a browser uploaded with a video, or returns nil if it is gone or too large.
func (a *intake) sentPoster(ctx context.Context) ([]byte, error) {
	if a.posterID == 0 {
		return nil, nil
	}
	u, err := a.Store.Blobs().UploadByID(ctx, a.posterID)
	if err != nil {
		return nil, ignoreGone(err)
	}
	sent, err := a.openUpload(ctx, u)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer closing(sent)
	picture, err := io.ReadAll(io.LimitReader(sent, MaxPoster+1))
	if err != nil || len(picture) > MaxPoster {
		return nil, err
	}
	a.from(u)
	return picture, nil
}

// describedSound adds what an audio file says about itself, with its cover as the preview.
func (a *intake) describedSound(ctx context.Context, src *io.SectionReader, made content) (content, error) {
	said, err := sound.Read(ctx, src)
	if err != nil {
		return content{}, err
	}
	made.title = cmp.Or(said.Title, made.title)
	if said.Artist != "" || said.Seconds > 0 {
		made.sound = &domain.Sound{Artist: said.Artist, Seconds: said.Seconds}
	}
	made.image, err = a.attached(ctx, said.Cover, made.file.Name)
	return made, err
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
	f.Blurhash, f.Palette, f.LookHash = core.NonEmpty(&made.Blurhash), made.Palette, made.Hash
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

// pageImage stores a picture of a file, such as the first page of a document, and renders its versions.
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
