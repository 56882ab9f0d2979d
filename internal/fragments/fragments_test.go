package fragments_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"vitrine/internal/fragments"
)

func TestStateDecides(t *testing.T) {
	c, k := fragments.New(1<<20), fragments.Key{Kind: 'b', ID: 7}
	held := func(s fragments.State, want string) {
		t.Helper()
		if got, ok := c.Get(k, s); ok != (want != "") || string(got) != want {
			t.Errorf("%v: %q, %v; want %q", s, got, ok, want)
		}
	}
	held(fragments.State{1}, "")
	c.Put(k, fragments.State{1}, []byte("one"))
	held(fragments.State{1}, "one")
	for i := range len(fragments.State{}) {
		other := fragments.State{1}
		other[i] += 5
		held(other, "")
	}
	c.Put(k, fragments.State{2}, []byte("two"))
	held(fragments.State{1}, "")
	held(fragments.State{2}, "two")
	if _, ok := c.Get(fragments.Key{Kind: 'c', ID: 7}, fragments.State{2}); ok {
		t.Error("another kind of thing with the same id was given")
	}
	if s := c.Stats(); s.Hits != 2 || s.Misses != 9 {
		t.Errorf("%+v", s)
	}
}

func TestBounded(t *testing.T) {
	const size = 1 << 20
	c, rng := fragments.New(size), rand.New(rand.NewPCG(1, 2))
	for i := range 5_000 {
		c.Put(fragments.Key{ID: rng.Int64N(3_000)}, fragments.State{int64(i)}, make([]byte, rng.IntN(4_000)))
		if s := c.Stats(); s.Bytes > size {
			t.Fatalf("%d bytes after %d pieces", s.Bytes, i+1)
		}
	}
	if s := c.Stats(); s.Bytes < size*8/10 {
		t.Errorf("only %d bytes are used", s.Bytes)
	}
	c.Put(fragments.Key{ID: -1}, fragments.State{}, make([]byte, size))
	if _, ok := c.Get(fragments.Key{ID: -1}, fragments.State{}); ok {
		t.Error("a piece that is too large is held")
	}
}

// What is asked for again and again stays.
func TestLeastUsedGoes(t *testing.T) {
	c, kept := fragments.New(1<<20), fragments.Key{Kind: 'k'}
	c.Put(kept, fragments.State{}, []byte("kept"))
	for i := range int64(10_000) {
		c.Put(fragments.Key{ID: i}, fragments.State{}, make([]byte, 1_000))
		if _, ok := c.Get(kept, fragments.State{}); !ok {
			t.Fatalf("gone after %d others", i)
		}
	}
	if _, ok := c.Get(fragments.Key{}, fragments.State{}); ok {
		t.Error("the first of the others is still there")
	}
}

func TestNone(t *testing.T) {
	c := fragments.New(0)
	c.Put(fragments.Key{}, fragments.State{}, []byte("x"))
	if _, ok := c.Get(fragments.Key{}, fragments.State{}); ok || c.Stats() != (fragments.Stats{}) {
		t.Error("something is held")
	}
}

func TestConcurrent(t *testing.T) {
	c := fragments.New(64 << 10)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 0))
			for range 5_000 {
				k, s := fragments.Key{ID: rng.Int64N(100)}, fragments.State{rng.Int64N(3)}
				want := fmt.Appendf(nil, "%d in %d", k.ID, s[0])
				if got, ok := c.Get(k, s); ok && !bytes.Equal(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
				c.Put(k, s, want)
			}
		})
	}
	all.Wait()
}

// Not parallel: it measures the heap. What the cache says it takes is what it does take, or more.
func TestOverhead(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	c, before := fragments.New(1<<30), heap()
	for i := range int64(20_000) {
		c.Put(fragments.Key{ID: i}, fragments.State{}, make([]byte, 100))
	}
	took := heap() - before
	if says := c.Stats().Bytes; took > says {
		t.Errorf("takes %d bytes, says %d", took, says)
	} else {
		t.Logf("%d bytes a piece of 100, says %d", took/20_000, says/20_000)
	}
	runtime.KeepAlive(c)
}
