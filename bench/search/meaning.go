package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"vitrine/internal/vectors"
)

// clustered returns random vectors in clusters, like those of texts about a number of subjects.
type clustered struct {
	*rand.Rand
	centres [][]float32
}

func newClustered(dimension int) clustered {
	c := clustered{rand.New(rand.NewPCG(1, uint64(dimension))), make([][]float32, 2_000)}
	for i := range c.centres {
		c.centres[i] = c.noise(dimension, 1)
	}
	return c
}

func (c clustered) noise(dimension int, size float64) []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(c.NormFloat64() * size)
	}
	return v
}

// next returns a vector near a random centre.
func (c clustered) next() vectors.Vector {
	centre := c.centres[c.IntN(len(c.centres))]
	v := c.noise(len(centre), 0.5+c.Float64())
	for i, x := range centre {
		v[i] += x
	}
	q, _ := vectors.Quantised(v) // its length is not 0
	return q
}

// meaning measures the search for the nearest vectors, and compares its results with those of comparing each vector.
func (cmd command) meaning() error {
	const found = 200
	for _, dimension := range []int{256, 768} {
		source := newClustered(dimension)
		x := vectors.NewIndex(dimension, cmd.Vectors)
		before := heap()
		ids := make([]int64, cmd.Vectors)
		for i := range ids {
			ids[i] = int64(i)
			x.Put(vectors.Entry{ID: int64(i), Change: int64(i), Open: true, Vector: source.next()})
		}
		memory := heap() - before
		var took, processor []time.Duration
		same := 0
		for range cmd.Rounds * 4 {
			q := source.next()
			start, began := time.Now(), spent()
			got := x.Nearest(q, found, 0.25)
			took, processor = append(took, time.Since(start)), append(processor, spent()-began)
			want := x.NearestOf(q, ids, found, 0.25)
			for _, m := range got {
				if slices.Contains(want, m) {
					same++
				}
			}
			if len(got) != len(want) {
				return fmt.Errorf("%d dimensions: %d vectors found, want %d", dimension, len(got), len(want))
			}
			same -= len(want) // so that it stays 0
		}
		slices.Sort(took)
		slices.Sort(processor)
		fmt.Printf("%d vectors of %d dimensions: median %.0f ms on %d cores, %.0f ms of processor time; %d of the nearest %d missed; %.0f MB of memory\n",
			cmd.Vectors, dimension, float64(took[len(took)/2].Microseconds())/1e3, min(2, runtime.GOMAXPROCS(0)),
			float64(processor[len(processor)/2].Microseconds())/1e3, -same, found, float64(memory)/1e6)
		runtime.KeepAlive(x)
	}
	return nil
}

// heap returns the number of used bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
