package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
	"vitrine/internal/media/source"
)

// The limit of a side applies to every format.
func TestSidesAreBounded(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	long := image.NewGray(image.Rect(0, 0, source.MaxSide+1, 1))
	dimensions := func(name string) []byte {
		file := mediatest.Fixture(t, name)
		for at := range file {
			if bytes.HasPrefix(file[at:], []byte("ispe")) {
				binary.BigEndian.PutUint32(file[at+8:], source.MaxSide+1)
				binary.BigEndian.PutUint32(file[at+12:], 1)
			}
		}
		return file
	}
	animation := mediatest.Fixture(t, "anim.webp")
	copy(animation[24:], []byte{0, 0x80, 0}) // the canvas: 32,769 pixels wide
	for kind, file := range map[string][]byte{
		filetype.PNG:  mediatest.PNG(t, long),
		filetype.JPEG: mediatest.JPEG(t, long),
		filetype.GIF:  mediatest.GIFAround(t, source.MaxSide+1, 1),
		filetype.BMP:  mediatest.Encode(t, func(b *bytes.Buffer) error { return bmp.Encode(b, long) }),
		filetype.TIFF: mediatest.Encode(t, func(b *bytes.Buffer) error { return tiff.Encode(b, long, nil) }),
		filetype.AVIF: dimensions("plain.avif"),
		filetype.HEIC: dimensions("plain.heic"),
		filetype.WebP: animation,
	} {
		_, err := s.Render(t.Context(), bytes.NewReader(file), filetype.Kind{ContentType: kind}, small)
		if !strings.Contains(mediatest.Reason(err), "a side may have 32768") {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := s.Inspect(t.Context(), bytes.NewReader(file), filetype.Kind{ContentType: kind}); mediatest.Reason(err) == "" {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// Large images wait for each other but do not delay small ones.
func TestLanes(t *testing.T) {
	t.Parallel()
	m := newMemory(64<<20, 0)
	release, err := m.reserve(t.Context(), m.max)
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
	if _, err := m.reserve(t.Context(), m.max+1); mediatest.Reason(err) == "" {
		t.Errorf("more than there is: %v", err)
	}
	if all := m.max + m.small; all != 128<<20 {
		t.Errorf("all lanes have %d bytes, want twice the budget", all)
	}
}

// A decoder that exceeds its time rejects the file.
func TestDecodingTakesTooLong(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{Timeout: 1})
	_, err := s.Render(t.Context(), bytes.NewReader(mediatest.JPEG(t, image.NewGray(mediatest.Rect()))), filetype.Kind{ContentType: filetype.JPEG}, small)
	if mediatest.Reason(err) != "The image takes too long to be decoded" {
		t.Error(err)
	}
}
