package weburl

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Readable returns a URL for display: with the host in its own script and the rest decoded, except for
// characters that would be invisible or misleading. A text that is not a URL is returned unchanged.
func Readable(address string) string {
	text, err := Canonical(address)
	if err != nil {
		return address
	}
	scheme, rest, _ := strings.Cut(text, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, port := rest[:end], ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port = host[:i], host[i:]
	}
	return scheme + "://" + ReadableHost(host) + port + decoded(rest[end:])
}

// ReadableHost returns a host in its own script if it cannot be mistaken for another host: all of it must
// be in one script, except that Chinese, Japanese and Korean names may end in Latin letters (".jp").
// Other hosts stay in punycode.
func ReadableHost(host string) string {
	if !strings.Contains(host, "xn--") {
		return host
	}
	name, err := idna.Display.ToUnicode(host)
	if err != nil || !isUnmistakable(name) {
		return host
	}
	return name
}

// eastAsian are the sets of scripts that a label may mix, because they form one writing system. None of
// their letters looks like a Latin letter.
var eastAsian = [][]string{{"Han", "Hiragana", "Katakana"}, {"Han", "Bopomofo"}, {"Han", "Hangul"}}

func isUnmistakable(name string) bool {
	var scripts []string // of the labels that are not East Asian
	for label := range strings.SplitSeq(name, ".") {
		of, ok := scriptsOf(label)
		if !ok {
			return false
		}
		if len(of) == 0 || slices.ContainsFunc(eastAsian, func(set []string) bool {
			return !slices.ContainsFunc(of, func(script string) bool { return !slices.Contains(set, script) })
		}) {
			continue
		}
		scripts = append(scripts, of...)
	}
	slices.Sort(scripts)
	return len(slices.Compact(scripts)) <= 1
}

// scriptsOf returns the scripts of a label, except for ASCII digits and hyphens, which all scripts share.
// It refuses letters that look like other letters of their script or like punctuation.
func scriptsOf(label string) (scripts []string, ok bool) {
	for _, r := range label {
		switch {
		case r == '-' || r >= '0' && r <= '9':
			continue
		case r == 'ー': // has no script in Unicode, although only Japanese uses it
			r = 'ア'
		case unicode.Is(unicode.Latin, r) && (r == 'ı' || r > 0x24F && r < 0x1E00 || r > 0x1EFF): // phonetic and other rare letters
			return nil, false
		}
		script := ""
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				script = name
				break
			}
		}
		if script == "" || script == "Common" || script == "Inherited" {
			return nil, false
		}
		if !slices.Contains(scripts, script) {
			scripts = append(scripts, script)
		}
	}
	return scripts, true
}

// decoded undoes the percent-encoding of characters that are safe to show.
func decoded(text string) string {
	var b strings.Builder
	for text != "" {
		if text[0] != '%' {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		run := 0
		for isEncoded(text[run:]) && text[run] == '%' {
			run += len("%20")
		}
		plain, err := url.PathUnescape(text[:run])
		if err != nil || run == 0 { // cannot happen in a canonical URL
			b.WriteString(text)
			break
		}
		for plain != "" {
			r, size := utf8.DecodeRuneInString(plain)
			next := "%" + plain[size:min(size+2, len(plain))] + text[run:min(run+2, len(text))]
			if isShown(r) || r == '%' && !isEncoded(next) {
				b.WriteString(plain[:size])
			} else {
				for i := range size {
					b.WriteString("%" + strings.ToUpper(strconv.FormatUint(0x100|uint64(plain[i]), 16)[1:]))
				}
			}
			plain = plain[size:]
		}
		text = text[run:]
	}
	return b.String()
}

// isShown reports whether a decoded character is visible and has no syntactic meaning in a URL.
func isShown(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.ContainsRune("\"<>[]^`{|}", r)
	}
	return r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Bidi_Control, unicode.Zs, unicode.Me) && r != '\u2800'
}
