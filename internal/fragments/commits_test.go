package fragments_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkEmptiedByCommits simulates a cache of complete responses that every commit empties, as it
// would be if entries were valid only until the next commit. It reports the hits of 99 reads to a
// write. The reads are of a number of resources, either equally often or by Zipf's law.
func BenchmarkEmptiedByCommits(b *testing.B) {
	const reads = 99
	random := rand.New(rand.NewPCG(1, 2))
	for _, resources := range []uint64{200_000, 5_000} {
		zipf := rand.NewZipf(random, 1.01, 1, resources-1)
		for name, next := range map[string]func() uint64{
			"zipf":    zipf.Uint64,
			"uniform": func() uint64 { return random.Uint64N(resources) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, resources), func(b *testing.B) {
				hits, cached := 0, map[uint64]bool{}
				for b.Loop() {
					clear(cached)
					for range reads {
						id := next()
						if cached[id] {
							hits++
						}
						cached[id] = true
					}
				}
				b.ReportMetric(100*float64(hits)/float64(reads*b.N), "%hits")
			})
		}
	}
}
