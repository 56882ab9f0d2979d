package media

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// allocated returns how much f allocates. Tests that use it run alone.
func allocated(f func()) (bytes int64, objects int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), int(after.Mallocs - before.Mallocs)
}

// What a plan says of rows and weights holds, and grows with the image's sides
// alone.
func TestResampleIsBounded(t *testing.T) {
	for _, c := range []struct{ fromWidth, fromHeight, width, height int }{
		{1_000_000, 1, 2_400, 1}, {1, 1_000_000, 1, 2_400}, {32_768, 20, 400, 1}, {1_000, 700, 400, 280}, {3, 2, 32, 32},
	} {
		for _, channels := range []int{1, 4} {
			p := newPlane(c.fromWidth, c.fromHeight, channels)
			bound := resampleMemory(c.fromWidth, c.fromHeight, c.width, c.height, channels) + int64(c.width*c.height*channels)
			if most := int64(c.fromWidth*(24+5*channels) + c.fromHeight*80 + c.width*c.height*(100+channels)); bound > most {
				t.Errorf("%+v, %d channels: the plan has %d bytes, more than %d", c, channels, bound, most)
			}
			bytes, objects := allocated(func() { p.resample(c.width, c.height) })
			if bound += bound/8 + 4<<10; bytes > bound || objects > 50 { // allocations are rounded up
				t.Errorf("%+v, %d channels: %d bytes in %d objects, the plan has %d", c, channels, bytes, objects, bound)
			}
		}
	}
}

// Decoders in Go take no more than the header says.
func TestDecodingIsBounded(t *testing.T) {
	s := NewStudio(Options{})
	r := image.Rect(0, 0, 1_700, 1_100)
	const pixels = 1_700 * 1_100
	tall := image.NewYCbCr(image.Rect(0, 0, 3, 20_000), image.YCbCrSubsampleRatio420)
	for name, c := range map[string]struct {
		kind string
		file []byte
		more int64 // garbage that is collected meanwhile
	}{
		"grey png":        {typePNG, pngOf(t, image.NewGray(r)), 0},
		"tone":            {typePNG, withTone(pngOf(t, image.NewGray(r))), 0},
		"16 bits":         {typePNG, pngOf(t, image.NewGray16(r)), 0},
		"16 bits, alpha":  {typePNG, pngOf(t, image.NewNRGBA64(r)), 0},
		"rgba png":        {typePNG, pngOf(t, image.NewNRGBA(r)), 0},
		"palette":         {typePNG, pngOf(t, image.NewPaletted(r, palette())), 0},
		"interlaced":      {typePNG, interlacedPNG(1_700, 1_100), 0},
		"jpeg":            {typeJPEG, jpegOf(t, image.NewRGBA(r)), 0},
		"grey jpeg":       {typeJPEG, jpegOf(t, image.NewGray(r)), 0},
		"narrow jpeg":     {typeJPEG, jpegOf(t, tall), 0},
		"rgb jpeg":        {typeJPEG, rgbJPEG(jpegOf(t, image.NewRGBA(r))), 0},
		"gif":             {typeGIF, gifOf(t, image.NewPaletted(r, palette())), 0},
		"gif, frame":      {typeGIF, gifAround(t, 1_700, 1_100), 0},
		"bmp":             {typeBMP, encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, image.NewRGBA(r)) }), 0},
		"tiff, one strip": {typeTIFF, encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, image.NewRGBA(r), nil) }), 4 * pixels},
		"tiff, deflated": {typeTIFF, encoded(t, func(b *bytes.Buffer) error {
			return tiff.Encode(b, image.NewGray(r), &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		}), pixels},
	} {
		in := newInput(t.Context(), bytes.NewReader(c.file))
		h, err := readHeader(in, Kind{ContentType: c.kind})
		if err != nil {
			t.Fatal(name, err)
		}
		var img image.Image
		taken, _ := allocated(func() {
			if img, err = s.decode(in, Kind{ContentType: c.kind}, h); err == nil {
				img = normal(img)
			}
		})
		if err != nil {
			t.Fatal(name, err)
		}
		if bound := max(h.decoding, h.decoded) + planMemory + c.more; taken > bound {
			t.Errorf("%s: %d bytes, the header says %d", name, taken, bound)
		}
		if channels := map[bool]int{true: 4, false: 1}[reflect.TypeOf(img) == reflect.TypeFor[*image.RGBA]()]; channels != h.channels {
			t.Errorf("%s: %d channels in a %T", name, h.channels, img)
		}
	}
}

