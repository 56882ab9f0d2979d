// Package strip removes from files what should not be served. Of photographs and videos that is
// their metadata, such as the place, the device, the photographer and the edits. The pixels do not
// change: a Plan lists the bytes of a file to omit or replace, and Reader applies it while reading.
// Drawings are written again with only the parts that draw, and none that run or load anything.
//
// Formats are parsed with lists of the parts that a viewer needs. Everything else is removed,
// except orientation, colour profile and capture date.
package strip

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"vitrine/internal/media/source"
)

// ErrMalformed is wrapped by errors for files whose metadata cannot be removed.
var ErrMalformed = errors.New("the metadata cannot be removed")

func malformed(format string, args ...any) error {
	return fmt.Errorf("strip: "+format+": %w", append(args, ErrMalformed)...)
}

// maxEdits limits the number of changes to one file, and maxText the bytes that they insert.
const (
	maxEdits = 16 << 10
	maxText  = 64 << 10
)

// edit replaces the bytes from off to off+cut by text and then zeros.
type edit struct {
	off, cut int64
	text     []byte
	zeros    int64
}

func (e edit) end() int64    { return e.off + e.cut }
func (e edit) length() int64 { return int64(len(e.text)) + e.zeros }

// input is a file that is being examined.
type input struct {
	*source.Window
	size int64

	edits []edit
	text  int
}

// original is the file of an input. It limits how many bytes are read.
type original struct {
	ctx    context.Context
	file   io.ReaderAt
	size   int64
	loaded int64 // bytes read in total
}

// maxLoaded limits how many bytes of a file may be read. Few files need more than one or two passes, but
// the offsets in a hostile file can jump back and forth.
func maxLoaded(size int64) int64 { return 4*size + 64<<20 }

// Size implements source.File.
func (o *original) Size() int64 { return o.size }

// ReadAt implements io.ReaderAt.
func (o *original) ReadAt(p []byte, off int64) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	if o.loaded += int64(len(p)); o.loaded > maxLoaded(o.size) {
		return 0, malformed("it would have to be read too many times")
	}
	return o.file.ReadAt(p, off)
}

// bytes reads n bytes at an offset. A file that does not have them is malformed.
func (in *input) bytes(off, n, limit int64) ([]byte, error) {
	if n < 0 || n > limit || off < 0 || off > in.size-n {
		return nil, malformed("%d bytes at %d", n, off)
	}
	out := make([]byte, n)
	_, err := in.ReadAt(out, off)
	return out, err
}

// cut removes the bytes between two offsets.
func (in *input) cut(from, to int64) error { return in.edit(edit{off: from, cut: to - from}) }

// zero overwrites the bytes between two offsets.
func (in *input) zero(from, to int64) error {
	return in.edit(edit{off: from, cut: to - from, zeros: to - from})
}

// replace replaces the bytes between two offsets by a text.
func (in *input) replace(from, to int64, text []byte) error {
	return in.edit(edit{off: from, cut: to - from, text: text})
}

// overwrite replaces the bytes between two offsets by a text, which must not be longer, and zeros.
func (in *input) overwrite(from, to int64, text []byte) error {
	return in.edit(edit{off: from, cut: to - from, text: text, zeros: to - from - int64(len(text))})
}

func (in *input) edit(e edit) error {
	if e.cut == 0 && len(e.text) == 0 {
		return nil
	}
	if e.off < 0 || e.cut < 0 || e.zeros < 0 || e.off > in.size-e.cut {
		return malformed("a part from %d to %d", e.off, e.end())
	}
	if in.text += len(e.text); in.text > maxText {
		return malformed("too much to rewrite")
	}
	// Adjacent parts of one kind are one edit.
	if n := len(in.edits); n > 0 && len(e.text) == 0 {
		if last := &in.edits[n-1]; last.end() == e.off && (last.zeros == 0) == (e.zeros == 0) && (e.zeros > 0 || len(last.text) == 0) {
			last.cut += e.cut
			last.zeros += e.zeros
			return nil
		}
	}
	if len(in.edits) == maxEdits {
		return malformed("more than %d parts to remove", maxEdits)
	}
	in.edits = append(in.edits, e)
	return nil
}

// merge sorts the edits and joins overlapping ones, which must consist of zeros.
func (in *input) merge() error {
	slices.SortStableFunc(in.edits, func(a, b edit) int { return int(min(max(a.off-b.off, -1), 1)) })
	var all []edit
	for _, e := range in.edits {
		if n := len(all); n > 0 && all[n-1].end() > e.off {
			last := &all[n-1]
			if len(last.text)+len(e.text) > 0 || last.zeros != last.cut || e.zeros != e.cut {
				return malformed("parts that overlap at %d", e.off)
			}
			last.cut = max(last.end(), e.end()) - last.off
			last.zeros = last.cut
			continue
		}
		all = append(all, e)
	}
	in.edits = all
	return nil
}

