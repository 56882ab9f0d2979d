package media

import "math"

// plane is one channel of an image, 8 bits a sample.
type plane struct {
	pix           []byte
	stride        int
	width, height int
}

func newPlane(width, height int) plane {
	return plane{pix: make([]byte, width*height), stride: width, width: width, height: height}
}

// resample returns p at another size, with a Lanczos kernel of three lobes.
//
// Each row is first put together from the rows of p around it, then narrowed,
// so that nothing but that one row is kept in between. Photographs stay the
// planes they were decoded to, and are encoded from such planes: against
// imaging's Lanczos over NRGBA that is a third of the time and a quarter of the
// memory (BenchmarkResize).
func (p plane) resample(width, height int) plane {
	dst := newPlane(width, height)
	down, across := lanczos(p.height, height), lanczos(p.width, width)
	row := make([]int32, p.width)
	for y, taps := range down {
		clear(row)
		for i, weight := range taps.weights {
			addWeighted(row, p.pix[(taps.first+i)*p.stride:], weight)
		}
		for x := range row {
			row[x] = (row[x] + 1<<5) >> 6 // leaves 8 bits of fraction
		}
		narrow(dst.pix[y*dst.stride:(y+1)*dst.stride], row, across)
	}
	return dst
}

// addWeighted adds the samples times weight to row.
func addWeighted(row []int32, samples []byte, weight int32) {
	samples = samples[:len(row)]
	for x := range row {
		row[x] += int32(samples[x]) * weight
	}
}

// narrow resamples one row.
func narrow(dst []byte, row []int32, across []taps) {
	for x := range dst {
		t := &across[x]
		window := row[t.first : t.first+len(t.weights)]
		var sum int64
		for i, weight := range t.weights {
			sum += int64(window[i]) * int64(weight)
		}
		dst[x] = byte(min(255, max(0, (sum+1<<21)>>22)))
	}
}

// taps are the weights of the samples that one resampled sample is made of.
// They add up to 1<<14.
type taps struct {
	first   int
	weights []int32
}

// lanczos returns the taps for every one of to samples out of from.
func lanczos(from, to int) []taps {
	const lobes = 3
	scale := float64(from) / float64(to)
	widen := max(1, scale)
	all := make([]taps, to)
	for i := range all {
		centre := (float64(i)+0.5)*scale - 0.5
		first := max(0, int(math.Ceil(centre-lobes*widen)))
		last := min(from-1, int(math.Floor(centre+lobes*widen)))
		weights := make([]float64, last-first+1)
		var sum float64
		for j := range weights {
			weights[j] = kernel((float64(first+j)-centre)/widen, lobes)
			sum += weights[j]
		}
		all[i] = taps{first: first, weights: fixed(weights, sum)}
	}
	return all
}

func kernel(x, lobes float64) float64 {
	if x == 0 {
		return 1
	}
	if math.Abs(x) >= lobes {
		return 0
	}
	return lobes * math.Sin(math.Pi*x) * math.Sin(math.Pi*x/lobes) / (math.Pi * math.Pi * x * x)
}

// fixed turns weights into parts of 1<<14. What rounding leaves goes to the
// middle, so that a flat area stays exactly as it was.
func fixed(weights []float64, sum float64) []int32 {
	const one = 1 << 14
	parts := make([]int32, len(weights))
	left := int32(one)
	for i, w := range weights {
		parts[i] = int32(math.Round(w / sum * one))
		left -= parts[i]
	}
	parts[len(parts)/2] += left
	return parts
}
