package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// Options bound what a Studio does. Zeros stand for the defaults.
type Options struct {
	MaxPixels    int           // the largest image that is decoded; 100 million
	MemoryBudget int64         // in bytes; 128 MiB. All images at once take at most twice as much
	MaxMemory    int64         // for one image, in bytes; seven quarters of the budget
	Timeout      time.Duration // for decoding one image, once it has its memory; a minute
}

const (
	defaultMaxPixels    = 100_000_000
	defaultMemoryBudget = 128 << 20
	defaultTimeout      = time.Minute
)

// Studio makes images. It is safe for concurrent use: what does not fit in its
// memory together waits in turn.
type Studio struct {
	maxPixels int
	timeout   time.Duration
	memory    *memory
	codecs    *codecs
	printer   *printer
}

// NewStudio returns a Studio. Nothing is started until it is needed.
func NewStudio(o Options) *Studio {
	o.MaxPixels = cmp.Or(o.MaxPixels, defaultMaxPixels)
	o.MemoryBudget = cmp.Or(o.MemoryBudget, defaultMemoryBudget)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	m := newMemory(o.MemoryBudget, o.MaxMemory)
	return &Studio{
		maxPixels: o.MaxPixels,
		timeout:   o.Timeout,
		memory:    m,
		codecs:    newCodecs(),
		printer:   newPrinter(m.most),
	}
}

// Close frees what was started. Nothing else may be going on.
func (s *Studio) Close() error {
	return errors.Join(s.codecs.close(), s.printer.close())
}

// Facts are what can be said of an image.
type Facts struct {
	Width, Height int  // in pixels, as viewed: the orientation is applied
	Animated      bool // more than one frame; versions show the first
}

// Inspect reads the facts from an image's header. The image may still turn out
// to be broken. It returns an *Error for an image that is larger than the
// Studio's limits, and for what is no image.
func (s *Studio) Inspect(ctx context.Context, src Source, k Kind) (Facts, error) {
	h, err := s.header(ctx, src, k)
	if err != nil {
		return Facts{}, err
	}
	return h.facts(), nil
}

func (h header) facts() Facts {
	w, ht := h.upright()
	return Facts{Width: w, Height: ht, Animated: h.animated}
}

// header reads the header and holds it against the limits, within the time for
// one image: a header may be long, too.
func (s *Studio) header(ctx context.Context, src Source, k Kind) (header, error) {
	in, done := s.input(ctx, src)
	defer done()
	h, err := readHeader(in, k)
	if err != nil {
		return header{}, fmt.Errorf("read the header of an image: %w", err)
	}
	if max(h.width, h.height) > maxSide {
		return header{}, refused("The image has %d × %d pixels, and a side may have %d", h.width, h.height, maxSide)
	}
	if h.pixels() > int64(s.maxPixels) {
		return header{}, refused("The image has %d × %d pixels, more than the limit of %d million",
			h.width, h.height, s.maxPixels/1_000_000)
	}
	return h, nil
}

// input returns an input that fails when the time for one image is up.
func (s *Studio) input(ctx context.Context, src Source) (in *input, done func()) {
	ctx, done = context.WithTimeoutCause(ctx, s.timeout, refused("The image takes too long to be decoded"))
	return newInput(ctx, src), done
}

// errUnsupported is for kinds that decode was not made for.
var errUnsupported = errors.New("no decoder")
