package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/kovidgoyal/imaging/prism/meta/icc"
)

// maxProfileSize limits the size of a profile, in bytes. Profiles of printing presses have
// up to three megabytes.
const maxProfileSize = 4 << 20

// maxTags limits the tags of a profile. Usual profiles have about twenty.
const maxTags = 200

// ColorTransform converts colours of one profile to sRGB. It is safe for concurrent
// use.
type ColorTransform struct {
	channels int   // 3 for RGB, 4 for CMYK
	size     int64 // of the profile, in bytes
	pipeline *icc.Pipeline
	table    func() []uint16
}

// Memory returns the maximum memory of the Transform in bytes: the table, and the
// profile, whose one-byte numbers are stored in eight bytes.
func (t *ColorTransform) Memory() int64 { return 1<<20 + 9*t.size }

// NewColorTransform returns the Transform of a profile for images with this number of channels.
// It is nil if the profile is close to sRGB. It returns an error if the profile is
// broken or for other channels.
func NewColorTransform(data []byte, channels int) (t *ColorTransform, err error) {
	defer func() { // the parser panics on some broken profiles
		if r := recover(); r != nil {
			t, err = nil, fmt.Errorf("read an ICC profile: %v", r)
		}
	}()
	if err := check(data); err != nil {
		return nil, fmt.Errorf("read an ICC profile: %w", err)
	}
	p, err := icc.DecodeProfile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read an ICC profile: %w", err)
	}
	if want := map[int]icc.ColorSpace{3: icc.ColorSpaceRGB, 4: icc.ColorSpaceCMYK}[channels]; p.Header.DataColorSpace != want {
		return nil, fmt.Errorf("an ICC profile for %v, not for %d channels", p.Header.DataColorSpace, channels)
	}
	pipeline, err := p.CreateTransformerToSRGB(icc.PerceptualRenderingIntent, true, channels, true, false, true)
	if err != nil {
		return nil, fmt.Errorf("use an ICC profile: %w", err)
	}
	t = &ColorTransform{channels: channels, size: int64(len(data)), pipeline: pipeline}
	if channels == 3 && t.changesLittle() {
		return nil, nil
	}
	t.table = sync.OnceValue(t.computeTable)
	return t, nil
}

// check refuses profiles that would make the parser allocate more memory than
// their size: ICC.1:2022, sections 7.3 and 10.6.
func check(data []byte) error {
	const header = 128
	if len(data) < header+4 || len(data) > maxProfileSize {
		return fmt.Errorf("%d bytes", len(data))
	}
	tags := int(binary.BigEndian.Uint32(data[header:]))
	if tags > maxTags || len(data) < header+4+12*tags {
		return fmt.Errorf("%d tags in %d bytes", tags, len(data))
	}
	for i := range tags {
		entry := data[header+4+12*i:]
		offset, size := int64(binary.BigEndian.Uint32(entry[4:])), int64(binary.BigEndian.Uint32(entry[8:]))
		if offset < int64(header+4+12*tags) || offset+size > int64(len(data)) {
			return errors.New("a tag outside of the profile")
		}
	}
	for rest := data; ; { // curves may be tags, or parts of other tags
		at := bytes.Index(rest, []byte("curv\x00\x00\x00\x00"))
		if at < 0 {
			return nil
		}
		rest = rest[at+8:]
		if len(rest) >= 4 && int64(binary.BigEndian.Uint32(rest)) > int64(len(rest))/2 {
			return errors.New("a curve longer than the profile")
		}
	}
}

// CMYK reports whether the profile is for CMYK images.
func (t *ColorTransform) CMYK() bool { return t.channels == 4 }

// at converts a device colour, each channel from 0 to 1.
func (t *ColorTransform) at(colour [4]float64) (r, g, b float64) {
	if t.channels == 3 {
		x, y, z := t.pipeline.Transform(colour[0], colour[1], colour[2])
		return x, y, z
	}
	var in, out [4]float64
	copy(in[:], colour[:])
	t.pipeline.TransformGeneral(out[:], in[:])
	return out[0], out[1], out[2]
}

// changesLittle reports whether no colour of a coarse grid changes by more than
// two of 255 steps.
func (t *ColorTransform) changesLittle() bool {
	const steps = 4
	for i := range (steps + 1) * (steps + 1) * (steps + 1) {
		in := [4]float64{float64(i%(steps+1)) / steps, float64(i/(steps+1)%(steps+1)) / steps, float64(i/(steps+1)/(steps+1)) / steps}
		r, g, b := t.at(in)
		for c, out := range [3]float64{r, g, b} {
			if d := out - in[c]; d > 2.0/255 || d < -2.0/255 {
				return false
			}
		}
	}
	return true
}

// grid returns the number of points of the table in each direction.
func (t *ColorTransform) grid() int {
	if t.channels == 4 {
		return 17
	}
	return 33
}

// computeTable returns three values for each point of the grid, the first channel
// varying slowest.
func (t *ColorTransform) computeTable() []uint16 {
	grid, points := t.grid(), 1
	for range t.channels {
		points *= grid
	}
	table := make([]uint16, 0, 3*points)
	for i := range points {
		var in [4]float64
		for c, rest := t.channels-1, i; c >= 0; c, rest = c-1, rest/grid {
			in[c] = float64(rest%grid) / float64(grid-1)
		}
		r, g, b := t.at(in)
		for _, v := range [3]float64{r, g, b} {
			table = append(table, uint16(min(max(v, 0), 1)*0xFFFF+0.5))
		}
	}
	return table
}

// Convert converts pixels of four bytes in place: CMYK to opaque RGBA, or
// premultiplied RGBA to premultiplied RGBA. It interpolates linearly between the
// points of the table.
func (t *ColorTransform) Convert(pix []byte) {
	table, grid := t.table(), t.grid()
	var first, part [256]int // for each value: the grid point below it, and the distance from it in 255ths
	for v := range first {
		at := v * (grid - 1)
		first[v], part[v] = min(at/255, grid-2), at-255*min(at/255, grid-2)
	}
	strides, size := [4]int{}, 3
	for c := t.channels - 1; c >= 0; c-- {
		strides[c] = size
		size *= grid
	}
	last, lastResult, known := [4]byte{}, [4]byte{}, false
	for ; len(pix) >= 4; pix = pix[4:] {
		p := (*[4]byte)(pix)
		if known && *p == last {
			*p = lastResult
			continue
		}
		last = *p
		alpha := 255
		if t.channels == 3 {
			if alpha = int(p[3]); alpha == 0 {
				continue
			}
			if alpha < 255 {
				for c := range 3 {
					p[c] = byte(min(255, (int(p[c])*255+alpha/2)/alpha))
				}
			}
		}
		var sum [3]uint64
		var base int
		for c := range t.channels {
			base += first[p[c]] * strides[c]
		}
		whole := uint64(1)
		for range t.channels {
			whole *= 255
		}
		for corner := range 1 << t.channels {
			weight, at := uint64(1), base
			for c := range t.channels {
				if corner>>c&1 == 1 {
					weight *= uint64(part[p[c]])
					at += strides[c]
				} else {
					weight *= uint64(255 - part[p[c]])
				}
			}
			if weight == 0 {
				continue
			}
			for c := range sum {
				sum[c] += weight * uint64(table[at+c])
			}
		}
		for c := range sum {
			value := int((sum[c]/whole*255 + 0x7FFF) / 0xFFFF)
			p[c] = byte((value*alpha + 127) / 255)
		}
		p[3] = byte(alpha)
		lastResult, known = *p, true
	}
}
