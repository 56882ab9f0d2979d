package page

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// declaredWithin is how far into a page the declaration of its character set may be. The standard
// says 1,024 bytes, but many pages exceed that.
const declaredWithin = 64 << 10

var xmlEncoding = regexp.MustCompile(`^\s*<\?xml\s[^>]{0,200}encoding\s*=\s*["']([A-Za-z0-9_:.-]{1,40})["']`)

var lateCharset = regexp.MustCompile(`(?i)<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([a-z0-9_:.-]{1,40})`)

// Decode converts a body to UTF-8 without a byte order mark. Invalid bytes become U+FFFD. The character set is
// determined as for Read.
func Decode(contentType string, body []byte) []byte {
	decoded, err := encodingOf(contentType, body).NewDecoder().Bytes(body)
	if err != nil {
		decoded = body
	}
	decoded = bytes.TrimPrefix(decoded, []byte("\uFEFF"))
	return bytes.ToValidUTF8(decoded, []byte("\uFFFD"))
}

// encodingOf detects the encoding of a body.
func encodingOf(contentType string, body []byte) encoding.Encoding {
	found, name, certain := charset.DetermineEncoding(body, contentType)
	switch {
	case certain:
		return found
	case name != "windows-1252": // which may mean that nothing was detected
		return found
	case utf8.Valid(body):
		return encoding.Nop
	}
	match := lateCharset.FindSubmatch(body[:min(len(body), declaredWithin)])
	if match == nil {
		if match = xmlEncoding.FindSubmatch(body[:min(len(body), declaredWithin)]); match == nil {
			return found
		}
	}
	late, name := charset.Lookup(string(match[1]))
	if late == nil || name == "utf-16le" || name == "utf-16be" { // the declaration was read as ASCII
		return found
	}
	return late
}
