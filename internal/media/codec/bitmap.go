package codec

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
)

// Normal returns img as one of the three types. Except for palettes, it overwrites the samples, so
// that it needs no second image.
func Normal(img image.Image) image.Image {
	switch img := img.(type) {
	case *image.YCbCr, *image.Gray, *image.RGBA:
		return img
	case *image.NRGBA:
		premultiply(img.Pix)
		return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	case *image.Gray16:
		cut(img.Pix)
		return &image.Gray{Pix: img.Pix[:len(img.Pix)/2], Stride: img.Stride / 2, Rect: img.Rect}
	case *image.RGBA64:
		cut(img.Pix)
		return &image.RGBA{Pix: img.Pix[:len(img.Pix)/2], Stride: img.Stride / 2, Rect: img.Rect}
	case *image.NRGBA64:
		cut(img.Pix)
		return Normal(&image.NRGBA{Pix: img.Pix[:len(img.Pix)/2], Stride: img.Stride / 2, Rect: img.Rect})
	case *image.CMYK:
		for pix := img.Pix; len(pix) >= 4; pix = pix[4:] {
			pix[0], pix[1], pix[2] = color.CMYKToRGB(pix[0], pix[1], pix[2], pix[3])
			pix[3] = 255
		}
		return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	}
	b := img.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(dst, dst.Rect, img, b.Min, draw.Src)
	return dst
}

// cut moves the high bytes of 16-bit samples to the front.
func cut(pix []byte) {
	for i := range len(pix) / 2 {
		pix[i] = pix[2*i]
	}
}

func premultiply(pix []byte) {
	for ; len(pix) >= 4; pix = pix[4:] {
		a := int(pix[3])
		if a == 255 {
			continue
		}
		for c := range 3 {
			pix[c] = byte((int(pix[c])*a + 127) / 255)
		}
	}
}

// Resize returns a picture at another size.
func Resize(picture image.Image, width, height int) image.Image {
	b := picture.Bounds()
	same := b.Dx() == width && b.Dy() == height
	switch img := picture.(type) {
	case *image.YCbCr:
		if _, ok := sideways[img.SubsampleRatio]; ok && same {
			return img
		}
		y, cb, cr := planesOf(img)
		w, h := (width+1)/2, (height+1)/2
		return imageOf(y.resample(width, height), cb.resample(w, h), cr.resample(w, h), image.YCbCrSubsampleRatio420)
	case *image.Gray:
		if same {
			return img
		}
		return grayOf(grayPlane(img).resample(width, height))
	case *image.RGBA:
		if same {
			return img
		}
		return rgbaOf(rgbaPlane(img).resample(width, height))
	}
	panic(fmt.Sprintf("a picture of type %T", picture))
}

// Turn returns a picture in the orientation for viewing. Chroma samples stay with their pixels:
// 4:2:2 becomes 4:4:0 if it is turned on its side.
func Turn(picture image.Image, o Orientation) image.Image {
	if o == 1 {
		return picture
	}
	switch img := picture.(type) {
	case *image.YCbCr:
		y, cb, cr := planesOf(img)
		ratio := img.SubsampleRatio
		if o.Swaps() {
			ratio = sideways[ratio]
		}
		return imageOf(y.turn(o), cb.turn(o), cr.turn(o), ratio)
	case *image.Gray:
		return grayOf(grayPlane(img).turn(o))
	case *image.RGBA:
		return rgbaOf(rgbaPlane(img).turn(o))
	}
	panic(fmt.Sprintf("a picture of type %T", picture))
}

// sideways maps the subsampling of an image to that after turning it on its side. 4:1:1 and 4:1:0
// have no counterpart; such images are resized to 4:2:0 before they are turned.
var sideways = map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444: image.YCbCrSubsampleRatio444,
	image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440,
	image.YCbCrSubsampleRatio420: image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
}

// Square returns the central square of a picture, sharing its pixels. The square may be up to
// three pixels off centre, in order to begin at a chroma sample.
func Square(picture image.Image) image.Image {
	r := Central(picture.Bounds())
	switch img := picture.(type) {
	case *image.YCbCr:
		from := image.Pt(r.Min.X&^3, r.Min.Y&^3)
		return img.SubImage(r.Sub(r.Min).Add(from))
	case *image.Gray:
		return img.SubImage(r)
	case *image.RGBA:
		return img.SubImage(r)
	}
	panic(fmt.Sprintf("a picture of type %T", picture))
}

// planesOf returns the planes of img, sharing its memory.
func planesOf(img *image.YCbCr) (y, cb, cr plane) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	across, down := subsampling(img.SubsampleRatio)
	cw, ch := (w+across-1)/across, (h+down-1)/down
	at, cat := img.YOffset(img.Rect.Min.X, img.Rect.Min.Y), img.COffset(img.Rect.Min.X, img.Rect.Min.Y)
	return plane{img.Y[at:], img.YStride, w, h, 1},
		plane{img.Cb[cat:], img.CStride, cw, ch, 1},
		plane{img.Cr[cat:], img.CStride, cw, ch, 1}
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
	return plane{img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y):], img.Stride, img.Rect.Dx(), img.Rect.Dy(), 1}
}

func grayOf(p plane) *image.Gray {
	return &image.Gray{Pix: p.pix, Stride: p.stride, Rect: image.Rect(0, 0, p.width, p.height)}
}

func rgbaPlane(img *image.RGBA) plane {
	return plane{img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y):], img.Stride, img.Rect.Dx(), img.Rect.Dy(), 4}
}

func rgbaOf(p plane) *image.RGBA {
	return &image.RGBA{Pix: p.pix, Stride: p.stride, Rect: image.Rect(0, 0, p.width, p.height)}
}

// Central returns the largest square in the middle of r.
func Central(r image.Rectangle) image.Rectangle {
	side := min(r.Dx(), r.Dy())
	x, y := r.Min.X+(r.Dx()-side)/2, r.Min.Y+(r.Dy()-side)/2
	return image.Rect(x, y, x+side, y+side)
}

// Opaque reports whether a picture has no transparent pixels.
func Opaque(picture image.Image) bool {
	o, ok := picture.(interface{ Opaque() bool })
	return ok && o.Opaque()
}
