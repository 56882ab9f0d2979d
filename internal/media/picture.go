package media

import (
	"image"

	"github.com/disintegration/imaging"
)

// resize returns img at another size: planes as planes, all else as
// *image.NRGBA.
func resize(img image.Image, width, height int) image.Image {
	if b := img.Bounds(); b.Dx() == width && b.Dy() == height {
		switch img := img.(type) {
		case *image.YCbCr:
			if _, ok := sideways[img.SubsampleRatio]; ok {
				return img
			}
		case *image.Gray, *image.NRGBA:
			return img
		}
	}
	switch img := img.(type) {
	case *image.YCbCr:
		y, cb, cr := planesOf(img)
		w, h := (width+1)/2, (height+1)/2
		return imageOf(y.resample(width, height), cb.resample(w, h), cr.resample(w, h), image.YCbCrSubsampleRatio420)
	case *image.Gray:
		return grayOf(grayPlane(img).resample(width, height))
	}
	return imaging.Resize(img, width, height, imaging.Lanczos)
}

// turn returns img as it is to be viewed. The samples of planes stay beside
// those they describe: 4:2:2 becomes 4:4:0 on its side.
func turn(img image.Image, o orientation) image.Image {
	if o == 1 {
		return img
	}
	switch img := img.(type) {
	case *image.YCbCr:
		y, cb, cr := planesOf(img)
		ratio := img.SubsampleRatio
		if o.swaps() {
			ratio = sideways[ratio]
		}
		return imageOf(y.turn(o), cb.turn(o), cr.turn(o), ratio)
	case *image.Gray:
		return grayOf(grayPlane(img).turn(o))
	}
	return o.apply(img)
}

// sideways has the subsampling of an image on its side. 4:1:1 and 4:1:0 have
// no such name; such images are resized to 4:2:0 before they are turned.
var sideways = map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444: image.YCbCrSubsampleRatio444,
	image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440,
	image.YCbCrSubsampleRatio420: image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
}

// square returns the central square of img, which shares its pixels. It may be
// off the centre by up to three pixels, to begin where chroma samples do.
func square(img image.Image) image.Image {
	r := central(img.Bounds())
	if y, ok := img.(*image.YCbCr); ok {
		from := image.Pt(r.Min.X&^3, r.Min.Y&^3)
		return y.SubImage(r.Sub(r.Min).Add(from))
	}
	if part, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok {
		return part.SubImage(r)
	}
	return imaging.Crop(img, r)
}

// planesOf returns the planes of img, which share its memory.
func planesOf(img *image.YCbCr) (y, cb, cr plane) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	across, down := subsampling(img.SubsampleRatio)
	cw, ch := (w+across-1)/across, (h+down-1)/down
	at, cat := img.YOffset(img.Rect.Min.X, img.Rect.Min.Y), img.COffset(img.Rect.Min.X, img.Rect.Min.Y)
	return plane{img.Y[at:], img.YStride, w, h}, plane{img.Cb[cat:], img.CStride, cw, ch}, plane{img.Cr[cat:], img.CStride, cw, ch}
}

// subsampling returns how many pixels share a chroma sample.
func subsampling(r image.YCbCrSubsampleRatio) (across, down int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

func imageOf(y, cb, cr plane, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	return &image.YCbCr{
		Y: y.pix, Cb: cb.pix, Cr: cr.pix, YStride: y.stride, CStride: cb.stride,
		SubsampleRatio: ratio, Rect: image.Rect(0, 0, y.width, y.height),
	}
}

func grayPlane(img *image.Gray) plane {
	return plane{img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y):], img.Stride, img.Rect.Dx(), img.Rect.Dy()}
}

func grayOf(p plane) *image.Gray {
	return &image.Gray{Pix: p.pix, Stride: p.stride, Rect: image.Rect(0, 0, p.width, p.height)}
}
