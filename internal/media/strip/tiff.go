package strip

import (
	"encoding/binary"
	"slices"
)

// tiffForm describes the encoding of numbers in a TIFF file.
type tiffForm struct {
	order                 binary.ByteOrder
	count, entry, pointer int64 // sizes of the entry count, of an entry, and of an offset
}

func (f tiffForm) number(b []byte) int64 {
	switch len(b) {
	case 2:
		return int64(f.order.Uint16(b))
	case 4:
		return int64(f.order.Uint32(b))
	}
	return int64(min(f.order.Uint64(b), 1<<62))
}

// tiffTags are ranges of tags that are needed to show an image: TIFF 6.0, its supplements, Exif's
// orientation and date, the colour profile, and tags for developing a DNG.
var tiffTags = [][2]int64{{254, 259}, {262, 266}, {273, 274}, {277, 284}, {286, 287}, {289, 293}, {296, 297}, {301, 301}, {306, 306},
	{317, 325}, {328, 328}, {330, 334}, {336, 347}, {351, 351}, {512, 521}, {529, 532}, {559, 559}, {32994, 32998}, {34675, 34675}}

// dngTags are the tags of the Adobe DNG specification, and of the sensor's colour filter.
var dngTags = [][2]int64{{33421, 33422}, {50706, 50707}, {50710, 50734}, {50736, 50739}, {50778, 50781}, {50829, 50830}, {50879, 50882},
	{50931, 50942}, {50964, 50969}, {50974, 50975}, {50981, 50982}, {51008, 51009}, {51022, 51022}, {51041, 51041}, {51043, 51043},
	{51089, 51090}, {51107, 51112}, {51125, 51125}, {52525, 52553}}

func among(ranges [][2]int64, tag int64) bool {
	return slices.ContainsFunc(ranges, func(r [2]int64) bool { return tag >= r[0] && tag <= r[1] })
}

// Limits of a TIFF file.
const (
	maxDirectories = 4096
	maxEntries     = 4096
	maxAllEntries  = 64 << 10
)

// tiffFile is a TIFF file whose directories are being rewritten.
type tiffFile struct {
	*input
	tiffForm
	seen  map[int64]bool
	all   int64 // entries so far
	dng   bool
	raw   bool // sensor data
	shown bool
}

// tiff removes all other tags: their values are overwritten, and their entries removed from the
// directories, which do not move. Raw files other than DNG are refused, because they can only be
// developed with the maker notes, which contain serial numbers.
func tiff(in *input) error {
	head, err := in.bytes(0, 16, 16)
	if err != nil {
		return err
	}
	f := &tiffFile{input: in, tiffForm: tiffForm{binary.LittleEndian, 2, 12, 4}, seen: map[int64]bool{}}
	if head[0] == 'M' {
		f.order = binary.BigEndian
	}
	first := f.number(head[4:8])
	if f.number(head[2:4]) == 43 {
		f.tiffForm = tiffForm{f.order, 8, 20, 8}
		first = f.number(head[8:16])
	}
	if string(head[8:10]) == "CR" && first == 16 {
		return malformed("a raw file of a camera")
	}
	if err := f.directories(first, true, 0); err != nil {
		return err
	}
	switch {
	case !f.shown:
		return malformed("a TIFF without an image")
	case f.raw && !f.dng:
		return malformed("a raw file of a camera")
	}
	return nil
}

// directories rewrites a chain of directories. If they do not describe images, only dates are kept.
func (f *tiffFile) directories(at int64, images bool, depth int) error {
	for at != 0 {
		if f.seen[at] {
			return malformed("a directory loop")
		}
		if f.seen[at] = true; len(f.seen) > maxDirectories || depth > 4 {
			return malformed("more than %d directories", maxDirectories)
		}
		next, err := f.rewrite(at, images, depth)
		if err != nil {
			return err
		}
		at = next
	}
	return nil
}

// rewrite keeps some entries of a directory, and returns the offset of the next directory.
func (f *tiffFile) rewrite(at int64, images bool, depth int) (next int64, err error) {
	head, err := f.bytes(at, f.count, 8)
	if err != nil {
		return 0, err
	}
	n := f.number(head)
	if f.all += n; n > maxEntries || f.all > maxAllEntries {
		return 0, malformed("a directory of %d entries", n)
	}
	size := f.count + n*f.entry + f.pointer
	text, err := f.bytes(at, size, maxEntries*20+16)
	if err != nil {
		return 0, err
	}
	if images && !f.dng {
		for e := range slices.Chunk(text[f.count:size-f.pointer], int(f.entry)) {
			f.dng = f.dng || f.number(e[:2]) == 50706
		}
	}
	out := make([]byte, f.count, size)
	kept := int64(0)
	for e := range slices.Chunk(text[f.count:size-f.pointer], int(f.entry)) {
		keep, err := f.field(e, images, depth)
		if err != nil {
			return 0, err
		}
		if keep {
			out = append(out, e...)
			kept++
		}
	}
	pointer := text[size-f.pointer:]
	if kept < n {
		if f.count == 2 {
			f.order.PutUint16(out, uint16(kept))
		} else {
			f.order.PutUint64(out, uint64(kept))
		}
		if err := f.overwrite(at, at+size, append(out, pointer...)); err != nil {
			return 0, err
		}
	}
	return f.number(pointer), nil
}

// field decides whether an entry is kept. It overwrites the value of a removed entry.
func (f *tiffFile) field(e []byte, images bool, depth int) (keep bool, err error) {
	tag, kind := f.number(e[:2]), uint16(f.number(e[2:4]))
	count, inline := f.number(e[4:4+f.pointer]), e[4+f.pointer:]
	width := kindSize(kind)
	if width > 0 && count > f.size/width {
		return false, malformed("a value of %d numbers", count)
	}
	length, from := width*count, int64(-1)
	if length > f.pointer {
		if from = f.number(inline); from > f.size-length {
			return false, malformed("a value outside of the file")
		}
	}
	value := func(limit int64) ([]byte, error) {
		if from < 0 {
			return inline[:length], nil
		}
		return f.bytes(from, length, limit)
	}
	follow := func(images bool) error {
		text, err := value(8 * 1024)
		if err != nil || width != 4 && width != 8 {
			return err
		}
		for p := range slices.Chunk(text, int(width)) {
			if err := f.directories(f.number(p), images, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case images && tag == 330: // more images
		return true, follow(true)
	case images && tag == tagExif:
		return true, follow(false)
	case images && (among(tiffTags, tag) || f.dng && among(dngTags, tag)):
		if tag == 262 && length >= 2 { // photometric interpretation: is it sensor data?
			text, err := value(64)
			if err != nil {
				return false, err
			}
			photometric := f.number(text[:2])
			f.raw = f.raw || photometric == 32803 || photometric == 34892
		}
		f.shown = f.shown || tag == 273 || tag == 324 || tag == 513
		if tag != tagDateTime {
			return true, nil
		}
		fallthrough
	case !images && slices.Contains(exifDates, uint16(tag)):
		text, err := value(64)
		if err != nil {
			return false, err
		}
		if _, ok := dateText(text); ok {
			return true, nil
		}
	case !images && (tag == tagColorSpace || tag == tagExifVersion) && from < 0:
		return true, nil
	case tag == 34853 || tag == 40965: // GPS, interoperability
		if err := follow(false); err != nil {
			return false, err
		}
	}
	if from < 0 {
		return false, nil
	}
	return false, f.zero(from, from+length)
}
