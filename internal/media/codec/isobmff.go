package codec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/source"
)

// box is a box of the ISO base media file format (ISO/IEC 14496-12, section 4.2), the container of
// AVIF and HEIC.
type box struct {
	kind string
	name []byte // the bytes of kind in the file
	body []byte
}

// maxMeta limits the size of the box that describes the items, in bytes. Those of cameras are below
// 20 KB.
const maxMeta = 1 << 20

// isobmffHeader reads the dimensions of the primary item and how to crop and rotate it from the
// item's properties. The decoders check the dimensions against the coded image, and do not crop or
// rotate: see simplify.
func isobmffHeader(in *source.Input, k filetype.Kind) (Header, error) {
	meta, _, err := metaBox(in)
	if err != nil {
		return Header{}, err
	}
	primary, ok := primaryItem(meta)
	if !ok {
		return Header{}, errors.New("no primary item")
	}
	h := Header{Orientation: 1}
	var aperture []byte
	for _, property := range itemProperties(meta, primary) { // transforms apply in this order
		switch b := property.body; {
		case property.kind == "ispe" && len(b) >= 12: // ISO/IEC 23008-12, section 6.5.3
			h.Width, h.Height = int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:]))
		case property.kind == "clap": // ISO/IEC 14496-12, section 12.1.4
			aperture = b
		case property.kind == "irot" && len(b) >= 1: // section 6.5.10
			for range b[0] & 3 {
				h.Orientation = h.Orientation.QuarterLeft()
			}
		case property.kind == "imir" && len(b) >= 1: // section 6.5.12
			h.Orientation = h.Orientation.Mirrored(b[0]&1 == 1)
		case property.kind == "colr" && len(b) >= 11 && string(b[:4]) == "nclx": // section 12.1.5 of part 12
			h.videoRange = b[10]&0x80 == 0
		case property.kind == "colr" && len(b) > 4 && (string(b[:4]) == "prof" || string(b[:4]) == "rICC"):
			h.icc = b[4:]
		}
	}
	h.take(rgbaPixels)
	found := samplesOf(meta)
	h.alpha = alphaItem(meta)
	h.Opaque = found == plainSamples && h.alpha == 0
	perPixel := map[bool]int64{true: avifPlainPixel, false: avifPixel}[h.Opaque]
	if k.ContentType != filetype.AVIF {
		perPixel = heifPixel[found]
		bytes := int64(4)
		if found == plainSamples {
			bytes = 2
		}
		h.samples = bytes * int64(alignedHEIF(h.Width)) * int64(h.Height+1)
		switch {
		case h.alpha != 0: // two sets of samples, and the combined picture
			h.Decoded = 2*h.samples + rgbaPixels.decoded*h.Pixels()
		case found == plainSamples:
			h.take(pixelSize{2, 2, 1})
			h.Decoded = h.samples
		default:
			h.Decoded = h.samples
		}
		h.Decoding = h.Decoded
	}
	h.codec = Base + in.Size() + perPixel*h.Pixels()
	h.Decoding += h.codec
	h.stored = image.Pt(h.Width, h.Height)
	if h.crop = cleanAperture(aperture, h.stored); !h.crop.Empty() {
		h.Width, h.Height = h.crop.Dx(), h.crop.Dy()
	}
	h.Animated, err = isSequence(in)
	return h, err
}

// isSequence reports whether a file has a brand of image sequences: AVIF section 6.3 and ISO/IEC
// 23008-12, section 10. A sequence may have a still image as well, and then only its compatible
// brands say so.
func isSequence(in *source.Input) (bool, error) {
	head, err := in.Bytes(0, 8)
	if err != nil {
		return false, err
	}
	const most = 1 << 10
	box, err := in.Bytes(0, int(min(int64(binary.BigEndian.Uint32(head)), most, in.Size())))
	if err != nil {
		return false, err
	}
	for at := 8; at+4 <= len(box); at += 4 {
		switch brand := string(box[at : at+4]); {
		case at == 12: // the minor version
		case brand == "avis", brand == "hevc", brand == "msf1":
			return true, nil
		}
	}
	return false, nil
}

// cleanAperture returns the visible part of an image according to a clap
// property, which contains the width, the height and the offsets of the centre
// as fractions (ISO/IEC 14496-12, section 12.1.4). The part begins at an even
// pixel, so that chroma samples stay with their pixels. It is empty if the
// property is missing, broken, or does not fit into the image.
func cleanAperture(b []byte, stored image.Point) image.Rectangle {
	if len(b) < 32 {
		return image.Rectangle{}
	}
	var values [4]float64 // width, height, and the centre's offsets to the right and down
	for i := range values {
		numerator, denominator := int32(binary.BigEndian.Uint32(b[8*i:])), int32(binary.BigEndian.Uint32(b[8*i+4:]))
		if denominator <= 0 {
			return image.Rectangle{}
		}
		values[i] = float64(numerator) / float64(denominator)
	}
	width, height := int(values[0]), int(values[1])
	left := int(math.Round(values[2]+(float64(stored.X)-values[0])/2)) &^ 1
	top := int(math.Round(values[3]+(float64(stored.Y)-values[1])/2)) &^ 1
	shown := image.Rect(left, top, left+width, top+height)
	if width < 1 || height < 1 || !shown.In(image.Rectangle{Max: stored}) {
		return image.Rectangle{}
	}
	return shown
}

