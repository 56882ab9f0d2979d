package source

import (
	"errors"
	"io"
	"slices"
)

// windowSize is how many bytes are read at once: structures are small and close to each other, and each
// read may be a request to the storage.
const windowSize = 256 << 10

// Window is a File that reads another one in large blocks and keeps the last block. It must not be used
// concurrently.
type Window struct {
	file  File
	block []byte // of the file, from at
	at    int64
}

// NewWindow returns a Window of a file.
func NewWindow(file File) *Window { return &Window{file: file} }

// Size returns the length of the file.
func (w *Window) Size() int64 { return w.file.Size() }

// ReadAt implements io.ReaderAt.
func (w *Window) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		from := off + int64(done)
		if from < 0 || from >= w.Size() {
			return done, io.EOF
		}
		if from < w.at || from >= w.at+int64(len(w.block)) {
			if err := w.load(from); err != nil {
				return done, err
			}
		}
		done += copy(p[done:], w.block[from-w.at:])
	}
	return done, nil
}

func (w *Window) load(from int64) error {
	n := int(min(windowSize, w.Size()-from))
	w.block, w.at = slices.Grow(w.block[:0], n)[:n], from
	read, err := w.file.ReadAt(w.block, from)
	if read == n {
		return nil
	}
	w.block = w.block[:0]
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
