package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/media/codec"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
)

var small = []domain.ImageVersion{domain.SmallImage}

// withExif adds an orientation, and the name of a place, to a JPEG.
func withExif(file []byte, o codec.Orientation) []byte {
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00SECRET PLACE")
	exif[25] = byte(o)
	segment := append([]byte{0xFF, 0xE1, 0, byte(len(exif) + 2)}, exif...)
	return slices.Concat(file[:2], segment, file[2:])
}

func TestRenderAppliesOrientation(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	red, white, blue, black := mediatest.Quarters[0], mediatest.Quarters[1], mediatest.Quarters[2], mediatest.Quarters[3]
	for o, want := range map[codec.Orientation][4]color.NRGBA{
		1: {red, white, blue, black},
		2: {white, red, black, blue},
		3: {black, blue, white, red},
		4: {blue, black, red, white},
		5: {red, blue, white, black},
		6: {blue, red, black, white},
		7: {black, white, blue, red},
		8: {white, black, red, blue},
		9: {red, white, blue, black},
	} {
		for name, file := range map[string][]byte{
			"planes":  mediatest.JPEG(t, mediatest.Painted(image.NewNRGBA(image.Rect(0, 0, 480, 320)))),
			"not":     mediatest.JPEG(t, mediatest.Painted(image.NewNRGBA(mediatest.Rect()))),
			"resized": mediatest.JPEG(t, mediatest.Painted(image.NewNRGBA(image.Rect(0, 0, 1000, 600)))),
		} {
			got, err := s.Render(t.Context(), bytes.NewReader(withExif(file, o)), filetype.Kind{ContentType: filetype.JPEG}, small)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Width < got.Height) != (o >= 5 && o <= 8) {
				t.Errorf("%d, %s: %d × %d", o, name, got.Width, got.Height)
			}
			checkQuarters(t, got.Renditions[0], want)
			if bytes.Contains(got.Renditions[0].Bytes, []byte("SECRET")) || bytes.Contains(got.Renditions[0].Bytes, []byte("Exif")) {
				t.Errorf("%d, %s: metadata is left", o, name)
			}
		}
	}
}

func TestRenderAllVersions(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	for name, file := range map[string][]byte{
		"planes":      mediatest.JPEG(t, mediatest.Painted(image.NewNRGBA(image.Rect(0, 0, 2600, 1000)))),
		"grey planes": mediatest.JPEG(t, image.NewGray(image.Rect(0, 0, 2600, 1000))),
		"pixels":      mediatest.PNG(t, mediatest.Painted(image.NewNRGBA(image.Rect(0, 0, 1000, 2600)))),
		"transparent": mediatest.PNG(t, image.NewNRGBA(image.Rect(0, 0, 900, 600))),
		"tiny":        mediatest.PNG(t, mediatest.Painted(image.NewNRGBA(image.Rect(0, 0, 3, 2)))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, err := filetype.Detect(t.Context(), bytes.NewReader(file), "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Render(t.Context(), bytes.NewReader(file), k, domain.ImageVersions())
			if err != nil || len(got.Renditions) != 8 || got.Opaque == (name == "transparent") {
				t.Fatalf("%d renditions, opaque %v, error %v", len(got.Renditions), got.Opaque, err)
			}
			for i, r := range got.Renditions {
				w, h := r.Version.Fit(got.Width, got.Height)
				if r.Version != domain.ImageVersions()[i] || r.Width != w || r.Height != h {
					t.Errorf("%+v: %d × %d, want %d × %d", r.Version, r.Width, r.Height, w, h)
				}
				if wantType := map[bool]string{true: filetype.JPEG, false: filetype.WebP}[got.Opaque]; r.ContentType != wantType {
					t.Errorf("%+v is %s", r.Version, r.ContentType)
				}
				if name == "planes" || name == "pixels" {
					checkQuarters(t, r, mediatest.Quarters)
				}
			}
			small2x, medium := got.Renditions[1], got.Renditions[4]
			if &small2x.Bytes[0] != &medium.Bytes[0] {
				t.Error("two versions of one size are two files")
			}
		})
	}
}

func TestRenderSquare(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	for _, r := range []image.Rectangle{image.Rect(0, 0, 2400, 1000), image.Rect(0, 0, 1000, 2400)} {
		img := image.NewNRGBA(r)
		for i := range img.Pix {
			img.Pix[i] = 127 | byte(i%4/3)<<7
		}
		mediatest.Paint(img.SubImage(codec.Central(r)).(*image.NRGBA))
		for kind, file := range map[string][]byte{filetype.JPEG: mediatest.JPEG(t, img), filetype.PNG: mediatest.PNG(t, img)} {
			got, err := s.Render(t.Context(), bytes.NewReader(file), filetype.Kind{ContentType: kind}, domain.ImageVersions())
			if err != nil {
				t.Fatal(err)
			}
			for _, rendition := range got.Renditions {
				if rendition.Version.Name == "square" {
					checkQuarters(t, rendition, mediatest.Quarters)
				}
			}
		}
	}
}

