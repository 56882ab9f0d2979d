package media

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/media/source"
)

// memory allocates memory to images before they are decoded, at most twice the budget in total.
// Images wait in two lanes, in the order of their arrival, so large images do not starve and do
// not delay small ones.
type memory struct {
	max          int64 // for one image
	small        int64 // maximum of the small lane
	smallLane    *semaphore.Weighted
	largeLane    *semaphore.Weighted
	largeLaneHas int64
}

// newMemory returns a memory with a lane of a quarter of the budget for images that fit, and one
// of seven quarters for all others.
func newMemory(budget, limit int64) *memory {
	small := budget / 4
	large := 2*budget - small
	if limit == 0 {
		limit = large
	}
	return &memory{
		max:          limit,
		small:        small,
		smallLane:    semaphore.NewWeighted(small),
		largeLane:    semaphore.NewWeighted(large),
		largeLaneHas: large,
	}
}

// reserve waits until the given number of bytes is available and returns a function that releases
// them. If one image may not use so much, it returns an *Error.
func (m *memory) reserve(ctx context.Context, bytes int64) (release func(), err error) {
	if bytes > m.max {
		return nil, source.Refused("The image needs too much memory to be resized")
	}
	lane, large := m.smallLane, bytes > m.small
	if large {
		lane, bytes = m.largeLane, min(bytes, m.largeLaneHas)
	}
	if err := lane.Acquire(ctx, bytes); err != nil {
		return nil, fmt.Errorf("wait for memory: %w", err)
	}
	if large {
		collector.tighten()
	}
	return func() {
		if large {
			collector.relax()
		}
		lane.Release(bytes)
	}, nil
}

// tight is the amount of garbage while large images are decoded, in per cent of the memory in use.
// The default is 100.
const tight = 20

// collector makes Go's garbage collector run more often while large images are decoded. Their
// pixels contain no pointers, so scanning them costs nothing.
var collector garbage

type garbage struct {
	mu     sync.Mutex
	images int
	usual  int
}

func (g *garbage) tighten() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.images++; g.images == 1 {
		g.usual = debug.SetGCPercent(tight)
		if g.usual >= 0 && g.usual < tight {
			debug.SetGCPercent(g.usual)
		}
	}
}

// relax returns the memory of an image to the system before the next one is decoded. Otherwise the
// next image would often get additional memory.
func (g *garbage) relax() {
	debug.FreeOSMemory()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.images--; g.images == 0 {
		debug.SetGCPercent(g.usual)
	}
}
