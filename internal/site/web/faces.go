package web

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"html/template"

	"vitrine/internal/domain"
	"vitrine/internal/site/catalog"
)

// face is the HTML of an item with slots, the places of everything that depends on the viewer, the
// time or the list. It begins with the number of slots, and the kind and offset of each.
type face []byte

// slot is a kind of slot.
type slot byte

const (
	placeSlot slot = 1 + iota // attributes of the connection and its position
	querySlot                 // of the address of the item's page
	awaySlot                  // attributes of links that open a new window
	ageSlot
	changedSlot // the time since the last change, in a list of contents
	retrySlot   // the form that fetches failed content again
	coverSlot   // the cover of a channel, whose parts have faces of their own
	loadingSlot // attributes of an image: when it is loaded
)

// slots are the names of slots in templates.
var slots = map[string]slot{"place": placeSlot, "query": querySlot, "away": awaySlot, "age": ageSlot, "changed": changedSlot,
	"retry": retrySlot, "cover": coverSlot, "loading": loadingSlot}

const slotSize = 5 // bytes

// drawing is a cell while its template draws it.
type drawing struct {
	Cell
	html  bytes.Buffer
	slots []byte
}

// Slot leaves a slot in a template. The result is empty in any context.
func (d *drawing) Slot(name string) (template.HTMLAttr, error) {
	kind, ok := slots[name]
	if !ok {
		return "", fmt.Errorf("site: no slot is called %q", name)
	}
	d.slots = binary.LittleEndian.AppendUint32(append(d.slots, byte(kind)), uint32(d.html.Len()))
	return "", nil
}

// drawFace draws a face with a template.
func (s *Site) drawFace(lang *catalog.Language, name string, c Cell) (face, error) {
	d := &drawing{Cell: c}
	if err := s.cells(lang).ExecuteTemplate(&d.html, name, d); err != nil {
		return nil, err
	}
	f := make(face, 0, 1+len(d.slots)+d.html.Len())
	f = append(f, byte(len(d.slots)/slotSize))
	f = append(f, d.slots...)
	return append(f, d.html.Bytes()...), nil
}

// fill appends the HTML with filled slots.
func (f face) fill(html []byte, fill func(html []byte, s slot) ([]byte, error)) (_ []byte, err error) {
	n := int(f[0])
	open, rest, at := f[1:1+n*slotSize], f[1+n*slotSize:], 0
	for ; len(open) > 0; open = open[slotSize:] {
		to := int(binary.LittleEndian.Uint32(open[1:]))
		html = append(html, rest[at:to]...)
		if html, err = fill(html, slot(open[0])); err != nil {
			return nil, err
		}
		at = to
	}
	return append(html, rest[at:]...), nil
}

// appendLoading appends the attributes for loading an image. Browsers load the first images of a page at once, and the others
// when they are near the screen.
func appendLoading(html []byte, first bool) []byte {
	if first {
		return append(html, ` loading="eager" fetchpriority="high"`...)
	}
	return append(html, ` loading="lazy"`...)
}

// appendRetry appends the form that fetches the content of a block again.
func (s *Site) appendRetry(html []byte, lang *catalog.Language, id domain.BlockID) ([]byte, error) {
	to := bytes.NewBuffer(html)
	err := s.cells(lang).ExecuteTemplate(to, "cell-retry", BlockPath(id, 0)+"/retry")
	return to.Bytes(), err
}

// cellTemplates is the key of the templates of cells among the pages of a language.
const cellTemplates = "/cells"

// cells returns the templates of cells in a language.
func (s *Site) cells(lang *catalog.Language) *template.Template {
	return s.pages()[lang.Code]()[cellTemplates]()
}
