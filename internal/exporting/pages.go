package exporting

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"vitrine/internal/domain"
	view "vitrine/internal/present"
)

// The pages of an export are opened from disk, where browsers do not let them fetch anything. So the
// data are small scripts that call a function. A page loads the scripts that it shows, and a search
// loads one after the other. Any page on the disk can load a script whose name it knows, so the
// folder of the data has a random name, which only index.html contains. Texts are inserted into
// pages as text, never as HTML.

//go:embed browse
var browseFiles embed.FS

// cell is an item as the pages show it.
type cell struct {
	ID     int64  `json:"i"`
	Kind   string `json:"k"`
	Title  string `json:"t,omitempty"`
	Text   string `json:"x,omitempty"`
	Words  string `json:"d,omitempty"` // description
	Source string `json:"u,omitempty"`
	From   string `json:"s,omitempty"` // title of the source
	Image  string `json:"g,omitempty"`
	Alt    string `json:"w,omitempty"`
	File   string `json:"f,omitempty"`
	Name   string `json:"n,omitempty"` // name of the file
	By     string `json:"b"`
	At     string `json:"a,omitempty"`
	Page   string `json:"m,omitempty"` // Markdown
	Online string `json:"o"`
	Here   bool   `json:"h,omitempty"` // for a channel: it is in the export
}

// maxCellText limits the bytes of a text on a page; the Markdown has the whole text.
const maxCellText = 5_000

func shortened(text string) string {
	if len(text) <= maxCellText {
		return text
	}
	end := maxCellText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func cellOf(l *blockLine) cell {
	c := cell{ID: l.ID, Kind: l.Type, Title: l.Title, Text: shortened(l.Content), Words: shortened(l.Description), Source: l.address(), From: text(l.SourceTitle),
		Alt: text(l.AltText), By: l.Author.Name, At: formatTime(l.CreatedAt), Page: "markdown/blocks/" + blockName(*l), Online: l.URL}
	if l.Image != nil {
		c.Image = l.Image.Path
	}
	if f := l.bytes(); f != nil {
		c.File, c.Name = f.Path, f.Name
	}
	return c
}

func cellOfChannel(l *nestedLine) cell {
	return cell{ID: l.ID, Kind: "Channel", Title: l.Title, By: l.Owner.Name, Online: l.URL, Here: l.Exported}
}

// channelCell is a channel in the list of channels. The one with the ID 0 contains blocks that are
// in no channel.
type channelCell struct {
	ID         int64  `json:"i"`
	Title      string `json:"t,omitempty"`
	Words      string `json:"d,omitempty"`
	Visibility string `json:"v,omitempty"`
	Owner      string `json:"o,omitempty"`
	Items      int64  `json:"n"`
	Parts      int    `json:"c"` // number of scripts with its items
	UpdatedAt  string `json:"u,omitempty"`
	Online     string `json:"l,omitempty"`
}

// Limits of a script.
const (
	partItems = 100
	partBytes = 512 << 10
)

// writeCells writes the pending cells as those of a channel, or of no channel.
func (p *person) writeCells(c *channelLine, items int64) error {
	s := channelCell{Items: items}
	if c != nil {
		s.ID, s.Title, s.Words, s.Visibility, s.Owner, s.Online = c.ID, c.Title, shortened(c.Description), c.Visibility, c.Owner.Name, c.URL
		s.UpdatedAt = formatTime(c.UpdatedAt)
	} else if items == 0 {
		return nil
	}
	var err error
	if s.Parts, err = p.scripts(fmt.Sprintf("c%d", s.ID), &p.cells); err != nil {
		return err
	}
	return line(&p.channelCells, s)
}

// scripts writes the lines of a spool as scripts and returns their number.
func (p *person) scripts(name string, from *spool) (n int, err error) {
	lines, err := from.read()
	if err != nil {
		return 0, err
	}
	r := bufio.NewReader(lines)
	for {
		var part bytes.Buffer
		count := 0
		for count < partItems && part.Len() < partBytes {
			text, err := r.ReadBytes('\n')
			if err == io.EOF {
				break
			}
			if err != nil {
				return n, err
			}
			if count++; count > 1 {
				part.WriteByte(',')
			}
			part.Write(text)
		}
		if count == 0 {
			return n, nil
		}
		if err := p.script(fmt.Sprintf("%s-%d", name, n), "["+part.String()+"]"); err != nil {
			return n, err
		}
		n++
	}
}

func (p *person) script(name, value string) error {
	return p.zip.add(p.data+name+".js", []byte(fmt.Sprintf("vitrine(%q,%s);\n", name, value)))
}

// browse writes the pages.
func (p *person) browse(context.Context) error {
	parts, err := p.scripts("channels", &p.channelCells)
	if err != nil {
		return err
	}
	index, err := json.Marshal(struct {
		Name     string `json:"name"`
		Bio      string `json:"bio"`
		Online   string `json:"online"`
		At       string `json:"at"`
		Parts    int    `json:"parts"`
		Channels int64  `json:"channels"`
		Blocks   int64  `json:"blocks"`
	}{p.me.Name, view.Excerpt(plainOf(p.me.Bio), 500), p.e.o.Addresses.User(&p.me).URL(), formatTime(p.zip.at), parts, p.progress.Channels, p.progress.Blocks})
	if err != nil {
		return err
	}
	if err := p.script("index", string(index)); err != nil {
		return err
	}
	for name, to := range map[string]string{"index.html": "index.html", "browse.js": "browse/browse.js", "browse.css": "browse/browse.css"} {
		text, err := browseFiles.ReadFile("browse/" + name)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte("{{data}}"), []byte(p.data))
		if err := p.zip.add(to, text); err != nil {
			return err
		}
	}
	return nil
}

func plainOf(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return t.Plain
}
