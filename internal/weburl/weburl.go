// Package weburl parses the URLs of web pages as browsers do (https://url.spec.whatwg.org), and
// formats them as URIs for programs, and for display.
package weburl

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// The reasons why a text is not the URL of a page. The limit for ErrTooLong applies to the percent-encoded URL.
var (
	ErrMalformed = errors.New("malformed URL")
	ErrScheme    = errors.New("neither http nor https")
	ErrTooLong   = fmt.Errorf("more than %d bytes", MaxLength)
)

// MaxLength is the maximum length of a URL in bytes. Many servers accept no longer ones, and parsing time
// grows with the square of the length.
const MaxLength = 8_192

// An apostrophe is valid in the query of a URI, so it is not encoded.
var parser = whatwg.NewParser(whatwg.WithSpecialQueryPercentEncodeSet(whatwg.QueryPercentEncodeSet))

// Canonical returns an absolute http or https URL as a URI (RFC 3986): ASCII, with the host in lower case
// and punycode, without the default port and dot segments, and percent-encoded. Only this form is stored,
// served and fetched. Canonical(Canonical(s)) equals Canonical(s).
//
// Unlike browsers, it does not add a slash to a URL without a path, because clients compare the URLs in
// responses with those that they sent.
func Canonical(text string) (string, error) {
	if len(text) > MaxLength {
		return "", ErrTooLong
	}
	if isCanonical(text) {
		return text, nil
	}
	u, err := parser.Parse(text)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return write(u, hasPath(text))
}

// Parse returns the canonical form of an absolute http or https URL as a *url.URL.
func Parse(text string) (*url.URL, error) {
	text, err := Canonical(text)
	if err != nil {
		return nil, err
	}
	return url.Parse(text)
}

// Resolve resolves a reference on a page at base, which Parse returned.
func Resolve(base *url.URL, reference string) (*url.URL, error) {
	if len(reference) > MaxLength {
		return nil, ErrTooLong
	}
	at, err := parser.Parse(base.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	u, err := at.Parse(reference)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	text, err := write(u, true)
	if err != nil {
		return nil, err
	}
	return url.Parse(text)
}

// write formats a parsed URL as a URI. After the host, it percent-encodes characters that browsers keep
// but URIs do not allow, such as "|" or a lone "%".
func write(u *whatwg.Url, path bool) (string, error) {
	host := u.Hostname()
	if u.Scheme() != "http" && u.Scheme() != "https" {
		return "", ErrScheme
	}
	if !strings.HasPrefix(host, "[") && !isHost(host) {
		return "", ErrMalformed
	}
	whole := u.Href(false)
	end := strings.IndexByte(whole[len("https://"):], '/') + len("https://") // names and passwords have no slash
	var b strings.Builder
	start := strings.LastIndexByte(whole[:end], '@') + 1
	escape(&b, whole[:start])
	b.WriteString(whole[start:end])
	if !path && strings.HasPrefix(whole[end:], "/") {
		end++
	}
	escape(&b, whole[end:])
	if b.Len() > MaxLength {
		return "", ErrTooLong
	}
	return b.String(), nil
}

// hasPath reports whether a text has anything between the host and the query.
func hasPath(text string) bool {
	_, rest, found := strings.Cut(text, ":")
	if !found {
		return true
	}
	rest = strings.TrimLeft(rest, "/\\\t\r\n")
	i := strings.IndexAny(rest, `/\?#`)
	return i >= 0 && (rest[i] == '/' || rest[i] == '\\')
}

const hexDigits = "0123456789ABCDEF"

// escape writes a part of a URI, which the parser has already made ASCII. Only the first "#" starts the
// fragment.
func escape(b *strings.Builder, rest string) {
	fragment := false
	for i := range len(rest) {
		c := rest[i]
		if c == '#' && !fragment {
			fragment = true
		} else if !isPart(c) || c == '%' && !isEncoded(rest[i:]) {
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
			continue
		}
		b.WriteByte(c)
	}
}

// isCanonical reports whether Canonical would return a text unchanged. To be fast, it accepts only common
// forms, which need no parsing: most URLs have them, and a page may show a hundred URLs.
func isCanonical(text string) bool {
	rest, ok := strings.CutPrefix(text, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "http://"); !ok {
			return false
		}
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, rest := rest[:end], rest[end:]
	last := strings.LastIndexByte(host, '.') + 1
	if last == len(host) || host[last] < 'a' || host[last] > 'z' || !isHost(host) || strings.Contains(host, "xn--") {
		return false
	}
	path := len(rest)
	fragment := false
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == '#' && !fragment:
			fragment = true
			path = min(path, i)
		case !isPart(c), c == '%' && !isEncoded(rest[i:]):
			return false
		case c == '?':
			path = min(path, i)
		}
	}
	// A dot may be encoded as %2e, and ".." removes a segment.
	return !strings.Contains(rest[:path], "/.") && !strings.Contains(rest[:path], "/%2")
}

// isHost reports whether a host is a name or an IPv4 address in ASCII. Browsers also accept characters
// such as quotes and braces, but name servers and URIs do not.
func isHost(host string) bool {
	for i := range len(host) {
		if c := host[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return host != ""
}

// isPart reports whether a byte is allowed in the path, query or fragment of a URI.
func isPart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/?%", c) >= 0
}

// isEncoded reports whether a text begins with a percent-encoded byte.
func isEncoded(text string) bool {
	return len(text) > 2 && isHex(text[1]) && isHex(text[2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
