package strip

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// box is a box of the ISO base media file format (ISO/IEC 14496-12, section 4.2).
type box struct {
	kind           string
	at, body, end  int64
	beyond, opened bool // it goes on behind the end; it has no size
}

// header reads the header of a box that begins at an offset of a part of the file.
func (in *input) header(at, end int64) (b box, err error) {
	head, err := in.bytes(at, min(16, end-at), 16)
	if err != nil {
		return b, err
	}
	if len(head) < 8 {
		return b, malformed("a box of %d bytes", len(head))
	}
	b = box{kind: string(head[4:8]), at: at, body: at + 8}
	size := uint64(binary.BigEndian.Uint32(head))
	switch {
	case size == 0:
		b.end, b.opened = end, true
		return b, nil
	case size == 1 && len(head) < 16:
		return b, malformed("a box of %d bytes", len(head))
	case size == 1:
		size, b.body = binary.BigEndian.Uint64(head[8:]), at+16
	}
	if size < uint64(b.body-at) {
		return b, malformed("a box of %d bytes", size)
	}
	if b.beyond = size > uint64(end-at); b.beyond {
		size = uint64(end - at)
	}
	b.end = at + int64(size)
	return b, nil
}

// maxBoxes bounds how many boxes a box has, and how many there are at the top.
const maxBoxes = 100_000

// boxes visits the boxes in a part of the file. What remains and is no box is zeroed.
func (in *input) boxes(from, end int64, visit func(b box) error) error {
	for n := 0; from < end; n++ {
		if end-from < 8 {
			return in.zero(from, end)
		}
		if n == maxBoxes {
			return malformed("more than %d boxes", maxBoxes)
		}
		b, err := in.header(from, end)
		if err != nil {
			return err
		}
		if b.beyond {
			return malformed("a box %q that ends outside of its own", b.kind)
		}
		if err := visit(b); err != nil {
			return err
		}
		from = b.end
	}
	return nil
}

// blank makes a box one that readers skip. Its size stays, since others are found by their offsets.
func (in *input) blank(b box) error {
	if b.kind != "free" {
		if err := in.replace(b.at+4, b.at+8, []byte("free")); err != nil {
			return err
		}
	}
	return in.zero(b.body, b.end)
}

func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// The boxes that are kept: at the top, in a movie, in a track, and in its media.
var (
	topBoxes   = words("ftyp styp pdin moof mfra mdat wide sidx ssix prft imda")
	movieBoxes = words("mvhd iods mvex pssh clip ctab")
	trackBoxes = words("tkhd edts tref trgr tapt load matt clip imap")
	mediaBoxes = words("mdhd hdlr elng")
)

// isobmff removes metadata from MP4, QuickTime, HEIC and AVIF: all boxes that are not needed to show
// the picture become free space, metadata items are overwritten, and tracks that are no picture,
// sound or text are removed with their samples. Nothing moves, because boxes hold offsets of the file.
func isobmff(in *input) error {
	known := false // there was something to show
	for at, n := int64(0), 0; at < in.size; n++ {
		b, err := box{}, error(nil)
		if in.size-at >= 8 {
			b, err = in.header(at, in.size)
		}
		trailer := in.size-at < 8 || err != nil || b.beyond && b.kind != "mdat"
		switch {
		case trailer && known: // as some phones append
			return in.cut(at, in.size)
		case trailer && err == nil:
			return malformed("a box %q that does not end", b.kind)
		case err != nil:
			return err
		case n == maxBoxes:
			return malformed("more than %d boxes", maxBoxes)
		}
		switch {
		case topBoxes[b.kind]:
		case b.kind == "moov":
			known, err = true, in.movie(b)
		case b.kind == "meta":
			known, err = true, in.items(b)
		case b.opened: // to the end of the file
			return in.cut(b.at, in.size)
		default:
			err = in.blank(b)
		}
		if err != nil {
			return err
		}
		at = b.end
	}
	if !known {
		return malformed("a film without a description")
	}
	return nil
}

