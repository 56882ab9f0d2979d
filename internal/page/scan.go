package page

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Limits of the collected tags.
const (
	maxMetas   = 1_000
	maxLinks   = 1_000
	maxScripts = 50
	maxLinked  = 1 << 20 // bytes of JSON-LD
)

// said contains the tags of a page in their order and unmodified.
type said struct {
	base    string // of the first <base href>
	title   string
	lang    string // of <html>
	metas   []meta
	links   []link
	scripts []string // JSON-LD
	linked  int      // bytes of scripts

	heading  string  // of the first <h1> with text
	pictures []image // in the body, outside of menus
}

type meta struct{ name, content string } // name in lower case

type link struct{ rel, kind, href string } // rel and kind in lower case

// scanner reads the tags of a page sequentially. It builds no tree, so depth and disorder cost
// nothing, and it accepts <meta> anywhere.
type scanner struct {
	*html.Tokenizer
	said     said
	awaited  string // element whose text comes next: "title", "script" or ""
	titled   bool
	drawings int // open <svg>, which have their own titles

	heading strings.Builder
	headed  bool // heading is more than white space
	inside  bool // an <h1> is open, and no earlier one had text
	hidden  bool // the next text is a script, a style or similar
	main    int  // open <article> and <main>
	outside int  // open elements that contain something other than the subject of the page
}

// notInHeading are elements that imply the end of a heading before them.
var notInHeading = []string{"p", "h2", "h3", "h4", "ul", "ol", "table", "section", "article", "nav", "footer", "form"}

// maxHeading is how many bytes of a heading are read.
const maxHeading = 4 << 10

func scan(text []byte) said {
	s := scanner{Tokenizer: html.NewTokenizer(bytes.NewReader(text))}
	for {
		switch s.Next() {
		case html.ErrorToken:
			return s.said
		case html.TextToken:
			s.text()
		case html.EndTagToken:
			s.awaited, s.hidden = "", false
			name, _ := s.TagName()
			s.end(string(name))
		case html.StartTagToken:
			name, _ := s.TagName()
			s.open(string(name))
			s.start(string(name))
		case html.SelfClosingTagToken:
			name, _ := s.TagName()
			s.start(string(name))
		}
	}
}

// open handles the beginning of an element.
func (s *scanner) open(name string) {
	if s.inside && s.headed && slices.Contains(notInHeading, name) {
		s.end("h1") // the end tag of the heading is missing
	}
	switch name {
	case "svg":
		s.drawings++
	case "article", "main":
		s.main++
	case "nav", "footer", "aside":
		s.outside++
	case "header":
		if s.main == 0 { // the header of an article often contains its main picture
			s.outside++
		}
	case "h1":
		s.inside = s.said.heading == ""
	}
	s.hidden = slices.Contains([]string{"script", "style", "noscript", "iframe", "textarea", "title"}, name)
}

// end handles the end of an element.
func (s *scanner) end(name string) {
	switch name {
	case "svg":
		s.drawings = max(s.drawings-1, 0)
	case "article", "main":
		s.main = max(s.main-1, 0)
	case "nav", "footer", "aside":
		s.outside = max(s.outside-1, 0)
	case "header":
		if s.main == 0 {
			s.outside = max(s.outside-1, 0)
		}
	case "h1":
		if s.inside {
			s.said.heading, s.inside, s.headed = line(s.heading.String(), maxTitle), false, false
			s.heading.Reset()
		}
	case "br", "p", "div", "span", "li":
		s.head([]byte(" "))
	}
}

// head collects the text of the open heading.
func (s *scanner) head(text []byte) {
	if s.inside && s.drawings == 0 && !s.hidden && s.heading.Len() < maxHeading {
		text = text[:min(len(text), maxHeading)]
		s.heading.Write(text)
		s.headed = s.headed || len(bytes.TrimSpace(text)) > 0 // only this text: checking the whole heading for each part would take quadratic time
	}
}

// text collects the text after a tag.
func (s *scanner) text() {
	switch s.awaited {
	case "title":
		s.said.title, s.titled = string(s.Text()), true
	case "script":
		script := s.Text()
		s.said.linked += len(script)
		if s.said.linked <= maxLinked && len(s.said.scripts) < maxScripts {
			s.said.scripts = append(s.said.scripts, string(script))
		}
	default:
		if s.inside {
			s.head(s.Text())
		}
	}
	s.awaited = ""
}

// start handles a start tag, and how its text is treated.
func (s *scanner) start(name string) {
	s.awaited = ""
	switch name {
	case "html":
		a := s.attributes("lang", "xml:lang")
		s.said.lang = cmp.Or(s.said.lang, a["lang"], a["xml:lang"])
	case "base":
		s.said.base = cmp.Or(s.said.base, s.attributes("href")["href"])
	case "meta":
		s.meta()
	case "link":
		a := s.attributes("rel", "type", "href")
		if len(s.said.links) < maxLinks && a["href"] != "" {
			l := link{strings.ToLower(a["rel"]), mediaType(a["type"]), a["href"]}
			s.said.links = append(s.said.links, l)
		}
	case "script":
		if mediaType(s.attributes("type")["type"]) == "application/ld+json" {
			s.awaited = name
		}
	case "br":
		s.head([]byte(" "))
	case "img":
		s.picture()
	case "title":
		if !s.titled && s.drawings == 0 {
			s.awaited = name
		}
	}
}

// picture collects an <img>. Pages that load images lazily have the address in one of several other
// attributes.
func (s *scanner) picture() {
	if s.inside {
		s.head([]byte(" " + s.attributes("alt")["alt"] + " ")) // attributes can be read only once
		return
	}
	if s.outside > 0 || len(s.said.pictures) >= maxBodyImages {
		return
	}
	a := s.attributes("src", "data-src", "data-lazy-src", "data-original", "srcset", "data-srcset", "data-lazy-srcset", "alt", "class", "width", "height")
	src := cmp.Or(a["data-src"], a["data-lazy-src"], a["data-original"], a["src"])
	s.said.pictures = append(s.said.pictures, image{src: src, srcset: cmp.Or(a["data-srcset"], a["data-lazy-srcset"], a["srcset"]), alt: a["alt"],
		class: a["class"], width: pixels(a["width"]), height: pixels(a["height"]), main: s.main > 0})
}

// meta collects a <meta> under each of its names: OpenGraph uses property, and others name, but
// pages mix them up or have both.
func (s *scanner) meta() {
	a := s.attributes("property", "name", "itemprop", "content")
	if strings.TrimSpace(a["content"]) == "" {
		return
	}
	for _, attribute := range []string{"property", "name", "itemprop"} {
		for name := range strings.FieldsSeq(strings.ToLower(a[attribute])) {
			if len(s.said.metas) < maxMetas {
				s.said.metas = append(s.said.metas, meta{name, a["content"]})
			}
		}
	}
}

// attributes returns the wanted attributes of the current tag, the first of each.
func (s *scanner) attributes(wanted ...string) map[string]string {
	found := make(map[string]string, len(wanted))
	for {
		key, value, more := s.TagAttr()
		for _, name := range wanted {
			if _, twice := found[name]; !twice && string(key) == name {
				found[name] = string(value)
			}
		}
		if !more {
			return found
		}
	}
}

// mediaType returns a media type in lower case without its parameters.
func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}
