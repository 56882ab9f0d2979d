package feeds

import (
	"image"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// painter draws one card. After an error it draws nothing more.
type painter struct {
	*image.Paletted
	font  *opentype.Font
	faces map[float64]font.Face
	err   error

	column int // width of the texts
}

// block is a text that is wrapped into lines.
type block struct {
	text     string
	shade    shade
	sizes    []float64 // the first size in which the whole text fits is used
	top      int
	maxLines int // maximum number of lines
}

// face returns the font in a size.
func (p *painter) face(size float64) font.Face {
	if f, ok := p.faces[size]; ok {
		return f
	}
	f, err := opentype.NewFace(p.font, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		p.err = err
		return nil
	}
	if p.faces == nil {
		p.faces = map[float64]font.Face{}
	}
	p.faces[size] = f
	return f
}

// fill fills a rectangle.
func (p *painter) fill(r image.Rectangle, s shade) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p.SetColorIndex(x, y, uint8(s)+levels)
		}
	}
}

// text draws a block in the column and returns its bottom. If it does not fit even in its smallest
// size, it is truncated.
func (p *painter) text(b block) (end int) {
	if b.text == "" || p.err != nil {
		return b.top
	}
	var lines []string
	var size float64
	var step int
	for _, size = range b.sizes {
		step = int(size * 1.22)
		maxLines := min(b.maxLines, (bottom-b.top)/step)
		f := p.face(size)
		if maxLines < 1 || f == nil {
			return b.top
		}
		whole := false
		if lines, whole = wrap(f, b.text, p.column, maxLines); whole {
			break
		}
	}
	y := b.top
	for _, line := range lines {
		p.line(line, b.shade, size, margin, y+int(size), p.column)
		y += step
	}
	return y
}

// line draws one line with its baseline at y, truncated to width, and returns its right end.
func (p *painter) line(text string, s shade, size float64, x, y, width int) (end int) {
	f := p.face(size)
	if f == nil || text == "" {
		return x
	}
	if lines, _ := wrap(f, text, width, 1); len(lines) > 0 {
		text = lines[0]
	}
	dot, before := fixed.P(x, y), rune(-1)
	for _, r := range text {
		if before >= 0 {
			dot.X += f.Kern(before, r)
		}
		where, mask, from, advance, ok := f.Glyph(dot, r)
		if ok {
			p.glyph(where, mask, from, s)
		}
		dot.X += advance
		before = r
	}
	return dot.X.Ceil()
}

// glyph draws a letter. Where letters overlap, the darker pixel wins.
func (p *painter) glyph(where image.Rectangle, mask image.Image, from image.Point, s shade) {
	shown := where.Intersect(p.Rect)
	for y := shown.Min.Y; y < shown.Max.Y; y++ {
		for x := shown.Min.X; x < shown.Max.X; x++ {
			_, _, _, a := mask.At(from.X+x-where.Min.X, from.Y+y-where.Min.Y).RGBA()
			level := uint8(a * levels / 0xffff)
			if level > 0 && uint8(s)+level > p.ColorIndexAt(x, y) {
				p.SetColorIndex(x, y, uint8(s)+level)
			}
		}
	}
}

// count draws the number of items with its icon at the right of the footer and returns the used
// width.
func (p *painter) count(n string) (used int) {
	f := p.face(30)
	if n == "" || f == nil {
		return 0
	}
	width := font.MeasureString(f, n).Ceil()
	x := margin + p.column - width
	p.line(n, quiet, 30, x, footBase, width+1)
	const side, gap = 9, 4
	for i := range 4 {
		at := image.Pt(x-2*side-gap-14+i%2*(side+gap), footBase-2*side-gap+i/2*(side+gap))
		p.fill(image.Rectangle{at, at.Add(image.Pt(side, side))}, quiet)
	}
	return width + 2*side + gap + 48
}