func (in *input) movie(moov box) error {
	return in.boxes(moov.body, moov.end, func(b box) error {
		switch {
		case b.kind == "trak":
			return in.track(b)
		case b.kind == "cmov":
			return malformed("a compressed description")
		case movieBoxes[b.kind]:
			return nil
		}
		return in.blank(b)
	})
}

// handlers are kinds of tracks that are shown or heard, or belong to one that is. Others hold
// positions and the like: "meta", "camm", "gpmd", "data".
var handlers = words("vide soun subt text sbtl clcp tmcd auxv pict hint")

func (in *input) track(trak box) error {
	var edits []box
	var media *box
	err := in.boxes(trak.body, trak.end, func(b box) error {
		switch {
		case b.kind == "mdia" && media == nil:
			media = &b
		case !trackBoxes[b.kind]:
			edits = append(edits, b)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if media == nil {
		return in.blank(trak)
	}
	shown := false
	var samples *box
	err = in.boxes(media.body, media.end, func(b box) error {
		switch {
		case b.kind == "minf":
			samples = &b
		case b.kind == "hdlr":
			head, err := in.bytes(b.body, min(b.end-b.body, 256), 256)
			if err != nil || len(head) < 12 {
				return err
			}
			// Drones write where they are into subtitles.
			name := strings.ToLower(string(head[12:]))
			shown = handlers[string(head[8:12])] && !strings.Contains(name, "dji") && !strings.Contains(name, "gps")
		case !mediaBoxes[b.kind]:
			edits = append(edits, b)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !shown {
		if samples != nil {
			if err := in.zeroSamples(*samples); err != nil {
				return err
			}
		}
		return in.blank(trak)
	}
	for _, b := range edits {
		if err := in.blank(b); err != nil {
			return err
		}
	}
	return nil
}

// maxTable bounds a table of a track that is removed, in bytes.
const maxTable = 4 << 20

// zeroSamples overwrites the samples of a track (ISO/IEC 14496-12, sections 8.7.3 to 8.7.5).
func (in *input) zeroSamples(minf box) error {
	tables := map[string][]byte{}
	err := in.boxes(minf.body, minf.end, func(stbl box) error {
		if stbl.kind != "stbl" {
			return nil
		}
		return in.boxes(stbl.body, stbl.end, func(b box) (err error) {
			switch b.kind {
			case "stsc", "stsz", "stz2", "stco", "co64":
				tables[b.kind], err = in.bytes(b.body, b.end-b.body, maxTable)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	be := binary.BigEndian
	// table returns the entries of a table of a given width behind its header.
	table := func(name string, header, width int) []byte {
		t := tables[name]
		if len(t) < header {
			return nil
		}
		n := int(min(uint64(be.Uint32(t[header-4:])), uint64(len(t)-header)/uint64(width)))
		return t[header:][:n*width]
	}
	chunks, wide := table("stco", 8, 4), 4
	if chunks == nil {
		chunks, wide = table("co64", 8, 8), 8
	}
	runs := table("stsc", 8, 12)
	if len(chunks) == 0 {
		return nil // nothing, or in fragments
	}
	sizes, same := table("stsz", 12, 4), uint32(0)
	if t := tables["stsz"]; len(t) >= 12 {
		same = be.Uint32(t[4:])
	}
	if len(runs) == 0 || same == 0 && len(sizes) == 0 {
		return malformed("a track whose samples cannot be found")
	}
	sample := int64(0)
	for i := range len(chunks) / wide {
		for len(runs) >= 24 && be.Uint32(runs[12:]) <= uint32(i+1) {
			runs = runs[12:]
		}
		from := int64(be.Uint32(chunks[i*wide:]))
		if wide == 8 {
			from = int64(be.Uint64(chunks[i*8:]))
		}
		count, length := int64(be.Uint32(runs[4:])), int64(0)
		if same > 0 {
			length = count * int64(same)
		} else {
			if count > int64(len(sizes))/4-sample {
				return malformed("a track of too few samples")
			}
			for range count {
				length += int64(be.Uint32(sizes[4*sample:]))
				sample++
			}
		}
		if from < 0 || from > in.size || length > in.size {
			return malformed("samples outside of the file")
		}
		if err := in.zero(from, min(from+length, in.size)); err != nil { // cut off with its file
			return err
		}
	}
	return nil
}

// imageItems are the kinds of items that are pictures, or made of some (ISO/IEC 23008-12, AV1-AVIF).
var imageItems = words("hvc1 hev1 lhv1 av01 avc1 vvc1 jpeg j2k1 unci grid iden iovl tmap mski")

// itemBoxes are the boxes of a description of items that are kept as they are.
var itemBoxes = words("hdlr pitm iprp iref dinf grpl iinf iloc idat ipro")

// maxItems bounds the description of items, in bytes.
const maxItems = 4 << 20

// items overwrites the items of an image that are no pictures: Exif, XMP and the like. Of Exif the
// minimum is kept if there is room for it.
func (in *input) items(meta box) error {
	body, err := in.bytes(meta.body, min(8, meta.end-meta.body), 8)
	if err != nil {
		return err
	}
	from := meta.body + 4
	if len(body) < 8 || string(body[4:]) == "hdlr" { // QuickTime has no version in front
		from = meta.body
	}
	if meta.end < from {
		return in.blank(meta)
	}
	handler := ""
	parts := map[string][]byte{}
	data := int64(-1) // where "idat" begins
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
				return malformed("two descriptions of items")
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
	return eachItem(parts["iloc"], func(id uint32, method int, extents [][2]uint64) error {
		kind, is := other[id]
		if !is {
			return nil
		}
		base := int64(0)
		if method == 1 {
			base = data
		}
		if method > 1 || base < 0 {
			return malformed("an item %q that is kept in another one", kind)
		}
		for _, x := range extents {
			if x[0] > uint64(in.size) || x[1] > uint64(in.size) || x[1] == 0 {
				return malformed("an item %q outside of the file", kind)
			}
			from := base + int64(x[0])
			to := from + int64(x[1])
			if kind == "Exif" && len(extents) == 1 && x[1] <= maxExif {
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

// itemExif returns what replaces the Exif of an item, which begins with where it is (ISO/IEC
// 23008-12, annex A); nil if nothing remains or there is no room.
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

// parser reads numbers from a text. After its end it reads zeros.
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

// otherItems returns the items that are no pictures with their kinds (section 8.11.6).
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
			return nil, malformed("a description of items")
		}
		entry := &parser{text: p.text[8:size]}
		is := bytes.Equal(p.text[4:8], []byte("infe"))
		p.text = p.text[size:]
		if !is {
			continue
		}
		width, kind := 2, "mime" // before version 2 it had no kind
		version := entry.uint(4) >> 24
		if version >= 3 {
			width = 4
		}
		id := uint32(entry.uint(width))
		if version >= 2 {
			entry.uint(2)
			if len(entry.text) < 4 {
				return nil, malformed("a description of an item")
			}
			kind = string(entry.text[:4])
		}
		if !imageItems[kind] {
			other[id] = kind
		}
	}
	return other, nil
}

// eachItem visits where items are (section 8.11.3).
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
	for range p.uint(wide) {
		id, method := uint32(p.uint(wide)), 0
		if version >= 1 {
			method = int(p.uint(2) & 15)
		}
		elsewhere := p.uint(2) != 0
		begin := p.uint(base)
		var extents [][2]uint64
		for range p.uint(2) {
			p.uint(index)
			extents = append(extents, [2]uint64{begin + p.uint(offset), p.uint(length)})
			if p.short {
				return malformed("places of items that end too early")
			}
		}
		if p.short {
			return malformed("places of items that end too early")
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
