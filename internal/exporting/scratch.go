package exporting

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// spool holds bytes until they are wanted: in memory while they are few, and then in a file.
// The file is unlinked as soon as it is open, so that a crash leaves nothing.
type spool struct {
	folder string
	few    bytes.Buffer
	file   *os.File
	buf    *bufio.Writer
	size   int64
	err    error // of the first write that failed, which read tells again
}

// fewBytes is how much a spool holds in memory.
const fewBytes = 256 << 10

// Write implements io.Writer.
func (s *spool) Write(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	defer func() { s.err = err }()
	s.size += int64(len(p))
	if s.file == nil && s.few.Len()+len(p) <= fewBytes {
		return s.few.Write(p)
	}
	if s.file == nil {
		f, err := os.CreateTemp(s.folder, "vitrine-export-*")
		if err != nil {
			return 0, err
		}
		_ = os.Remove(f.Name()) // where open files cannot be removed, close does
		s.file, s.buf = f, bufio.NewWriterSize(f, 64<<10)
		if _, err := s.few.WriteTo(s.buf); err != nil {
			return 0, err
		}
		s.few = bytes.Buffer{}
	}
	return s.buf.Write(p)
}

// read gives all that was written, from the beginning.
func (s *spool) read() (io.Reader, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.file == nil {
		return bytes.NewReader(s.few.Bytes()), nil
	}
	if err := s.buf.Flush(); err != nil {
		return nil, err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return io.LimitReader(s.file, s.size), err
}

// reset forgets what was written.
func (s *spool) reset() error {
	s.size = 0
	s.few.Reset()
	if s.file == nil {
		return nil
	}
	s.buf.Reset(s.file)
	_, err := s.file.Seek(0, io.SeekStart)
	return errors.Join(err, s.file.Truncate(0))
}

// close lets go of the file.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close() // what it held is not wanted any more
		_ = os.Remove(s.file.Name())
	}
}

// ids are ids that are remembered: a bit for each, in pages of those that are near each other,
// so that a million that were given out in a row take 128 KiB.
type ids map[int64]*[idPage / 64]uint64

const idPage = 1 << 15

// add remembers an id, and reports whether it is new.
func (s ids) add(id int64) bool {
	page := s[id/idPage]
	if page == nil {
		page = new([idPage / 64]uint64)
		s[id/idPage] = page
	}
	word, bit := &page[id%idPage/64], uint64(1)<<(id%64)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}

// has reports whether an id is remembered.
func (s ids) has(id int64) bool {
	page := s[id/idPage]
	return page != nil && page[id%idPage/64]&(1<<(id%64)) != 0
}
