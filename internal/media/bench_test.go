package media

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/media/codec"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
)

// photograph returns an image like that of a camera: smooth areas with a little noise.
func photograph(width, height int) *image.RGBA {
	random := rand.New(rand.NewPCG(1, 2))
	few := image.NewNRGBA(image.Rect(0, 0, width/20, height/20))
	for i := range few.Pix {
		few.Pix[i] = byte(random.IntN(256)) | byte(255*(i%4/3))
	}
	full := codec.Resize(codec.Normal(few), width, height).(*image.RGBA)
	for i := range full.Pix {
		if i%4 != 3 {
			full.Pix[i] = byte(min(255, int(full.Pix[i])+random.IntN(8)))
		}
	}
	return full
}

func BenchmarkRender12MP(b *testing.B) {
	photo := photograph(4000, 3000)
	s := NewStudio(Options{})
	b.Cleanup(func() { closeStudio(b, s) })
	for name, file := range map[string][]byte{filetype.JPEG: mediatest.JPEG(b, photo), filetype.PNG: mediatest.PNG(b, photo)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Render(b.Context(), bytes.NewReader(file), filetype.Kind{ContentType: name}, domain.ImageVersions()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
