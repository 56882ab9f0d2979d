package look

import (
	"cmp"
	"fmt"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// itemView is a block or channel shown on its own: on its page, in a slideshow, in print.
type itemView struct {
	present.Block          // its Block is nil for a channel
	Cell          web.Cell // the same as a cell of a list
	Picture       *picture
	Media         string // "audio" or "video" if browsers can play the file
	Playing       bool   // the reader started the embed's player
	Still         bool   // load nothing of sounds and videos
	Brief         bool   // show only the beginning of a long text
	Heading       string
	Single        web.Cells // the item as a list, for a channel
}

// picture is an image in all sizes of a page.
type picture struct {
	Original, Src, Srcset string
	Sizes                 string          // for Srcset
	Width, Height         int64           // of Src
	FullWidth, FullHeight int64           // of Original
	Zoom                  present.Version // image of the full view
	Ground, Alt           string

	Animation string // URL of the animation, "" if the image has none
	Size      string // of the animation
	Still     string // image of the full view for readers who prefer reduced motion
	Moving    bool   // show the animation
	Asked     bool   // even to readers who prefer reduced motion
}

// maxMoving is the size in bytes up to which animations play automatically.
const maxMoving = 10 << 20

// newItemView prepares a block.
func newItemView(v *web.Visit, b *domain.Block) itemView {
	p := itemView{Block: v.Addresses().Block(b), Cell: v.Cell(domain.Entity{Block: b})}
	if b.HasImage() {
		p.Picture = newPicture(p.Block.Image())
		if b.Type == domain.ImageBlock {
			p.Picture.move(p.Block.Image())
		}
	}
	if b.File != nil {
		p.Media = playable(b.File.ContentType)
	}
	if p.Heading = p.Block.Heading(); p.Heading == "Untitled" {
		p.Heading = cmp.Or(p.Cell.Title, p.Cell.Host, v.T("cell.untitled"))
	}
	return p
}

// Titled reports whether the block has a title.
func (p itemView) Titled() bool { return p.Title != nil && *p.Title != "" }

// Own returns the picture, or nil for a file: that of a file is a preview, a poster or a cover.
func (p itemView) Own() *picture {
	if p.Cell.Kind == "file" {
		return nil
	}
	return p.Picture
}

// itemViewOf prepares an item of a channel.
func itemViewOf(v *web.Visit, t domain.Entity) itemView {
	if t.Block != nil {
		return newItemView(v, t.Block)
	}
	c := v.Cell(t)
	single := v.Cells([]domain.Entity{t})
	single.ID = "none"
	return itemView{Cell: c, Heading: c.Title, Single: single}
}

// playable returns the element for a content type, "audio" or "video", or "" if browsers cannot
// play it.
func playable(contentType string) string {
	kind, _, _ := strings.Cut(contentType, "/")
	if kind == "audio" || kind == "video" {
		return kind
	}
	return ""
}

// newPicture prepares an image that is as wide as the page. Browsers choose among its sizes.
func newPicture(i present.Image) *picture {
	large := i.Large()
	p := &picture{Original: i.Src(), Src: large.Src, Width: large.Width, Height: large.Height, FullWidth: i.Width, FullHeight: i.Height, Zoom: i.Full(), Ground: i.Ground()}
	if i.Resized != "" {
		var set []string
		was := int64(0)
		for _, size := range []domain.ImageVersion{domain.SmallImage, domain.MediumImage, domain.LargeImage, domain.LargeImage.At2x()} {
			w, _ := i.VersionSize(size)
			if w > was {
				shown := i.Version(size)
				set, was = append(set, fmt.Sprintf("%s %dw", shown.Src, w)), w
			}
		}
		if len(set) > 1 { // a single one is not larger than Src
			p.Srcset = strings.Join(set, ", ")
			p.Sizes = fmt.Sprintf("(min-width: 60rem) min(%[1]dpx, 60vw), min(%[1]dpx, 94vw)", i.Width) // never larger than the image
		}
	}
	if i.AltText != nil {
		p.Alt = *i.AltText
	}
	return p
}

// move plays the animation of an image that is not too large, for readers who do not prefer reduced
// motion.
func (p *picture) move(i present.Image) {
	if p.Animation = i.Animation(); p.Animation == "" {
		return
	}
	p.Size, p.Still = domain.FormatBytes(i.ServedSize()), i.Largest().Src
	if p.Moving = i.ServedSize() <= maxMoving; !p.Moving {
		p.Zoom = i.Largest()
	}
}

// play shows the animation because the reader requested it.
func (p *picture) play() {
	p.Moving, p.Asked = true, true
	p.Zoom = present.Version{Src: p.Animation, Width: p.FullWidth, Height: p.FullHeight}
}
