package content

import (
	"mime"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"vitrine/internal/fetch"
)

// programs matches the extension of a script that sent a file, which says nothing about the file.
var programs = regexp.MustCompile(`(?i)\.(?:php|aspx?|ashx|axd|cgi|jsp|pl|do)$`)

// fileName returns the name that the server gives a file, or else the last part of its URL.
func fileName(answer *fetch.Response) string {
	name := dispositionName(answer.Header.Get("Content-Disposition"))
	if name == "" {
		name = programs.ReplaceAllString(path.Base(answer.URL.Path), "")
		if name == "/" || name == "." || name == "" {
			name = answer.URL.Hostname()
		}
	}
	return tidyName(name)
}

// isAttachment reports whether a Content-Disposition header asks to save the body.
func isAttachment(header string) bool {
	words := strings.FieldsFunc(header, func(r rune) bool { return r == ';' || r == ' ' })
	return len(words) > 0 && strings.EqualFold(words[0], "attachment")
}

// The parameters of Content-Disposition. RFC 6266 requires quotes around a name with spaces. Many servers omit them, so
// an unquoted name ends at the next semicolon.
var (
	extendedName = regexp.MustCompile(`(?i)(?:^|[;\s])filename\*\s*=\s*"?([A-Za-z0-9_.:-]*)'[^']*'([^;"\s]*)`)
	quotedName   = regexp.MustCompile(`(?i)(?:^|[;\s])filename\s*=\s*"((?:[^"\\]|\\.)*)"`)
	bareName     = regexp.MustCompile(`(?i)(?:^|[;\s])filename\s*=\s*([^;]*)`)
	escapedChar  = regexp.MustCompile(`\\(["\\])`)
)

// dispositionName returns the file name in a Content-Disposition header (RFC 6266), "" if it has none. It also
// reads names that servers write in other ways: without quotes, percent-encoded, as in mail (RFC 2047), or as
// bytes of UTF-8, GBK or windows-1252. The name is not tidied.
func dispositionName(header string) string {
	if m := extendedName.FindStringSubmatch(header); m != nil {
		if raw, err := url.PathUnescape(m[2]); err == nil && raw != "" {
			if name := decodeName(m[1], raw); name != "" {
				return name
			}
		}
	}
	var name string
	if m := quotedName.FindStringSubmatch(header); m != nil {
		name = escapedChar.ReplaceAllString(m[1], "$1") // other backslashes belong to Windows paths
	} else if m := bareName.FindStringSubmatch(header); m != nil {
		name = strings.Trim(strings.TrimSpace(m[1]), `"`)
	}
	name = readableName(name)
	if strings.Contains(name, "=?") {
		decoder := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
		if decoded, err := decoder.DecodeHeader(name); err == nil {
			return decoded
		}
	}
	if strings.Contains(name, "%") {
		if raw, err := url.PathUnescape(name); err == nil {
			return readableName(raw)
		}
	}
	return name
}

// decodeName decodes the bytes of a name from a named character set. It returns "" on failure.
func decodeName(set, raw string) string {
	if set == "" {
		return readableName(raw)
	}
	encoding, _ := charset.Lookup(set)
	if encoding == nil {
		return readableName(raw)
	}
	name, err := encoding.NewDecoder().String(raw)
	if err != nil || strings.ContainsRune(name, utf8.RuneError) {
		return readableName(raw)
	}
	return name
}

// readableName decodes the bytes of a name without a declared character set. Servers send UTF-8, or the encoding of
// their file system. Text in GBK consists of pairs of high bytes, which are rare in Western names.
func readableName(raw string) string {
	if utf8.ValidString(raw) {
		return raw
	}
	encoding := charmap.Windows1252.NewDecoder()
	if pairs(raw) {
		encoding = simplifiedchinese.GBK.NewDecoder()
	}
	name, err := encoding.String(raw)
	if err != nil {
		return strings.ToValidUTF8(raw, "")
	}
	return name
}

// pairs reports whether all high bytes of a text form pairs that are characters in GBK.
func pairs(raw string) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] < 0x80 {
			continue
		}
		if i+1 == len(raw) || raw[i] < 0x81 || raw[i] == 0xff || raw[i+1] < 0xa1 || raw[i+1] == 0xff {
			return false
		}
		i++
	}
	return true
}
