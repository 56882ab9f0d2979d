package media

import (
	"cmp"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/media/bitmap"
	"vitrine/internal/media/codec"
)

// size is the shape of a picture to make. Two versions of the same size are
// one picture.
type size struct {
	width, height int
	cropped       bool // to the central square
}

// thumbnail is always made: blurhashes are taken from it.
var thumbnail = domain.SmallImage

// plan is what to make of an image, and the memory it takes.
type plan struct {
	width, height int // the image's, as viewed
	versions      []domain.ImageVersion
	sizes         []size // each once; the whole ones first, then the larger first
	need          int64  // bytes at most, from decoding to encoding
	encoding      int64  // bytes of that for the codec of what is not opaque
}

// planFor plans for an image that may take most bytes.
func planFor(h codec.Header, versions []domain.ImageVersion, most int64) plan {
	p := plan{versions: versions}
	p.width, p.height = h.Upright()
	for _, v := range append([]domain.ImageVersion{thumbnail}, versions...) {
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
	pictures, largest := p.pictures(h)
	if h.Profile != nil {
		pictures += h.Profile.Memory()
	}
	if !h.Opaque {
		// Few pictures need all of it, so the largest ones do with what there is.
		p.encoding = max(codec.Base+8*largest, min(codec.EncodingMemory(largest), most-planMemory-pictures))
	}
	p.need = planMemory + max(h.Decoding, h.Decoded+pictures, pictures+p.encoding)
	return p
}

// planMemory is for what is small in every plan: buffers of decoders, the
// blurhash, the tables of an encoder.
const planMemory = 1 << 20

func (p plan) size(v domain.ImageVersion) size {
	w, h := v.Fit(p.width, p.height)
	return size{w, h, v.Square() && p.width != p.height}
}

// pictures returns how many bytes the pictures of a decoded image and their files
// take at most, what it takes to make them included, and the pixels of the
// largest.
func (p plan) pictures(h codec.Header) (bytes, largest int64) {
	var resampling int64
	channels := int64(max(h.Channels, 2)) // luma and chroma
	if h.Profile != nil {
		channels += 4 // each picture is copied to RGBA
	}
	for _, want := range p.sizes {
		pixels := int64(want.width) * int64(want.height)
		largest = max(largest, pixels)
		bytes += (channels + 1) * pixels // a byte of the file for each pixel
		across, down := want.width, want.height
		if h.Orientation.Swaps() {
			across, down = down, across
		}
		resampling = max(resampling, bitmap.ResampleMemory(h.Width, h.Height, across, down, h.Channels))
	}
	if h.Orientation > 1 { // turned after it is resized
		bytes += channels * largest
	}
	return bytes + resampling, largest
}
