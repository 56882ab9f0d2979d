package feeds

import (
	"encoding/xml"
	"io"
	"strconv"
	"time"

	"vitrine/internal/present"
)

// The used elements of RFC 4287.
type (
	atomFeed struct {
		XMLName   xml.Name     `xml:"http://www.w3.org/2005/Atom feed"`
		ID        string       `xml:"id"`
		Title     string       `xml:"title"`
		Subtitle  string       `xml:"subtitle,omitempty"`
		Updated   string       `xml:"updated"`
		Generator string       `xml:"generator"`
		Links     []atomLink   `xml:"link"`
		Logo      string       `xml:"logo,omitempty"`
		Authors   []atomPerson `xml:"author"`
		Entries   []atomEntry  `xml:"entry"`
	}
	atomEntry struct {
		ID           string       `xml:"id"`
		Title        string       `xml:"title"`
		Published    string       `xml:"published"`
		Updated      string       `xml:"updated"`
		Links        []atomLink   `xml:"link"`
		Author       atomPerson   `xml:"author"`
		Contributors []atomPerson `xml:"contributor"`
		Content      atomText     `xml:"content"`
	}
	atomLink struct {
		Rel    string `xml:"rel,attr"`
		Type   string `xml:"type,attr,omitempty"`
		Title  string `xml:"title,attr,omitempty"`
		Length string `xml:"length,attr,omitempty"`
		Href   string `xml:"href,attr"`
	}
	atomPerson struct {
		Name string `xml:"name"`
		URI  string `xml:"uri,omitempty"`
	}
	atomText struct {
		Type string `xml:"type,attr"`
		Body string `xml:",chardata"`
	}
)

// atom writes the feed as Atom. encoding/xml replaces characters that are not allowed in XML.
func (x feed) atom(w io.Writer) error {
	doc := atomFeed{ID: x.id, Title: x.title, Subtitle: x.subtitle, Updated: formatTime(x.updated), Generator: "Vitrine",
		Links: []atomLink{{Rel: "alternate", Type: "text/html", Href: x.page}}, Logo: x.icon}
	if x.address != nil {
		doc.Links = append(doc.Links, atomLink{Rel: "self", Type: present.Atom.ContentType(), Href: x.address(present.Atom)})
	}
	for _, p := range x.authors {
		doc.Authors = append(doc.Authors, atomPerson{p.name, p.page})
	}
	for _, e := range x.entries {
		doc.Entries = append(doc.Entries, e.atom())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(w).Encode(doc)
}

func (e entry) atom() atomEntry {
	out := atomEntry{ID: e.id, Title: e.title, Published: formatTime(e.published), Updated: formatTime(e.updated),
		Links:  []atomLink{{Rel: "alternate", Type: "text/html", Href: e.page}},
		Author: atomPerson{e.author.name, e.author.page}, Content: atomText{"html", e.html}}
	if e.by != nil {
		out.Contributors = []atomPerson{{e.by.name, e.by.page}}
	}
	if e.external != "" {
		out.Links = append(out.Links, atomLink{Rel: "related", Href: e.external})
	}
	if a := e.attachment; a != nil {
		out.Links = append(out.Links, atomLink{Rel: "enclosure", Type: a.contentType, Title: a.name,
			Length: strconv.FormatInt(a.size, 10), Href: a.address})
	}
	return out
}

// formatTime formats a time as in RFC 3339.
func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
