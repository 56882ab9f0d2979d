package media

import (
	"cmp"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/media/codec"
)

// size is the shape of a picture. Two versions of the same size share one picture.
type size struct {
	width, height int
	cropped       bool // to the central square
}

// thumbnail is always made, because the blurhash is computed from it.
var thumbnail = domain.SmallImage

// plan lists the pictures to make of an image and the memory that this needs.
type plan struct {
	width, height int // of the image, as viewed
	versions      []domain.ImageVersion
	sizes         []size // each once; whole ones first, then larger ones first
	need          int64  // maximum number of bytes, from decoding to encoding
	encoding      int64  // bytes of that for the codec of pictures that are not opaque
}

// planFor returns the plan for an image that may use `limit` bytes.
func planFor(h codec.Header, versions []domain.ImageVersion, limit int64) plan {
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
		// Few pictures need the whole encoding memory, so the largest ones get the remaining memory.
		p.encoding = max(codec.Base+8*largest, min(codec.EncodingMemory(largest), limit-planMemory-pictures))
	}
	p.need = planMemory + max(h.Decoding, h.Decoded+pictures, pictures+p.encoding)
	return p
}

// planMemory covers small allocations: buffers of decoders, the blurhash, and the tables of an
// encoder.
const planMemory = 1 << 20

func (p plan) size(v domain.ImageVersion) size {
	w, h := v.Fit(p.width, p.height)
	return size{w, h, v.Square() && p.width != p.height}
}

// pictures returns the maximum number of bytes for the pictures of a decoded image and their
// files, including the memory for making them, and the pixels of the largest picture.
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
		resampling = max(resampling, codec.ResampleMemory(h.Width, h.Height, across, down, h.Channels))
	}
	if h.Orientation > 1 { // turned after it is resized
		bytes += channels * largest
	}
	return bytes + resampling, largest
}
