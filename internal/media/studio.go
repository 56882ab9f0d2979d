package media

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"
)

// Options bound what a Studio does. Zeros stand for the defaults.
type Options struct {
	MaxPixels    int   // the largest image that is decoded; 100 million
	MaxMemory    int64 // for one image, in bytes; 512 MiB
	MemoryBudget int64 // for all at once, in bytes; 128 MiB; what needs more goes alone
}

const (
	defaultMaxPixels    = 100_000_000
	defaultMaxMemory    = 512 << 20
	defaultMemoryBudget = 128 << 20
)

// Studio makes images. It is safe for concurrent use: what does not fit in its
// memory together waits in turn.
type Studio struct {
	maxPixels int
	maxMemory int64
	budget    int64
	memory    *semaphore.Weighted
	codecs    *codecs
	printer   *printer
}

// NewStudio returns a Studio. Nothing is started until it is needed.
func NewStudio(o Options) *Studio {
	if o.MaxPixels == 0 {
		o.MaxPixels = defaultMaxPixels
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = defaultMaxMemory
	}
	if o.MemoryBudget == 0 {
		o.MemoryBudget = defaultMemoryBudget
	}
	return &Studio{
		maxPixels: o.MaxPixels,
		maxMemory: o.MaxMemory,
		budget:    o.MemoryBudget,
		memory:    semaphore.NewWeighted(o.MemoryBudget),
		codecs:    newCodecs(),
		printer:   newPrinter(),
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
	h, err := s.header(newInput(ctx, src), k)
	if err != nil {
		return Facts{}, err
	}
	return h.facts(), nil
}

func (h header) facts() Facts {
	w, ht := h.upright()
	return Facts{Width: w, Height: ht, Animated: h.animated}
}

// header reads the header and holds it against the limit of pixels.
func (s *Studio) header(in *input, k Kind) (header, error) {
	h, err := readHeader(in, k)
	if err != nil {
		return header{}, fmt.Errorf("read the header of an image: %w", err)
	}
	if int64(h.width)*int64(h.height) > int64(s.maxPixels) {
		return header{}, refused("The image has %d × %d pixels, more than the limit of %d million",
			h.width, h.height, s.maxPixels/1_000_000)
	}
	return h, nil
}

// reserve waits until the Studio has so many bytes of memory left, and returns
// a function that gives them back.
func (s *Studio) reserve(ctx context.Context, bytes int64) (release func(), err error) {
	if bytes > s.maxMemory {
		return nil, refused("The image needs too much memory to be resized")
	}
	bytes = min(bytes, s.budget)
	if err := s.memory.Acquire(ctx, bytes); err != nil {
		return nil, fmt.Errorf("wait for memory: %w", err)
	}
	return func() { s.memory.Release(bytes) }, nil
}

// errUnsupported is for kinds that decode was not made for.
var errUnsupported = errors.New("no decoder")
