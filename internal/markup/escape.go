package markup

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	// blockStart matches the beginning of a line that would start a block.
	// Characters that are escaped anywhere in a line are missing.
	blockStart = regexp.MustCompile(`^(?:[-+=#>|]|[0-9]{1,9}[.)](?:[ \t]|$))`)

	// webLink matches a word that the parser could take for an address, and splits off the punctuation that
	// does not belong to the address.
	webLink = regexp.MustCompile(`(?i)(https?://|www\.)(\S*?)([.,:!?]*)(\s|$)`)

	// linkStart matches what makes the parser look for an address.
	linkStart = regexp.MustCompile(`(?i)https?:|www\.`)

	// plainLink matches an address that Markdown shows as it is.
	plainLink = regexp.MustCompile(`^(?:https?://[A-Za-z0-9]|www\.[A-Za-z0-9-]+\.[A-Za-z0-9])(?:[A-Za-z0-9/._~%&=?#:+,;@!-]*[A-Za-z0-9/])?$`)
)

// Escape returns Markdown that shows a plain text literally: Render(Escape(text)).Plain is the text again.
// Line breaks and addresses stay, and addresses become links. White space at both ends of a line is removed,
// and a run of blank lines becomes one, because Markdown cannot express them.
func Escape(text string) string {
	text = newlines(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"))
	var b strings.Builder
	blank := false
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			blank = true
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if blank {
				b.WriteByte('\n')
			}
		}
		blank = false
		escapeLine(&b, line)
	}
	return b.String()
}

func escapeLine(b *strings.Builder, line string) {
	atHead := true // line is the whole line
	if blockStart.MatchString(line) {
		at := strings.IndexAny(line, "-+=#>|.)")
		b.WriteString(line[:at] + `\` + line[at:at+1])
		line, atHead = line[at+1:], false
	}
	done := 0
	for _, m := range webLink.FindAllStringSubmatchIndex(line, -1) {
		escapeWords(b, line[done:m[0]])
		// The parser finds an address only at the head of a line and after a space, not after a tab.
		begins := m[0] == 0 && atHead || m[0] > 0 && line[m[0]-1] == ' '
		if address := line[m[0]:m[5]]; begins && shownAsIs(address) {
			b.WriteString(address)
		} else {
			escapeAddress(b, address)
		}
		done = m[5]
	}
	escapeWords(b, line[done:])
}

// escapeAddress escapes a word that is not to become a link. A backslash within each scheme keeps the parser
// from finding an address anywhere in the word.
func escapeAddress(b *strings.Builder, word string) {
	done := 0
	for _, m := range linkStart.FindAllStringIndex(word, -1) {
		last := m[1] - 1 // the colon or the dot
		escapeWords(b, word[done:last])
		b.WriteByte('\\')
		b.WriteByte(word[last])
		done = m[1]
	}
	escapeWords(b, word[done:])
}

// escapeWords escapes the characters that are markup anywhere in a line.
func escapeWords(b *strings.Builder, words string) {
	for i := range len(words) {
		switch words[i] {
		case '\\', '`', '*', '_', '[', ']', '<', '~':
			b.WriteByte('\\')
		case '&': // an ampersand before a space is no entity
			if i+1 == len(words) || words[i+1] != ' ' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(words[i])
	}
}

// shownAsIs reports whether the parser makes a link of the whole address, without escapes.
func shownAsIs(address string) bool {
	if !plainLink.MatchString(address) {
		return false
	}
	if strings.HasPrefix(address, "www.") {
		if bareWWW.FindString(address) != address {
			return false
		}
		address = "http://" + address
	}
	u, err := url.Parse(address)
	return err == nil && u.User == nil
}
