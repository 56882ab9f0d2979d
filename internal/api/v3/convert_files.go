package v3

import (
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// preview converts the optional image of a block.
func preview(b present.Block) v3.OptNilBlockImage {
	if !b.HasImage() {
		return v3.OptNilBlockImage{Set: true, Null: true}
	}
	return v3.NewOptNilBlockImage(image(b.Image()))
}

// image converts an image and its resized versions.
func image(i present.Image) v3.BlockImage {
	w := v3.BlockImage{
		AltText: optNilString(i.AltText), Blurhash: optNilString(i.Blurhash),
		Width: nonZero(i.Width), Height: nonZero(i.Height), AspectRatio: v3.OptNilFloat32{Set: true, Null: true},
		Src:         v3.NewOptString(i.Src()),
		ContentType: v3.NewOptString(i.ContentType), Filename: v3.NewOptString(i.Name),
		FileSize: v3.NewOptNilInt64(i.ServedSize()), UpdatedAt: v3.NewOptTime(wire.Time{Time: i.CreatedAt}),
		Small: version(i.Small()), Medium: version(i.Medium()), Large: version(i.Large()), Square: version(i.Square()),
	}
	if ratio := i.AspectRatio(); ratio != 0 {
		w.AspectRatio = v3.NewOptNilFloat32(float32(ratio))
	}
	return w
}

func version(v present.Version) v3.ImageVersion {
	return v3.ImageVersion{Src: v.Src, Src2x: v.Src2x, Width: nonZero(v.Width), Height: nonZero(v.Height)}
}

func attachment(f present.Attachment) v3.BlockAttachment {
	return v3.BlockAttachment{
		Filename: v3.NewOptNilString(f.Name), ContentType: v3.NewOptNilString(f.ContentType),
		FileSize: v3.NewOptNilInt64(f.ServedSize()), FileExtension: optNonEmpty(f.Extension),
		UpdatedAt: v3.NewOptTime(wire.Time{Time: f.CreatedAt}), URL: f.URL(),
	}
}

func embed(e domain.Embed) v3.BlockEmbed {
	return v3.BlockEmbed{
		URL: optNonEmpty(e.URL), Type: optNonEmpty(e.Type), Title: optNonEmpty(e.Title), AuthorName: optNonEmpty(e.AuthorName),
		AuthorURL: optNonEmpty(e.AuthorURL), SourceURL: optNonEmpty(e.SourceURL), Width: nonZero(e.Width), Height: nonZero(e.Height),
		HTML: optNonEmpty(e.HTML), ThumbnailURL: optNonEmpty(e.ThumbnailURL),
	}
}
