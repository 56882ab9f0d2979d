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
)

var small = []Version{{Name: "small"}}

// withExif puts an orientation, and a note of the place, into a JPEG.
func withExif(file []byte, o orientation) []byte {
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00SECRET PLACE")
	exif[25] = byte(o)
	segment := append([]byte{0xFF, markerAPP1, 0, byte(len(exif) + 2)}, exif...)
	return slices.Concat(file[:2], segment, file[2:])
}

func TestRenderAppliesOrientation(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	red, white, blue, black := quarters[0], quarters[1], quarters[2], quarters[3]
	for o, want := range map[orientation][4]color.NRGBA{
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
			"planes":  jpegOf(t, painted(image.NewNRGBA(image.Rect(0, 0, 480, 320)))),
			"not":     jpegOf(t, painted(image.NewNRGBA(testRect()))),
			"resized": jpegOf(t, painted(image.NewNRGBA(image.Rect(0, 0, 1000, 600)))),
		} {
			got, err := s.Render(t.Context(), bytes.NewReader(withExif(file, o)), Kind{ContentType: typeJPEG}, small)
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

// The pixels of RGBA are turned as those of planes are.
func TestTurnAgrees(t *testing.T) {
	t.Parallel()
	for o := orientation(1); o <= 8; o++ {
		grey, full := image.NewGray(image.Rect(0, 0, 5, 3)), image.NewRGBA(image.Rect(0, 0, 5, 3))
		for i := range grey.Pix {
			grey.Pix[i] = byte(i * 9)
			full.SetRGBA(i%5, i/5, color.RGBA{byte(i * 9), byte(i * 9), byte(i * 9), 255})
		}
		a, b := turn(grey, o), turn(full, o)
		if a.Bounds() != b.Bounds() {
			t.Fatalf("%d: %v and %v", o, a.Bounds(), b.Bounds())
		}
		for y := range a.Bounds().Dy() {
			for x := range a.Bounds().Dx() {
				if !near(color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA), 0) {
					t.Fatalf("%d: %v and %v at %d, %d", o, a.At(x, y), b.At(x, y), x, y)
				}
			}
		}
	}
}

func TestRenderAllVersions(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	for name, file := range map[string][]byte{
		"planes":      jpegOf(t, painted(image.NewNRGBA(image.Rect(0, 0, 2600, 1000)))),
		"grey planes": jpegOf(t, image.NewGray(image.Rect(0, 0, 2600, 1000))),
		"pixels":      pngOf(t, painted(image.NewNRGBA(image.Rect(0, 0, 1000, 2600)))),
		"transparent": pngOf(t, image.NewNRGBA(image.Rect(0, 0, 900, 600))),
		"tiny":        pngOf(t, painted(image.NewNRGBA(image.Rect(0, 0, 3, 2)))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, err := Detect(t.Context(), bytes.NewReader(file), "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Render(t.Context(), bytes.NewReader(file), k, Versions())
			if err != nil || len(got.Renditions) != 8 || got.Opaque == (name == "transparent") {
				t.Fatalf("%d renditions, opaque %v, error %v", len(got.Renditions), got.Opaque, err)
			}
			for i, r := range got.Renditions {
				w, h := r.Version.Fit(got.Width, got.Height)
				if r.Version != Versions()[i] || r.Width != w || r.Height != h {
					t.Errorf("%+v: %d × %d, want %d × %d", r.Version, r.Width, r.Height, w, h)
				}
				if wantType := map[bool]string{true: typeJPEG, false: typeWebP}[got.Opaque]; r.ContentType != wantType {
					t.Errorf("%+v is %s", r.Version, r.ContentType)
				}
				if name == "planes" || name == "pixels" {
					checkQuarters(t, r, quarters)
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
		paint(img.SubImage(central(r)).(*image.NRGBA))
		for kind, file := range map[string][]byte{typeJPEG: jpegOf(t, img), typePNG: pngOf(t, img)} {
			got, err := s.Render(t.Context(), bytes.NewReader(file), Kind{ContentType: kind}, Versions())
			if err != nil {
				t.Fatal(err)
			}
			for _, rendition := range got.Renditions {
				if rendition.Version.Name == "square" {
					checkQuarters(t, rendition, quarters)
				}
			}
		}
	}
}

// hugePNG is a PNG of few bytes that says it has 30,000 × 30,000 pixels.
func hugePNG(t *testing.T) []byte {
	file := pngOf(t, image.NewGray(testRect()))
	binary.BigEndian.PutUint32(file[16:], 30000)
	binary.BigEndian.PutUint32(file[20:], 30000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	photo := jpegOf(t, painted(image.NewNRGBA(image.Rect(0, 0, 400, 300))))
	avif, heic := fixture(t, "plain.avif"), fixture(t, "plain.heic")
	animated := gifOf(t, image.NewPaletted(testRect(), palette()), image.NewPaletted(testRect(), palette()))
	binary.LittleEndian.PutUint16(animated[6:], 60000)
	binary.LittleEndian.PutUint16(animated[8:], 60000)
	for name, c := range map[string]struct {
		file       []byte
		kind, want string
	}{
		"huge png":       {hugePNG(t), typePNG, "The image has 30000 × 30000 pixels, more than the limit of 100 million"},
		"huge gif":       {animated, typeGIF, "The image has 60000 × 60000 pixels, and a side may have 32768"},
		"truncated jpeg": {photo[:len(photo)/2], typeJPEG, "The image is broken"},
		"short jpeg":     {photo[:100], typeJPEG, "The image is broken"},
		"truncated webp": {fixture(t, "lossy.webp")[:80], typeWebP, "The image is broken"},
		"truncated avif": {avif[:len(avif)-20], typeAVIF, "The image is broken"},
		"truncated heic": {heic[:len(heic)-50], typeHEIC, "The image is broken"},
		"nothing":        {nil, typeJPEG, "The image is broken"},
		"other bytes":    {photo, typePNG, "The image is broken"},
		"psd":            {photo, "image/vnd.adobe.photoshop", "Images of the type image/vnd.adobe.photoshop cannot be resized"},
	} {
		if _, err := s.Render(t.Context(), bytes.NewReader(c.file), Kind{ContentType: c.kind}, small); reasonOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	tight := NewStudio(Options{MaxMemory: 1 << 10})
	if _, err := tight.Render(t.Context(), bytes.NewReader(photo), Kind{ContentType: typeJPEG}, small); !strings.Contains(reasonOf(err), "memory") {
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
		typeJPEG: jpegOf(t, image.NewGray(testRect())),
		typePNG:  pngOf(t, image.NewGray(testRect())),
		typeGIF:  gifOf(t, image.NewPaletted(testRect(), palette())),
		typeWebP: fixture(t, "anim.webp"),
		typeAVIF: fixture(t, "plain.avif"),
		typeHEIC: fixture(t, "plain.heic"),
	} {
		k := Kind{ContentType: kind}
		if _, err := s.Render(t.Context(), failing{bytes.NewReader(file), down}, k, small); !errors.Is(err, down) || reasonOf(err) != "" {
			t.Errorf("%s, with a source that fails: %v", kind, err)
		}
		if _, err := s.Render(ended, bytes.NewReader(file), k, small); !errors.Is(err, context.Canceled) || reasonOf(err) != "" {
			t.Errorf("%s, with a context that has ended: %v", kind, err)
		}
	}
}

func TestRenderTransparent(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	for kind, name := range map[string]string{typeWebP: "alpha.webp", typeAVIF: "alpha.avif"} {
		got, err := s.Render(t.Context(), bytes.NewReader(fixture(t, name)), Kind{ContentType: kind}, small)
		if err != nil || got.Opaque || got.Renditions[0].ContentType != typeWebP {
			t.Fatalf("%s: opaque %v, %d renditions, error %v", name, got.Opaque, len(got.Renditions), err)
		}
	}
}

// A turned AVIF is upright in its facts and its pixels.
func TestRenderTurnedAVIF(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	got, err := s.Render(t.Context(), bytes.NewReader(fixture(t, "turned.avif")), Kind{ContentType: typeAVIF}, small)
	if err != nil {
		t.Fatal(err)
	}
	if got.Width != 32 || got.Height != 48 {
		t.Errorf("%d × %d", got.Width, got.Height)
	}
	red, white, blue, black := quarters[0], quarters[1], quarters[2], quarters[3]
	checkQuarters(t, got.Renditions[0], [4]color.NRGBA{white, black, red, blue}) // counter-clockwise
}
