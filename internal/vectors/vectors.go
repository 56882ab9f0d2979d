// Package vectors keeps vectors of 8-bit numbers in memory and finds the nearest ones exactly.
package vectors

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
)

// MaxDimension is the maximum number of components of a vector.
const MaxDimension = 4096

// Vector is a direction: a vector of any length.
type Vector []int8

// Quantised returns a vector in 8 bits. ok is false if it has no direction: if its length is 0 or not finite.
func Quantised(v []float32) (q Vector, ok bool) {
	var squares, highest float64
	for _, x := range v {
		squares += float64(x) * float64(x)
		highest = max(highest, math.Abs(float64(x)))
	}
	length := math.Sqrt(squares)
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		return q, false
	}
	q = make(Vector, len(v))
	for i, x := range v {
		q[i] = int8(math.Round(float64(x) / highest * 127))
	}
	return q, true
}

// scale returns the factor that makes the length of the vector 1.
func (v Vector) scale() float32 {
	var squares int64
	for _, x := range v {
		squares += int64(x) * int64(x)
	}
	return float32(1 / math.Sqrt(float64(squares)))
}

// perWord is the number of values in a word of packed values.
const perWord = 8

// packed appends values to words, each increased by 128, so that none is negative.
func packed(words []uint64, values Vector) []uint64 {
	for some := range slices.Chunk(values, perWord) {
		var word uint64
		for i, x := range some {
			word |= uint64(uint8(x)^0x80) << (8 * i)
		}
		words = append(words, word)
	}
	return words
}

// unpacked returns the first n values of words.
func unpacked(words []uint64, n int) Vector {
	values := make(Vector, n)
	for i := range values {
		values[i] = int8(uint8(words[i/perWord]>>(8*(i%perWord))) ^ 0x80)
	}
	return values
}

// query is a vector in the forms that comparing it needs. coarse has its values in 6 bits. Its inner product with a vector
// is cheap to compute, and differs from the exact one by at most slack.
type query struct {
	exact  []int32
	sum    int32 // of exact
	scale  float32
	coarse []coarse
	rest   int32 // to add for the 128 that packed values are increased by
	step   float32
	slack  float32
}

// coarse contains eight values, those of even and of odd index, in fields of 16 bits. The highest field of the product
// with four packed values in such fields is their inner product, which is less than 4 × 256 × 64.
type coarse struct{ even, odd uint64 }

// The values of coarse are from 1 to 63, so that none is negative; those behind the end are 0.
const (
	coarseMiddle = 32
	coarseMost   = 31
	packedMiddle = 128
)

// newQuery prepares a vector for comparing it with others.
func newQuery(v Vector) query {
	q := query{scale: v.scale(), exact: make([]int32, len(v)), coarse: make([]coarse, (len(v)+perWord-1)/perWord)}
	highest := 1.0
	for _, x := range v {
		highest = max(highest, math.Abs(float64(x)))
	}
	step := highest / coarseMost
	var lost float64
	for i, x := range v {
		q.exact[i] = int32(x)
		q.sum += int32(x)
		c := math.Round(float64(x) / step)
		lost += (float64(x) - c*step) * (float64(x) - c*step)
		q.rest -= int32(c) * packedMiddle
		field := uint64(c+coarseMiddle) << (48 - 16*(i%perWord/2))
		if i%2 == 0 {
			q.coarse[i/perWord].even |= field
		} else {
			q.coarse[i/perWord].odd |= field
		}
	}
	q.rest -= int32(len(v)) * coarseMiddle * packedMiddle
	q.step = float32(step) * q.scale
	q.slack = float32(math.Sqrt(lost))*q.scale + rounding
	return q
}

// rounding is more than the error of computing a score in 32 bits.
const rounding = 1e-5

// coarseProduct returns the inner product with the coarse values, increased as described at coarse and packed.
func coarseProduct(q []coarse, words []uint64) (sum uint64) {
	const fields = 0x00ff00ff00ff00ff
	q = q[:len(words)]
	for i, w := range words {
		sum += (w&fields)*q[i].even>>48 + (w>>8&fields)*q[i].odd>>48
	}
	return sum
}

// exactScore returns the cosine similarity to a vector of packed values.
func (q query) exactScore(words []uint64, scale float32) float32 {
	sum := -packedMiddle * q.sum
	for i, x := range q.exact {
		sum += x * int32(uint8(words[i/perWord]>>(8*(i%perWord))))
	}
	return float32(sum) * scale * q.scale
}

// Entry is a vector with the id of its subject, and a number that changes with it.
type Entry struct {
	ID, Change int64
	Open       bool // found by Nearest
	Vector     Vector
}

// Match is an entry that was found, and its cosine similarity.
type Match struct {
	ID, Change int64
	Score      float32
}

// compare orders matches, the most similar first, and then the newest.
func compare(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
}

// chunkSize is the number of vectors that are allocated together.
const chunkSize = 4096

// chunk contains consecutive vectors.
type chunk struct {
	words   []uint64 // packed
	sums    []int32  // of the values of each vector
	scales  []float32
	ids     []int64
	changes []int64
	open    []bool
}

// Index contains vectors of one dimension. It is safe for concurrent use.
type Index struct {
	mu        sync.RWMutex
	dimension int
	stride    int // words of a vector
	most      int
	chunks    []*chunk
	at        map[int64]int32 // positions by id
}