// simplify modifies a file so that a decoder returns the samples of one item as stored. It renames
// the properties that crop and rotate images and the references to alpha channels, and makes item
// the primary one unless it is 0. libheif would crop, rotate and combine in its own memory, several
// times the size of the image; libavif does neither. So the decoded image is cropped and combined
// here, and bitmap rotates the resized versions.
func simplify(file []byte, item uint32) error {
	meta, at, err := metaBox(source.New(context.Background(), bytes.NewReader(file)))
	if err != nil {
		return err
	}
	meta = file[at : at+int64(len(meta))]
	if item != 0 {
		setPrimaryItem(meta, item)
	}
	for _, r := range references(meta) {
		if r.kind == "auxl" {
			copy(r.name, "free")
		}
	}
	iprp := boxesIn(find(boxesIn(meta), "iprp"))
	transforms := map[int]bool{} // by index, from 1
	for i, property := range boxesIn(find(iprp, "ipco")) {
		switch property.kind {
		case "clap", "irot", "imir":
			copy(property.name, "free")
			transforms[i+1] = true
		}
	}
	for _, b := range iprp {
		if b.kind == "ipma" {
			optional(b.body, transforms)
		}
	}
	return nil
}

// samples classifies the samples of a file's items by the memory needed to decode them.
type samples int

const (
	plainSamples samples = iota // 8 bits, chroma at half the size
	deepSamples                 // likewise, with more than 8 bits
	otherSamples                // anything else, or unknown
)

// samplesOf returns the most demanding samples of all items, by the
// configurations of their codecs: AV1-ISOBMFF, section 2.3.3, and ISO/IEC
// 14496-15, section 8.3.3.1.
func samplesOf(meta []byte) samples {
	configured, limit := false, plainSamples
	for _, property := range boxesIn(find(boxesIn(find(boxesIn(meta), "iprp")), "ipco")) {
		switch b := property.body; {
		case property.kind == "av1C":
			configured = true
			if monochrome := len(b) >= 4 && b[2]&0x10 != 0; len(b) < 4 || b[2]&0x60 != 0 || b[2]&0x0C != 0x0C && !monochrome {
				return otherSamples
			}
		case property.kind == "hvcC":
			configured = true
			if len(b) < 19 || b[16]&3 > 1 { // 0 is a single channel, such as alpha
				return otherSamples
			}
			if b[17]&7 != 0 || b[18]&7 != 0 {
				limit = deepSamples
			}
		}
	}
	if !configured {
		return otherSamples
	}
	return limit
}

// alphaItem returns the item with the alpha channel of the primary item, or 0. A reference of type
// auxl leads from it to the primary item, and auxC contains its purpose: ISO/IEC 23008-12, section
// 6.6.2.
func alphaItem(meta []byte) uint32 {
	primary, ok := primaryItem(meta)
	if !ok {
		return 0
	}
	for _, r := range references(meta) {
		if r.kind != "auxl" || !slices.Contains(r.to, primary) {
			continue
		}
		for _, property := range itemProperties(meta, r.from) {
			if b := property.body; property.kind == "auxC" &&
				(bytes.Contains(b, []byte("alpha")) || bytes.Contains(b, []byte("hevc:2015:auxid:1"))) {
				return r.from
			}
		}
	}
	return 0
}

// reference is a reference from one item of a file to others: ISO/IEC 14496-12, section 8.11.12.
type reference struct {
	box
	from uint32
	to   []uint32
}

func references(meta []byte) (all []reference) {
	iref := find(boxesIn(meta), "iref")
	if len(iref) < 4 {
		return nil
	}
	size := 2
	if iref[0] > 0 {
		size = 4
	}
	number := func(b []byte) uint32 {
		if size == 4 {
			return binary.BigEndian.Uint32(b)
		}
		return uint32(binary.BigEndian.Uint16(b))
	}
	for _, b := range boxesIn(iref[4:]) {
		if len(b.body) < size+2 {
			continue
		}
		r := reference{box: b, from: number(b.body)}
		for to := b.body[size+2:]; len(to) >= size; to = to[size:] {
			r.to = append(r.to, number(to))
		}
		all = append(all, r)
	}
	return all
}

