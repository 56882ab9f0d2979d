package strip

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Tags of TIFF and Exif 2.32 that are kept.
const (
	tagOrientation = 0x0112
	tagDateTime    = 0x0132
	tagExif        = 0x8769
	tagExifVersion = 0x9000
	tagColorSpace  = 0xa001
)

// exifDates are the tags of the Exif directory for the capture date: times, their offsets from UTC, and
// fractions of seconds.
var exifDates = []uint16{0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292}

// field is an entry of an Exif directory to write.
type field struct {
	tag, kind uint16
	count     uint32
	value     []byte
}

const (
	kindASCII = 2
	kindShort = 3
	kindLong  = 4
	kindBytes = 7
)

// minimalExif returns a TIFF structure with only the orientation, the capture date and the colour space of
// another one. It is nil if that has none of them or cannot be read.
func minimalExif(tiff []byte) []byte {
	if bytes.HasPrefix(tiff, []byte(exifMark)) { // some programs write this prefix in WebP
		tiff = tiff[len(exifMark):]
	}
	if len(tiff) < 8 {
		return nil
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:2]) == "II" {
		order = binary.LittleEndian
	} else if string(tiff[:2]) != "MM" {
		return nil
	}
	main := directory(tiff, order, int64(order.Uint32(tiff[4:])))
	var first, exif []field
	if o, ok := main[tagOrientation]; ok && len(o) == 2 {
		if n := order.Uint16(o); n >= 2 && n <= 8 {
			first = append(first, field{tagOrientation, kindShort, 1, binary.BigEndian.AppendUint16(nil, n)})
		}
	}
	if text, ok := dateText(main[tagDateTime]); ok {
		first = append(first, field{tagDateTime, kindASCII, uint32(len(text)), text})
	}
	if at, ok := main[tagExif]; ok && len(at) == 4 {
		sub := directory(tiff, order, int64(order.Uint32(at)))
		for _, tag := range exifDates {
			if text, ok := dateText(sub[tag]); ok {
				exif = append(exif, field{tag, kindASCII, uint32(len(text)), text})
			}
		}
		if c, ok := sub[tagColorSpace]; ok && len(c) == 2 {
			exif = append(exif, field{tagColorSpace, kindShort, 1, binary.BigEndian.AppendUint16(nil, order.Uint16(c))})
		}
	}
	if len(exif) > 0 {
		exif = append([]field{{tagExifVersion, kindBytes, 4, []byte("0232")}}, exif...)
	}
	if len(first)+len(exif) == 0 {
		return nil
	}
	out := []byte("MM\x00*\x00\x00\x00\x08")
	if len(exif) == 0 {
		return writeDirectory(out, first)
	}
	first = append(first, field{tagExif, kindLong, 1, nil})
	end := len(writeDirectory(out, first)) + 4 // the pointer to the next directory is part of the entry
	first[len(first)-1].value = binary.BigEndian.AppendUint32(nil, uint32(end-4))
	return writeDirectory(writeDirectory(out, first), exif)
}

// writeDirectory appends a directory and the values that are too long for their entries.
func writeDirectory(out []byte, fields []field) []byte {
	be := binary.BigEndian
	behind := len(out) + 2 + 12*len(fields) + 4
	var values []byte
	out = be.AppendUint16(out, uint16(len(fields)))
	for _, f := range fields {
		out = be.AppendUint32(be.AppendUint16(be.AppendUint16(out, f.tag), f.kind), f.count)
		if len(f.value) > 4 {
			out = be.AppendUint32(out, uint32(behind+len(values)))
			values = append(values, f.value...)
			if len(values)%2 == 1 {
				values = append(values, 0)
			}
			continue
		}
		out = append(out, append(bytes.Clone(f.value), 0, 0, 0, 0)[:4]...)
	}
	return append(be.AppendUint32(out, 0), values...)
}

// directory returns the values of a directory of a TIFF structure in memory. It skips values that are
// outside of the structure, or longer than any value that is kept.
func directory(tiff []byte, order binary.ByteOrder, at int64) map[uint16][]byte {
	values := map[uint16][]byte{}
	if at < 8 || at+2 > int64(len(tiff)) {
		return values
	}
	for i := range int64(order.Uint16(tiff[at:])) {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			break
		}
		e := tiff[entry : entry+12]
		size := kindSize(order.Uint16(e[2:])) * int64(order.Uint32(e[4:]))
		from := entry + 8
		if size > 4 {
			from = int64(order.Uint32(e[8:]))
		}
		if tag := order.Uint16(e); size > 0 && size <= 64 && from+size <= int64(len(tiff)) && values[tag] == nil {
			values[tag] = tiff[from : from+size]
		}
	}
	return values
}

// kindSize returns the size of one value of a type (TIFF 6.0, section 2; BigTIFF), or 0 if it is unknown.
func kindSize(kind uint16) int64 {
	switch kind {
	case 1, 2, 6, 7:
		return 1
	case 3, 8:
		return 2
	case 4, 9, 11, 13:
		return 4
	case 5, 10, 12, 16, 17, 18:
		return 8
	}
	return 0
}

// dateText returns a date, an offset or a fraction with its final zero. It refuses other texts, so that
// a date field reveals only a date.
func dateText(value []byte) ([]byte, bool) {
	text := strings.TrimRight(string(value), "\x00")
	if text == "" || len(text) > 25 || strings.Trim(text, "0123456789:+-. TZ") != "" || strings.Trim(text, " :") == "" {
		return nil, false
	}
	return append([]byte(text), 0), true
}
