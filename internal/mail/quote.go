package mail

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longestQuote is the maximum number of characters of user input in a mail.
const longestQuote = 80

// Quote returns user input, such as a name, in quotation marks and made harmless, so that it cannot be
// mistaken for our own text.
func Quote(typed string) string { return "“" + Harmless(typed) + "”" }

// Harmless makes user input safe for a header or a sentence of a mail: one line, not too long, without
// control and format characters, and without anything that mail programs turn into links. Anyone can
// choose a name that is then mailed to strangers.
func Harmless(typed string) string {
	typed = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner && r != zeroWidthNonJoiner:
			return -1 // includes characters that change the text direction
		case unicode.Is(unicode.Quotation_Mark, r) && r != '\'' && r != '’':
			return '’' // a quotation mark could end the quotation
		}
		return r
	}, strings.ToValidUTF8(typed, "�"))
	runes := []rune(strings.Join(strings.Fields(typed), " "))
	if len(runes) > longestQuote {
		runes = append(runes[:longestQuote-1], '…')
	}
	return unlinked(runes)
}

// Joiners are part of some scripts and emoji, so they are kept.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// unlinked escapes the dots of "example.org", the colon of "https:", and "@" in all their forms, so that
// mail programs do not create links. Characters at the end of a word are kept, and colons between digits,
// as in a time.
func unlinked(runes []rune) string {
	var b strings.Builder
	for i, r := range runes {
		before, after := ' ', ' '
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		switch mark := markOf(r); {
		case mark == '.' && after != ' ' && markOf(after) != '.':
			b.WriteString("[.]")
		case mark == '@' && before != ' ' && after != ' ':
			b.WriteString("[at]")
		case mark == ':' && before != ' ' && after != ' ' && !(unicode.IsDigit(before) && unicode.IsDigit(after)):
			b.WriteString("[:]")
		case mark == '\\' && markOf(before) == '\\': // some programs link Windows network shares
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markOf returns '.', '@', ':' or '\' for these characters and those that are read like them: wide and
// small forms, and full stops of other scripts in domain names (RFC 3490 section 3.1). It returns 0 for
// anything else.
func markOf(r rune) rune {
	if r > unicode.MaxASCII {
		if plain := norm.NFKC.String(string(r)); len(plain) == 1 {
			r = rune(plain[0])
		} else if plain == "。" {
			r = '.'
		}
	}
	switch r {
	case '.', '@', ':', '\\':
		return r
	}
	return 0
}