// withTone makes a tone of a grey PNG transparent.
func withTone(file []byte) []byte {
	chunk := []byte("\x00\x00\x00\x02tRNS\x00\x01")
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return bytes.Join([][]byte{file[:33], file[33:]}, chunk)
}

// interlacedPNG is an RGBA image of nothing.
func interlacedPNG(width, height int) []byte {
	var rows bytes.Buffer
	for _, pass := range [][4]int{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0}, {1, 2, 0, 1}} {
		w, h := (width-pass[2]+pass[0]-1)/pass[0], (height-pass[3]+pass[1]-1)/pass[1]
		rows.Write(make([]byte, h*(1+4*w)))
	}
	var file bytes.Buffer
	chunk := func(kind string, data []byte) {
		file.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
		file.WriteString(kind)
		file.Write(data)
		file.Write(binary.BigEndian.AppendUint32(nil, crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, data)))
	}
	file.WriteString("\x89PNG\r\n\x1a\n")
	shape := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	chunk("IHDR", append(shape, 8, 6, 0, 0, 1))
	chunk("IDAT", zipped(rows.Bytes()))
	chunk("IEND", nil)
	return file.Bytes()
}

func zipped(data []byte) []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(data)
	_ = w.Close()
	return packed.Bytes()
}

// rgbJPEG says behind the only scan that the components are red, green and blue.
func rgbJPEG(file []byte) []byte {
	adobe := []byte("\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x00")
	return append(append(bytes.Clone(file[:len(file)-2]), adobe...), file[len(file)-2:]...)
}

// gifAround is a screen with a frame of one pixel.
func gifAround(t *testing.T, width, height int) []byte {
	file := gifOf(t, image.NewPaletted(image.Rect(0, 0, 1, 1), palette()))
	binary.LittleEndian.PutUint16(file[6:], uint16(width))
	binary.LittleEndian.PutUint16(file[8:], uint16(height))
	return file
}

