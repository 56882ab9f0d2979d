package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/media/codec"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/pdf"
	"vitrine/internal/media/source"
)

// Options are the limits of a Studio. Zero values select the defaults.
type Options struct {
	MaxPixels    int           // maximum size of a decoded image; 100 million
	MemoryBudget int64         // in bytes; 128 MiB. All images together use at most twice as much
	MaxMemory    int64         // for one image, in bytes; seven quarters of the budget
	Timeout      time.Duration // for decoding one image, after it has its memory; a minute
}

const (
	defaultMaxPixels    = 100_000_000
	defaultMemoryBudget = 128 << 20
	defaultTimeout      = time.Minute
)

// Studio makes images. It is safe for concurrent use: images that do not fit in its memory
// together wait for each other.
type Studio struct {
	maxPixels int
	timeout   time.Duration
	memory    *memory
	codecs    *codec.Codecs
	printer   *pdf.Printer
}

// NewStudio returns a Studio. It compiles its modules on first use.
func NewStudio(o Options) *Studio {
	o.MaxPixels = cmp.Or(o.MaxPixels, defaultMaxPixels)
	o.MemoryBudget = cmp.Or(o.MemoryBudget, defaultMemoryBudget)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	m := newMemory(o.MemoryBudget, o.MaxMemory)
	return &Studio{
		maxPixels: o.MaxPixels,
		timeout:   o.Timeout,
		memory:    m,
		codecs:    codec.New(),
		printer:   pdf.New(m.max),
	}
}

// Close frees the modules. No call may be in progress.
func (s *Studio) Close() error {
	return errors.Join(s.codecs.Close(), s.printer.Close())
}

// Info contains the properties of an image.
type Info struct {
	Width, Height int  // in pixels, as viewed: the orientation is applied
	Animated      bool // more than one frame; versions show the first
}

// Inspect reads the facts from an image's header. The image may still turn out to be broken. It
// returns an *Error if the file is not an image, or exceeds the Studio's limits.
func (s *Studio) Inspect(ctx context.Context, src Source, k filetype.Kind) (Info, error) {
	h, err := s.header(ctx, src, k)
	if err != nil {
		return Info{}, err
	}
	return infoOf(h), nil
}

func infoOf(h codec.Header) Info {
	w, ht := h.Upright()
	return Info{Width: w, Height: ht, Animated: h.Animated}
}

// header reads the header and checks the limits, within the time for one image, because even a
// header may be long.
func (s *Studio) header(ctx context.Context, src Source, k filetype.Kind) (codec.Header, error) {
	in, done := s.input(ctx, src)
	defer done()
	h, err := codec.ReadHeader(in, k)
	if err != nil {
		return codec.Header{}, fmt.Errorf("read the header of an image: %w", err)
	}
	if max(h.Width, h.Height) > source.MaxSide {
		return codec.Header{}, source.Refused("The image has %d × %d pixels, and a side may have %d", h.Width, h.Height, source.MaxSide)
	}
	if h.Pixels() > int64(s.maxPixels) {
		return codec.Header{}, source.Refused("The image has %d × %d pixels, more than the limit of %d million",
			h.Width, h.Height, s.maxPixels/1_000_000)
	}
	return h, nil
}

// input returns an input that fails when the time for one image is over.
func (s *Studio) input(ctx context.Context, src Source) (in *source.Input, done func()) {
	ctx, done = context.WithTimeoutCause(ctx, s.timeout, source.Refused("The image takes too long to be decoded"))
	return source.New(ctx, src), done
}
