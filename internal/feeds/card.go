package feeds

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// Size of a card in pixels.
const (
	CardWidth  = 1200
	CardHeight = 630
)

// Card is the content of a card. Empty fields are omitted.
type Card struct {
	Above string // owner, above the title
	Title string
	Text  string // below the title
	Site  string // in the footer
	Count string // number of items, next to a grid icon

	Pictures []image.Image // at the side of the texts
}

// Positions in pixels.
const (
	margin   = 84
	column   = CardWidth - 2*margin
	bottom   = 492 // of the content above the footer
	footLine = 528
	footBase = 580
)

// DrawCard draws a card as a PNG, or as a JPEG if it has pictures.
func DrawCard(c Card) ([]byte, error) {
	f, err := inter()
	if err != nil {
		return nil, err
	}
	p := &painter{Paletted: image.NewPaletted(image.Rect(0, 0, CardWidth, CardHeight), shades()), font: f, column: column}
	if len(c.Pictures) > 0 {
		p.column = pictured.Min.X - margin - margin/2
	}
	c = c.drawable(f)
	p.fill(image.Rect(margin, 72, margin+72, 78), accent)
	y := 92
	if c.Above != "" {
		y = p.text(block{text: c.Above, shade: quiet, sizes: []float64{34}, top: y + 18, maxLines: 1})
	}
	lines, bodySize := 5, []float64{36}
	if c.Text != "" {
		lines = 3
	}
	y = p.text(block{text: c.Title, shade: ink, sizes: []float64{88, 72, 60, 50}, top: y + 14, maxLines: lines})
	if c.Text != "" {
		p.text(block{text: c.Text, shade: quiet, sizes: bodySize, top: y + 18, maxLines: 5})
	}
	p.fill(image.Rect(margin, footLine, margin+p.column, footLine+1), quiet)
	used := p.count(c.Count)
	p.line(c.Site, quiet, 30, margin, footBase, p.column-used)
	if p.err != nil {
		return nil, p.err
	}
	if len(c.Pictures) > 0 {
		return drawPictures(p.Paletted, c.Pictures)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err = encoder.Encode(&out, p.Paletted)
	return out.Bytes(), err
}

// A shade is a color of the site in steps from the background to the full color. Its value is the
// palette index before its first step.
type shade int

const (
	levels       = 15
	ink    shade = 0
	quiet  shade = levels
	accent shade = 2 * levels
)

// shades returns the palette of a card: the background, then the steps of each shade.
func shades() color.Palette {
	paper := color.RGBA{0xfb, 0xfa, 0xf8, 0xff}
	all := color.Palette{paper}
	for _, full := range []color.RGBA{{0x1c, 0x1b, 0x19, 0xff}, {0x5f, 0x5b, 0x54, 0xff}, {0x9a, 0x3b, 0x1f, 0xff}} {
		for i := 1; i <= levels; i++ {
			mix := func(a, b uint8) uint8 { return uint8((int(a)*(levels-i) + int(b)*i) / levels) }
			all = append(all, color.RGBA{mix(paper.R, full.R), mix(paper.G, full.G), mix(paper.B, full.B), 0xff})
		}
	}
	return all
}
