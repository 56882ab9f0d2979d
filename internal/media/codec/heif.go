package codec

import (
	"errors"
	"fmt"
	"image"

	"vitrine/internal/media/bitmap"
	"vitrine/internal/media/source"
)

// The numbers that libheif uses for colour spaces and chroma formats.
const (
	heifYCbCr = 0
	heifRGB   = 1
	heifGray  = 2
	heif420   = 1
	heif422   = 2
	heif444   = 3
)

// decodeHEIC decodes the primary image, turned as the file says.
func (c *Codecs) decodeHEIC(in *source.Input, h Header) (image.Image, error) {
	o, err := openFile(&c.heif, in, in.Section(), in.Size(), h.codec)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	// decode(file, length, header only, width, height, colour space, chroma,
	// premultiplied, samples)
	decode := func(headerOnly, samples uint64) error {
		f := o.facts
		ok, err := o.Call("decode", o.file, o.length, headerOnly, f, f+4, f+8, f+12, f+16, samples)
		if err == nil && ok == 0 {
			err = errors.New("codec: no HEIC")
		}
		return err
	}
	if err := decode(1, 0); err != nil {
		return nil, err
	}
	facts, err := o.Numbers(o.facts, 5)
	if err != nil {
		return nil, err
	}
	if facts[0] != h.Width || facts[1] != h.Height {
		return nil, fmt.Errorf("%d × %d pixels, but the header says %d × %d", facts[0], facts[1], h.Width, h.Height)
	}
	layout, err := heifLayout(facts[0], facts[1], facts[2], facts[3])
	if err != nil {
		return nil, err
	}
	if int64(layout.length) > h.Decoded {
		return nil, errors.New("more samples than the header says")
	}
	at, err := o.Alloc(layout.length)
	if err != nil {
		return nil, err
	}
	if err := decode(0, at); err != nil {
		return nil, err
	}
	samples, err := o.Get(at, layout.length)
	if err != nil {
		return nil, err
	}
	img := layout.image(append([]byte(nil), samples...), facts[4] == 1)
	if y, ok := img.(*image.YCbCr); ok && h.videoRange {
		bitmap.WidenRange(y)
	}
	return img, nil
}

// layout is how the codec lays out samples: rows have room for 64 pixels at
// least, and are aligned to 16 bytes.
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
			across, down := bitmap.Subsampling(ratio)
			l.ratio, l.chroma = ratio, alignedHEIF((width+across-1)/across)
			l.length = l.stride*height + 2*l.chroma*((height+down-1)/down)
			return l, nil
		}
	}
	return layout{}, fmt.Errorf("colours %d with chroma %d", colours, chroma)
}

// alignedHEIF returns how many bytes a row of so many samples takes.
func alignedHEIF(samples int) int { return (max(samples, 64) + 15) &^ 15 }

// image returns the image that the samples are.
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
