package v2

import (
	"html"
	"math"
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// classes maps types of blocks to those of version 2. A block that is still processed is a link to its source.
var classes = map[domain.BlockType]string{
	domain.TextBlock: "Text", domain.ImageBlock: "Image", domain.LinkBlock: "Link",
	domain.AttachmentBlock: "Attachment", domain.EmbedBlock: "Media", domain.PendingBlock: "Link",
}

var states = map[domain.BlockState]string{
	domain.Available: "available", domain.Processing: "processing", domain.Failed: "failure",
}

// block writes a block; more adds fields of specific places.
func (c *related) block(p jsonWriter, of *domain.Block, more func()) {
	b := c.at.Block(of)
	class := classes[b.Type]
	p.object(func() {
		p.int("id", int64(b.ID))
		if b.Title == nil {
			p.text("title", "")
		} else {
			p.text("title", *b.Title)
		}
		p.time("updated_at", b.UpdatedAt)
		p.time("created_at", b.CreatedAt)
		p.text("state", states[b.State])
		p.int("comment_count", b.Comments)
		p.text("generated_title", html.UnescapeString(b.Heading()))
		written(p, class, "content", b.Content)
		written(p, class, "description", b.Description)
		if b.Visibility() == domain.BlockPublic {
			p.text("visibility", "public")
		} else {
			p.text("visibility", "private")
		}
		source(p, b.Source())
		if b.HasImage() {
			p.field("image")
			image(p, b.Image())
		} else {
			p.null("image")
		}
		embed(p, b.Embed)
		if b.File != nil && b.Type == domain.AttachmentBlock {
			p.field("attachment")
			attachment(p, b.Attachment())
		} else {
			p.null("attachment")
		}
		if len(b.Metadata) == 0 || string(b.Metadata) == "{}" {
			p.null("metadata")
		} else {
			p.field("metadata")
			wire.JSON(b.Metadata).Encode(p.e)
		}
		p.text("base_class", "Block")
		p.text("class", class)
		p.field("user")
		c.embedded(p, b.Block.Author)
		if more != nil {
			more()
		}
	})
}

// written writes a text as Markdown and HTML. A missing text is "" in blocks of some classes and null in others
// (behaviour-v2.md section 3).
func written(p jsonWriter, class, name string, text *domain.Text) {
	switch {
	case text.Shown():
		p.text(name, text.Markdown)
		p.text(name+"_html", text.HTML)
	case class == "Media" || class == "Attachment":
		p.null(name, name+"_html")
	default:
		p.text(name, "")
		p.text(name+"_html", "")
	}
}

func source(p jsonWriter, s present.Source) {
	if s.URL == "" {
		p.null("source")
		return
	}
	p.under("source", func() {
		p.text("url", s.URL)
		p.optional("title", s.Title)
		p.under("provider", func() {
			p.orNull("name", s.Provider.Name)
			p.orNull("url", s.Provider.URL)
		})
	})
}

// image writes an image in the sizes of version 2, using the nearest existing versions. Every size of a GIF is the
// original, so that it stays animated (section 4.1).
func image(p jsonWriter, i present.Image) {
	sized := func(name, url string) {
		if i.ContentType == "image/gif" {
			url = i.Src()
		}
		p.under(name, func() { p.text("url", url) })
	}
	p.object(func() {
		p.text("filename", i.Name)
		p.text("content_type", i.ContentType)
		p.time("updated_at", i.CreatedAt)
		sized("thumb", i.Small().Src)
		sized("square", i.Square().Src)
		sized("display", i.Large().Src)
		sized("large", i.Large().Src2x)
		p.under("original", func() {
			p.text("url", i.Src())
			p.int("file_size", i.ServedSize())
			p.text("file_size_display", sizeText(i.ServedSize()))
		})
	})
}

func attachment(p jsonWriter, f present.Attachment) {
	p.object(func() {
		p.text("file_name", f.Name)
		p.int("file_size", f.ServedSize())
		p.text("file_size_display", sizeText(f.ServedSize()))
		p.text("content_type", f.ContentType)
		p.text("extension", f.Extension)
		p.text("url", f.URL())
	})
}

func embed(p jsonWriter, e *domain.Embed) {
	if e == nil {
		p.null("embed")
		return
	}
	p.under("embed", func() {
		p.orNull("url", e.URL)
		p.text("type", e.Type)
		p.orNull("title", e.Title)
		p.orNull("author_name", e.AuthorName)
		p.orNull("author_url", e.AuthorURL)
		p.orNull("source_url", e.SourceURL)
		p.orNull("thumbnail_url", e.ThumbnailURL)
		p.int("width", e.Width)
		p.int("height", e.Height)
		p.text("html", e.HTML)
	})
}

// sizeText formats a size with three significant digits, by 1,024: "34.7 KB", "16 MB", "512 Bytes".
func sizeText(bytes int64) string {
	if bytes < 1<<10 {
		return strconv.FormatInt(bytes, 10) + " Bytes"
	}
	size, units := float64(bytes), []string{"KB", "MB", "GB", "TB"}
	unit := -1
	for size >= 1<<10 && unit < len(units)-1 {
		size, unit = size/(1<<10), unit+1
	}
	digits := math.Pow10(2 - int(math.Floor(math.Log10(size))))
	return strconv.FormatFloat(math.Round(size*digits)/digits, 'f', -1, 64) + " " + units[unit]
}
