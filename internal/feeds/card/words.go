package card

import (
	_ "embed" // for the font
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

//go:embed font/InterDisplay-Medium.ttf
var interFile []byte

// inter is the font, read once.
var inter = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(interFile) })

// maxText is how many characters of a text are looked at: more than a card has room for.
const maxText = 1_000

// drawable leaves what the font can draw. Where the title cannot be drawn, what can be
// moves up in its place.
func (c Card) drawable(f *opentype.Font) Card {
	for _, text := range []*string{&c.Above, &c.Title, &c.Text, &c.Site} {
		*text = drawable(f, *text)
	}
	if c.Title == "" {
		c.Title, c.Text = c.Text, ""
	}
	if c.Title == "" {
		c.Title, c.Above = c.Above, ""
	}
	return c
}

// drawable gives a text as the font can draw it, on one line: composed, without what is
// seen only by those who know how to shape it, and without signs that the font lacks. A
// text in a script that it lacks is "": a few letters that were left would mislead.
func drawable(f *opentype.Font, text string) string {
	var buffer sfnt.Buffer
	var b strings.Builder
	seen, kept, lost := 0, 0, 0
	for _, r := range norm.NFC.String(beginning(text, maxText)) {
		if seen++; seen > maxText {
			break
		}
		if unicode.IsSpace(r) {
			b.WriteRune(' ')
			continue
		}
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cc, unicode.Cf) {
			continue
		}
		glyph, err := f.GlyphIndex(&buffer, r)
		known := err == nil && glyph != 0
		if known {
			b.WriteRune(r)
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if known {
				kept++
			} else {
				lost++
			}
		}
	}
	if lost > kept/4 {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// beginning is so many characters of a text.
func beginning(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i]
		}
		n++
	}
	return text
}

// wrap breaks a text between words, and words that are longer than a line within. It is
// whole if it has room on so many lines; otherwise the last one ends in an ellipsis.
func wrap(f font.Face, text string, width, most int) (lines []string, whole bool) {
	fits := func(s string) bool { return font.MeasureString(f, s).Ceil() <= width }
	rest := text
	for rest != "" && len(lines) < most {
		n := lineEnd(rest, fits)
		lines = append(lines, strings.TrimSpace(rest[:n]))
		rest = strings.TrimSpace(rest[n:])
	}
	if rest == "" {
		return lines, true
	}
	last := []rune(lines[len(lines)-1])
	for len(last) > 0 && !fits(string(last)+"…") {
		last = last[:len(last)-1]
	}
	lines[len(lines)-1] = strings.TrimRight(string(last), " ,;:.–-") + "…"
	return lines, false
}

// lineEnd is how many bytes of a text are its first line, at least a character.
func lineEnd(text string, fits func(string) bool) int {
	end := 0 // of the words that have room
	for i, r := range text {
		if r != ' ' {
			continue
		}
		if !fits(text[:i]) {
			break
		}
		end = i
	}
	if fits(text) {
		return len(text)
	}
	if end > 0 {
		return end
	}
	_, end = utf8.DecodeRuneInString(text)
	for i := range text { // one word
		if i > end {
			if !fits(text[:i]) {
				break
			}
			end = i
		}
	}
	return end
}
