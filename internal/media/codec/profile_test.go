package codec

import (
	"bytes"
	"encoding/binary"
	"testing"

	"vitrine/internal/media/mediatest"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	file := mediatest.Fixture(t, "swap.jpg")
	at := bytes.Index(file, []byte("ICC_PROFILE\x00"))
	good := file[at+14 : at-2+int(binary.BigEndian.Uint16(file[at-2:]))]
	if converted, err := NewColorTransform(good, 3); err != nil || converted == nil {
		t.Fatalf("%v, %v", converted, err)
	}
	changed := func(at int, bytes ...byte) []byte {
		b := append([]byte(nil), good...)
		copy(b[at:], bytes)
		return b
	}
	curve := bytes.Index(good, []byte("curv"))
	for name, data := range map[string][]byte{
		"empty":               nil,
		"header only":         good[:128],
		"cut off":             good[:len(good)-40],
		"many tags":           changed(128, 0xFF, 0xFF, 0xFF, 0xFF),
		"a tag far outside":   changed(136, 0xFF, 0xFF, 0xFF, 0x00),
		"a curve of 4 GB":     changed(curve+8, 0xFF, 0xFF, 0xFF, 0xFF),
		"too large":           make([]byte, maxProfileSize+1),
		"other colour space":  changed(16, 'G', 'R', 'A', 'Y'),
		"unknown connections": changed(20, 'A', 'B', 'C', 'D'),
	} {
		if got, err := NewColorTransform(data, 3); err == nil || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := NewColorTransform(good, 4); err == nil {
		t.Error("a profile of three channels for four inks")
	}
}

// New returns, and a Transform converts, for any bytes.
func FuzzNew(f *testing.F) {
	for _, name := range []string{"swap.jpg", "p3.jpg"} {
		file := mediatest.Fixture(f, name)
		at := bytes.Index(file, []byte("ICC_PROFILE\x00"))
		f.Add(file[at+14:at-2+int(binary.BigEndian.Uint16(file[at-2:]))], false)
	}
	f.Fuzz(func(t *testing.T, data []byte, four bool) {
		channels := 3
		if four {
			channels = 4
		}
		if converted, err := NewColorTransform(data, channels); err == nil && converted != nil {
			converted.Convert([]byte{1, 2, 3, 255, 100, 100, 100, 128, 0, 0, 0, 0, 9})
		}
	})
}
