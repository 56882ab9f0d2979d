package strip

import (
	"errors"
	"io"
	"sort"
)

// Content is the file below a Reader.
type Content interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// segment is a part of the stripped file: bytes of the original, inserted text, or zeros.
type segment struct {
	start, length int64 // in the stripped file
	from          int64 // in the original; -1 for inserted text or zeros
	text          []byte
}

// Reader reads a file without its metadata. Only ReadAt may be called concurrently.
type Reader struct {
	file     Content
	segments []segment
	size     int64
	off      int64 // of the next Read
	at       int64 // offset of the file's own next Read, -1 if unknown
}

// Open returns a reader of the file for which the plan was made. Closing it closes the file.
func (p Plan) Open(file Content) *Reader {
	r := &Reader{file: file, at: -1}
	add := func(x segment) {
		if x.length > 0 {
			x.start = r.size
			r.segments = append(r.segments, x)
			r.size += x.length
		}
	}
	last := int64(0)
	for _, e := range p.edits {
		add(segment{length: e.off - last, from: last})
		add(segment{length: int64(len(e.text)), from: -1, text: e.text})
		add(segment{length: e.zeros, from: -1})
		last = e.end()
	}
	add(segment{length: p.original - last, from: last})
	return r
}

// Size returns the size of the stripped file.
func (r *Reader) Size() int64 { return r.size }

// part returns the piece at an offset, and the offset within the piece.
func (r *Reader) part(off int64) (segment, int64) {
	i := sort.Search(len(r.segments), func(i int) bool { return r.segments[i].start+r.segments[i].length > off })
	return r.segments[i], off - r.segments[i].start
}

// put copies bytes of a piece that is not from the original.
func (x segment) put(p []byte, skip int64) int {
	if x.text != nil {
		return copy(p, x.text[skip:])
	}
	p = p[:min(int64(len(p)), x.length-skip)]
	clear(p)
	return len(p)
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case r.off >= r.size:
		return 0, io.EOF
	}
	x, skip := r.part(r.off)
	if x.from < 0 {
		n := x.put(p, skip)
		r.off += int64(n)
		return n, nil
	}
	if err := r.move(x.from + skip); err != nil {
		return 0, err
	}
	n, err := r.file.Read(p[:min(int64(len(p)), x.length-skip)])
	r.off += int64(n)
	r.at += int64(n)
	if errors.Is(err, io.EOF) {
		err = nil
		if n == 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// nearby is the distance up to which skipping bytes is cheaper than a new request to the storage.
const nearby = 256 << 10

// move makes the file's own Read continue at an offset.
func (r *Reader) move(to int64) error {
	if gap := to - r.at; r.at >= 0 && gap >= 0 && gap <= nearby {
		n, err := io.CopyN(io.Discard, onlyReader{r.file}, gap)
		r.at += n
		return err
	}
	r.at = -1
	_, err := r.file.Seek(to, io.SeekStart)
	if err == nil {
		r.at = to
	}
	return err
}

// onlyReader hides the other methods of a file from io.CopyN.
type onlyReader struct{ io.Reader }

// Seek implements io.Seeker.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.off
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("strip: seek before the beginning")
	}
	r.off = offset
	return offset, nil
}

// ReadAt implements io.ReaderAt.
func (r *Reader) ReadAt(p []byte, off int64) (done int, err error) {
	if off < 0 {
		return 0, errors.New("strip: read before the beginning")
	}
	for done < len(p) {
		at := off + int64(done)
		if at >= r.size {
			return done, io.EOF
		}
		x, skip := r.part(at)
		if x.from < 0 {
			done += x.put(p[done:], skip)
			continue
		}
		part := p[done:][:min(int64(len(p)-done), x.length-skip)]
		n, err := r.file.ReadAt(part, x.from+skip)
		done += n
		if n < len(part) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return done, err
		}
	}
	return done, nil
}

// Close implements io.Closer.
func (r *Reader) Close() error { return r.file.Close() }
