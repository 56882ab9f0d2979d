package exporting

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// spool buffers bytes until they are needed, first in memory and then in a file. The file is
// unlinked as soon as it is open, so a crash leaves nothing behind.
type spool struct {
	folder string
	mem    bytes.Buffer
	file   *os.File
	buf    *bufio.Writer
	size   int64
	err    error // of the first failed write; read returns it again
}

// memBytes is the maximum size of a spool in memory.
const memBytes = 256 << 10

// Write implements io.Writer.
func (s *spool) Write(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	defer func() { s.err = err }()
	s.size += int64(len(p))
	if s.file == nil && s.mem.Len()+len(p) <= memBytes {
		return s.mem.Write(p)
	}
	if s.file == nil {
		f, err := os.CreateTemp(s.folder, "vitrine-export-*")
		if err != nil {
			return 0, err
		}
		_ = os.Remove(f.Name()) // if open files cannot be removed, close does it
		s.file, s.buf = f, bufio.NewWriterSize(f, 64<<10)
		if _, err := s.mem.WriteTo(s.buf); err != nil {
			return 0, err
		}
		s.mem = bytes.Buffer{}
	}
	return s.buf.Write(p)
}

// read returns everything that was written, from the beginning.
func (s *spool) read() (io.Reader, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.file == nil {
		return bytes.NewReader(s.mem.Bytes()), nil
	}
	if err := s.buf.Flush(); err != nil {
		return nil, err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return io.LimitReader(s.file, s.size), err
}

// reset discards the contents.
func (s *spool) reset() error {
	s.size = 0
	s.mem.Reset()
	if s.file == nil {
		return nil
	}
	s.buf.Reset(s.file)
	_, err := s.file.Seek(0, io.SeekStart)
	return errors.Join(err, s.file.Truncate(0))
}

// close removes the file.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close() // the contents are no longer needed
		_ = os.Remove(s.file.Name())
	}
}

// ids is a set of IDs as a bitmap with pages. A million consecutive IDs take 128 KiB.
type ids map[int64]*[idPage / 64]uint64

const idPage = 1 << 15

// add adds an ID and reports whether it is new.
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

// has reports whether the set contains an ID.
func (s ids) has(id int64) bool {
	page := s[id/idPage]
	return page != nil && page[id%idPage/64]&(1<<(id%64)) != 0
}
