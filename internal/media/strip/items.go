package strip

import (
	"bytes"
	"encoding/binary"
)

// imageItems are the kinds of items that are pictures or derived from pictures (ISO/IEC 23008-12, AV1-AVIF).
var imageItems = words("hvc1 hev1 lhv1 av01 avc1 vvc1 jpeg j2k1 unci grid iden iovl tmap mski")

// itemBoxes are the boxes in a meta box that are kept unchanged.
var itemBoxes = words("hdlr pitm iprp iref dinf grpl iinf iloc idat ipro")

// maxItems limits the size of iinf and iloc, in bytes, and maxExtents the number of all extents.
const (
	maxItems   = 4 << 20
	maxExtents = 64 << 10
)

// items overwrites the items that are not pictures, such as Exif and XMP. A minimal Exif is kept if it
// fits.
func (in *input) items(meta box) error {
	body, err := in.bytes(meta.body, min(8, meta.end-meta.body), 8)
	if err != nil {
		return err
	}
	from := meta.body + 4
	if len(body) < 8 || string(body[4:]) == "hdlr" { // QuickTime omits the version field
		from = meta.body
	}
	if meta.end < from {
		return in.blank(meta)
	}
	handler := ""
	parts := map[string][]byte{}
	data := int64(-1) // offset of the content of "idat"
	var blanks []box
	err = in.boxes(from, meta.end, func(b box) (err error) {
		switch b.kind {
		case "hdlr":
			head, err := in.bytes(b.body, min(12, b.end-b.body), 12)
			if err != nil {
				return err
			}
			handler = string(head[min(8, len(head)):])
		case "iinf", "iloc":
			if parts[b.kind] != nil {
				return malformed("two %s boxes", b.kind)
			}
			parts[b.kind], err = in.bytes(b.body, b.end-b.body, maxItems)
			return err
		case "idat":
			data = b.body
		}
		if !itemBoxes[b.kind] {
			blanks = append(blanks, b)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if handler != "pict" {
		return in.blank(meta)
	}
	for _, b := range blanks {
		if err := in.blank(b); err != nil {
			return err
		}
	}
	other, err := otherItems(parts["iinf"])
	if err != nil || len(other) == 0 {
		return err
	}
	exif := false
	return eachItem(parts["iloc"], func(id uint32, method int, extents [][2]uint64) error {
		kind, is := other[id]
		if !is {
			return nil
		}
		delete(other, id)
		base := int64(0)
		if method == 1 {
			base = data
		}
		if method > 1 || base < 0 {
			return malformed("an item %q that is stored in another item", kind)
		}
		for _, x := range extents {
			if x[0] > uint64(in.size) || x[1] > uint64(in.size) || x[1] == 0 {
				return malformed("an item %q outside of the file", kind)
			}
			from := base + int64(x[0])
			to := from + int64(x[1])
			if kind == "Exif" && !exif && len(extents) == 1 && x[1] <= maxExif {
				exif = true
				text, err := in.itemExif(from, to)
				if err != nil {
					return err
				}
				if err := in.overwrite(from, to, text); err != nil {
					return err
				}
				continue
			}
			if err := in.zero(from, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// itemExif returns the replacement for the Exif of an item, which begins with an offset (ISO/IEC 23008-12,
// annex A). It is nil if nothing remains or the replacement does not fit.
func (in *input) itemExif(from, to int64) ([]byte, error) {
	body, err := in.bytes(from, to-from, maxExif)
	if err != nil || len(body) < 4 {
		return nil, err
	}
	skip := binary.BigEndian.Uint32(body)
	if uint64(skip) > uint64(len(body)-4) {
		return nil, nil
	}
	text := minimalExif(body[4+skip:])
	if text == nil || len(text)+4 > len(body) {
		return nil, nil
	}
	return append(make([]byte, 4), text...), nil
}

// parser reads numbers from bytes. After the end it reads zeros.
type parser struct {
	text  []byte
	short bool
}

func (p *parser) uint(n int) (v uint64) {
	if n > len(p.text) {
		p.short, p.text = true, nil
		return 0
	}
	for _, b := range p.text[:n] {
		v = v<<8 | uint64(b)
	}
	p.text = p.text[n:]
	return v
}

// otherItems returns the items that are not pictures, with their kinds (section 8.11.6).
func otherItems(iinf []byte) (map[uint32]string, error) {
	other := map[uint32]string{}
	p := &parser{text: iinf}
	if version := p.uint(4) >> 24; version == 0 {
		p.uint(2)
	} else {
		p.uint(4)
	}
	for len(p.text) >= 8 {
		size := binary.BigEndian.Uint32(p.text)
		if size < 8 || uint64(size) > uint64(len(p.text)) {
			return nil, malformed("a broken iinf box")
		}
		entry := &parser{text: p.text[8:size]}
		is := bytes.Equal(p.text[4:8], []byte("infe"))
		p.text = p.text[size:]
		if !is {
			continue
		}
		width, kind := 2, "mime" // versions before 2 have no kind
		version := entry.uint(4) >> 24
		if version >= 3 {
			width = 4
		}
		id := uint32(entry.uint(width))
		if version >= 2 {
			entry.uint(2)
			if len(entry.text) < 4 {
				return nil, malformed("a truncated infe box")
			}
			kind = string(entry.text[:4])
		}
		if !imageItems[kind] {
			other[id] = kind
		}
	}
	return other, nil
}

// eachItem visits the extents of all items (section 8.11.3).
func eachItem(iloc []byte, visit func(id uint32, method int, extents [][2]uint64) error) error {
	p := &parser{text: iloc}
	version := p.uint(4) >> 24
	widths := p.uint(2)
	offset, length, base, index := int(widths>>12), int(widths>>8&15), int(widths>>4&15), int(widths&15)
	if version == 0 {
		index = 0
	}
	if max(offset, length, base, index) > 8 {
		return malformed("numbers of more than 8 bytes")
	}
	wide := 2
	if version >= 2 {
		wide = 4
	}
	all := uint64(0)
	for range p.uint(wide) {
		id, method := uint32(p.uint(wide)), 0
		if version >= 1 {
			method = int(p.uint(2) & 15)
		}
		elsewhere := p.uint(2) != 0
		begin := p.uint(base)
		var extents [][2]uint64
		n := p.uint(2)
		if all += n; all > maxExtents {
			return malformed("more than %d extents", maxExtents)
		}
		for range n {
			p.uint(index)
			extents = append(extents, [2]uint64{begin + p.uint(offset), p.uint(length)})
			if p.short {
				return malformed("a truncated iloc box")
			}
		}
		if p.short {
			return malformed("a truncated iloc box")
		}
		if elsewhere {
			continue
		}
		if err := visit(id, method, extents); err != nil {
			return err
		}
	}
	return nil
}
