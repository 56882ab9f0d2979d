package media

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/media/source"
)

// memory is handed out to images before they are decoded, twice the budget all
// in all. Images wait in two lanes, each in the order in which they came: so
// large ones do not starve, and do not hold up small ones.
type memory struct {
	most         int64 // for one image
	small        int64 // what takes no more goes by the small lane
	smallLane    *semaphore.Weighted
	largeLane    *semaphore.Weighted
	largeLaneHas int64
}

// newMemory has a lane of a quarter of the budget for images that fit in it, and
// one of seven quarters for all others.
func newMemory(budget, most int64) *memory {
	small := budget / 4
	large := 2*budget - small
	if most == 0 {
		most = large
	}
	return &memory{
		most:         most,
		small:        small,
		smallLane:    semaphore.NewWeighted(small),
		largeLane:    semaphore.NewWeighted(large),
		largeLaneHas: large,
	}
}

// reserve waits until so many bytes are left, and returns a function that gives
// them back. More than one image may take is an *Error.
func (m *memory) reserve(ctx context.Context, bytes int64) (release func(), err error) {
	if bytes > m.most {
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

// tight is the garbage that is left lying while large images are decoded, in
// per cent of what is in use. By default it would be as much again.
const tight = 20

// collector keeps Go's garbage collector tight while large images are decoded:
// their pixels hold no pointers, so looking at them costs nothing.
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

// relax returns an image's memory to the system before the next one gets it:
// otherwise the next would often be put beside it.
func (g *garbage) relax() {
	debug.FreeOSMemory()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.images--; g.images == 0 {
		debug.SetGCPercent(g.usual)
	}
}
