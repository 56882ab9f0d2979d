package media

import (
	"image"
	"image/draw"

	"vitrine/internal/media/codec"
)

// cascade makes the pictures of one image. Each is made from a larger picture with enough pixels,
// if there is one, because reading fewer pixels is faster.
type cascade struct {
	original    image.Image
	orientation codec.Orientation
	whole       []image.Image // pictures of the whole image, upright, largest first
}

// picturesOf returns every size of a plan, made from a decoded image, in sRGB.
func picturesOf(img image.Image, h codec.Header, p plan) map[size]image.Image {
	c := &cascade{original: codec.Normal(img), orientation: h.Orientation}
	made := map[size]image.Image{}
	for _, want := range p.sizes {
		made[want] = c.make(want)
		if !want.cropped {
			c.whole = append(c.whole, made[want])
		}
	}
	if h.Profile != nil && !h.Profile.CMYK() {
		for want, picture := range made {
			made[want] = converted(picture, h.Profile)
		}
	}
	return made
}

// converted returns a copy of a picture in sRGB. It copies because pictures may share their pixels; all
// of them together have fewer pixels than a photograph.
func converted(picture image.Image, t *codec.ColorTransform) image.Image {
	b := picture.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(dst, dst.Rect, picture, b.Min, draw.Src)
	t.Convert(dst.Pix)
	return dst
}

func (c *cascade) make(want size) image.Image {
	if from := c.source(want); from != nil {
		if want.cropped {
			from = codec.Square(from)
		}
		return codec.Resize(from, want.width, want.height)
	}
	img := c.original
	if want.cropped {
		img = codec.Square(img)
	}
	width, height := want.width, want.height
	if c.orientation.Swaps() {
		width, height = height, width
	}
	return codec.Turn(codec.Resize(img, width, height), c.orientation)
}

// source returns the smallest picture with at least twice the pixels in each direction, which loses
// nothing when it is resampled again. If no picture is that large, it returns the largest picture
// if it has enough pixels, or else nil for the original.
func (c *cascade) source(want size) image.Image {
	enough := func(img image.Image, factor int) bool {
		b := img.Bounds()
		if want.cropped {
			return min(b.Dx(), b.Dy()) >= factor*want.width
		}
		return b.Dx() >= factor*want.width && b.Dy() >= factor*want.height
	}
	for i := len(c.whole) - 1; i >= 0; i-- {
		if enough(c.whole[i], 2) {
			return c.whole[i]
		}
	}
	if len(c.whole) > 0 && enough(c.whole[0], 1) {
		return c.whole[0]
	}
	return nil
}
