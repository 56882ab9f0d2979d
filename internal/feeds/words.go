package feeds

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

// inter is the font, parsed once.
var inter = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(interFile) })

// maxText limits the characters of a text that are considered; a card fits fewer.
const maxText = 1_000

// drawable removes everything that the font cannot draw. If that is the whole title, the next text
// takes its place.
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

// drawable returns a text as the font can draw it on one line: composed, without combining and
// control characters, and without characters that the font lacks. A text in an unsupported script
// becomes "", because a few remaining letters would be misleading.
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

// beginning returns the first limit characters of a text.
func beginning(text string, limit int) string {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i]
		}
		n++
	}
	return text
}

// wrap breaks a text between words, and within words longer than a line. whole reports whether the
// text fits in limit lines; otherwise the last line ends in an ellipsis.
func wrap(f font.Face, text string, width, limit int) (lines []string, whole bool) {
	fits := func(s string) bool { return font.MeasureString(f, s).Ceil() <= width }
	rest := text
	for rest != "" && len(lines) < limit {
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

// lineEnd returns the length in bytes of a text's first line, at least one character.
func lineEnd(text string, fits func(string) bool) int {
	end := 0 // of the words that fit
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
	for i := range text { // a single word
		if i > end {
			if !fits(text[:i]) {
				break
			}
			end = i
		}
	}
	return end
}
