package e2e

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"strings"
)

// hostile is a small file that is expensive to decode. Its kind is that of the resulting block; ""
// allows any. An Image must be decoded.
type hostile struct {
	name string
	kind string
	file func() []byte
}

func hostilePictures() []hostile {
	const decoded, refused = "Image", "Attachment"
	return []hostile{
		{"grey png, 100,000,000 × 1", refused, func() []byte { return pngBomb(100_000_000, 1, 8, 0, false) }},
		{"grey png, 25,000,000 × 1", refused, func() []byte { return pngBomb(25_000_000, 1, 8, 0, false) }},
		{"grey png, 1 × 25,000,000", refused, func() []byte { return pngBomb(1, 25_000_000, 8, 0, false) }},
		{"grey png, 32,768 × 3,000", decoded, func() []byte { return pngBomb(32_768, 3_000, 8, 0, false) }},
		{"grey png, 3,000 × 32,768", decoded, func() []byte { return pngBomb(3_000, 32_768, 8, 0, false) }},
		{"rgba png, 81 megapixels", refused, func() []byte { return pngBomb(9_000, 9_000, 8, 6, false) }},
		{"rgba png, 33 megapixels", decoded, func() []byte { return pngBomb(7_680, 4_320, 8, 6, false) }},
		{"rgb png, 16 bits, 20 megapixels", "", func() []byte { return pngBomb(5_000, 4_000, 16, 2, false) }},
		{"interlaced rgba png, 25 megapixels", "", func() []byte { return pngBomb(5_000, 5_000, 8, 6, true) }},
		{"grey png with a transparent tone", "", func() []byte { return withTone(pngBomb(10_000, 9_999, 8, 0, false)) }},
		{"palette png, 99 megapixels", "", func() []byte { return pngBomb(10_000, 9_999, 8, 3, false) }},
		{"packed tiff, 10,000 × 9,999", refused, func() []byte { return tiffBomb(10_000, 9_999, 3, 32773, 9_999, 1) }},
		{"packed tiff, 6,000 × 6,000, one strip", decoded, func() []byte { return tiffBomb(6_000, 6_000, 3, 32773, 6_000, 1) }},
		{"grey tiff whose strip is 8 times too long", decoded, func() []byte { return tiffBomb(10_000, 9_999, 1, 32773, 9_999, 8) }},
		{"deflated tiff, 10,000 × 9,999", "", func() []byte { return tiffBomb(10_000, 9_999, 1, 8, 9_999, 4) }},
		{"jpeg, 4:4:4, 99 megapixels", "", func() []byte { return jpegBomb(10_000, 9_900, 3, 1, false, 1, false) }},
		{"jpeg, red, green and blue after all", "", func() []byte { return jpegBomb(8_000, 8_000, 3, 1, false, 1, true) }},
		{"jpeg, progressive, 4:4:4, 16 megapixels", "", func() []byte { return jpegBomb(4_000, 4_000, 3, 1, true, 4, false) }},
		{"jpeg, progressive, 64 megapixels", refused, func() []byte { return jpegBomb(8_000, 8_000, 3, 1, true, 4, false) }},
		{"jpeg, progressive, 2,000 scans", refused, func() []byte { return jpegBomb(4_000, 4_000, 1, 1, true, 2_000, false) }},
		{"gif, 10,000 × 9,999 around one pixel", "", func() []byte { return gifBomb(10_000, 9_999) }},
		{"gif, 6,000 × 6,000 around one pixel", "", func() []byte { return gifBomb(6_000, 6_000) }},
		{"bmp, 5,000 × 5,000", decoded, func() []byte { return bmpBomb(5_000, 5_000) }},
		{"webp that says 2 GiB follow", refused, webpBomb},
		{"avif that says 3,000 × 2,500", refused, func() []byte { return resized("plain.avif", 3_000, 2_500) }},
		{"heic that says 5,000 × 4,000", refused, func() []byte { return resized("plain.heic", 5_000, 4_000) }},
		{"pdf of an image of 144 megapixels", refused, pdfBomb},
		{"svg of a million attributes", refused, func() []byte {
			return []byte(`<svg xmlns="http://www.w3.org/2000/svg"><g` + strings.Repeat(` a=""`, 1_000_000) + `/></svg>`)
		}},
		{"svg of 600,000 elements in each other", refused, func() []byte {
			return []byte(`<svg xmlns="http://www.w3.org/2000/svg"><x>` + strings.Repeat(`<x>`, 600_000) + strings.Repeat(`</x>`, 600_000) + `</x></svg>`)
		}},
	}
}

