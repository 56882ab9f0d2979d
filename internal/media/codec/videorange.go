package codec

import "image"

// widenRange converts samples from the range of video, 16 to 235 for luma and 16 to 240 for
// chroma, to the full range of image.YCbCr.
func widenRange(img *image.YCbCr) {
	var luma, chroma [256]byte
	for i := range 256 {
		luma[i] = clampByte((i-16)*255, 219)
		chroma[i] = clampByte((i-128)*255+128*224, 224)
	}
	for _, part := range []struct {
		pix   []byte
		table *[256]byte
	}{{img.Y, &luma}, {img.Cb, &chroma}, {img.Cr, &chroma}} {
		for i, v := range part.pix {
			part.pix[i] = part.table[v]
		}
	}
}

// clampByte returns a divided by b and rounded, as a byte.
func clampByte(a, b int) byte { return byte(min(255, max(0, a+b/2)/b)) }
