package codec

import "math"

// plane is an image of 8-bit samples with interleaved channels: one for luma or chroma, four for
// RGBA.
type plane struct {
	pix           []byte
	stride        int // bytes per row
	width, height int // pixels
	channels      int // 1 or 4
}

func newPlane(width, height, channels int) plane {
	return plane{make([]byte, width*height*channels), width * channels, width, height, channels}
}

// resample returns p at another size, with a Lanczos kernel of three lobes. Alpha must be
// premultiplied.
//
// It first combines the rows of p around each row and then narrows the result, so that it keeps
// only that one row in between. Photographs stay in the planes that they were decoded to, and are
// encoded from such planes. Compared with the Lanczos filter of package imaging on NRGBA, this
// takes a quarter of the time and a sixth of the memory (BenchmarkRender12MP).
func (p plane) resample(width, height int) plane {
	dst := newPlane(width, height, p.channels)
	down, across := newKernel(p.height, height), newKernel(p.width, width).all()
	narrow := narrow1
	if p.channels == 4 {
		narrow = narrow4
	}
	row := make([]int32, p.width*p.channels)
	for y := range height {
		clear(row)
		first, weights := down.taps(y)
		for i, weight := range weights {
			addWeighted(row, p.pix[(first+i)*p.stride:], weight)
		}
		for x := range row {
			row[x] = (row[x] + 1<<5) >> 6 // leaves 8 bits of fraction
		}
		narrow(dst.pix[y*dst.stride:(y+1)*dst.stride], row, across)
	}
	return dst
}

// ResampleMemory returns how many bytes resample needs at most in addition to the two planes, for
// pixels with that many channels.
func ResampleMemory(fromWidth, fromHeight, toWidth, toHeight, channels int) int64 {
	down, across := newKernel(fromHeight, toHeight), newKernel(fromWidth, toWidth)
	row := 4 * int64(fromWidth) * int64(channels)
	return row + down.memory() + across.memory() + int64(toWidth)*(tapsSize+4*int64(across.size))
}

// addWeighted adds the samples times weight to row.
func addWeighted(row []int32, samples []byte, weight int32) {
	samples = samples[:len(row)]
	for x := range row {
		row[x] += int32(samples[x]) * weight
	}
}

// narrow1 resamples a row of one channel.
func narrow1(dst []byte, row []int32, across []taps) {
	for x := range dst {
		t := &across[x]
		window := row[t.first : t.first+len(t.weights)]
		var sum int64
		for i, weight := range t.weights {
			sum += int64(window[i]) * int64(weight)
		}
		dst[x] = rounded(sum)
	}
}

// narrow4 resamples a row of RGBA. A kernel that overshoots must not leave more colour than alpha.
func narrow4(dst []byte, row []int32, across []taps) {
	for x := range across {
		t := &across[x]
		window := row[4*t.first : 4*(t.first+len(t.weights))]
		var r, g, b, a int64
		for i, weight := range t.weights {
			w, pixel := int64(weight), window[4*i:4*i+4:4*i+4]
			r += int64(pixel[0]) * w
			g += int64(pixel[1]) * w
			b += int64(pixel[2]) * w
			a += int64(pixel[3]) * w
		}
		pixel, alpha := dst[4*x:4*x+4:4*x+4], rounded(a)
		pixel[0], pixel[1], pixel[2] = min(rounded(r), alpha), min(rounded(g), alpha), min(rounded(b), alpha)
		pixel[3] = alpha
	}
}

// rounded removes the 22 bits of fraction of a sum.
func rounded(sum int64) byte { return byte(min(255, max(0, (sum+1<<21)>>22))) }

// taps are the weights of the samples that one resampled sample is made of. They add up to 1<<14.
type taps struct {
	first   int
	weights []int32
}

const tapsSize = 32 // bytes of a taps, without its weights

// kernel computes the taps of one resampled sample at a time, so its memory grows with the window
// of one sample and not with the image.
type kernel struct {
	from, to     int
	scale, widen float64
	size         int // maximum number of samples in a window
	exact        []float64
	weights      []int32
}

const lobes = 3

func newKernel(from, to int) *kernel {
	scale := float64(from) / float64(to)
	widen := max(1, scale)
	size := min(from, int(2*lobes*widen)+1)
	return &kernel{from: from, to: to, scale: scale, widen: widen, size: size}
}

// memory returns how many bytes the kernel uses after it has computed taps.
func (k *kernel) memory() int64 { return int64(k.size) * (8 + 4) }

// taps returns the weights of sample i, which are valid until the next call.
func (k *kernel) taps(i int) (first int, weights []int32) {
	if k.exact == nil {
		k.exact, k.weights = make([]float64, k.size), make([]int32, k.size)
	}
	centre := (float64(i)+0.5)*k.scale - 0.5
	first = max(0, int(math.Ceil(centre-lobes*k.widen)))
	last := min(k.from-1, int(math.Floor(centre+lobes*k.widen)))
	exact := k.exact[:last-first+1]
	var sum float64
	for j := range exact {
		exact[j] = lanczos((float64(first+j) - centre) / k.widen)
		sum += exact[j]
	}
	weights = k.weights[:len(exact)]
	fixed(weights, exact, sum)
	return first, weights
}

// all returns the taps of every sample, which every row needs again.
func (k *kernel) all() []taps {
	all, weights := make([]taps, k.to), make([]int32, 0, k.to*k.size)
	for i := range all {
		first, w := k.taps(i)
		start := len(weights)
		weights = append(weights, w...)
		all[i] = taps{first, weights[start:]}
	}
	return all
}

func lanczos(x float64) float64 {
	if x == 0 {
		return 1
	}
	if math.Abs(x) >= lobes {
		return 0
	}
	return lobes * math.Sin(math.Pi*x) * math.Sin(math.Pi*x/lobes) / (math.Pi * math.Pi * x * x)
}

// fixed converts exact weights to parts of 1<<14. The rounding error goes to the middle, so that a
// flat area remains unchanged.
func fixed(parts []int32, exact []float64, sum float64) {
	const one = 1 << 14
	left := int32(one)
	for i, w := range exact {
		parts[i] = int32(math.Round(w / sum * one))
		left -= parts[i]
	}
	parts[len(parts)/2] += left
}
