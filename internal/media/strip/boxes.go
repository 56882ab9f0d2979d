package strip

import (
	"encoding/binary"
	"strings"
)

// box is a box of the ISO base media file format (ISO/IEC 14496-12, section 4.2).
type box struct {
	kind           string
	at, body, end  int64
	beyond, opened bool // it exceeds the part; it has no size and extends to the end
}

// header reads the header of the box at an offset in a part of the file.
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

// maxBoxes limits the number of boxes in a box, and at the top level.
const maxBoxes = 100_000

// boxes visits the boxes in a part of the file. Remaining bytes that are too few for a box are zeroed.
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
			return malformed("a box %q that exceeds its parent", b.kind)
		}
		if err := visit(b); err != nil {
			return err
		}
		from = b.end
	}
	return nil
}

// blank turns a box into free space. Its size stays, because other boxes are referenced by offset.
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

// The kinds of boxes that are kept: at the top level, in a movie, in a track, and in its media.
var (
	topBoxes   = words("ftyp styp pdin moof mfra mdat wide sidx ssix prft imda")
	movieBoxes = words("mvhd iods mvex pssh clip ctab")
	trackBoxes = words("tkhd edts tref trgr tapt load matt clip imap")
	mediaBoxes = words("mdhd hdlr elng")
)

// isobmff removes metadata from MP4, QuickTime, HEIC and AVIF: all boxes that are not needed to show the
// picture become free space, metadata items are overwritten, and tracks other than picture, sound or
// text are removed with their samples. Nothing moves, because boxes contain offsets into the file.
func isobmff(in *input) error {
	known := false // a moov or meta box was found
	for at, n := int64(0), 0; at < in.size; n++ {
		b, err := box{}, error(nil)
		if in.size-at >= 8 {
			b, err = in.header(at, in.size)
		}
		trailer := in.size-at < 8 || err != nil || b.beyond && b.kind != "mdat"
		switch {
		case trailer && known: // some phones append data
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
		case b.opened: // it extends to the end of the file
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
		return malformed("a file without moov and meta boxes")
	}
	return nil
}

func (in *input) movie(moov box) error {
	return in.boxes(moov.body, moov.end, func(b box) error {
		switch {
		case b.kind == "trak":
			return in.track(b)
		case b.kind == "cmov":
			return malformed("a compressed moov box")
		case movieBoxes[b.kind]:
			return nil
		}
		return in.blank(b)
	})
}

// handlers are the kinds of tracks that are shown or heard, or belong to such a track. Others, such as
// "meta", "camm", "gpmd" and "data", contain positions and similar data.
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
			// Drones write their position into subtitles.
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

// maxTable limits the size of a table of a track that is removed, in bytes.
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
	// table returns the entries of a table, each width bytes long, which follow its header.
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
		return nil // no samples, or they are in fragments
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
		if err := in.zero(from, min(from+length, in.size)); err != nil { // the last sample may be truncated
			return err
		}
	}
	return nil
}
