package codec

import (
	"encoding/binary"
	"errors"

	"vitrine/internal/media/source"
)

// Types of the values in a TIFF directory: TIFF 6.0, section 2.
const (
	tiffByte  = 1
	tiffShort = 3
	tiffLong  = 4
)

// tiffEntry is the length of an entry: tag, type, count, and the value or its offset.
const tiffEntry = 12

// directory is the first directory of a TIFF structure.
type directory struct {
	in      *source.Input
	base    int64 // offset of the structure
	order   byteOrder
	entries []byte
}

// byteOrder reads and appends numbers.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func readDirectory(in *source.Input, base int64) (directory, error) {
	head, err := in.Bytes(base, 8)
	if err != nil {
		return directory{}, err
	}
	d := directory{in: in, base: base}
	switch string(head[:4]) {
	case "II*\x00":
		d.order = binary.LittleEndian
	case "MM\x00*":
		d.order = binary.BigEndian
	default:
		return directory{}, errors.New("no TIFF")
	}
	at := base + int64(d.order.Uint32(head[4:]))
	count, err := in.Bytes(at, 2)
	if err != nil {
		return directory{}, err
	}
	d.entries, err = in.Bytes(at+2, tiffEntry*int(d.order.Uint16(count)))
	return d, err
}

// find returns the first entry of a tag, or nil.
func (d directory) find(tag uint16) []byte {
	for e := d.entries; len(e) > 0; e = e[tiffEntry:] {
		if d.order.Uint16(e) == tag {
			return e[:tiffEntry]
		}
	}
	return nil
}

// count returns the number of values of a tag.
func (d directory) count(tag uint16) int64 {
	if e := d.find(tag); e != nil {
		return int64(d.order.Uint32(e[4:]))
	}
	return 0
}

// value returns the value of a tag at index i, or otherwise if the tag is missing.
func (d directory) value(tag uint16, i, otherwise int64) (int64, error) {
	e := d.find(tag)
	if e == nil {
		return otherwise, nil
	}
	size, ok := map[uint16]int64{tiffByte: 1, tiffShort: 2, tiffLong: 4}[d.order.Uint16(e[2:])]
	n := int64(d.order.Uint32(e[4:]))
	if !ok || i >= n {
		return 0, errors.New("no such value in the directory")
	}
	b := e[8:]
	if size*n > 4 {
		var err error
		if b, err = d.in.Bytes(d.base+int64(d.order.Uint32(b))+size*i, int(size)); err != nil {
			return 0, err
		}
	} else {
		b = b[size*i:]
	}
	switch size {
	case 1:
		return int64(b[0]), nil
	case 2:
		return int64(d.order.Uint16(b)), nil
	}
	return int64(d.order.Uint32(b)), nil
}

// tiffOrientation reads the orientation from the first directory of the TIFF structure at base,
// which is also the format of Exif. If it cannot be read, the orientation is 1: the image is still
// usable.
func tiffOrientation(in *source.Input, base int64) Orientation {
	head, err := in.Bytes(base, 6)
	if err != nil {
		return 1
	}
	if string(head) == "Exif\x00\x00" { // some PNG and WebP encoders include this prefix
		return tiffOrientation(in, base+6)
	}
	d, err := readDirectory(in, base)
	if err != nil {
		return 1
	}
	if e := d.find(0x0112); e != nil && d.order.Uint16(e[2:]) == tiffShort {
		if o := Orientation(d.order.Uint16(e[8:])); o >= 1 && o <= 8 {
			return o
		}
	}
	return 1
}

// tiffProfile returns the ICC profile of a TIFF file, or nil: ICC.1:2022, section B.3.
func tiffProfile(in *source.Input) []byte {
	const tag, inline = 34675, 4 // bytes that fit into the entry itself
	d, err := readDirectory(in, 0)
	if err != nil {
		return nil
	}
	length := d.count(tag)
	if length <= inline || length > maxProfileSize {
		return nil
	}
	icc, err := in.Bytes(int64(d.order.Uint32(d.find(tag)[8:])), int(length))
	if err != nil {
		return nil
	}
	return icc
}
