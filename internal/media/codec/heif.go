package codec

import (
	"errors"
	"fmt"
	"image"
	"image/draw"

	"vitrine/internal/media/source"
)

// libheif's numbers of colour spaces and chroma formats.
const (
	heifYCbCr = 0
	heifRGB   = 1
	heifGray  = 2
	heif420   = 1
	heif422   = 2
	heif444   = 3
)

// decodeHEIC decodes the primary image as it is stored, with its alpha channel.
func (c *Codecs) decodeHEIC(in *source.Input, h Header) (image.Image, error) {
	img, premultiplied, err := c.decodeHEICItem(in, h, 0)
	if err != nil || h.alpha == 0 {
		return img, err
	}
	alpha, _, err := c.decodeHEICItem(in, h, h.alpha)
	if err != nil {
		return nil, fmt.Errorf("the alpha channel: %w", err)
	}
	return withAlpha(img, alpha, premultiplied)
}

// withAlpha combines an image with the first channel of another image of the
// same size.
func withAlpha(img, alpha image.Image, premultiplied bool) (image.Image, error) {
	r := img.Bounds()
	var a []byte
	var stride int
	switch alpha := alpha.(type) {
	case *image.Gray:
		a, stride = alpha.Pix, alpha.Stride
	case *image.YCbCr:
		a, stride = alpha.Y, alpha.YStride
	default:
		return nil, fmt.Errorf("an alpha channel of type %T", alpha)
	}
	dst := image.NewNRGBA(r)
	draw.Draw(dst, r, img, r.Min, draw.Src)
	for y := range r.Dy() {
		row := dst.Pix[y*dst.Stride:]
		for x := range r.Dx() {
			row[4*x+3] = a[y*stride+x]
			if premultiplied { // no channel may exceed alpha
				for channel := range 3 {
					row[4*x+channel] = min(row[4*x+channel], row[4*x+3])
				}
			}
		}
	}
	if premultiplied {
		return &image.RGBA{Pix: dst.Pix, Stride: dst.Stride, Rect: r}, nil
	}
	return dst, nil
}

// decodeHEICItem decodes an item with the same size as the primary one, or the primary one if item
// is 0.
func (c *Codecs) decodeHEICItem(in *source.Input, h Header, item uint32) (img image.Image, premultiplied bool, err error) {
	o, err := openFile(&c.heif, in, in.Section(), in.Size(), h.codec)
	if err != nil {
		return nil, false, err
	}
	defer o.Close()
	file, err := o.Get(o.file, int(o.length))
	if err != nil {
		return nil, false, err
	}
	if err := simplify(file, item); err != nil {
		return nil, false, err
	}
	// decode(file, length, header only, width, height, colour space, chroma,
	// premultiplied, samples)
	decode := func(headerOnly, samples uint64) error {
		f := o.results
		ok, err := o.Call("decode", o.file, o.length, headerOnly, f, f+4, f+8, f+12, f+16, samples)
		if err == nil && ok == 0 {
			err = errors.New("codec: no HEIC")
		}
		return err
	}
	if err := decode(1, 0); err != nil {
		return nil, false, err
	}
	facts, err := o.Numbers(o.results, 5)
	if err != nil {
		return nil, false, err
	}
	if stored := image.Pt(facts[0], facts[1]); stored != h.stored {
		return nil, false, fmt.Errorf("%v pixels, but the header says %v", stored, h.stored)
	}
	layout, err := heifLayout(facts[0], facts[1], facts[2], facts[3])
	if err != nil {
		return nil, false, err
	}
	if int64(layout.length) > h.samples {
		return nil, false, errors.New("more samples than the header says")
	}
	at, err := o.Alloc(layout.length)
	if err != nil {
		return nil, false, err
	}
	if err := decode(0, at); err != nil {
		return nil, false, err
	}
	samples, err := o.Get(at, layout.length)
	if err != nil {
		return nil, false, err
	}
	premultiplied = facts[4] == 1
	img = layout.image(append([]byte(nil), samples...), premultiplied)
	if y, ok := img.(*image.YCbCr); ok && h.videoRange {
		widenRange(y)
	}
	return img, premultiplied, nil
}

// layout is the codec's layout of samples: rows have space for at least 64 pixels and are aligned
// to 16 bytes.
type layout struct {
	width, height          int
	colours                int
	ratio                  image.YCbCrSubsampleRatio
	stride, chroma, length int // bytes: a row, a row of chroma, everything
}

func heifLayout(width, height, colours, chroma int) (layout, error) {
	l := layout{width: width, height: height, colours: colours, stride: alignedHEIF(width)}
	switch colours {
	case heifGray:
		l.length = l.stride * height
		return l, nil
	case heifRGB:
		l.stride = 4 * ((max(width, 64) + 3) &^ 3)
		l.length = l.stride * height
		return l, nil
	case heifYCbCr:
		ratio, ok := map[int]image.YCbCrSubsampleRatio{
			heif420: image.YCbCrSubsampleRatio420,
			heif422: image.YCbCrSubsampleRatio422,
			heif444: image.YCbCrSubsampleRatio444,
		}[chroma]
		if ok {
			across, down := subsampling(ratio)
			l.ratio, l.chroma = ratio, alignedHEIF((width+across-1)/across)
			l.length = l.stride*height + 2*l.chroma*((height+down-1)/down)
			return l, nil
		}
	}
	return layout{}, fmt.Errorf("colours %d with chroma %d", colours, chroma)
}

// alignedHEIF returns the length in bytes of a row of samples.
func alignedHEIF(samples int) int { return (max(samples, 64) + 15) &^ 15 }

// image converts the decoded samples to an image.Image.
func (l layout) image(samples []byte, premultiplied bool) image.Image {
	r := image.Rect(0, 0, l.width, l.height)
	switch {
	case l.colours == heifGray:
		return &image.Gray{Pix: samples, Stride: l.stride, Rect: r}
	case l.colours == heifRGB && premultiplied:
		return &image.RGBA{Pix: samples, Stride: l.stride, Rect: r}
	case l.colours == heifRGB:
		return &image.NRGBA{Pix: samples, Stride: l.stride, Rect: r}
	}
	luma := l.stride * l.height
	chroma := (len(samples) - luma) / 2
	return &image.YCbCr{
		Y: samples[:luma], Cb: samples[luma : luma+chroma], Cr: samples[luma+chroma:],
		YStride: l.stride, CStride: l.chroma, SubsampleRatio: l.ratio, Rect: r,
	}
}
