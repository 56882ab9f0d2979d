package codec

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"sort"
	"strings"

	"vitrine/internal/media/source"
)

// Truncated files are shown as far as they can be decoded, as in browsers. Interrupted downloads
// and full memory cards cause them.

// truncatedJPEG contains the values needed to decode a JPEG file without an end marker.
type truncatedJPEG struct {
	progressive bool
	scans       int
	lastScan    int64 // offset of the marker of the last scan
	heightAt    int64 // offset of the height in the frame header
}

// decode decodes the file. If only the end marker is missing, the image is
// complete. Otherwise a progressive image is decoded without its last scan, and
// any other image up to its last complete rows.
func (t *truncatedJPEG) decode(in *source.Input, height int) (image.Image, error) {
	end := []byte{0xFF, markerEOI}
	whole, err := jpeg.Decode(io.MultiReader(in.Section(), bytes.NewReader(end)))
	if err == nil || in.Err() != nil {
		return whole, err
	}
	if t.progressive {
		if t.scans < 2 {
			return nil, err
		}
		return jpeg.Decode(io.MultiReader(io.NewSectionReader(in, 0, t.lastScan), bytes.NewReader(end)))
	}
	// image/jpeg returns no partial image, so search for the largest height that it can decode.
	const step = 16 // the height of a row of blocks, or twice that
	var part image.Image
	sort.Search((height-1)/step, func(i int) bool {
		decoded, err := jpeg.Decode(io.MultiReader(
			io.NewSectionReader(in, 0, t.heightAt), bytes.NewReader(binary.BigEndian.AppendUint16(nil, uint16((i+1)*step))),
			io.NewSectionReader(in, t.heightAt+2, in.Size()-t.heightAt-2), bytes.NewReader(end)))
		if err != nil {
			return true
		}
		part = decoded
		return false
	})
	if in.Err() != nil {
		return nil, in.Err()
	}
	if part == nil {
		return nil, err
	}
	return extended(part, height), nil
}

// extended returns a taller image, grey below img. It accepts the image types that image/jpeg
// returns.
func extended(img image.Image, height int) image.Image {
	b := img.Bounds()
	r := image.Rect(0, 0, b.Dx(), height)
	if part, ok := img.(*image.YCbCr); ok {
		dst := image.NewYCbCr(r, part.SubsampleRatio)
		extendPlane(dst.Y, dst.YStride, part.Y, part.YStride, b.Dy())
		chroma := b.Dy() * (len(dst.Cb) / dst.CStride) / height
		extendPlane(dst.Cb, dst.CStride, part.Cb, part.CStride, chroma)
		extendPlane(dst.Cr, dst.CStride, part.Cr, part.CStride, chroma)
		return dst
	}
	var dst draw.Image = image.NewRGBA(r)
	switch img.(type) {
	case *image.Gray:
		dst = image.NewGray(r)
	case *image.CMYK:
		dst = image.NewCMYK(r)
	}
	draw.Draw(dst, r, image.NewUniform(color.Gray{Y: 128}), image.Point{}, draw.Src)
	draw.Draw(dst, b.Sub(b.Min), img, b.Min, draw.Src)
	return dst
}

// extendPlane copies rows of samples, and fills the rest with the middle value.
func extendPlane(dst []byte, dstStride int, src []byte, srcStride, rows int) {
	for y := range rows {
		copy(dst[y*dstStride:(y+1)*dstStride], src[y*srcStride:])
	}
	for i := rows * dstStride; i < len(dst); i++ {
		dst[i] = 128
	}
}

// decodePNG decodes a PNG file. The missing part of a truncated file becomes
// transparent or black.
func decodePNG(in *source.Input) (image.Image, error) {
	img, err := png.Decode(in.Section())
	if err == nil || in.Err() != nil || !endsEarly(err) {
		return img, err
	}
	runtime.GC() // frees the first attempt, because the header only counted one image
	r, w := io.Pipe()
	go func() { w.CloseWithError(completePNG(in, w)) }()
	img, err = png.Decode(r)
	_ = r.Close() // lets the writer end; never fails
	return img, err
}

// endsEarly reports whether image/png failed because data is missing. Only the error's text shows
// that.
func endsEarly(err error) bool {
	text := err.Error()
	return errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(text, io.ErrUnexpectedEOF.Error()) ||
		strings.Contains(text, "not enough pixel data")
}

// completePNG writes a truncated file and replaces missing rows by zeros.
func completePNG(in *source.Input, w io.Writer) error {
	shape, err := in.Bytes(16, 13) // of IHDR: PNG, section 11.2.1
	if err != nil {
		return err
	}
	data := &imageData{in: in, at: 8}
	if err := data.next(); err != nil {
		return err
	}
	if _, err := io.Copy(w, io.NewSectionReader(in, 0, data.at-8)); err != nil {
		return err
	}
	packed := zlibChunks{w}
	z, err := zlib.NewWriterLevel(packed, zlib.NoCompression)
	if err != nil {
		return err
	}
	size, written := rawSize(shape), int64(0)
	if unpacked, err := zlib.NewReader(data); err == nil {
		// An error marks the end of the data that can be unpacked.
		written, _ = io.Copy(z, io.LimitReader(unpacked, size))
	}
	if in.Err() != nil {
		return in.Err()
	}
	if written == 0 {
		return io.ErrUnexpectedEOF
	}
	if _, err := io.CopyN(z, zeros{}, size-written); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// rawSize returns the length of the uncompressed rows: PNG, sections 7.2 and 8.2.
func rawSize(shape []byte) (size int64) {
	width, height := int64(binary.BigEndian.Uint32(shape)), int64(binary.BigEndian.Uint32(shape[4:]))
	channels := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[shape[9]]
	rows := func(width, height int64) {
		if width > 0 && height > 0 {
			size += height * (1 + (width*channels*int64(shape[8])+7)/8)
		}
	}
	if shape[12] == 0 {
		rows(width, height)
		return size
	}
	for _, p := range [][4]int64{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0}, {1, 2, 0, 1}} {
		rows((width-p[2]+p[0]-1)/p[0], (height-p[3]+p[1]-1)/p[1])
	}
	return size
}

// imageData reads the contents of all IDAT chunks.
type imageData struct {
	in       *source.Input
	at, left int64 // offset in the current chunk, and the bytes left in it
}

// next moves to the next IDAT chunk.
func (d *imageData) next() error {
	for d.at += d.left; ; {
		head, err := d.in.Bytes(d.at, 8)
		if err != nil {
			return err
		}
		d.at, d.left = d.at+8, int64(binary.BigEndian.Uint32(head))
		if string(head[4:]) == "IDAT" {
			return nil
		}
		d.at += d.left + 4 // the checksum
	}
}

func (d *imageData) Read(p []byte) (int, error) {
	for d.left == 0 {
		d.at += 4 // the checksum
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	n, err := d.in.ReadAt(p[:min(int64(len(p)), d.left)], d.at)
	d.at, d.left = d.at+int64(n), d.left-int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

// zlibChunks writes IDAT chunks.
type zlibChunks struct{ w io.Writer }

func (z zlibChunks) Write(p []byte) (int, error) {
	if err := writeChunk(z.w, "IDAT", p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writeChunk writes a chunk of a PNG file: PNG, section 5.3.
func writeChunk(w io.Writer, name string, data []byte) error {
	head := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), name...)
	sum := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data)
	for _, part := range [][]byte{head, data, binary.BigEndian.AppendUint32(nil, sum)} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
