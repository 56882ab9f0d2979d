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

// colourMark begins all marks of colours. No mark of a host begins like that, because no host begins with a dot.
const colourMark = formMark + formMark + "_c"

func cellMark(c colour.Cell) string { return fmt.Sprintf("%s%dx%dx%d", colourMark, c.L, c.A, c.B) }

func familyMark(name string) string { return colourMark + name }

// colourTerm returns the term for a colour that a query names: the mark of a family, or those of the cells around
// a colour.
func colourTerm(text string) (t Term, ok bool) {
	if name := colour.Family(text); name != "" {
		return Term{Words: []string{familyMark(name)}}, true
	}
	c, ok := colour.Parse(text)
	if !ok {
		c, ok = colour.Named(text)
	}
	if !ok {
		return t, false
	}
	for _, cell := range colour.Around(c.Lab()) {
		t.Or = append(t.Or, Term{Words: []string{cellMark(cell)}})
	}
	t.Words, t.Or = t.Or[0].Words, t.Or[1:]
	return t, true
}

// addColour adds a colour that all results must have.
func addColour(q *Query, p part, _ bool) bool {
	t, ok := colourTerm(p.text)
	q.Colours = append(q.Colours, t)
	return ok
}
