package sandbox

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
)

// palettes are the colours of pictures, from light to dark.
var palettes = [][4]color.RGBA{
	{{0xf6, 0xe3, 0xc5, 255}, {0xe9, 0xa1, 0x78, 255}, {0xa2, 0x54, 0x3c, 255}, {0x2a, 0x24, 0x38, 255}},
	{{0xdf, 0xe9, 0xe6, 255}, {0x9f, 0xc2, 0xbd, 255}, {0x2f, 0x5d, 0x62, 255}, {0x1d, 0x3c, 0x45, 255}},
	{{0xe7, 0xec, 0xef, 255}, {0xa3, 0xbc, 0xd6, 255}, {0x27, 0x4c, 0x77, 255}, {0x14, 0x21, 0x3d, 255}},
	{{0xf1, 0xed, 0xe1, 255}, {0xc9, 0xc5, 0xa3, 255}, {0x4f, 0x6f, 0x52, 255}, {0x26, 0x3a, 0x29, 255}},
}

// picture returns a PNG of hills below a sun. The same seed gives the same bytes.
func picture(seed uint64, width, height int) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	colours := palettes[seed%uint64(len(palettes))]
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{colours[0], colours[1], colours[2], colours[3]})
	sunX, sunY, radius := 0.2+0.6*random.Float64(), 0.2+0.2*random.Float64(), 0.06+0.06*random.Float64()
	phase := [2]float64{6 * random.Float64(), 6 * random.Float64()}
	for y := range height {
		for x := range width {
			u, v := float64(x)/float64(width), float64(y)/float64(height)
			var index uint8
			switch {
			case v > 0.75+0.08*math.Sin(5*u+phase[0]):
				index = 3
			case v > 0.55+0.1*math.Sin(8*u+phase[1]):
				index = 2
			case math.Hypot((u-sunX)*float64(width)/float64(height), v-sunY) < radius:
				index = 1
			}
			img.SetColorIndex(x, y, index)
		}
	}
	var out bytes.Buffer
	_ = png.Encode(&out, img) // a buffer takes all writes
	return out.Bytes()
}
