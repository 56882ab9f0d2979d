// Package strip finds what a photograph or a video reveals besides its picture: where and with
// which device it was taken, by whom, and with what it was edited. The pixels stay as they are:
// a Plan says which bytes of a file to leave out or to replace, and Reader reads the file that way.
//
// Formats are read by lists of what a viewer needs; everything else goes. Orientation, colour
// profile and capture date stay.
package strip

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrMalformed is in the chain of errors for files whose metadata cannot be removed.
var ErrMalformed = errors.New("the metadata cannot be removed")

func malformed(format string, args ...any) error {
	return fmt.Errorf("strip: "+format+": %w", append(args, ErrMalformed)...)
}

// maxEdits bounds the changes to one file, and maxText the bytes that they put in.
const (
	maxEdits = 16 << 10
	maxText  = 64 << 10
)

// edit replaces the bytes from off to off+cut by a text and then zeros.
type edit struct {
	off, cut int64
	text     []byte
	zeros    int64
}

func (e edit) end() int64    { return e.off + e.cut }
func (e edit) length() int64 { return int64(len(e.text)) + e.zeros }

// input is a file that is examined.
type input struct {
	ctx  context.Context
	file io.ReaderAt
	size int64

	edits  []edit
	text   int
	window []byte // of the file, from at
	at     int64
	loaded int64 // bytes read in all
}

// windowSize is how much is read at once: structures are small and next to each other, and a
// storage takes one request for each read.
const windowSize = 256 << 10

// mostLoaded bounds how many bytes of a file of a size are read. Few files need more than all of them
// once or twice; a hostile one points to and fro.
func mostLoaded(size int64) int64 { return 4*size + 64<<20 }

// ReadAt implements io.ReaderAt.
func (in *input) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		from := off + int64(done)
		if from < 0 || from >= in.size {
			return done, io.EOF
		}
		if from < in.at || from >= in.at+int64(len(in.window)) {
			if err := in.load(from); err != nil {
				return done, err
			}
		}
		done += copy(p[done:], in.window[from-in.at:])
	}
	return done, nil
}

func (in *input) load(from int64) error {
	if err := in.ctx.Err(); err != nil {
		return err
	}
	n := min(windowSize, in.size-from)
	if in.loaded += n; in.loaded > mostLoaded(in.size) {
		return malformed("it has to be read too often")
	}
	in.window, in.at = slices.Grow(in.window[:0], windowSize)[:n], from
	read, err := in.file.ReadAt(in.window, from)
	if int64(read) == n {
		return nil
	}
	in.window = in.window[:0]
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// bytes reads n bytes at an offset; it is malformed not to have them.
func (in *input) bytes(off, n, most int64) ([]byte, error) {
	if n < 0 || n > most || off < 0 || off > in.size-n {
		return nil, malformed("%d bytes at %d", n, off)
	}
	out := make([]byte, n)
	_, err := in.ReadAt(out, off)
	return out, err
}

// cut leaves out the bytes between two offsets.
func (in *input) cut(from, to int64) error { return in.edit(edit{off: from, cut: to - from}) }

// zero overwrites the bytes between two offsets.
func (in *input) zero(from, to int64) error {
	return in.edit(edit{off: from, cut: to - from, zeros: to - from})
}

// replace puts a text in the place of the bytes between two offsets.
func (in *input) replace(from, to int64, text []byte) error {
	return in.edit(edit{off: from, cut: to - from, text: text})
}

// overwrite replaces bytes between two offsets by a text that is not longer, and zeros.
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

// merge orders the edits and joins those that overlap, which only those with zeros may.
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

// sameAs reports whether an edit would leave the file as it is.
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

// Examine plans how to remove the metadata of a file of a known format. The plan for other files
// changes nothing. Errors that are not ErrMalformed are those of reading.
func Examine(ctx context.Context, file io.ReaderAt, size int64) (Plan, error) {
	in := &input{ctx: ctx, file: file, size: size}
	head, err := in.bytes(0, min(16, size), 16)
	if err != nil {
		return Plan{}, err
	}
	if read := formatOf(head); read != nil {
		if err := read(in); err != nil {
			if errors.Is(err, io.EOF) { // read beyond the end
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

// formatOf returns the reader for the format of a file that begins like this.
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
			return nil // music: its tags are what it is called
		}
		return isobmff
	}
	return nil
}

// Plan is how to read a file without its metadata.
type Plan struct {
	original int64 // size of the file
	edits    []edit
}

// Unchanged reports whether the plan changes nothing.
func (p Plan) Unchanged() bool { return len(p.edits) == 0 }

// Size returns how many bytes the file has without its metadata.
func (p Plan) Size() int64 {
	size := p.original
	for _, e := range p.edits {
		size += e.length() - e.cut
	}
	return size
}

// planVersion is the first byte of a plan in the database.
const planVersion = 1

// Encode returns the plan as Decode reads it.
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

// Decode reads a plan that Encode wrote for a file of a size.
func Decode(text []byte, size int64) (Plan, error) {
	bad := fmt.Errorf("strip: the plan of %d bytes is not one for a file of %d", len(text), size)
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
		_, _ = r.Read(e.text) // as many as there are
		p.edits = append(p.edits, e)
		last = e.end()
	}
	return p, nil
}
