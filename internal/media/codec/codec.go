package codec

import (
	"bytes"
	"context"
	_ "embed" // for the codecs
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/source"
	"vitrine/internal/media/wasm"
)

// modules/README.md describes these modules and their sources.
var (
	//go:embed modules/avif.wasm.gz
	avifCode []byte
	//go:embed modules/heif.wasm.gz
	heifCode []byte
	//go:embed modules/webp.wasm.gz
	webpCode []byte
)

// Codecs decodes and encodes images. Codecs that are not written in Go run in WebAssembly.
type Codecs struct{ avif, heif, webp wasm.Module }

// New returns Codecs without compiling any module.
func New() *Codecs {
	return &Codecs{avif: wasm.Module{Compressed: avifCode}, heif: wasm.Module{Compressed: heifCode}, webp: wasm.Module{Compressed: webpCode}}
}

// Memory that an instance of a codec needs in addition to the file, in bytes: a constant part, and
// a part per pixel, including the decoded samples. An instance is limited to this. Plain images are
// those with plainSamples.
const (
	Base           = 6 << 20
	webpPixel      = 8
	avifPlainPixel = 22
	avifPixel      = 56
)

// heifPixel is the memory per pixel of a HEIC image, measured with 25 megapixels of each kind: 6.5,
// 17, and up to 25 with alpha.
var heifPixel = map[samples]int64{plainSamples: 7, deepSamples: 18, otherSamples: 26}

// EncodingMemory returns the maximum memory in bytes for encoding a picture. Noisy alpha needs all
// of it, smooth alpha half.
func EncodingMemory(pixels int64) int64 { return Base + 52*pixels }

// Modules returns the modules that an image may need.
func (c *Codecs) Modules(k filetype.Kind, h Header) []*wasm.Module {
	var all []*wasm.Module
	switch k.ContentType {
	case filetype.AVIF:
		all = append(all, &c.avif)
	case filetype.HEIC, filetype.HEIF:
		all = append(all, &c.heif)
	}
	if !h.Opaque || k.ContentType == filetype.WebP && h.codec > 0 {
		all = append(all, &c.webp)
	}
	return all
}

// Close frees the code of all modules.
func (c *Codecs) Close() error {
	return errors.Join(c.avif.Close(), c.heif.Close(), c.webp.Close())
}

// opened is a file in a codec's memory, with space for the decoder's results.
type opened struct {
	*wasm.Instance
	file, length, results uint64
}

// openFile copies a file into a new instance with up to limit bytes of memory.
func openFile(m *wasm.Module, in *source.Input, file io.Reader, length, limit int64) (opened, error) {
	i, err := m.Open(in.Context(), limit)
	if err != nil {
		return opened{}, err
	}
	o := opened{Instance: i, length: uint64(length)}
	if o.file, err = i.Fill(file, int(length)); err == nil {
		o.results, err = i.Alloc(maxResults * 4)
	}
	if err != nil {
		i.Close()
	}
	return o, err
}

// maxResults is the maximum number of values that a decoder returns about a file.
const maxResults = 5

