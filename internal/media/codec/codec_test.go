package codec

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"reflect"
	"runtime"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
	"vitrine/internal/media/source"
)

// allocated returns the bytes that f allocates. Tests that use it are not parallel.
func allocated(f func()) (bytes int64, objects int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), int(after.Mallocs - before.Mallocs)
}

// Decoders written in Go take no more memory than the header's estimate.
func TestDecodingIsBounded(t *testing.T) {
	codecs := New()
	r := image.Rect(0, 0, 1_700, 1_100)
	const pixels = 1_700 * 1_100
	tall := image.NewYCbCr(image.Rect(0, 0, 3, 20_000), image.YCbCrSubsampleRatio420)
	for name, c := range map[string]struct {
		kind string
		file []byte
		more int64 // garbage collected in the meantime
	}{
		"grey png":        {filetype.PNG, mediatest.PNG(t, image.NewGray(r)), 0},
		"tone":            {filetype.PNG, withTone(mediatest.PNG(t, image.NewGray(r))), 0},
		"16 bits":         {filetype.PNG, mediatest.PNG(t, image.NewGray16(r)), 0},
		"16 bits, alpha":  {filetype.PNG, mediatest.PNG(t, image.NewNRGBA64(r)), 0},
		"rgba png":        {filetype.PNG, mediatest.PNG(t, image.NewNRGBA(r)), 0},
		"palette":         {filetype.PNG, mediatest.PNG(t, image.NewPaletted(r, mediatest.Palette())), 0},
		"interlaced":      {filetype.PNG, interlacedPNG(1_700, 1_100), 0},
		"jpeg":            {filetype.JPEG, mediatest.JPEG(t, image.NewRGBA(r)), 0},
		"grey jpeg":       {filetype.JPEG, mediatest.JPEG(t, image.NewGray(r)), 0},
		"narrow jpeg":     {filetype.JPEG, mediatest.JPEG(t, tall), 0},
		"rgb jpeg":        {filetype.JPEG, rgbJPEG(mediatest.JPEG(t, image.NewRGBA(r))), 0},
		"gif":             {filetype.GIF, mediatest.GIF(t, image.NewPaletted(r, mediatest.Palette())), 0},
		"gif, frame":      {filetype.GIF, mediatest.GIFAround(t, 1_700, 1_100), 0},
		"bmp":             {filetype.BMP, mediatest.Encode(t, func(b *bytes.Buffer) error { return bmp.Encode(b, image.NewRGBA(r)) }), 0},
		"tiff, one strip": {filetype.TIFF, mediatest.Encode(t, func(b *bytes.Buffer) error { return tiff.Encode(b, image.NewRGBA(r), nil) }), 4 * pixels},
		"tiff, deflated": {filetype.TIFF, mediatest.Encode(t, func(b *bytes.Buffer) error {
			return tiff.Encode(b, image.NewGray(r), &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		}), pixels},
	} {
		in := source.New(t.Context(), bytes.NewReader(c.file))
		h, err := ReadHeader(in, filetype.Kind{ContentType: c.kind})
		if err != nil {
			t.Fatal(name, err)
		}
		var img image.Image
		taken, _ := allocated(func() {
			if img, err = codecs.Decode(in, filetype.Kind{ContentType: c.kind}, h); err == nil {
				img = Normal(img)
			}
		})
		if err != nil {
			t.Fatal(name, err)
		}
		if bound := max(h.Decoding, h.Decoded) + 1<<20 + c.more; taken > bound {
			t.Errorf("%s: %d bytes, the header says %d", name, taken, bound)
		}
		if channels := map[bool]int{true: 4, false: 1}[reflect.TypeOf(img) == reflect.TypeFor[*image.RGBA]()]; channels != h.Channels {
			t.Errorf("%s: %d channels in a %T", name, h.Channels, img)
		}
	}
}

// withTone makes one shade of a grey PNG transparent.
func withTone(file []byte) []byte {
	chunk := []byte("\x00\x00\x00\x02tRNS\x00\x01")
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return bytes.Join([][]byte{file[:33], file[33:]}, chunk)
}

// interlacedPNG is an empty RGBA image.
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

// rgbJPEG inserts a segment after the only scan that declares the components red, green and blue.
func rgbJPEG(file []byte) []byte {
	adobe := []byte("\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x00")
	return append(append(bytes.Clone(file[:len(file)-2]), adobe...), file[len(file)-2:]...)
}

func TestScansAreBounded(t *testing.T) {
	t.Parallel()
	file := mediatest.JPEG(t, image.NewGray(mediatest.Rect()))
	at := bytes.Index(file, []byte{0xFF, markerSOS})
	scan := file[at : len(file)-2]
	for count, want := range map[int]string{1: "", maxScans: "", maxScans + 1: "The image has more than 100 scans"} {
		many := append(append(bytes.Clone(file[:at]), bytes.Repeat(scan, count)...), file[len(file)-2:]...)
		if _, err := ReadHeader(source.New(t.Context(), bytes.NewReader(many)), filetype.Kind{ContentType: filetype.JPEG}); mediatest.Reason(err) != want {
			t.Errorf("%d scans: %v, want %q", count, err, want)
		}
	}
}

// A TIFF that is unpacked while it is read equals the result of x/image/tiff.
func TestUnpackedTIFF(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 300, 2_000) // two bands
	noise := image.NewNRGBA64(r)
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 7)
	}
	files := map[string][]byte{}
	for _, name := range []string{"lzw", "packbits", "tiled", "g3", "g4", "bit"} {
		files[name] = mediatest.Fixture(t, name+".tiff")
	}
	for _, o := range []tiff.Options{{}, {Compression: tiff.Deflate}, {Compression: tiff.Deflate, Predictor: true}} {
		files[fmt.Sprintf("%+v", o)] = mediatest.Encode(t, func(b *bytes.Buffer) error { return tiff.Encode(b, noise, &o) })
	}
	for name, file := range files {
		want, err := tiff.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := decodeTIFF(source.New(t.Context(), bytes.NewReader(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another image", name)
		}
		for n := range 40 { // no truncation causes more than an error
			cut := file[:len(file)*n/40]
			in, kind := source.New(t.Context(), bytes.NewReader(cut)), filetype.Kind{ContentType: filetype.TIFF}
			h, err := ReadHeader(in, kind)
			if err == nil {
				_, err = New().Decode(in, kind, h)
			}
			if err != nil && mediatest.Reason(err) == "" {
				t.Errorf("%s, cut off: %v", name, err)
			}
		}
	}
}
