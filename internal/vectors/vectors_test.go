package vectors

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns a random vector; spiky ones have few large components.
func random(r *rand.Rand, dimension int, spiky bool) []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(r.NormFloat64())
		if spiky {
			v[i] *= v[i] * v[i]
		}
	}
	return v
}

func quantised(t testing.TB, v []float32) Vector {
	t.Helper()
	q, ok := Quantised(v)
	if !ok {
		t.Fatalf("no direction: %v", v)
	}
	return q
}

// product computes the similarity in the obvious way.
func product(a, b Vector) float32 {
	var sum int32
	for i := range a {
		sum += int32(a[i]) * int32(b[i])
	}
	return float32(sum) * b.scale() * a.scale()
}

// Nearest finds exactly what comparing all vectors one by one finds, also while entries are replaced and removed.
func TestNearestIsExact(t *testing.T) {
	t.Parallel()
	for _, dimension := range []int{1, 7, 8, 61, 256} {
		r := rand.New(rand.NewPCG(uint64(dimension), 1))
		x, all := NewIndex(dimension, 20_000), map[int64]Entry{}
		for i := range 12_000 {
			e := Entry{ID: r.Int64N(10_000), Change: int64(i), Open: r.IntN(8) > 0, Vector: quantised(t, random(r, dimension, r.IntN(4) == 0))}
			if r.IntN(10) == 0 {
				x.Remove(e.ID)
				delete(all, e.ID)
				continue
			}
			x.Put(e)
			all[e.ID] = e
		}
		for range 20 {
			q := quantised(t, random(r, dimension, r.IntN(2) == 0))
			var want, some []Match
			var ids []int64
			for id, e := range all {
				m := Match{e.ID, e.Change, product(q, e.Vector)}
				if e.Open && m.Score >= 0.05 {
					want = append(want, m)
				}
				if id%7 == 0 {
					ids, some = append(ids, id), append(some, m)
				}
			}
			if got := x.Nearest(q, 100, 0.05); !slices.Equal(got, first(want, 100)) {
				t.Fatalf("%d: got %v, want %v", dimension, got[:min(5, len(got))], want[:min(5, len(want))])
			}
			if got := x.NearestOf(q, append(ids, -1), 50, -1); !slices.Equal(got, first(some, 50)) {
				t.Fatalf("%d: among some: got %v, want %v", dimension, got, some)
			}
		}
		for id, e := range all {
			if v, change, ok := x.Vector(id); !ok || change != e.Change || !slices.Equal(v, e.Vector) {
				t.Fatalf("%d: vector %d is %v, want %v", dimension, id, v, e.Vector)
			}
			x.Remove(id)
		}
		if n := x.Len(); n != 0 || len(x.Nearest(quantised(t, random(r, dimension, false)), 5, -1)) != 0 {
			t.Errorf("%d: %d left", dimension, n)
		}
	}
}

// Rounding to 8 bits hardly changes a direction. Vectors without a direction are refused.
func TestQuantised(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		v := random(r, 300, false)
		q := quantised(t, v)
		var inner, squares float64
		for i, x := range v {
			inner += float64(x) * float64(q[i]) * float64(q.scale())
			squares += float64(x) * float64(x)
		}
		if cosine := inner / math.Sqrt(squares); cosine < 0.9998 {
			t.Errorf("similarity to itself is %f", cosine)
		}
	}
	huge := quantised(t, []float32{math.MaxFloat32, -math.MaxFloat32})
	if !slices.Equal(huge, Vector{127, -127}) {
		t.Errorf("huge: %v", huge)
	}
	for _, v := range [][]float32{nil, {0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
		if q, ok := Quantised(v); ok {
			t.Errorf("%v: %v", v, q)
		}
	}
}

// A full index ignores new entries, but not new vectors of its entries. It ignores other dimensions.
func TestFullIndex(t *testing.T) {
	t.Parallel()
	x := NewIndex(2, 2)
	right, up := quantised(t, []float32{1, 0}), quantised(t, []float32{0, 1})
	x.Put(Entry{1, 1, true, right})
	x.Put(Entry{2, 2, true, right})
	x.Put(Entry{3, 3, true, up})
	x.Put(Entry{2, 4, true, quantised(t, []float32{0, 1, 0})})
	x.Put(Entry{1, 5, true, up})
	if got := x.Nearest(up, 9, 0.5); len(got) != 1 || got[0].ID != 1 || got[0].Change != 5 || x.Len() != 2 {
		t.Errorf("%v, %d entries", got, x.Len())
	}
	if got := x.Nearest(quantised(t, []float32{0, 1, 0}), 9, 0); got != nil {
		t.Errorf("another dimension: %v", got)
	}
}