// hugePNG returns a PNG of a few bytes that claims to have 30,000 × 30,000 pixels.
func hugePNG(t *testing.T) []byte {
	file := mediatest.PNG(t, image.NewGray(mediatest.Rect()))
	binary.BigEndian.PutUint32(file[16:], 30000)
	binary.BigEndian.PutUint32(file[20:], 30000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	photo := mediatest.JPEG(t, mediatest.Painted(image.NewNRGBA(image.Rect(0, 0, 400, 300))))
	avif, heic := mediatest.Fixture(t, "plain.avif"), mediatest.Fixture(t, "plain.heic")
	animated := mediatest.GIF(t, image.NewPaletted(mediatest.Rect(), mediatest.Palette()), image.NewPaletted(mediatest.Rect(), mediatest.Palette()))
	binary.LittleEndian.PutUint16(animated[6:], 60000)
	binary.LittleEndian.PutUint16(animated[8:], 60000)
	for name, c := range map[string]struct {
		file       []byte
		kind, want string
	}{
		"huge png":             {hugePNG(t), filetype.PNG, "The image has 30000 × 30000 pixels, more than the limit of 100 million"},
		"huge gif":             {animated, filetype.GIF, "The image has 60000 × 60000 pixels, and a side may have 32768"},
		"jpeg without a frame": {photo[:40], filetype.JPEG, "The image is broken"},
		"short jpeg":           {photo[:100], filetype.JPEG, "The image is broken"},
		"truncated webp":       {mediatest.Fixture(t, "lossy.webp")[:80], filetype.WebP, "The image is broken"},
		"truncated avif":       {avif[:len(avif)-20], filetype.AVIF, "The image is broken"},
		"truncated heic":       {heic[:len(heic)-50], filetype.HEIC, "The image is broken"},
		"nothing":              {nil, filetype.JPEG, "The image is broken"},
		"other bytes":          {photo, filetype.PNG, "The image is broken"},
		"psd":                  {photo, "image/vnd.adobe.photoshop", "Images of the type image/vnd.adobe.photoshop cannot be resized"},
	} {
		if _, err := s.Render(t.Context(), bytes.NewReader(c.file), filetype.Kind{ContentType: c.kind}, small); mediatest.Reason(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	tight := NewStudio(Options{MaxMemory: 1 << 10})
	if _, err := tight.Render(t.Context(), bytes.NewReader(photo), filetype.Kind{ContentType: filetype.JPEG}, small); !strings.Contains(mediatest.Reason(err), "memory") {
		t.Errorf("without memory: %v", err)
	}
}

func TestRenderPassesOn(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	down := errors.New("the disk is gone")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for kind, file := range map[string][]byte{
		filetype.JPEG: mediatest.JPEG(t, image.NewGray(mediatest.Rect())),
		filetype.PNG:  mediatest.PNG(t, image.NewGray(mediatest.Rect())),
		filetype.GIF:  mediatest.GIF(t, image.NewPaletted(mediatest.Rect(), mediatest.Palette())),
		filetype.WebP: mediatest.Fixture(t, "anim.webp"),
		filetype.AVIF: mediatest.Fixture(t, "plain.avif"),
		filetype.HEIC: mediatest.Fixture(t, "plain.heic"),
	} {
		k := filetype.Kind{ContentType: kind}
		if _, err := s.Render(t.Context(), mediatest.Failing{File: bytes.NewReader(file), Err: down}, k, small); !errors.Is(err, down) || mediatest.Reason(err) != "" {
			t.Errorf("%s, with a source that fails: %v", kind, err)
		}
		if _, err := s.Render(ended, bytes.NewReader(file), k, small); !errors.Is(err, context.Canceled) || mediatest.Reason(err) != "" {
			t.Errorf("%s, with a context that has ended: %v", kind, err)
		}
	}
}

func TestRenderTransparent(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	for kind, name := range map[string]string{filetype.WebP: "alpha.webp", filetype.AVIF: "alpha.avif"} {
		got, err := s.Render(t.Context(), bytes.NewReader(mediatest.Fixture(t, name)), filetype.Kind{ContentType: kind}, small)
		if err != nil || got.Opaque || got.Renditions[0].ContentType != filetype.WebP {
			t.Fatalf("%s: opaque %v, %d renditions, error %v", name, got.Opaque, len(got.Renditions), err)
		}
	}
}

// The facts and the pixels of a turned AVIF are upright.
func TestRenderTurnedAVIF(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	got, err := s.Render(t.Context(), bytes.NewReader(mediatest.Fixture(t, "turned.avif")), filetype.Kind{ContentType: filetype.AVIF}, small)
	if err != nil {
		t.Fatal(err)
	}
	if got.Width != 32 || got.Height != 48 {
		t.Errorf("%d × %d", got.Width, got.Height)
	}
	red, white, blue, black := mediatest.Quarters[0], mediatest.Quarters[1], mediatest.Quarters[2], mediatest.Quarters[3]
	checkQuarters(t, got.Renditions[0], [4]color.NRGBA{white, black, red, blue}) // counter-clockwise
}
