package codec

import (
	"image"
	"image/color"
	"testing"

	"vitrine/internal/media/mediatest"
)

// Plans include the memory for rows and weights, which grows only with the sides of the image.
func TestResampleIsBounded(t *testing.T) {
	for _, c := range []struct{ fromWidth, fromHeight, width, height int }{
		{1_000_000, 1, 2_400, 1}, {1, 1_000_000, 1, 2_400}, {32_768, 20, 400, 1}, {1_000, 700, 400, 280}, {3, 2, 32, 32},
	} {
		for _, channels := range []int{1, 4} {
			p := newPlane(c.fromWidth, c.fromHeight, channels)
			bound := ResampleMemory(c.fromWidth, c.fromHeight, c.width, c.height, channels) + int64(c.width*c.height*channels)
			if limit := int64(c.fromWidth*(24+5*channels) + c.fromHeight*80 + c.width*c.height*(100+channels)); bound > limit {
				t.Errorf("%+v, %d channels: the plan has %d bytes, more than %d", c, channels, bound, limit)
			}
			bytes, objects := allocated(func() { p.resample(c.width, c.height) })
			if bound += bound/8 + 4<<10; bytes > bound || objects > 50 { // allocations are rounded up
				t.Errorf("%+v, %d channels: %d bytes in %d objects, the plan has %d", c, channels, bytes, objects, bound)
			}
		}
	}
}

// Converting images of 16 bits and CMYK in place equals converting them pixel by pixel.
func TestNormalInPlace(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 16, 16)
	for _, img := range []interface {
		image.Image
		Set(x, y int, c color.Color)
	}{image.NewGray16(r), image.NewRGBA64(r), image.NewNRGBA64(r), image.NewCMYK(r)} {
		want := image.NewNRGBA(r)
		for i := range 256 {
			x, y := i%16, i/16
			img.Set(x, y, color.NRGBA64{uint16(i * 257), uint16(65535 - 100*i), uint16(i * i), uint16(65535 - 200*i)})
			want.Set(x, y, img.At(x, y))
		}
		got := Normal(img)
		for i := range 256 {
			x, y := i%16, i/16
			a, b := color.RGBAModel.Convert(got.At(x, y)).(color.RGBA), color.RGBAModel.Convert(want.At(x, y)).(color.RGBA)
			if !mediatest.Near(color.NRGBA(a), color.NRGBA(b), 2) {
				t.Fatalf("%T: %v, want %v at %d, %d", img, a, b, x, y)
			}
		}
	}
}

// RGBA pictures are turned like planes.
func TestTurnAgrees(t *testing.T) {
	t.Parallel()
	for o := Orientation(1); o <= 8; o++ {
		grey, full := image.NewGray(image.Rect(0, 0, 5, 3)), image.NewRGBA(image.Rect(0, 0, 5, 3))
		for i := range grey.Pix {
			grey.Pix[i] = byte(i * 9)
			full.SetRGBA(i%5, i/5, color.RGBA{byte(i * 9), byte(i * 9), byte(i * 9), 255})
		}
		a, b := Turn(grey, o), Turn(full, o)
		if a.Bounds() != b.Bounds() {
			t.Fatalf("%d: %v and %v", o, a.Bounds(), b.Bounds())
		}
		for y := range a.Bounds().Dy() {
			for x := range a.Bounds().Dx() {
				if !mediatest.Near(color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA), 0) {
					t.Fatalf("%d: %v and %v at %d, %d", o, a.At(x, y), b.At(x, y), x, y)
				}
			}
		}
	}
}
