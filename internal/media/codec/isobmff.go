package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"vitrine/internal/media/bitmap"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/source"
)

// box is one box of the ISO base media file format (ISO/IEC 14496-12, section
// 4.2), in which AVIF and HEIC are written.
type box struct {
	kind string
	body []byte
}

// maxMeta bounds the box that describes the items, in bytes. Those of cameras
// are below 20 KB.
const maxMeta = 1 << 20

// isobmffHeader reads the dimensions of the primary item, as the properties
// beside it give them. The decoders check them against the coded image.
func isobmffHeader(in *source.Input, k filetype.Kind) (Header, error) {
	meta, err := metaBox(in)
	if err != nil {
		return Header{}, err
	}
	properties, err := primaryProperties(meta)
	if err != nil {
		return Header{}, err
	}
	h := Header{Orientation: 1}
	for _, property := range properties {
		switch b := property.body; {
		case property.kind == "ispe" && len(b) >= 12: // ISO/IEC 23008-12, section 6.5.3
			h.Width, h.Height = int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:]))
		case property.kind == "irot" && len(b) >= 1: // section 6.5.10: counter-clockwise
			h.Orientation = [4]bitmap.Orientation{1, 8, 3, 6}[b[0]&3]
		case property.kind == "imir" && len(b) >= 1: // section 6.5.12: after irot
			h.Orientation = h.Orientation.Mirrored(b[0]&1 == 1)
		case property.kind == "colr" && len(b) >= 11 && string(b[:4]) == "nclx": // section 12.1.5 of part 12
			h.videoRange = b[10]&0x80 == 0
		}
	}
	h.take(rgbaPixels)
	plain := plainSamples(meta)
	perPixel := map[bool]int64{true: avifPlainPixel, false: avifPixel}[plain]
	if k.ContentType != filetype.AVIF { // libheif turns by itself, libavif does not
		h.Width, h.Height = h.Upright()
		h.Orientation = 1
		perPixel = heifPixel
		samples := int64(4)
		if plain {
			h.take(pixelSize{2, 2, 1})
			perPixel, samples = heifPlainPixel, 2
		}
		h.Decoded = samples * int64(alignedHEIF(h.Width)) * int64(h.Height+1)
		h.Decoding = h.Decoded
	}
	h.Opaque = plain
	h.codec = Base + in.Size() + perPixel*h.Pixels()
	h.Decoding += h.codec
	brand, err := in.Bytes(8, 4)
	h.Animated = string(brand) == "avis" || string(brand) == "hevc" || string(brand) == "msf1"
	return h, err
}

// plainSamples reports whether all items have 8 bits, chroma at half the size
// and no alpha, as the configurations of their codecs say: AV1-ISOBMFF, section
// 2.3.3, and ISO/IEC 14496-15, section 8.3.3.1.
func plainSamples(meta []byte) bool {
	configured := false
	for _, property := range boxesIn(find(boxesIn(find(boxesIn(meta), "iprp")), "ipco")) {
		switch b := property.body; {
		case property.kind == "auxC" && bytes.Contains(b, []byte("alpha")),
			property.kind == "auxC" && bytes.Contains(b, []byte("hevc:2015:auxid:1")):
			return false
		case property.kind == "av1C":
			configured = true
			if len(b) < 4 || b[2]&0x6C != 0x0C {
				return false
			}
		case property.kind == "hvcC":
			configured = true
			if len(b) < 19 || b[16]&3 != 1 || b[17]&7 != 0 || b[18]&7 != 0 {
				return false
			}
		}
	}
	return configured
}

// metaBox returns what the file's meta box holds.
func metaBox(in *source.Input) ([]byte, error) {
	for at := int64(0); ; {
		b, err := in.Bytes(at, 16)
		if err != nil {
			return nil, fmt.Errorf("no meta box: %w", err)
		}
		length, head := int64(binary.BigEndian.Uint32(b)), int64(8)
		if length == 1 { // the length follows as 64 bits
			length, head = int64(binary.BigEndian.Uint64(b[8:])), 16
		}
		if length < head || length > in.Size()-at {
			return nil, errors.New("a box longer than the file")
		}
		if string(b[4:8]) == "meta" {
			if length > maxMeta || length < head+4 {
				return nil, errors.New("a meta box of an impossible length")
			}
			return in.Bytes(at+head+4, int(length-head-4)) // past version and flags
		}
		at += length
	}
}

// boxesIn returns the boxes in b, up to the first that is broken.
func boxesIn(b []byte) []box {
	var all []box
	for len(b) >= 8 {
		n := int64(binary.BigEndian.Uint32(b))
		if n < 8 || n > int64(len(b)) {
			break
		}
		all = append(all, box{string(b[4:8]), b[8:n]})
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

// primaryProperties returns the properties of the primary item: ISO/IEC
// 23008-12, section 9.3, where ipma lists them as indexes into ipco.
func primaryProperties(meta []byte) ([]box, error) {
	all := boxesIn(meta)
	pitm := find(all, "pitm")
	if len(pitm) < 6 {
		return nil, errors.New("no primary item")
	}
	id := uint32(binary.BigEndian.Uint16(pitm[4:]))
	if pitm[0] > 0 && len(pitm) >= 8 {
		id = binary.BigEndian.Uint32(pitm[4:])
	}
	iprp := boxesIn(find(all, "iprp"))
	properties := boxesIn(find(iprp, "ipco"))
	var found []box
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
	return found, nil
}

// associations returns the indexes of the properties that an ipma box gives to
// the item: ISO/IEC 23008-12, section 9.3.2. A broken box gives fewer.
func associations(b []byte, item uint32) []int {
	if len(b) < 8 {
		return nil
	}
	wideIDs, wideIndexes := b[0] > 0, b[3]&1 == 1
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
			return nil
		}
		count, size := int(b[0]), 1
		if wideIndexes {
			size = 2
		}
		b = b[1:]
		if len(b) < count*size {
			return nil
		}
		if id == item {
			return indexes(b[:count*size], size)
		}
		b = b[count*size:]
	}
	return nil
}

// indexes reads indexes of size bytes without their first bit, which says
// whether a reader must understand the property.
func indexes(b []byte, size int) []int {
	var all []int
	for ; len(b) > 0; b = b[size:] {
		if size == 2 {
			all = append(all, int(binary.BigEndian.Uint16(b)&0x7FFF))
		} else {
			all = append(all, int(b[0]&0x7F))
		}
	}
	return all
}
