package blob

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// source reads from a caller's reader until the context ends, and marks its errors.
type source struct {
	ctx context.Context
	r   io.Reader
}

func (s source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", ErrSource, err)
	}
	return n, err
}

// atEnd returns nil at the end of a reader, excess if there is more, or the reader's error.
func atEnd(r io.Reader, excess error) error {
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return excess
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

// exact reads a source that must have an exact length. It holds back the last bytes until it has seen the
// end, so that a receiver never gets the full length of a source that is too long.
type exact struct {
	r    source
	left int64

	mu  sync.Mutex // HTTP may continue reading in the background after a failure
	err error      // sticky, may be io.EOF
}

func newExact(ctx context.Context, r io.Reader, size int64) *exact {
	return &exact{r: source{ctx: ctx, r: r}, left: size}
}

func (e *exact) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := e.failure(); err != nil {
		return 0, err
	}
	n, err := e.read(p)
	if err != nil {
		e.mu.Lock()
		e.err = err
		e.mu.Unlock()
	}
	return n, err
}

func (e *exact) read(p []byte) (n int, err error) {
	if e.left > 0 {
		n, err = e.r.Read(p[:min(int64(len(p)), e.left)])
		e.left -= int64(n)
	}
	switch {
	case err != nil && err != io.EOF:
		return n, err
	case err == io.EOF && e.left > 0:
		return n, fmt.Errorf("%w: %d bytes are missing", ErrSize, e.left)
	case e.left > 0:
		return n, nil
	case err == nil:
		if err := atEnd(e.r, fmt.Errorf("%w: it is longer", ErrSize)); err != nil {
			return 0, err
		}
	}
	return n, io.EOF
}

func (e *exact) failure() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}
