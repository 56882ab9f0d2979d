package blob

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// source reads from a reader that was handed in, until the context ends, and marks
// its errors.
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

// atEnd returns nil at the end of a reader, excess when there is more, or the
// reader's error.
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

// exact reads a number of bytes from a source that must hold just as many. It keeps
// the last of them back until it has seen the end, so that a receiver who waits for
// the whole length never gets it when there is more.
type exact struct {
	r    source
	left int64

	mu  sync.Mutex // HTTP may read on in the background after it has failed
	err error      // sticky, io.EOF among them
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
		if err := atEnd(e.r, fmt.Errorf("%w: there is more", ErrSize)); err != nil {
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
