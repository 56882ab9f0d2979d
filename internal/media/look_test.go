package media

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/colour"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
)

// scene paints soft shapes in places that depend on the seed.
func scene(seed uint64, width, height int) *image.NRGBA {
	r := rand.New(rand.NewPCG(seed, 7))
	type blob struct{ x, y, size, red, green, blue float64 }
	var all []blob
	for range 12 {
		all = append(all, blob{r.Float64(), r.Float64(), 0.05 + r.Float64()/4, r.Float64() * 255, r.Float64() * 255, r.Float64() * 255})
	}
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			red, green, blue, sum := 30.0, 30.0, 30.0, 1.0
			for _, b := range all {
				dx, dy := float64(x)/float64(width)-b.x, float64(y)/float64(height)-b.y
				w := 20 * math.Exp(-(dx*dx+dy*dy)/(b.size*b.size))
				red, green, blue, sum = red+w*b.red, green+w*b.green, blue+w*b.blue, sum+w
			}
			img.SetNRGBA(x, y, color.NRGBA{uint8(red / sum), uint8(green / sum), uint8(blue / sum), 255})
		}
	}
	return img
}

// Versions of an image have nearly the same hash, and other images have different ones.
func TestLooks(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	look := func(file []byte, kind string) Look {
		t.Helper()
		l, err := s.Look(t.Context(), bytes.NewReader(file), filetype.Kind{ContentType: kind})
		if err != nil {
			t.Fatal(err)
		}
		made, err := s.Render(t.Context(), bytes.NewReader(file), filetype.Kind{ContentType: kind}, small)
		if err != nil || made.Palette != l.Palette || (made.Hash == nil) != (l.Hash == nil) || l.Hash != nil && *made.Hash != *l.Hash {
			t.Errorf("rendered: %+v, looked at: %+v, %v", made.Look, l, err)
		}
		return l
	}
	var others []int64
	for seed := range uint64(5) {
		original := look(mediatest.PNG(t, scene(seed, 400, 300)), filetype.PNG)
		var poor bytes.Buffer
		if err := jpeg.Encode(&poor, scene(seed, 400, 300), &jpeg.Options{Quality: 40}); err != nil {
			t.Fatal(err)
		}
		for name, version := range map[string]Look{
			"smaller":    look(mediatest.PNG(t, scene(seed, 210, 157)), filetype.PNG),
			"compressed": look(poor.Bytes(), filetype.JPEG),
		} {
			if d := colour.Distance(*original.Hash, *version.Hash); d > 4 {
				t.Errorf("%d, %s: %d bits differ", seed, name, d)
			}
		}
		for _, o := range others {
			if d := colour.Distance(*original.Hash, o); d <= 12 {
				t.Errorf("%d: only %d bits differ from another image", seed, d)
			}
		}
		others = append(others, *original.Hash)
	}
}

// Transparent pixels have no colour, and do not count as structure unless they are visible on white.
func TestLookOfTransparentImages(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	for i := range img.Pix {
		img.Pix[i] = []uint8{0, 128, 128, 0}[i%4]
		if i >= len(img.Pix)/2 && i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	made, err := NewStudio(Options{}).Look(t.Context(), bytes.NewReader(mediatest.PNG(t, img)), filetype.Kind{ContentType: filetype.PNG})
	if err != nil || !strings.HasSuffix(made.Palette, ":100") || made.Hash == nil {
		t.Errorf("%+v, %v", made, err)
	}
}
