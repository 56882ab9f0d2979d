// Package page extracts the metadata, readable text and oEmbed response of a web page. It only
// parses bytes; other packages fetch them. All input may be hostile: time and memory are bounded,
// and every returned text is valid UTF-8 without control characters.
package page

import (
	"errors"
	"net/url"
)

// Limits of a page. Lengths of texts are in characters.
const (
	maxBody        = 5 << 20 // bytes of a page that are read
	maxTitle       = 500
	maxDescription = 5_000
	maxName        = 200 // of a site, an author, a provider
	maxAddress     = 4_096
	maxImages      = 10
	maxEndpoints   = 4
)

// ErrAddress is returned if relative links cannot be resolved against the page's address.
var ErrAddress = errors.New("page: the address is not absolute http or https")

// Page is the metadata and text of a page. Missing values are empty.
type Page struct {
	Title       string // at most 500 characters on one line, never empty
	Titled      bool   // whether the page declares its title
	Description string // at most 5,000 characters on one line
	SiteName    string
	Author      string // several are separated by ", "
	Lang        string // a BCP 47 tag such as "en" or "pt-BR"
	// Canonical is the address that the page declares as its own, if it has the same registrable
	// domain as the fetched address, or else the fetched address. It is never nil.
	Canonical *url.URL
	Images    []string   // candidates for a preview, best first, absolute http(s)
	ImageAlt  string     // describes Images[0]
	Pictures  []Picture  // in the body of the page, if none of Images is available
	OEmbed    []Endpoint // discovered, JSON before XML
	// Markdown is the readable text: CommonMark without raw HTML, with absolute links and images, at
	// most 100,000 characters. It is empty if the page is not an article.
	Markdown string
}

// Read reads an HTML page that was fetched from at. contentType is the header of the response, or
// empty. The character set is determined by a byte order mark, or else contentType, <meta>, or an
// XML declaration. Without any, it is UTF-8 if valid, or else windows-1252. Only the first 5 MiB of
// a body are read.
//
// Broken HTML is not an error: Read fails only with ErrAddress.
func Read(at *url.URL, contentType string, body []byte) (Page, error) {
	if at == nil || !web(at) {
		return Page{}, ErrAddress
	}
	text := Decode(contentType, body[:min(len(body), maxBody)])
	said := scan(text)
	base := said.resolveBase(at)
	page := said.choose(at, base)
	page.Markdown = readable(text, base)
	return page, nil
}
