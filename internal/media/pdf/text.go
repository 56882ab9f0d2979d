package pdf

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxTextPages   = 500       // of a document that are read
	maxText        = 100_000   // characters of a document that are read, as many as of a web page
	maxOutlineText = 1_000_000 // characters of an Outline
)

// text passes the text of the loaded document on, page by page: that of its first 500 pages, up to
// limit characters. If a page cannot be read, the text ends before it.
func (i *instance) text(limit int, to func(page int, text string)) error {
	pages := min(i.pages(), maxTextPages)
	left := limit
	for n := 0; n < pages && left > 0 && i.err == nil; n++ {
		page := i.call("FPDF_LoadPage", i.document, uint64(n))
		if page == 0 {
			continue
		}
		text := legible(i.pageText(page, left))
		i.call("FPDF_ClosePage", page)
		if i.err == nil && text != "" {
			left -= utf8.RuneCountInString(text)
			to(n, text)
		}
	}
	return i.err
}

// pageText returns at most limit characters of a page.
func (i *instance) pageText(page uint64, limit int) string {
	text := i.call("FPDFText_LoadPage", page)
	if text == 0 {
		return ""
	}
	defer i.call("FPDFText_ClosePage", text)
	count := min(int(int32(i.call("FPDFText_CountChars", text))), limit)
	if count <= 0 {
		return ""
	}
	buffer := i.call("malloc", uint64(2*(count+1))) // UTF-16, with a zero at the end
	if buffer == 0 {
		return ""
	}
	defer i.call("free", buffer)
	written := int(int32(i.call("FPDFText_GetText", text, 0, uint64(count), buffer)))
	if i.err != nil || written <= 0 || written > count+1 {
		return ""
	}
	bytes, ok := i.mod.Memory().Read(uint32(buffer), uint32(2*written))
	if !ok {
		return ""
	}
	units := make([]uint16, written)
	for n := range units {
		units[n] = binary.LittleEndian.Uint16(bytes[2*n:])
	}
	return string(utf16.Decode(units))
}

// hyphen is the character that PDFium returns for a hyphen at the end of a line that divides a word.
const hyphen = "\x02"

// legible returns the text of a page without control characters and with divided words put together. It returns
// "" if most of the text cannot be read, as when a font does not say which characters it has.
func legible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.NewReplacer(hyphen+"\n", "", hyphen, "-", "\r", "\n").Replace(text)
	letters, unknown := 0, 0
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF || unicode.Is(unicode.Co, r):
			unknown++
			return -1
		case unicode.IsControl(r):
			return -1
		}
		if !unicode.IsSpace(r) {
			letters++
		}
		return r
	}, text)
	if unknown > letters {
		return ""
	}
	return strings.TrimSpace(text)
}
