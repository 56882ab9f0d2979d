package sheet

import (
	"strings"
	"unicode"
)

// column is what a column of a sheet is about.
type column int

// The columns that are read. The texts that describe a thing,
// from note to highlights, are joined in this order.
const (
	address column = iota
	title
	note
	description
	highlights
	created
	tags
	channel // its title
	folder  // the path to it
	text    // of rows without an address
	picture
	page // at the service that it is an export of, for want of a better address
	favorite
	toRead
	private
	columns // how many there are
)

// headings by which columns are known, without regard to case, spaces and punctuation. Where
// several columns are about the same, the first that has a value counts.
var headings = map[string]column{
	"url": address, "link": address, "href": address, "address": address, "uri": address, "value": address, "website": address, "sourceurl": address,
	"title": title, "name": title, "heading": title,
	"description": description, "excerpt": description, "extended": description, "summary": description, "selection": description,
	"note": note, "notes": note, "comment": note, "comments": note,
	"highlights": highlights,
	"createdat":  created, "created": created, "date": created, "dateadded": created, "adddate": created, "timeadded": created, "addedat": created,
	"timestamp": created, "time": created, "publishdate": created, "savedat": created, "connectedat": created,
	"tags": tags, "tag": tags, "keywords": tags, "labels": tags,
	"channel": channel, "channels": channel, "board": channel, "boardname": channel, "pinterestboard": channel, "collection": channel, "list": channel,
	"folder": folder, "folders": folder, "path": folder,
	"text": text, "content": text, "markdown": text,
	"mediaurl": picture, "imageurl": picture, "image": picture, "imagelink": picture, "media": picture,
	"pinurl": page, "permalink": page,
	"favorite": favorite, "favourite": favorite, "starred": favorite,
	"private": private, "toread": toRead,
}

// layout says where in a row each column is.
type layout struct {
	at    [columns][]int
	comma byte
	title string // what it is an export of, if that is known
	// markdown says that texts are Markdown, as in the tables that this program exports. Others are plain.
	markdown bool
}

// layoutOf understands a line of headings, at whichever character it is split best.
func layoutOf(line []byte) (best layout, known int) {
	for _, comma := range []byte{',', ';', '\t', '|'} {
		p := parser{comma: comma}
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
			l.title = "Raindrop.io"
		case names["pinterestboard"], names["pinurl"], names["pinid"]:
			l.title = "Pinterest"
		case names["timeadded"] && names["status"]:
			l.title = "Pocket"
		}
		if n > known {
			best, known = l, n
		}
	}
	return best, known
}

// usable reports whether rows of such columns say anything that a block can be made of.
func (l layout) usable() bool { return len(l.at[address])+len(l.at[text])+len(l.at[picture]) > 0 }

// separators are those of tags. Pocket's are strokes, and commas stand in its tags.
func (l layout) separators() string {
	if l.title == "Pocket" {
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

// row is what one row says, by column.
type row [columns]string

func (l layout) row(fields []string) (r row) {
	for c := range columns {
		for _, i := range l.at[c] {
			if i < len(fields) && r[c] == "" {
				r[c] = strings.TrimSpace(fields[i])
			}
		}
	}
	return r
}

// yes understands what programs write for true.
func yes(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "1", "x":
		return true
	}
	return false
}
