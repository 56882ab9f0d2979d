package media

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Source is a whole file that can be read at any place, such as an
// *io.SectionReader over an *os.File, or a *bytes.Reader.
type Source interface {
	io.ReaderAt
	Size() int64
}

// input reads a Source for a decoder. It remembers what failed in the source
// itself, as decoders mix that up with broken files, and stops with ctx.
type input struct {
	ctx context.Context
	src Source
	err error // the first failure that is no end of file
}

func newInput(ctx context.Context, src Source) *input {
	return &input{ctx: ctx, src: src}
}

// ReadAt implements io.ReaderAt.
func (in *input) ReadAt(p []byte, off int64) (int, error) {
	if in.err == nil {
		in.err = context.Cause(in.ctx)
	}
	if in.err != nil {
		return 0, in.err
	}
	n, err := in.src.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		in.err = fmt.Errorf("read the file: %w", err)
		return n, in.err
	}
	return n, err
}

// section returns a reader of the whole file, from its start. It is an
// io.ReaderAt too.
func (in *input) section() *io.SectionReader {
	return io.NewSectionReader(in, 0, in.src.Size())
}

// bytes reads n bytes at off; fewer is an error.
func (in *input) bytes(off int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if read, err := in.ReadAt(b, off); read < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}