// NewIndex returns an empty index for vectors of a dimension, up to a number of them.
func NewIndex(dimension, most int) *Index {
	return &Index{dimension: dimension, stride: (dimension + perWord - 1) / perWord, most: most, at: map[int64]int32{}}
}

// Dimension returns the dimension of the vectors.
func (x *Index) Dimension() int { return x.dimension }

// Len returns the number of vectors.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.at)
}

// Put adds an entry, or replaces the one with its id. It ignores one of another dimension, and a new one if the index is
// full.
func (x *Index) Put(e Entry) {
	if len(e.Vector) != x.dimension {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.at[e.ID]
	if !ok {
		if len(x.at) >= x.most {
			return
		}
		at = int32(len(x.at))
		if int(at)%chunkSize == 0 && int(at)/chunkSize == len(x.chunks) {
			x.chunks = append(x.chunks, &chunk{words: make([]uint64, chunkSize*x.stride), sums: make([]int32, chunkSize),
				scales: make([]float32, chunkSize), ids: make([]int64, chunkSize), changes: make([]int64, chunkSize), open: make([]bool, chunkSize)})
		}
		x.at[e.ID] = at
	}
	c, i := x.place(at)
	packed(x.words(c, i)[:0], e.Vector)
	c.sums[i] = 0
	for _, v := range e.Vector {
		c.sums[i] += int32(v)
	}
	c.scales[i], c.ids[i], c.changes[i], c.open[i] = e.Vector.scale(), e.ID, e.Change, e.Open
}

// place returns the chunk of a position, and the index in it.
func (x *Index) place(at int32) (c *chunk, i int) { return x.chunks[at/chunkSize], int(at % chunkSize) }

// words returns the packed values of a vector.
func (x *Index) words(c *chunk, i int) []uint64 {
	return c.words[i*x.stride : (i+1)*x.stride : (i+1)*x.stride]
}

// Remove removes the entry with an id, if there is one. The last entry takes its place.
func (x *Index) Remove(id int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.at[id]
	if !ok {
		return
	}
	last := int32(len(x.at) - 1)
	c, i := x.place(last)
	if at != last {
		to, j := x.place(at)
		copy(x.words(to, j), x.words(c, i))
		to.sums[j], to.scales[j], to.ids[j], to.changes[j], to.open[j] = c.sums[i], c.scales[i], c.ids[i], c.changes[i], c.open[i]
		x.at[c.ids[i]] = at
	}
	delete(x.at, id)
	if i == 0 {
		x.chunks = x.chunks[:len(x.chunks)-1]
	}
}

// Vector returns the vector of an id, and its change.
func (x *Index) Vector(id int64) (v Vector, change int64, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	at, ok := x.at[id]
	if !ok {
		return nil, 0, false
	}
	c, i := x.place(at)
	return unpacked(x.words(c, i), x.dimension), c.changes[i], true
}

// parallel is the maximum number of goroutines of a search.
const parallel = 2

// Nearest returns the n open entries that are most similar to a vector, with a score of at least `least`. The result is
// exact: an entry is skipped only if its coarse score is too low by more than the possible difference.
func (x *Index) Nearest(v Vector, n int, least float32) []Match {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(v) != x.dimension || n <= 0 {
		return nil
	}
	q := newQuery(v)
	workers := min(parallel, runtime.GOMAXPROCS(0), len(x.chunks))
	found := make([][]Match, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			best := top{n: n, least: least}
			for k := w; k < len(x.chunks); k += workers {
				x.scan(q, x.chunks[k], min(chunkSize, len(x.at)-k*chunkSize), &best)
			}
			found[w] = best.all
		})
	}
	wait.Wait()
	return first(slices.Concat(found...), n)
}

// scan compares the first entries of a chunk.
func (x *Index) scan(q query, c *chunk, entries int, best *top) {
	for i := range entries {
		words := x.words(c, i)
		product := int32(coarseProduct(q.coarse, words)) + q.rest - coarseMiddle*c.sums[i]
		if float32(product)*q.step*c.scales[i] < best.least-q.slack || !c.open[i] {
			continue
		}
		best.add(Match{c.ids[i], c.changes[i], q.exactScore(words, c.scales[i])})
	}
}

// NearestOf is Nearest among the entries with some ids, which need not be open.
func (x *Index) NearestOf(v Vector, ids []int64, n int, least float32) []Match {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(v) != x.dimension || n <= 0 {
		return nil
	}
	q, best := newQuery(v), top{n: n, least: least}
	for _, id := range ids {
		if at, ok := x.at[id]; ok {
			c, i := x.place(at)
			best.add(Match{id, c.changes[i], q.exactScore(x.words(c, i), c.scales[i])})
		}
	}
	return first(best.all, n)
}

// Merge returns the n best of several lists of matches.
func Merge(n int, lists ...[]Match) []Match { return first(slices.Concat(lists...), n) }

func first(all []Match, n int) []Match {
	slices.SortFunc(all, compare)
	return all[:min(n, len(all))]
}

// top collects the n best matches. It sorts them whenever it has twice as many.
type top struct {
	n     int
	least float32
	all   []Match
}

func (t *top) add(m Match) {
	if !(m.Score >= t.least) {
		return
	}
	t.all = append(t.all, m)
	if len(t.all) >= 2*t.n {
		t.all = first(t.all, t.n)
		t.least = t.all[len(t.all)-1].Score
	}
}
