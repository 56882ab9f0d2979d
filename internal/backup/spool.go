package backup

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// spool is a temporary file for the chunks of the file list, which are read with the rows but needed after
// them.
type spool struct{ file *os.File }

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "vitrine-backup-*") // readable only by the owner
	if err != nil {
		return nil, err
	}
	return &spool{f}, nil
}

func (s *spool) close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }

// clear removes the content.
func (s *spool) clear() error {
	_, err := s.file.Seek(0, io.SeekStart)
	return errors.Join(err, s.file.Truncate(0))
}

func (s *spool) put(packed []byte) error {
	_, err := s.file.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(packed))), packed...))
	return err
}

// each reads the chunks from the start.
func (s *spool) each(visit func(packed []byte) error) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	for {
		var size [4]byte
		if _, err := io.ReadFull(s.file, size[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		packed := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(s.file, packed); err != nil {
			return err
		}
		if err := visit(packed); err != nil {
			return err
		}
	}
}