// decodeAVIF decodes the primary image. Samples with more than 8 bits are reduced to 8.
func (c *Codecs) decodeAVIF(in *source.Input, h Header) (image.Image, error) {
	o, err := openFile(&c.avif, in, in.Section(), in.Size(), h.codec)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	// decode(file, length, header only, all frames, width, height, depth,
	// frames, delays, pixels)
	decode := func(headerOnly, delays, pixels uint64) error {
		ok, err := o.Call("decode", o.file, o.length, headerOnly, 0, o.results, o.results+4, o.results+8, o.results+12, delays, pixels)
		if err == nil && ok == 0 {
			err = errors.New("codec: no AVIF")
		}
		return err
	}
	if err := decode(1, 0, 0); err != nil {
		return nil, err
	}
	facts, err := o.Numbers(o.results, 3)
	if err != nil {
		return nil, err
	}
	depth := 1
	if facts[2] > 8 {
		depth = 2
	}
	if stored := image.Pt(facts[0], facts[1]); stored != h.stored {
		return nil, fmt.Errorf("%v pixels, but the header says %v", stored, h.stored)
	}
	pix, err := o.pixels(h.stored.X, h.stored.Y, depth, func(at uint64) error {
		// The decoder reports a broken frame only by not writing the frame's delay.
		unwritten := bytes.Repeat([]byte{0xFF}, 8)
		delay, err := o.Put(unwritten)
		if err != nil {
			return err
		}
		if err := decode(0, delay, at); err != nil {
			return err
		}
		if got, err := o.Get(delay, 8); err != nil || bytes.Equal(got, unwritten) {
			return errors.Join(errors.New("codec: a broken frame"), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &image.RGBA{Pix: pix, Stride: 4 * h.stored.X, Rect: image.Rectangle{Max: h.stored}}, nil
}

// decodeLosslessWebP decodes a still image that is lossless or has lossless alpha.
func (c *Codecs) decodeLosslessWebP(in *source.Input, file io.Reader, length int64, width, height int, limit int64) (image.Image, error) {
	o, err := openFile(&c.webp, in, file, length, limit)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	// The decoder returns planes with subsampled chroma even for lossless images, like our resized
	// versions.
	luma, chroma := width*height, ((width+1)/2)*((height+1)/2)
	at, err := o.Alloc(2*luma + 2*chroma)
	if err != nil {
		return nil, err
	}
	// decode(file, length, header only, all frames, width, height, frames,
	// animated, delays, planes)
	f := o.results
	ok, err := o.Call("decode", o.file, o.length, 0, 0, f, f+4, f+8, f+12, f+16, at)
	if err == nil && ok == 0 {
		err = errors.New("codec: no WebP")
	}
	if err != nil {
		return nil, err
	}
	planes, err := o.Get(at, 2*luma+2*chroma)
	if err != nil {
		return nil, err
	}
	planes = bytes.Clone(planes)
	img := &image.NYCbCrA{A: planes[luma+2*chroma:], AStride: width}
	img.YCbCr = image.YCbCr{
		Y: planes[:luma], Cb: planes[luma : luma+chroma], Cr: planes[luma+chroma : luma+2*chroma],
		YStride: width, CStride: (width + 1) / 2,
		SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, width, height),
	}
	widenRange(&img.YCbCr)
	if img.Opaque() {
		return &img.YCbCr, nil
	}
	return img, nil
}

// pixels calls fill to write four samples per pixel of depth bytes each, and returns the highest
// byte of each.
func (o opened) pixels(width, height, depth int, fill func(at uint64) error) ([]byte, error) {
	length := width * height * 4 * depth
	at, err := o.Alloc(length)
	if err != nil {
		return nil, err
	}
	if err := fill(at); err != nil {
		return nil, err
	}
	samples, err := o.Get(at, length)
	if err != nil {
		return nil, err
	}
	pix := make([]byte, length/depth)
	for i := range pix {
		pix[i] = samples[i*depth+depth-1]
	}
	return pix, nil
}

// encodeWebP encodes a picture with transparency, with up to limit bytes of memory.
func (c *Codecs) encodeWebP(ctx context.Context, picture image.Image, limit int64) ([]byte, error) {
	i, err := c.webp.Open(ctx, limit)
	if err != nil {
		return nil, err
	}
	defer i.Close()
	file, err := encodeWebP(i, picture)
	if err != nil {
		return nil, fmt.Errorf("encode a version as WebP: %w", err)
	}
	return file, nil
}

func encodeWebP(i *wasm.Instance, picture image.Image) ([]byte, error) {
	width, height := picture.Bounds().Dx(), picture.Bounds().Dy()
	pixels, err := i.Alloc(4 * width * height)
	if err != nil {
		return nil, err
	}
	length, err := i.Alloc(8)
	if err != nil {
		return nil, err
	}
	pix, err := i.Get(pixels, 4*width*height)
	if err != nil {
		return nil, err
	}
	n := &image.NRGBA{Pix: pix, Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
	draw.Draw(n, n.Rect, picture, picture.Bounds().Min, draw.Src)
	// encode(pixels, width, height, length, 0 for RGBA, quality, effort,
	// lossless, exact)
	const effort = 2 // of 6: half the time of the default 4 for 3 % more bytes
	at, err := i.Call("encode", pixels, uint64(width), uint64(height), length, 0, quality, effort, 0, 0)
	if err != nil {
		return nil, err
	}
	if at == 0 {
		return nil, source.Refused("The image needs too much memory to be resized")
	}
	size, err := i.Numbers(length, 1)
	if err != nil {
		return nil, err
	}
	file, err := i.Get(at, size[0])
	return bytes.Clone(file), err
}