// sameAs reports whether an edit would not change the file.
func (in *input) sameAs(e edit) (bool, error) {
	if e.length() != e.cut {
		return false, nil
	}
	var block [4 << 10]byte
	for off := int64(0); off < e.cut; off += int64(len(block)) {
		part := block[:min(int64(len(block)), e.cut-off)]
		if _, err := in.ReadAt(part, e.off+off); err != nil {
			return false, err
		}
		for i, b := range part {
			want := byte(0)
			if at := off + int64(i); at < int64(len(e.text)) {
				want = e.text[at]
			}
			if b != want {
				return false, nil
			}
		}
	}
	return true, nil
}

// Examine plans how to remove the metadata of a file. The plan is empty for unknown formats. Errors other
// than ErrMalformed come from reading.
func Examine(ctx context.Context, file io.ReaderAt, size int64) (Plan, error) {
	in := &input{Window: source.NewWindow(&original{ctx: ctx, file: file, size: size}), size: size}
	head, err := in.bytes(0, min(16, size), 16)
	if err != nil {
		return Plan{}, err
	}
	if read := formatOf(head); read != nil {
		if err := read(in); err != nil {
			if errors.Is(err, io.EOF) { // the file ends within a structure
				err = malformed("it ends too early")
			}
			return Plan{}, err
		}
	}
	if err := in.merge(); err != nil {
		return Plan{}, err
	}
	kept := in.edits[:0]
	for _, e := range in.edits {
		same, err := in.sameAs(e)
		if err != nil {
			return Plan{}, err
		}
		if !same {
			kept = append(kept, e)
		}
	}
	return Plan{original: size, edits: kept}, nil
}

// formatOf returns the parser for the format of a file with this head.
func formatOf(head []byte) func(*input) error {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return jpeg
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return png
	case bytes.HasPrefix(head, []byte("GIF8")):
		return gif
	case len(head) < 12:
		return nil
	case string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return webp
	case string(head[:4]) == "II*\x00", string(head[:4]) == "MM\x00*", string(head[:4]) == "II+\x00", string(head[:4]) == "MM\x00+":
		return tiff
	}
	switch string(head[4:8]) {
	case "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot":
		if brand := string(head[8:12]); brand == "M4A " || brand == "M4B " || brand == "M4P " {
			return nil // music keeps its tags, such as the title
		}
		return isobmff
	}
	return nil
}

// Plan describes how to read a file without its metadata.
type Plan struct {
	original int64 // size of the file
	edits    []edit
}

// Unchanged reports whether the plan changes nothing.
func (p Plan) Unchanged() bool { return len(p.edits) == 0 }

// Size returns the size of the file without its metadata.
func (p Plan) Size() int64 {
	size := p.original
	for _, e := range p.edits {
		size += e.length() - e.cut
	}
	return size
}

// planVersion is the first byte of an encoded plan.
const planVersion = 1

// Encode encodes the plan for Decode.
func (p Plan) Encode() []byte {
	out := binary.AppendUvarint([]byte{planVersion}, uint64(p.original))
	last := int64(0)
	for _, e := range p.edits {
		for _, n := range []int64{e.off - last, e.cut, e.zeros, int64(len(e.text))} {
			out = binary.AppendUvarint(out, uint64(n))
		}
		out = append(out, e.text...)
		last = e.end()
	}
	return out
}

// Decode decodes a plan from Encode for a file of this size.
func Decode(text []byte, size int64) (Plan, error) {
	bad := fmt.Errorf("strip: the plan of %d bytes does not fit a file of %d bytes", len(text), size)
	r := bytes.NewReader(text)
	if version, err := r.ReadByte(); err != nil || version != planVersion {
		return Plan{}, bad
	}
	if original, err := binary.ReadUvarint(r); err != nil || original != uint64(size) {
		return Plan{}, bad
	}
	p := Plan{original: size}
	for last := int64(0); r.Len() > 0; {
		var n [4]uint64
		for i := range n {
			var err error
			if n[i], err = binary.ReadUvarint(r); err != nil || n[i] > uint64(size)+maxText {
				return Plan{}, bad
			}
		}
		e := edit{off: last + int64(n[0]), cut: int64(n[1]), zeros: int64(n[2])}
		if n[3] > uint64(r.Len()) || e.end() > size || len(p.edits) == maxEdits {
			return Plan{}, bad
		}
		e.text = make([]byte, n[3])
		_, _ = r.Read(e.text) // the length was checked above
		p.edits = append(p.edits, e)
		last = e.end()
	}
	return p, nil
}
