package files

import (
	"strings"
	"unicode"
)

// column is the meaning of a column.
type column int

// The columns that are read. The texts that describe an item, from note to highlights, are joined
// in this order.
const (
	address column = iota
	title
	note
	description
	highlights
	created
	tags
	channel    // title of the channel
	folder     // path of the folder
	textColumn // for rows without an address
	picture
	page // on the service itself, if there is no other address
	favorite
	toRead
	private
	archived
	status  // Pocket's section
	article // the text of the page
	columns // number of columns
)

// headings maps the headings of columns, without regard to case, spaces and punctuation. If several
// columns have the same meaning, the first one with a value is used; notes are joined.
var headings = map[string]column{
	"url": address, "link": address, "href": address, "address": address, "uri": address, "value": address, "website": address, "sourceurl": address,
	"title": title, "name": title, "heading": title, "titel": title, "titre": title, "título": title,
	"description": description, "excerpt": description, "extended": description, "summary": description, "selection": description,
	"note": note, "notes": note, "comment": note, "comments": note,
	"highlights": highlights, "annotations": highlights,
	"createdat": created, "created": created, "date": created, "dateadded": created, "adddate": created, "timeadded": created, "addedat": created,
	"timestamp": created, "time": created, "publishdate": created, "savedat": created, "connectedat": created,
	"tags": tags, "tag": tags, "keywords": tags, "labels": tags,
	"channel": channel, "channels": channel, "board": channel, "boardname": channel, "pinterestboard": channel, "collection": channel, "list": channel,
	"folder": folder, "folders": folder, "path": folder,
	"text": textColumn, "content": textColumn, "markdown": textColumn,
	"mediaurl": picture, "imageurl": picture, "image": picture, "imagelink": picture, "media": picture,
	"pinurl": page, "permalink": page,
	"favorite": favorite, "favourite": favorite, "starred": favorite,
	"private": private, "toread": toRead, "archived": archived, "status": status,
}

// layout contains the positions of the columns.
type layout struct {
	at    [columns][]int
	comma byte

	service string // that wrote the file, if known
	list    bool   // one of several lists of the service, named after the list itself
	// markdown is set if texts are Markdown, as in tables that this program exports. Others are
	// plain.
	markdown bool
}

// layoutOf parses the headings with each separator, and returns the best result.
func layoutOf(line []byte) (best layout, known int) {
	for _, comma := range []byte{',', ';', '\t', '|'} {
		p := sheetParser{comma: comma}
		if !p.line(line) {
			continue
		}
		l, n := layout{comma: comma}, 0
		names := map[string]bool{}
		for i, heading := range p.fields {
			name := plainHeading(heading)
			names[name] = true
			if c, ok := headings[name]; ok {
				l.at[c] = append(l.at[c], i)
				n++
			}
		}
		l.markdown = names["markdown"] || names["connectedat"] && names["alttext"] && names["sourcetitle"]
		switch {
		case names["excerpt"] && names["highlights"] && names["folder"]:
			l.service = "Raindrop.io"
		case names["pinterestboard"], names["pinurl"], names["pinid"]:
			l.service = "Pinterest"
		case names["timeadded"] && names["status"]:
			l.service = "Pocket"
		case names["selection"] && names["folder"] && names["timestamp"]:
			l.service = "Instapaper"
		case names["comments"] && names["annotations"]:
			l.service = "Diigo"
		case names["title"] && names["note"] && names["url"] && names["comment"]:
			l.service, l.list = "Google Saved", true
		}
		if n > known {
			best, known = l, n
		}
	}
	return best, known
}

// usable reports whether rows with these columns can become blocks.
func (l layout) usable() bool {
	return len(l.at[address])+len(l.at[textColumn])+len(l.at[picture])+len(l.at[page]) > 0
}

// separators returns the separators of tags. Pocket uses vertical bars, and its tags may contain
// commas.
func (l layout) separators() string {
	if l.service == "Pocket" {
		return "|"
	}
	return ",;|"
}

func plainHeading(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// row contains the values of a row by column.
type row [columns]string

func (l layout) row(fields []string) (r row) {
	for c := range columns {
		for _, i := range l.at[c] {
			if i >= len(fields) {
				continue
			}
			switch field := strings.TrimSpace(fields[i]); {
			case r[c] == "":
				r[c] = field
			case c == note && field != "":
				r[c] += "\n\n" + field
			}
		}
	}
	if l.service == "Pocket" {
		r[channel] = pocketSections[r[status]]
	}
	if l.service == "Diigo" && r[tags] == "no_tag" {
		r[tags] = ""
	}
	return r
}

// pocketSections are the names of Pocket's sections in its other export, by the status of an item.
var pocketSections = map[string]string{"unread": "Unread", "archive": "Read Archive"}

// yes reports whether a value means true.
func yes(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "1", "x":
		return true
	}
	return false
}
