// Package opml reads and writes lists of feeds as OPML 2.0, which feed readers exchange.
package opml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// ContentType is the media type of the files.
const ContentType = "text/x-opml; charset=utf-8"

// Limits of a file.
const (
	MaxBytes = 2 << 20
	MaxFeeds = 500
	maxDepth = 50
	maxTitle = 255
)

// ErrNotOPML is returned for a file that is not OPML or cannot be read up to its end.
var ErrNotOPML = errors.New("opml: the file is not OPML")

// Feed is a feed in a list.
type Feed struct {
	Title   string // at most 255 characters
	Address string // as it is in the file
}

// Read reads the feeds of a file, in its folders too, in their order. more is the number of feeds after the first 500,
// which are left out.
func Read(file []byte) (feeds []Feed, more int, err error) {
	d := xml.NewDecoder(bytes.NewReader(file))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charset.NewReaderLabel
	depth, found := 0, false
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) && found {
			return feeds, more, nil
		}
		if err != nil {
			return nil, 0, ErrNotOPML
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return nil, 0, ErrNotOPML
			}
			name := strings.ToLower(t.Name.Local)
			if depth == 1 {
				if found = name == "opml"; !found {
					return nil, 0, ErrNotOPML
				}
			}
			f := feedOf(t)
			switch {
			case name != "outline" || f.Address == "":
			case len(feeds) == MaxFeeds:
				more++
			default:
				feeds = append(feeds, f)
			}
		case xml.EndElement:
			depth--
		}
	}
}

// feedOf returns the feed of an outline. The address is empty for a folder.
func feedOf(e xml.StartElement) (f Feed) {
	for _, a := range e.Attr {
		value := strings.ToValidUTF8(strings.Join(strings.Fields(a.Value), " "), "\uFFFD")
		switch strings.ToLower(a.Name.Local) {
		case "xmlurl":
			f.Address = value
		case "title":
			f.Title = value
		case "text":
			if f.Title == "" {
				f.Title = value
			}
		}
	}
	if all := []rune(f.Title); len(all) > maxTitle {
		f.Title = string(all[:maxTitle])
	}
	return f
}

// Folder is a list of feeds with a title.
type Folder struct {
	Title string
	Feeds []Feed
}

type document struct {
	XMLName xml.Name  `xml:"opml"`
	Version string    `xml:"version,attr"`
	Title   string    `xml:"head>title"`
	Folders []outline `xml:"body>outline"`
}

type outline struct {
	Text     string    `xml:"text,attr"`
	Title    string    `xml:"title,attr"`
	Type     string    `xml:"type,attr,omitempty"`
	Address  string    `xml:"xmlUrl,attr,omitempty"`
	Outlines []outline `xml:"outline"`
}

// Write writes folders of feeds as a file.
func Write(w io.Writer, title string, folders []Folder) error {
	d := document{Version: "2.0", Title: title}
	for _, folder := range folders {
		o := outline{Text: folder.Title, Title: folder.Title}
		for _, f := range folder.Feeds {
			name := f.Title
			if name == "" {
				name = f.Address
			}
			o.Outlines = append(o.Outlines, outline{Text: name, Title: name, Type: "rss", Address: f.Address})
		}
		d.Folders = append(d.Folders, o)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(d); err != nil {
		return err
	}
	return e.Close()
}
