package mail

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longestQuote is how many characters of what somebody typed a mail shows.
const longestQuote = 80

// Quote puts what somebody typed, such as a name, between quotation marks, as Harmless has
// it: so that no reader takes it for words of ours.
func Quote(typed string) string { return "“" + Harmless(typed) + "”" }

// Harmless makes what somebody typed fit for a header or a sentence of a mail: one line,
// not too long, without control and format characters, and nothing that a mail program
// makes a link of. Strangers get mails with words that anybody can choose.
func Harmless(typed string) string {
	typed = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner && r != zeroWidthNonJoiner:
			return -1 // those that turn the direction of what follows among them
		case unicode.Is(unicode.Quotation_Mark, r) && r != '\'' && r != '’':
			return '’' // the end of a quotation is ours to say
		}
		return r
	}, strings.ToValidUTF8(typed, "�"))
	runes := []rune(strings.Join(strings.Fields(typed), " "))
	if len(runes) > longestQuote {
		runes = append(runes[:longestQuote-1], '…')
	}
	return unlinked(runes)
}

// Characters that join scripts and emoji, and so stay.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// unlinked writes the dots of "example.org", the colon of "https:" and the "@" of an
// address so that no program takes them for a link, in all their forms. They stay as they
// are where words end, and a colon also between digits, as of a time.
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
		case mark == '\\' && markOf(before) == '\\': // a share of a Windows network is a link to some
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markOf gives '.', '@', ':' or '\' for what is one or is read as one: wide and small
// forms, and the full stops of domain names in other scripts (RFC 3490 section 3.1).
// 0 is anything else.
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
