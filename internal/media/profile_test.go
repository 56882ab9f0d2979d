package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"testing"

	"golang.org/x/image/tiff"

	"vitrine/internal/domain"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
)

// Resized versions are in sRGB for every profile and format of the original.
func TestProfiles(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	// The profile of swap.jpg swaps red and green, so the test notices if it is ignored.
	swap := profileOf(t, mediatest.Fixture(t, "swap.jpg"))
	p3 := profileOf(t, mediatest.Fixture(t, "p3.jpg"))
	red, green := color.NRGBA{R: 200, G: 50, B: 50, A: 255}, color.NRGBA{R: 50, G: 200, B: 50, A: 255}
	flat := func(c color.Color) *image.RGBA {
		img := image.NewRGBA(mediatest.Rect())
		for i := range img.Rect.Dx() * img.Rect.Dy() {
			img.Set(i%img.Rect.Dx(), i/img.Rect.Dx(), c)
		}
		return img
	}
	jpeg := mediatest.JPEG(t, flat(red))
	shining := color.NRGBA{R: 200, G: 50, B: 50, A: 128}
	for name, c := range map[string]struct {
		kind string
		file []byte
		want color.NRGBA
	}{
		"jpeg":                {filetype.JPEG, mediatest.Fixture(t, "swap.jpg"), green},
		"jpeg, in two parts":  {filetype.JPEG, jpegWithProfile(jpeg, swap[:100], swap[100:]), green},
		"jpeg, P3":            {filetype.JPEG, jpegWithProfile(jpeg, p3), color.NRGBA{R: 220, G: 13, B: 37, A: 255}},
		"jpeg, broken":        {filetype.JPEG, jpegWithProfile(jpeg, swap[:200]), red},
		"jpeg, for four inks": {filetype.JPEG, jpegWithProfile(jpeg, append(append(bytes.Clone(swap[:16]), "CMYK"...), swap[20:]...)), red},
		"cmyk":                {filetype.JPEG, jpegWithProfile(mediatest.Fixture(t, "cmyk.jpg"), blackProfile()), color.NRGBA{R: 119, G: 119, B: 119, A: 255}},
		"cmyk, no profile":    {filetype.JPEG, mediatest.Fixture(t, "cmyk.jpg"), color.NRGBA{R: 0, G: 128, B: 128, A: 255}},
		"png":                 {filetype.PNG, mediatest.Fixture(t, "swap.png"), green},
		"png with alpha":      {filetype.PNG, pngWithProfile(mediatest.PNG(t, flat(shining)), swap), color.NRGBA{R: 50, G: 200, B: 50, A: 128}},
		"tiff":                {filetype.TIFF, tiffWithProfile(t, flat(red), swap), green},
		"webp":                {filetype.WebP, mediatest.Fixture(t, "swap.webp"), green},
		"avif":                {filetype.AVIF, mediatest.Fixture(t, "swap.avif"), green},
		"heic":                {filetype.HEIC, mediatest.Fixture(t, "swap.heic"), green},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := s.Render(t.Context(), bytes.NewReader(c.file), filetype.Kind{ContentType: c.kind}, []domain.ImageVersion{domain.SmallImage})
			if err != nil {
				t.Fatal(err)
			}
			if got.Opaque != (c.want.A == 255) {
				t.Errorf("opaque: %v", got.Opaque)
			}
			img, _, err := image.Decode(bytes.NewReader(got.Renditions[0].Bytes))
			if err != nil {
				t.Fatal(err)
			}
			for i, corner := range mediatest.Corners(img) {
				if !mediatest.Near(corner, c.want, 14) {
					t.Errorf("corner %d is %v, want %v", i, corner, c.want)
				}
			}
		})
	}
}

// profileOf returns the ICC profile of a JPEG file that has it in one segment.
func profileOf(t *testing.T, file []byte) []byte {
	t.Helper()
	at := bytes.Index(file, []byte("ICC_PROFILE\x00"))
	if at < 0 {
		t.Fatal("no profile")
	}
	return file[at+14 : at-2+int(binary.BigEndian.Uint16(file[at-2:]))]
}

func jpegWithProfile(file []byte, parts ...[]byte) []byte {
	out := bytes.Clone(file[:2])
	for i, part := range parts {
		out = append(out, 0xFF, 0xE2)
		out = binary.BigEndian.AppendUint16(out, uint16(len(part)+16))
		out = append(append(out, "ICC_PROFILE\x00"...), byte(i+1), byte(len(parts)))
		out = append(out, part...)
	}
	return append(out, file[2:]...)
}

func pngWithProfile(file, icc []byte) []byte {
	chunk := append([]byte("iCCPname\x00\x00"), deflated(icc)...)
	full := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
	full = binary.BigEndian.AppendUint32(append(full, chunk...), crc32.ChecksumIEEE(chunk))
	const header = 33 // the signature and IHDR
	return append(append(bytes.Clone(file[:header]), full...), file[header:]...)
}

// tiffWithProfile appends a profile tag to the directory, which the encoder writes
// at the end of the file.
func tiffWithProfile(t *testing.T, img image.Image, icc []byte) []byte {
	t.Helper()
	file := mediatest.Encode(t, func(b *bytes.Buffer) error { return tiff.Encode(b, img, nil) })
	order := binary.LittleEndian
	at := order.Uint32(file[4:])
	count := order.Uint16(file[at:])
	directory := bytes.Clone(file[at+2 : at+2+12*uint32(count)])
	profile := len(file)
	file = append(file, icc...)
	order.PutUint32(file[4:], uint32(len(file)))
	file = order.AppendUint16(file, count+1)
	file = append(file, directory...)
	file = order.AppendUint16(order.AppendUint16(file, 34675), 7)
	file = order.AppendUint32(order.AppendUint32(file, uint32(len(icc))), uint32(profile))
	return order.AppendUint32(file, 0)
}

func deflated(data []byte) []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(data)
	_ = w.Close()
	return packed.Bytes()
}

// blackProfile returns a CMYK profile in which only black ink counts: it lowers the
// lightness from 100 to 0. ICC.1:2001-04, section 6.5.8, lut8Type.
func blackProfile() []byte {
	lut := append([]byte("mft1\x00\x00\x00\x00"), 4, 3, 2, 0) // inputs, outputs, points of the grid
	for i := range 9 {
		lut = binary.BigEndian.AppendUint32(lut, map[bool]uint32{true: 1 << 16}[i%4 == 0]) // the unit matrix
	}
	identity := func() {
		for v := range 256 {
			lut = append(lut, byte(v))
		}
	}
	for range 4 {
		identity()
	}
	for i := range 16 { // black varies fastest
		lut = append(lut, map[int]byte{0: 255, 1: 0}[i%2], 128, 128)
	}
	for range 3 {
		identity()
	}
	const start = 128 + 4 + 12
	icc := make([]byte, start, start+len(lut))
	binary.BigEndian.PutUint32(icc, uint32(start+len(lut)))
	binary.BigEndian.PutUint32(icc[8:], 0x02400000) // version 2.4
	copy(icc[12:], "prtrCMYKLab ")
	copy(icc[36:], "acsp")
	for i, v := range []uint32{0xF6D6, 0x10000, 0xD32D} { // D50
		binary.BigEndian.PutUint32(icc[68+4*i:], v)
	}
	binary.BigEndian.PutUint32(icc[128:], 1)
	copy(icc[132:], "A2B0")
	binary.BigEndian.PutUint32(icc[136:], start)
	binary.BigEndian.PutUint32(icc[140:], uint32(len(lut)))
	return append(icc, lut...)
}
