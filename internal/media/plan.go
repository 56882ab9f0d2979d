package media

import (
	"cmp"
	"slices"
)

// size is the shape of a picture to make. Two versions of the same size are
// one picture.
type size struct {
	width, height int
	cropped       bool // to the central square
}

// thumbnail is always made: blurhashes are taken from it.
var thumbnail = Version{Name: "small"}

// plan is what to make of an image, and the memory it takes.
type plan struct {
	width, height int // the image's, as viewed
	versions      []Version
	sizes         []size // each once; the whole ones first, then the larger first
	need          int64  // bytes at most, from decoding to encoding
}

func planFor(h header, versions []Version) plan {
	p := plan{versions: versions}
	p.width, p.height = h.upright()
	for _, v := range append([]Version{thumbnail}, versions...) {
		if want := p.size(v); !slices.Contains(p.sizes, want) {
			p.sizes = append(p.sizes, want)
		}
	}
	slices.SortFunc(p.sizes, func(a, b size) int {
		if a.cropped != b.cropped {
			if a.cropped {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.width*b.height, a.width*a.height)
	})
	p.need = int64(h.perPixel*float64(h.width)*float64(h.height)) + p.pictures()
	return p
}

func (p plan) size(v Version) size {
	w, h := v.Fit(p.width, p.height)
	return size{w, h, v.square() && p.width != p.height}
}

// pictures returns how many bytes the pictures take at most.
func (p plan) pictures() int64 {
	var bytes int64
	for _, want := range p.sizes {
		bytes += 4 * int64(want.width) * int64(want.height)
	}
	return bytes
}