// pngBomb returns a PNG of zeros.
func pngBomb(width, height int, depth, colours byte, interlaced bool) []byte {
	samples := map[byte]int{0: 1, 2: 3, 3: 1, 6: 4}[colours]
	bytesOf := func(width int) int { return 1 + (width*samples*int(depth)+7)/8 }
	rows := [][2]int{{bytesOf(width), height}}
	shape := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	shape = append(shape, depth, colours, 0, 0, 0)
	if interlaced {
		shape[12] = 1
		rows = nil
		for _, pass := range [][4]int{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0}, {1, 2, 0, 1}} {
			rows = append(rows, [2]int{bytesOf((width - pass[2] + pass[0] - 1) / pass[0]), (height - pass[3] + pass[1] - 1) / pass[1]})
		}
	}
	length := 0
	for _, pass := range rows {
		length += pass[0] * pass[1]
	}
	file := []byte("\x89PNG\r\n\x1a\n")
	file = pngChunk(file, "IHDR", shape)
	if colours == 3 {
		file = pngChunk(file, "PLTE", []byte{1, 2, 3})
	}
	file = pngChunk(file, "IDAT", deflated(length))
	return pngChunk(file, "IEND", nil)
}

func pngChunk(file []byte, kind string, data []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	start := len(file)
	file = append(append(file, kind...), data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}

// withTone makes one grey tone of a PNG transparent.
func withTone(file []byte) []byte {
	const header = 8 + 25
	return append(pngChunk(append([]byte(nil), file[:header]...), "tRNS", []byte{0, 1}), file[header:]...)
}

// deflated returns a compressed number of zeros.
func deflated(length int) []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	zeros := make([]byte, 1<<16)
	for ; length > 0; length -= len(zeros) {
		_, _ = w.Write(zeros[:min(length, len(zeros))])
	}
	_ = w.Close()
	return packed.Bytes()
}

// tiffBomb returns a TIFF whose strips contain the expected zeros several times.
func tiffBomb(width, height, samples, compression, rows, times int) []byte {
	order := binary.LittleEndian
	length := width * samples * rows * times
	strip := deflated(length)
	if compression == 32773 {
		strip = bytes.Repeat([]byte{129, 0}, (length+127)/128) // 128 zeros
	}
	strips := (height + rows - 1) / rows
	file := []byte("II*\x00\x08\x00\x00\x00")
	const entries = 10
	after := 8 + 2 + 12*entries + 4
	bits, offsets, counts := after, after+8, after+8+4*strips
	data := counts + 4*strips
	file = order.AppendUint16(file, entries)
	add := func(tag, kind uint16, count, value int) {
		file = order.AppendUint16(order.AppendUint16(file, tag), kind)
		file = order.AppendUint32(order.AppendUint32(file, uint32(count)), uint32(value))
	}
	listed := func(tag uint16, at, single int) {
		if strips == 1 {
			at = single
		}
		add(tag, 4, strips, at)
	}
	add(256, 4, 1, width)
	add(257, 4, 1, height)
	if samples == 1 {
		add(258, 3, 1, 8)
	} else {
		add(258, 3, samples, bits)
	}
	add(259, 3, 1, compression)
	add(262, 3, 1, map[bool]int{true: 1, false: 2}[samples == 1])
	listed(273, offsets, data)
	add(277, 3, 1, samples)
	add(278, 4, 1, rows)
	listed(279, counts, len(strip))
	add(284, 3, 1, 1)
	file = order.AppendUint32(file, 0)
	for range 4 {
		file = order.AppendUint16(file, 8)
	}
	for range strips {
		file = order.AppendUint32(file, uint32(data))
	}
	for range strips {
		file = order.AppendUint32(file, uint32(len(strip)))
	}
	return append(file, strip...)
}

