// Package source reads files for decoders. When a decoder fails, it distinguishes broken files
// from failures to read them.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// File is a whole file with random access, such as an *io.SectionReader over an *os.File, or a
// *bytes.Reader.
type File interface {
	io.ReaderAt
	Size() int64
}

// MaxSide limits both sides of an image in pixels, because the length of rows of samples and
// weights depends on them. JPEG and GIF allow 65,535, WebP 16,384.
const MaxSide = 32_768

// Input reads a File for a decoder. It remembers failures of the source itself, which decoders
// confuse with broken files, and stops with ctx.
type Input struct {
	ctx  context.Context
	file File
	err  error // the first failure other than the end of the file
}

// New returns an Input that stops with ctx.
func New(ctx context.Context, file File) *Input {
	return &Input{ctx: ctx, file: file}
}

// ReadAt implements io.ReaderAt.
func (in *Input) ReadAt(p []byte, off int64) (int, error) {
	if in.err == nil {
		in.err = context.Cause(in.ctx)
	}
	if in.err != nil {
		return 0, in.err
	}
	n, err := in.file.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		in.err = fmt.Errorf("read the file: %w", err)
		return n, in.err
	}
	return n, err
}

// Size returns the length of the file.
func (in *Input) Size() int64 { return in.file.Size() }

// Context returns the context of the Input.
func (in *Input) Context() context.Context { return in.ctx }

// Err returns the first failure of the source itself, nil if there was none.
func (in *Input) Err() error { return in.err }

// Section returns a reader of the whole file, from its start. It also implements io.ReaderAt.
func (in *Input) Section() *io.SectionReader {
	return io.NewSectionReader(in, 0, in.file.Size())
}

// Bytes reads n bytes at off. Fewer bytes are an error.
func (in *Input) Bytes(off int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if read, err := in.ReadAt(b, off); read < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}
