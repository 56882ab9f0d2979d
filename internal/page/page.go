// Package page reads what a web page says about itself: its metadata, its readable
// text, and the oEmbed answer that goes with it. It takes bytes and returns
// values; fetching is for others. All input may be hostile: time and memory are
// bounded, and every text that comes out is valid UTF-8 without control characters.
package page

import (
	"errors"
	"net/url"
)

// Bounds of what a page may say. Lengths of texts are in characters.
const (
	maxBody        = 5 << 20 // bytes that are read of a page
	maxTitle       = 500
	maxDescription = 5_000
	maxName        = 200 // of a site, an author, a provider
	maxAddress     = 4_096
	maxImages      = 10
	maxEndpoints   = 4
)

// ErrAddress says that a page has no address that relative links could begin from.
var ErrAddress = errors.New("page: the address is not absolute http or https")

// Page is what a page says of itself. Whatever it does not say is empty.
type Page struct {
	Title       string // at most 500 characters on one line, never empty
	Titled      bool   // whether the page declares its title
	Description string // at most 5,000 characters on one line
	SiteName    string
	Author      string // several are separated by ", "
	Lang        string // a BCP 47 tag such as "en" or "pt-BR"
	// Canonical is the address that the page gives as its own, if it belongs to the
	// same registrable domain as the one it came from, otherwise that one. Never nil.
	Canonical *url.URL
	Images    []string   // candidates for a preview, best first, absolute http(s)
	ImageAlt  string     // describes Images[0]
	Pictures  []Picture  // in the body of the page, in case that none of Images can be had
	OEmbed    []Endpoint // discovered, JSON before XML
	// Markdown is the readable text: CommonMark without raw HTML, links and images
	// absolute, at most 100,000 characters. Empty if the page is no text to read.
	Markdown string
}

// Read reads an HTML page that was fetched from at. contentType is the header of
// the answer, or empty. A byte order mark decides about the character set, then
// contentType, then <meta>, then an XML declaration; undeclared, it is UTF-8 where that is valid, else
// windows-1252. Of a body beyond 5 MiB the beginning is read.
//
// No HTML is an error, however broken: Read fails with ErrAddress alone.
func Read(at *url.URL, contentType string, body []byte) (Page, error) {
	if at == nil || !web(at) {
		return Page{}, ErrAddress
	}
	text := decode(contentType, body[:min(len(body), maxBody)])
	said := scan(text)
	base := said.resolveBase(at)
	page := said.choose(at, base)
	page.Markdown = readable(text, base)
	return page, nil
}
