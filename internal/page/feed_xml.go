package page

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var errFeedDepth = errors.New("page: the elements of the feed are nested too deeply")

// forbidden matches references to control characters, which XML does not allow and feeds contain.
var forbidden = regexp.MustCompile(`&#(?:x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F])|0*(?:[0-8]|1[1245-9]|2[0-9]|3[01]));`)

// validUTF8 reports whether a body is valid UTF-8, apart from a character that its end cuts.
func validUTF8(body []byte) bool {
	for n := 0; n < utf8.UTFMax && n <= len(body); n++ {
		if utf8.Valid(body[:len(body)-n]) {
			return true
		}
	}
	return false
}

// xmlReader reads the elements of an Atom or RSS feed in their order. It builds no tree and keeps only the open elements.
type xmlReader struct {
	*feedReader
	d     *xml.Decoder
	bases []*url.URL // of the open elements
	atom  bool
}

// readXML reads an Atom or RSS feed up to its end or its first error.
func (f *feedReader) readXML(text []byte) error {
	cleaned := forbidden.ReplaceAll(bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, text), nil)
	r := xmlReader{feedReader: f, d: xml.NewDecoder(bytes.NewReader(cleaned))}
	r.d.Strict = false
	r.d.Entity = xml.HTMLEntity
	r.d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // text is UTF-8 by now
	root, err := r.root()
	if errors.Is(err, ErrFeedEntities) {
		return err
	}
	if err != nil || !slices.Contains([]string{"rss", "RDF", "feed"}, root) {
		return f.notFeed(text)
	}
	r.atom = root == "feed"
	if err := r.channel(); err != nil && err != io.EOF {
		if errors.Is(err, ErrFeedEntities) {
			return err
		}
		return ErrBrokenFeed
	}
	return nil
}

// root returns the name of the first element.
func (r *xmlReader) root() (string, error) {
	for {
		t, err := r.next()
		if err != nil {
			return "", err
		}
		if start, ok := t.(xml.StartElement); ok {
			return start.Name.Local, nil
		}
	}
}

// next returns the next token.
func (r *xmlReader) next() (xml.Token, error) {
	t, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case xml.StartElement:
		if len(r.bases) == maxFeedDepth {
			return nil, errFeedDepth
		}
		r.bases = append(r.bases, r.baseOf(t))
	case xml.EndElement:
		r.bases = r.bases[:max(len(r.bases)-1, 0)]
	case xml.Directive:
		if bytes.Contains(t, []byte("<!ENTITY")) {
			return nil, ErrFeedEntities
		}
	}
	return t, nil
}

// base returns the address against which the current element resolves links.
func (r *xmlReader) base() *url.URL {
	if len(r.bases) == 0 {
		return r.at
	}
	return r.bases[len(r.bases)-1]
}

// baseOf returns the base of a new element (xml:base).
func (r *xmlReader) baseOf(e xml.StartElement) *url.URL {
	base := r.base()
	for _, a := range e.Attr {
		if a.Name.Local == "base" && (a.Name.Space == "xml" || a.Name.Space == "http://www.w3.org/XML/1998/namespace") {
			if u, ok := absolute(base, a.Value); ok {
				return u
			}
		}
	}
	return base
}

// children calls do for each child of the current element. do must read the whole child.
func (r *xmlReader) children(do func(name string, e xml.StartElement) error) error {
	inside := len(r.bases)
	for {
		t, err := r.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := do(fieldName(t.Name), t); err != nil {
				return err
			}
		case xml.EndElement:
			if len(r.bases) < inside {
				return nil
			}
		}
	}
}

// errEnough ends the reading of a feed with very many entries.
var errEnough = errors.New("page: enough entries")

