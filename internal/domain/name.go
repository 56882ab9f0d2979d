package domain

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// CleanName returns a name in the form in which it is stored: NFC, without surrounding space.
func CleanName(name string) string { return strings.TrimSpace(norm.NFC.String(name)) }

// Name checks the name of a user, group, application, token or anything else that is shown within our
// own texts. The name must have passed CleanName.
func (f *Faults) Name(path, name string) {
	if !utf8.ValidString(name) {
		f.Add(path, FieldMalformed, "must be valid UTF-8")
		return
	}
	runes := []rune(name)
	for i := range runes {
		if why := unnameable(runes, i); why != "" {
			f.Add(path, FieldMalformed, why)
			return
		}
	}
	switch {
	case len(runes) < 1:
		f.Add(path, FieldTooShort, lengthOfName)
	case len(runes) > MaxTitle:
		f.Add(path, FieldTooLong, lengthOfName)
	}
}

var lengthOfName = "must be 1 to " + strconv.Itoa(MaxTitle) + " characters long"

// RequiredName checks a name from a request, before CleanName.
func (f *Faults) RequiredName(path, name string) {
	if f.RequiredText(path, name, MaxTitle) {
		f.Name(path, CleanName(name))
	}
}

// NameFrom derives a name from a text that its author cannot correct here, such as the title of an
// imported item. It replaces line ends by spaces and drops characters that a name must not contain. The
// result may be empty.
func NameFrom(text string) string {
	runes := []rune(strings.ToValidUTF8(norm.NFC.String(text), "\ufffd"))
	kept := make([]rune, 0, len(runes))
	for _, r := range runes {
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			r = ' '
		case unicode.IsControl(r):
			continue
		}
		if kept = append(kept, r); unnameable(kept, len(kept)-1) != "" && !joins(r) && !isTag(r) {
			kept = kept[:len(kept)-1]
		}
	}
	runes, kept = kept, make([]rune, 0, len(kept))
	for i, r := range runes { // checks that depend on both neighbours
		if unnameable(runes, i) == "" {
			kept = append(kept, r)
		}
	}
	return strings.TrimSpace(string(kept))
}

// RequiredTitle checks the title of a channel. Any characters are accepted, as in the public API,
// because NameFrom cleans the title before it is stored.
func (f *Faults) RequiredTitle(path, title string) {
	if f.RequiredText(path, title, MaxTitle) && !strings.ContainsFunc(title, shows) {
		f.Add(path, FieldBlank, mustNotBeBlank)
	}
}

func shows(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !slices.Contains(blanks, r)
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
	blackFlag = '\U0001f3f4'
	endOfTags = '\U000e007f'
)

func joins(r rune) bool { return r == nonJoiner || r == joiner }

func isTag(r rune) bool { return r >= 0xe0020 && r <= endOfTags }

// unnameable returns why the character at i is not allowed in a name, or "".
func unnameable(name []rune, i int) string {
	const (
		control   = "must not contain control characters"
		turns     = "must not contain characters that change the direction of the text"
		invisible = "must not contain invisible characters"
	)
	r, before, after := name[i], ' ', ' '
	if i > 0 {
		before = name[i-1]
	}
	if i+1 < len(name) {
		after = name[i+1]
	}
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return control
	case unicode.Is(unicode.Bidi_Control, r):
		return turns
	case joins(r): // allowed within words of scripts that need it, and a joiner within emoji
		inWord := unicode.In(before, joined...) && unicode.In(after, joined...)
		inEmoji := r == joiner && emojiEnds(before) && unicode.IsSymbol(after)
		if !inWord && !inEmoji {
			return invisible
		}
	case isTag(r): // allowed in the flag of a region
		start := i
		for start > 0 && isTag(name[start-1]) {
			start--
		}
		end := slices.Index(name[i:], endOfTags)
		if start == 0 || name[start-1] != blackFlag || end < 0 || !allTags(name[i:i+end]) {
			return invisible
		}
	case unicode.Is(unicode.Variation_Selector, r):
		if before == ' ' || unicode.Is(unicode.Variation_Selector, before) ||
			unicode.IsLetter(before) && !unicode.In(before, unicode.Han, unicode.Mongolian, unicode.Myanmar, unicode.Phags_Pa) {
			return invisible
		}
	case unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r), slices.Contains(blanks, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
		return invisible
	}
	return ""
}

func allTags(runes []rune) bool {
	return !slices.ContainsFunc(runes, func(r rune) bool { return !isTag(r) })
}

// emojiEnds reports whether an emoji can end with r: a symbol, a skin tone, the variation selector for
// coloured glyphs, or the end of a flag's tags.
func emojiEnds(r rune) bool { return unicode.IsSymbol(r) || r == '\ufe0f' || r == endOfTags }

// blanks are letters, marks and symbols without a visible glyph.
var blanks = []rune{'\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0'}

// joined are the scripts in which joiners occur within words.
var joined = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer, unicode.Balinese,
	unicode.Javanese, unicode.Sundanese, unicode.Meetei_Mayek, unicode.Chakma, unicode.Grantha,
}
