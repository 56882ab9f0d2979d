package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"vitrine/bench/drive"
)

func start(ctx context.Context, g *group, bin, dir, token string) (*drive.Program, error) {
	p, err := drive.Start(g.command(ctx, bin, "serve", "--data-dir", dir, "--addr", "127.0.0.1:0", "--log-level", "error",
		"--rate-limits", "guest=0,free=0,premium=0,supporter=0"))
	if err == nil {
		p.Token = token
	}
	return p, err
}

// writeImages writes photo.jpg and photo.png, of 24 megapixels, with the gradients, edges and grain of photographs.
func writeImages(dir string) error {
	const width, height = 6000, 4000
	grain := rand.New(rand.NewPCG(1, 1))
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			light := 110 + 80*math.Sin(float64(x)/310)*math.Cos(float64(y)/270) + grain.Float64()*14
			if (x/450+y/380)%3 == 0 {
				light += 45
			}
			v := uint8(min(light, 255))
			picture.SetNRGBA(x, y, color.NRGBA{v, uint8(x * 255 / width), v/2 + uint8(y*127/height), 255})
		}
	}
	for name, encode := range map[string]func(io.Writer) error{
		"photo.jpg": func(w io.Writer) error { return jpeg.Encode(w, picture, &jpeg.Options{Quality: 90}) },
		"photo.png": func(w io.Writer) error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, picture) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