// No side may be longer than the limit, in any format.
func TestSidesAreBounded(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	long := image.NewGray(image.Rect(0, 0, maxSide+1, 1))
	dimensions := func(name string) []byte {
		file := fixture(t, name)
		for at := range file {
			if bytes.HasPrefix(file[at:], []byte("ispe")) {
				binary.BigEndian.PutUint32(file[at+8:], maxSide+1)
				binary.BigEndian.PutUint32(file[at+12:], 1)
			}
		}
		return file
	}
	animation := fixture(t, "anim.webp")
	copy(animation[24:], []byte{0, 0x80, 0}) // the canvas: 32,769 pixels wide
	for kind, file := range map[string][]byte{
		typePNG:  pngOf(t, long),
		typeJPEG: jpegOf(t, long),
		typeGIF:  gifAround(t, maxSide+1, 1),
		typeBMP:  encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, long) }),
		typeTIFF: encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, long, nil) }),
		typeAVIF: dimensions("plain.avif"),
		typeHEIC: dimensions("plain.heic"),
		typeWebP: animation,
	} {
		_, err := s.Render(t.Context(), bytes.NewReader(file), Kind{ContentType: kind}, small)
		if !strings.Contains(reasonOf(err), "a side may have 32768") {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := s.Inspect(t.Context(), bytes.NewReader(file), Kind{ContentType: kind}); reasonOf(err) == "" {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := SanitizeSVG(strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg" width="40000" height="1"/>`)); reasonOf(err) == "" {
		t.Errorf("svg: %v", err)
	}
}

// Large images do not hold up small ones, and wait for each other.
func TestLanes(t *testing.T) {
	t.Parallel()
	m := newMemory(64<<20, 0)
	release, err := m.reserve(t.Context(), m.most)
	if err != nil {
		t.Fatal(err)
	}
	small, err := m.reserve(t.Context(), m.small)
	if err != nil {
		t.Fatal(err)
	}
	small()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.reserve(ended, m.small+1); !errors.Is(err, context.Canceled) {
		t.Errorf("a large image beside the largest: %v", err)
	}
	release()
	release, err = m.reserve(t.Context(), m.small+1)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := m.reserve(t.Context(), m.most+1); reasonOf(err) == "" {
		t.Errorf("more than there is: %v", err)
	}
	if all := m.most + m.small; all != 128<<20 {
		t.Errorf("all lanes have %d bytes, want twice the budget", all)
	}
}

// A decoder that works longer than it may meets a file that cannot be read.
func TestDecodingTakesTooLong(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{Timeout: 1})
	_, err := s.Render(t.Context(), bytes.NewReader(jpegOf(t, image.NewGray(testRect()))), Kind{ContentType: typeJPEG}, small)
	if reasonOf(err) != "The image takes too long to be decoded" {
		t.Error(err)
	}
}

func TestScansAreBounded(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	file := jpegOf(t, image.NewGray(testRect()))
	at := bytes.Index(file, []byte{0xFF, markerSOS})
	scan := file[at : len(file)-2]
	for count, want := range map[int]string{1: "", maxScans: "", maxScans + 1: "The image has more than 100 scans"} {
		many := append(append(bytes.Clone(file[:at]), bytes.Repeat(scan, count)...), file[len(file)-2:]...)
		if _, err := s.Inspect(t.Context(), bytes.NewReader(many), Kind{ContentType: typeJPEG}); reasonOf(err) != want {
			t.Errorf("%d scans: %v, want %q", count, err, want)
		}
	}
}

// A drawing that is small as a file and large as elements is no drawing.
func TestDrawingsAreBounded(t *testing.T) {
	t.Parallel()
	inside := func(s string) string { return `<svg xmlns="http://www.w3.org/2000/svg">` + s + `</svg>` }
	for name, file := range map[string]string{
		"attributes": inside(`<g` + strings.Repeat(` a=""`, maxSVGAttrs+1) + `/>`),
		"left out":   inside(strings.Repeat("<x>", maxSVGDepth) + strings.Repeat("</x>", maxSVGDepth)),
		"escapes":    inside(strings.Repeat(`<text>`+strings.Repeat(`"`, 1<<10)+`</text>`, 4<<10)),
	} {
		if _, err := SanitizeSVG(strings.NewReader(file)); reasonOf(err) == "" || strings.Contains(reasonOf(err), "broken") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A TIFF that is unpacked as it is read looks as x/image/tiff unpacks it.
func TestUnpackedTIFF(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 300, 2_000) // two bands
	noise := image.NewNRGBA64(r)
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 7)
	}
	files := map[string][]byte{}
	for _, name := range []string{"lzw", "packbits", "tiled", "g3", "g4", "bit"} {
		files[name] = fixture(t, name+".tiff")
	}
	for _, o := range []tiff.Options{{}, {Compression: tiff.Deflate}, {Compression: tiff.Deflate, Predictor: true}} {
		files[fmt.Sprintf("%+v", o)] = encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, noise, &o) })
	}
	for name, file := range files {
		want, err := tiff.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := decodeTIFF(newInput(t.Context(), bytes.NewReader(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another image", name)
		}
		for n := range 40 { // nothing that is cut off is more than broken
			cut := file[:len(file)*n/40]
			_, err := NewStudio(Options{}).Render(t.Context(), bytes.NewReader(cut), Kind{ContentType: typeTIFF}, nil)
			if err != nil && reasonOf(err) == "" {
				t.Errorf("%s, cut off: %v", name, err)
			}
		}
	}
}

// Images of 16 bits and of four inks are as they would be converted pixel by pixel.
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
		got := normal(img)
		for i := range 256 {
			x, y := i%16, i/16
			a, b := color.RGBAModel.Convert(got.At(x, y)).(color.RGBA), color.RGBAModel.Convert(want.At(x, y)).(color.RGBA)
			if !near(color.NRGBA(a), color.NRGBA(b), 2) {
				t.Fatalf("%T: %v, want %v at %d, %d", img, a, b, x, y)
			}
		}
	}
}
