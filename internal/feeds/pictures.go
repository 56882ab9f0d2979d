package feeds

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"image"
	stddraw "image/draw"
	"image/jpeg"
	_ "image/png" // decodes resized versions
	"io"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decodes resized versions

	"vitrine/internal/domain"
)

// maxPicture is the maximum size in bytes of an image on a card. Resized versions are smaller.
const maxPicture = 4 << 20

// pictured is where a card has pictures. Its texts are left of it.
var pictured = image.Rect(CardWidth*4/7, 0, CardWidth, CardHeight)

// pictureGap is the space between pictures.
const pictureGap = 4

// coverTag returns a tag of a channel with its cover.
func coverTag(tag string, cover []domain.CoverBlock) string {
	sum := fnv.New64a()
	for _, b := range cover {
		_, _ = fmt.Fprintf(sum, "%d %d %d ", b.ID, b.Version, b.UpdatedAt.UnixMicro()) // a hash never fails
	}
	return tag[:len(tag)-1] + fmt.Sprintf(`-%x"`, sum.Sum64())
}

// pictures reads the images on the cover of a channel, as guests see it. It omits those that cannot be opened or decoded.
func (h *Handler) pictures(ctx context.Context, cover []domain.CoverBlock) (all []image.Image, err error) {
	ids := make([]domain.BlockID, len(cover))
	for i, b := range cover {
		ids[i] = b.ID
	}
	blocks, err := h.o.App.Collections.VisibleBlocks(ctx, domain.Actor{}, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if b := blocks[id]; b != nil && b.State == domain.Available && b.Image != nil && b.Image.Resized != "" {
			if picture := h.picture(ctx, *b.Image); picture != nil {
				all = append(all, picture)
			}
		}
	}
	return all, ctx.Err()
}

// picture decodes a resized version of an image, or returns nil if that fails.
func (h *Handler) picture(ctx context.Context, f domain.File) image.Image {
	opened, err := h.o.App.Content.OpenFile(ctx, f, f.Version(domain.MediumImage))
	if err != nil {
		return nil
	}
	defer opened.Content.Close()
	data, err := io.ReadAll(io.LimitReader(opened.Content, maxPicture))
	if err != nil {
		return nil
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return decoded
}

// drawPictures adds pictures to a card: the first one large, the others below it.
func drawPictures(card image.Image, pictures []image.Image) ([]byte, error) {
	out := image.NewRGBA(card.Bounds())
	stddraw.Draw(out, out.Rect, card, image.Point{}, stddraw.Src)
	first, rest := pictured, len(pictures)-1
	if rest > 0 {
		first.Max.Y = CardHeight * 2 / 3
	}
	place(out, first, pictures[0])
	width := (pictured.Dx() + pictureGap) / max(1, rest)
	for i, p := range pictures[1:] {
		at := image.Rect(pictured.Min.X+i*width, first.Max.Y+pictureGap, pictured.Min.X+(i+1)*width-pictureGap, CardHeight)
		if i == rest-1 {
			at.Max.X = CardWidth
		}
		place(out, at, p)
	}
	var file bytes.Buffer
	err := jpeg.Encode(&file, out, &jpeg.Options{Quality: 85})
	return file.Bytes(), err
}

// place draws the middle of a picture so that it fills a rectangle.
func place(out *image.RGBA, at image.Rectangle, p image.Image) {
	from := p.Bounds()
	if w := from.Dy() * at.Dx() / at.Dy(); w < from.Dx() {
		from.Min.X += (from.Dx() - w) / 2
		from.Max.X = from.Min.X + w
	} else if h := from.Dx() * at.Dy() / at.Dx(); h < from.Dy() {
		from.Min.Y += (from.Dy() - h) / 2
		from.Max.Y = from.Min.Y + h
	}
	draw.ApproxBiLinear.Scale(out, at, p, from, draw.Over, nil)
}
