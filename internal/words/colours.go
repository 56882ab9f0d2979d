package words

import (
	"fmt"
	"slices"

	"vitrine/internal/colour"
)

// dominant is the least share, in percent, of a colour by which an image is found.
const dominant = 4

// Colours returns the marks of the colours of a stored palette: their cells of OKLab, and their families.
func Colours(palette string) (marks []string) {
	for _, s := range colour.ParsePalette(palette) {
		if s.Share < dominant {
			continue
		}
		at := s.Lab()
		for _, mark := range []string{cellMark(at.Cell()), familyMark(at.Family())} {
			if !slices.Contains(marks, mark) {
				marks = append(marks, mark)
			}
		}
	}
	return marks
}

func cellMark(c colour.Cell) string { return fmt.Sprintf("%s%dx%dx%d", colourMarks, c.L, c.A, c.B) }

func familyMark(name string) string { return colourMarks + name }

// coloured returns the marks of the colour that a query names: the mark of a family, or the marks of the cells around a
// colour. Images with the colour have at least one of them. It returns nil if the text names no colour.
func coloured(text string) (marks []string) {
	if name := colour.Family(text); name != "" {
		return []string{familyMark(name)}
	}
	c, ok := colour.Parse(text)
	if !ok {
		c, ok = colour.Named(text)
	}
	if !ok {
		return nil
	}
	for _, cell := range colour.Around(c.Lab()) {
		marks = append(marks, cellMark(cell))
	}
	return marks
}

// addColour adds the operator color.
func addColour(q *Query, p part, _ bool) bool { return q.addMarks(coloured(p.text)) }