// metaBox returns the content of the file's meta box and its offset.
func metaBox(in *source.Input) (content []byte, offset int64, err error) {
	for at := int64(0); ; {
		b, err := in.Bytes(at, 16)
		if err != nil {
			return nil, 0, fmt.Errorf("no meta box: %w", err)
		}
		length, head := int64(binary.BigEndian.Uint32(b)), int64(8)
		if length == 1 { // the length follows as 64 bits
			length, head = int64(binary.BigEndian.Uint64(b[8:])), 16
		}
		if length < head || length > in.Size()-at {
			return nil, 0, errors.New("a box longer than the file")
		}
		if string(b[4:8]) == "meta" {
			if length > maxMeta || length < head+4 {
				return nil, 0, errors.New("a meta box of an impossible length")
			}
			offset = at + head + 4 // past version and flags
			content, err = in.Bytes(offset, int(length-head-4))
			return content, offset, err
		}
		at += length
	}
}

// boxesIn returns the boxes in b, up to the first broken one.
func boxesIn(b []byte) []box {
	var all []box
	for len(b) >= 8 {
		n := int64(binary.BigEndian.Uint32(b))
		if n < 8 || n > int64(len(b)) {
			break
		}
		all = append(all, box{string(b[4:8]), b[4:8], b[8:n]})
		b = b[n:]
	}
	return all
}

func find(boxes []box, kind string) []byte {
	for _, b := range boxes {
		if b.kind == kind {
			return b.body
		}
	}
	return nil
}

// primaryItem returns the id of the primary item: ISO/IEC 14496-12, section
// 8.11.4.
func primaryItem(meta []byte) (id uint32, ok bool) {
	switch pitm := find(boxesIn(meta), "pitm"); {
	case len(pitm) >= 8 && pitm[0] > 0:
		return binary.BigEndian.Uint32(pitm[4:]), true
	case len(pitm) >= 6 && pitm[0] == 0:
		return uint32(binary.BigEndian.Uint16(pitm[4:])), true
	}
	return 0, false
}

// setPrimaryItem makes another item the primary one.
func setPrimaryItem(meta []byte, id uint32) {
	switch pitm := find(boxesIn(meta), "pitm"); {
	case len(pitm) >= 8 && pitm[0] > 0:
		binary.BigEndian.PutUint32(pitm[4:], id)
	case len(pitm) >= 6:
		binary.BigEndian.PutUint16(pitm[4:], uint16(id))
	}
}

// itemProperties returns the properties of an item: ISO/IEC 23008-12, section
// 9.3, where ipma lists them as indexes into ipco.
func itemProperties(meta []byte, id uint32) (found []box) {
	iprp := boxesIn(find(boxesIn(meta), "iprp"))
	properties := boxesIn(find(iprp, "ipco"))
	for _, b := range iprp {
		if b.kind != "ipma" {
			continue
		}
		for _, index := range associations(b.body, id) {
			if index >= 1 && index <= len(properties) {
				found = append(found, properties[index-1])
			}
		}
	}
	return found
}

// associations returns the indexes of an item's properties in an ipma box.
func associations(ipma []byte, item uint32) (indexes []int) {
	walkAssociations(ipma, func(id uint32, entry []byte) {
		if id == item {
			indexes = append(indexes, propertyIndex(entry))
		}
	})
	return indexes
}

// optional clears the bits in an ipma box that require readers to understand the
// properties with these indexes.
func optional(ipma []byte, indexes map[int]bool) {
	walkAssociations(ipma, func(_ uint32, entry []byte) {
		if indexes[propertyIndex(entry)] {
			entry[0] &^= 0x80
		}
	})
}

// propertyIndex reads an entry of one or two bytes without its first bit.
func propertyIndex(entry []byte) int {
	if len(entry) == 2 {
		return int(binary.BigEndian.Uint16(entry) & 0x7FFF)
	}
	return int(entry[0] & 0x7F)
}

// walkAssociations calls visit with each item and entry of an ipma box: ISO/IEC 23008-12, section
// 9.3.2. It stops at the first broken entry.
func walkAssociations(b []byte, visit func(item uint32, entry []byte)) {
	if len(b) < 8 {
		return
	}
	wideIDs, size := b[0] > 0, 1+int(b[3]&1)
	entries := binary.BigEndian.Uint32(b[4:])
	b = b[8:]
	for ; entries > 0; entries-- {
		var id uint32
		switch {
		case wideIDs && len(b) >= 5:
			id, b = binary.BigEndian.Uint32(b), b[4:]
		case !wideIDs && len(b) >= 3:
			id, b = uint32(binary.BigEndian.Uint16(b)), b[2:]
		default:
			return
		}
		count := int(b[0])
		b = b[1:]
		if len(b) < count*size {
			return
		}
		for range count {
			visit(id, b[:size])
			b = b[size:]
		}
	}
}
