package main

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// The size of a photograph: 12 megapixels.
const (
	photoWidth  = 4000
	photoHeight = 3000
)

// writePhotos writes JPEG files with the gradients, edges and grain of photographs.
func writePhotos(dir string, n int) ([]string, error) {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprintf("photo-%d.jpg", i))
		if err := writePhoto(paths[i], uint64(i)); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

func writePhoto(path string, seed uint64) error {
	grain := rand.New(rand.NewPCG(seed, 1))
	picture := image.NewYCbCr(image.Rect(0, 0, photoWidth, photoHeight), image.YCbCrSubsampleRatio420)
	for y := range photoHeight {
		for x := range photoWidth {
			light := 110 + 80*math.Sin(float64(x)/310+float64(seed))*math.Cos(float64(y)/270) + grain.Float64()*14
			if (x/450+y/380+int(seed))%3 == 0 {
				light += 45
			}
			c := color.YCbCr{Y: uint8(min(light, 255)), Cb: uint8(x * 255 / photoWidth), Cr: uint8(y * 255 / photoHeight)}
			picture.Y[picture.YOffset(x, y)] = c.Y
			picture.Cb[picture.COffset(x, y)], picture.Cr[picture.COffset(x, y)] = c.Cb, c.Cr
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := jpeg.Encode(w, picture, &jpeg.Options{Quality: 90}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// vips makes the same versions, with one run of the program per size.
func vips(ctx context.Context, photos []string) (time.Duration, error) {
	out, err := os.MkdirTemp("", "vips")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	start := time.Now()
	for _, size := range [][]string{
		{"--size", "400"}, {"--size", "800"}, {"--size", "1600"}, {"--size", "1200"}, {"--size", "2400"},
		{"--size", "400x400", "--smartcrop", "centre"}, {"--size", "800x800", "--smartcrop", "centre"},
	} { // medium at 1x has the size of small at 2x
		args := append(size, "-o", filepath.Join(out, "%s-"+size[1]+".jpg[Q=82]"))
		if text, err := exec.CommandContext(ctx, "vipsthumbnail", append(args, photos...)...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%w: %s", err, text)
		}
	}
	return time.Since(start), nil
}