// jpegBomb returns a JPEG whose blocks are all empty: one bit each for DC and AC. The last segment
// may declare the components as red, green and blue.
func jpegBomb(width, height, components, sampling int, progressive bool, scans int, rgb bool) []byte {
	file := []byte{0xFF, 0xD8}
	segment := func(marker byte, data ...byte) {
		file = append(file, 0xFF, marker)
		file = append(binary.BigEndian.AppendUint16(file, uint16(len(data)+2)), data...)
	}
	table := make([]byte, 65)
	for i := range table[1:] {
		table[1+i] = 1
	}
	segment(0xDB, table...)
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(components)}
	for c := range components {
		factor := byte(0x11)
		if c == 0 {
			factor = byte(sampling<<4 | sampling)
		}
		frame = append(frame, byte(c+1), factor, 0)
	}
	segment(map[bool]byte{false: 0xC0, true: 0xC2}[progressive], frame...)
	for class := range byte(2) { // a single code of one bit, for zero
		segment(0xC4, append(append([]byte{class << 4, 1}, make([]byte, 15)...), 0)...)
	}
	blocks := (width + 7) / 8 * ((height + 7) / 8)
	scan := func(from, to byte, of ...byte) {
		head := []byte{byte(len(of))}
		for _, c := range of {
			head = append(head, c, 0)
		}
		segment(0xDA, append(head, from, to, 0)...)
		bits := blocks * len(of)
		if !progressive {
			bits *= 2
		}
		file = append(file, make([]byte, (bits+7)/8)...)
	}
	all := []byte{1, 2, 3}[:components]
	if progressive {
		scan(0, 0, all...)
		for i := range scans - 1 {
			scan(1, 63, all[i%components])
		}
	} else {
		scan(0, 63, all...)
	}
	if rgb {
		segment(0xEE, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...)
	}
	return append(file, 0xFF, 0xD9)
}

// gifBomb returns a large screen with a frame of one pixel.
func gifBomb(width, height int) []byte {
	var file bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black, color.White})
	if err := gif.Encode(&file, frame, nil); err != nil {
		panic(err)
	}
	b := file.Bytes()
	binary.LittleEndian.PutUint16(b[6:], uint16(width))
	binary.LittleEndian.PutUint16(b[8:], uint16(height))
	return b
}

func bmpBomb(width, height int) []byte {
	order := binary.LittleEndian
	file := append([]byte("BM"), make([]byte, 52)...)
	order.PutUint32(file[10:], 54)
	order.PutUint32(file[14:], 40)
	order.PutUint32(file[18:], uint32(width))
	order.PutUint32(file[22:], uint32(height))
	order.PutUint16(file[26:], 1)
	order.PutUint16(file[28:], 24)
	return append(file, make([]byte, (3*width+3)/4*4*height)...)
}

// webpBomb returns a WebP with a single chunk that claims to be far longer than the file.
func webpBomb() []byte {
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), 1<<31-1)
	file = binary.LittleEndian.AppendUint32(append(file, "WEBPVP8 "...), 1<<31-20)
	file = append(file, 0x50, 0x01, 0x00, 0x9D, 0x01, 0x2A, 0x40, 0x00, 0x40, 0x00)
	return append(file, make([]byte, 1000)...)
}

// resized returns an image with false dimensions.
func resized(name string, width, height int) []byte {
	file, err := os.ReadFile(filepath.Join("../internal/media/mediatest/testdata", name))
	if err != nil {
		panic(err)
	}
	for at := range file {
		if bytes.HasPrefix(file[at:], []byte("ispe")) {
			binary.BigEndian.PutUint32(file[at+8:], uint32(width))
			binary.BigEndian.PutUint32(file[at+12:], uint32(height))
		}
	}
	return file
}

// pdfBomb returns a page with one image.
func pdfBomb() []byte {
	const side = 12_000
	packed := deflated(3 * side * side)
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj\n" +
		"4 0 obj<</Length 24>>stream\n600 0 0 600 0 0 cm /I Do\nendstream endobj\n")
	fmt.Fprintf(&file, "5 0 obj<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode/Length %d>>stream\n",
		side, side, len(packed))
	file.Write(packed)
	file.WriteString("\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n")
	return file.Bytes()
}
