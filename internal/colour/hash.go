package colour

import (
	"image"
	"math"
	"math/bits"
	"slices"
)

// Side is the width and height of the pictures that Hash accepts.
const Side = 32

// frequencies are the lowest frequencies of a picture without the constant one, horizontal and vertical.
var frequencies = func() (all [][2]int) {
	for sum := 1; ; sum++ {
		for v := range sum + 1 {
			if all = append(all, [2]int{sum - v, v}); len(all) == 64 {
				return all
			}
		}
	}
}()

// cosines are multiplied by 4096, so that hashes are computed with whole numbers.
var cosines = func() (all [Side][Side]int64) {
	for f := range all {
		for x := range all[f] {
			all[f][x] = int64(math.Round(4096 * math.Cos(math.Pi*float64(f)*(float64(x)+0.5)/Side)))
		}
	}
	return all
}()

// Hash returns a perceptual hash of an opaque picture of 32 × 32 pixels: a bit for each low frequency, which says whether
// it is stronger than half of the others. Versions of an image in other sizes and formats differ in a few bits. ok is
// false for pictures without any structure, whose hashes would say nothing.
func Hash(picture *image.RGBA) (hash int64, ok bool) {
	var light [Side][Side]int64
	darkest, lightest := int64(255), int64(0)
	for y := range Side {
		for x := range Side {
			p := picture.Pix[y*picture.Stride+4*x:]
			v := (299*int64(p[0]) + 587*int64(p[1]) + 114*int64(p[2])) / 1000
			light[y][x], darkest, lightest = v, min(darkest, v), max(lightest, v)
		}
	}
	const flat = 16
	if lightest-darkest < flat {
		return 0, false
	}
	strengths := make([]int64, len(frequencies))
	for i, f := range frequencies {
		for y := range Side {
			var row int64
			for x := range Side {
				row += light[y][x] * cosines[f[0]][x]
			}
			strengths[i] += row / 4096 * cosines[f[1]][y]
		}
	}
	half := slices.Sorted(slices.Values(strengths))[len(strengths)/2]
	var set uint64
	for i, s := range strengths {
		if s >= half {
			set |= 1 << i
		}
	}
	return int64(set), true
}

// Distance returns the number of bits in which hashes differ.
func Distance(a, b int64) int { return bits.OnesCount64(uint64(a ^ b)) }
