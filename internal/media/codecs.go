package media

import (
	"bytes"
	"context"
	_ "embed" // for the codecs
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"
)

// What these are, and where they come from, is in codecs/README.md.
var (
	//go:embed codecs/avif.wasm.gz
	avifCode []byte
	//go:embed codecs/heif.wasm.gz
	heifCode []byte
	//go:embed codecs/webp.wasm.gz
	webpCode []byte
)

// codecMemory bounds an instance, in bytes, and with it what a file that lies
// about its dimensions may take.
const codecMemory = 512 << 20

// codecs are the formats that nobody has written in Go.
type codecs struct{ avif, heif, webp module }

func newCodecs() *codecs {
	of := func(code []byte) module {
		return module{compressed: code, memory: codecMemory}
	}
	return &codecs{avif: of(avifCode), heif: of(heifCode), webp: of(webpCode)}
}

func (c *codecs) close() error {
	return errors.Join(c.avif.close(), c.heif.close(), c.webp.close())
}

// opened is a file in a codec's memory, with room for what it says of it.
type opened struct {
	*instance
	file, length, facts uint64
}

// openFile copies a whole file into a new instance.
func (m *module) openFile(in *input) (opened, error) {
	i, err := m.open(in.ctx)
	if err != nil {
		return opened{}, err
	}
	file, err := io.ReadAll(in.section())
	if err != nil {
		i.close()
		return opened{}, err
	}
	o := opened{instance: i, length: uint64(len(file))}
	if o.file, err = i.put(file); err == nil {
		o.facts, err = i.alloc(maxFacts * 4)
	}
	if err != nil {
		i.close()
	}
	return o, err
}

// maxFacts is how many numbers a decoder tells of a file at most.
const maxFacts = 5

// decodeAVIF decodes the primary image. What has more than 8 bits is cut to
// them.
func (c *codecs) decodeAVIF(in *input) (image.Image, error) {
	o, err := c.avif.openFile(in)
	if err != nil {
		return nil, err
	}
	defer o.close()
	// decode(file, length, header only, all frames, width, height, depth,
	// frames, delays, pixels)
	decode := func(headerOnly, delays, pixels uint64) error {
		ok, err := o.call("decode", o.file, o.length, headerOnly, 0, o.facts, o.facts+4, o.facts+8, o.facts+12, delays, pixels)
		if err == nil && ok == 0 {
			err = errors.New("codec: no AVIF")
		}
		return err
	}
	if err := decode(1, 0, 0); err != nil {
		return nil, err
	}
	facts, err := o.numbers(o.facts, 3)
	if err != nil {
		return nil, err
	}
	width, height, depth := facts[0], facts[1], 1
	if facts[2] > 8 {
		depth = 2
	}
	return o.pixels(width, height, depth, func(at uint64) error {
		// Of a broken frame it says only by leaving the frame's delay unwritten.
		unwritten := bytes.Repeat([]byte{0xFF}, 8)
		delay, err := o.put(unwritten)
		if err != nil {
			return err
		}
		if err := decode(0, delay, at); err != nil {
			return err
		}
		if got, err := o.get(delay, 8); err != nil || bytes.Equal(got, unwritten) {
			return errors.Join(errors.New("codec: a broken frame"), err)
		}
		return nil
	})
}

// pixels has fill write premultiplied RGBA of depth bytes a sample, and
// returns its highest bytes.
func (o opened) pixels(width, height, depth int, fill func(at uint64) error) (image.Image, error) {
	length := width * height * 4 * depth
	at, err := o.alloc(length)
	if err != nil {
		return nil, err
	}
	if err := fill(at); err != nil {
		return nil, err
	}
	samples, err := o.get(at, length)
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = samples[i*depth+depth-1]
	}
	return img, nil
}

// encodeWebP encodes a picture that is not opaque.
func (c *codecs) encodeWebP(ctx context.Context, picture image.Image) ([]byte, error) {
	b := picture.Bounds()
	n := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(n, n.Rect, picture, b.Min, draw.Src)
	i, err := c.webp.open(ctx)
	if err != nil {
		return nil, err
	}
	defer i.close()
	file, err := i.encodeWebP(n)
	if err != nil {
		return nil, fmt.Errorf("encode a version as WebP: %w", err)
	}
	return file, nil
}

func (i *instance) encodeWebP(n *image.NRGBA) ([]byte, error) {
	pixels, err := i.put(n.Pix)
	if err != nil {
		return nil, err
	}
	length, err := i.alloc(8)
	if err != nil {
		return nil, err
	}
	// encode(pixels, width, height, length, 0 for RGBA, quality, effort,
	// lossless, exact)
	const effort = 2 // of 6: half the time of the default 4 for 3 % more bytes
	at, err := i.call("encode", pixels, uint64(n.Rect.Dx()), uint64(n.Rect.Dy()), length, 0, quality, effort, 0, 0)
	if err != nil {
		return nil, err
	}
	if at == 0 {
		return nil, errors.New("codec: nothing encoded")
	}
	size, err := i.numbers(length, 1)
	if err != nil {
		return nil, err
	}
	file, err := i.get(at, size[0])
	return append([]byte(nil), file...), err
}