// channel reads the current element: <feed>, <rss>, <rdf:RDF> or <channel>.
func (r *xmlReader) channel() error {
	err := r.children(func(name string, e xml.StartElement) (err error) {
		switch name {
		case "channel":
			return r.channel()
		case "item", "entry":
			if r.read++; r.read > maxFeedRead {
				return errEnough
			}
			return r.entry()
		case "title":
			title, err := r.text(e, maxFeedTitle)
			r.feed.Title = cmp.Or(r.feed.Title, title)
			return err
		case "ttl":
			text, err := r.collect()
			if minutes, failed := strconv.ParseUint(strings.TrimSpace(text), 10, 20); failed == nil {
				r.feed.TTL = time.Duration(minutes) * time.Minute
			}
			return err
		}
		return r.skip()
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// entry reads the current element: <item> or <entry>.
func (r *xmlReader) entry() error {
	var e FeedEntry
	var link, permalink, enclosure, content string
	var published, updated string
	base := r.base()
	err := r.children(func(name string, at xml.StartElement) (err error) {
		switch name {
		case "title":
			e.Title, err = r.text(at, maxFeedTitle)
		case "link":
			found, kind, relation := r.link(at)
			if found == "" { // RSS
				found, err = r.collect()
			} else {
				err = r.skip()
			}
			switch {
			case relation == "enclosure":
				enclosure = cmp.Or(enclosure, found)
			case relation == "alternate" && (link == "" || r.atom && kind == "text/html"):
				link = found
			}
		case "enclosure":
			enclosure = cmp.Or(enclosure, r.resolved(xmlAttr(at, "url")))
			err = r.skip()
		case "guid":
			e.ID, err = r.collect()
			if xmlAttr(at, "isPermaLink") != "false" && strings.Contains(e.ID, "://") {
				permalink = e.ID
			}
		case "id":
			e.ID, err = r.collect()
		case "summary", "description":
			e.Summary, err = r.text(at, maxSummary)
		case "content", "content:encoded":
			content, err = r.text(at, maxSummary)
		case "published", "issued", "pubDate", "dc:date":
			published, err = r.collect()
		case "updated", "modified":
			updated, err = r.collect()
		default:
			err = r.skip()
		}
		return err
	})
	if err != nil {
		return err // an entry that is cut off may lack its end
	}
	e.ID = clipped(strings.TrimSpace(e.ID), maxFeedID)
	e.Summary = cmp.Or(e.Summary, content)
	if e.Date = feedDate(published); e.Date.IsZero() {
		e.Date = feedDate(updated)
	}
	r.add(e, base, link, permalink, enclosure)
	return nil
}

// link returns the address, type and relation of a link element of Atom. The address is empty for one of RSS.
func (r *xmlReader) link(e xml.StartElement) (address, kind, relation string) {
	relation = strings.ToLower(cmp.Or(xmlAttr(e, "rel"), "alternate"))
	return r.resolved(xmlAttr(e, "href")), mediaType(xmlAttr(e, "type")), relation
}

// resolved resolves a link against the base of the current element. It returns "" if that is not possible.
func (r *xmlReader) resolved(reference string) string {
	if u, ok := absolute(r.base(), reference); ok {
		return u.String()
	}
	return ""
}

// text reads the current element as text on one line. In Atom, its type says whether it contains HTML. In RSS it
// usually does.
func (r *xmlReader) text(e xml.StartElement, limit int) (string, error) {
	text, err := r.collect()
	kind := strings.ToLower(xmlAttr(e, "type"))
	if r.atom && !strings.Contains(kind, "html") || kind == "xhtml" {
		return line(text, limit), err
	}
	return plainText(text, limit), err
}

// collect returns the characters in the current element, at most 64 KiB of them.
func (r *xmlReader) collect() (string, error) {
	var b strings.Builder
	inside := len(r.bases)
	for {
		t, err := r.next()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			if b.Len() < maxFeedText {
				b.Write(t[:min(len(t), maxFeedText)])
			}
		case xml.StartElement:
			if !slices.Contains(inline, t.Name.Local) {
				b.WriteByte(' ')
			}
		case xml.EndElement:
			if len(r.bases) < inside {
				return b.String(), nil
			}
			if !slices.Contains(inline, t.Name.Local) {
				b.WriteByte(' ')
			}
		}
	}
}

// skip reads the rest of the current element.
func (r *xmlReader) skip() error {
	return r.children(func(string, xml.StartElement) error { return r.skip() })
}

// prefixes are the namespaces of the elements that are read, without the slashes and hashes at their ends. Feeds also use
// prefixes that they do not declare.
var prefixes = map[string]string{
	"": "", "atom": "", "http://www.w3.org/2005/Atom": "", "http://purl.org/atom/ns": "",
	"http://purl.org/rss/1.0": "", "http://my.netscape.com/rdf/simple/0.9": "", "http://backend.userland.com/rss2": "",
	"http://www.w3.org/1999/02/22-rdf-syntax-ns": "",
	"content": "content:", "http://purl.org/rss/1.0/modules/content": "content:",
	"dc": "dc:", "http://purl.org/dc/elements/1.1": "dc:",
}

// fieldName returns the name of an element. Elements of RSS and Atom have no prefix.
func fieldName(n xml.Name) string {
	prefix, known := prefixes[strings.TrimRight(n.Space, "/#")]
	if !known {
		return "other:" + n.Local
	}
	return prefix + n.Local
}

// xmlAttr returns an attribute without a prefix.
func xmlAttr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// clipped truncates a text to a number of bytes.
func clipped(s string, limit int) string { return strings.ToValidUTF8(s[:min(len(s), limit)], "") }
