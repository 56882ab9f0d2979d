package strip

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// secrets are the values that the samples reveal, in the encodings of their formats: names, a serial
// number, the XMP namespace, and 52° 30' as rational numbers.
var secrets = []string{"Secret", "SN12345", "adobe:ns:meta", "ns.adobe.com", "+52.", "52.5", "52,30",
	"\x00\x00\x00\x34\x00\x00\x00\x01\x00\x00\x00\x1e\x00\x00\x00\x01", "\x34\x00\x00\x00\x01\x00\x00\x00\x1e\x00\x00\x00\x01\x00\x00\x00"}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func samples(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.*")
	if err != nil || len(all) < 10 {
		t.Fatal(all, err)
	}
	for i, name := range all {
		all[i] = filepath.Base(name)
	}
	return all
}

// stripped returns a file without its metadata.
func stripped(t testing.TB, body []byte) []byte {
	t.Helper()
	p, err := Examine(context.Background(), bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Apply(body)
	if err != nil || int64(len(out)) != p.Size() {
		t.Fatalf("%d bytes instead of %d: %v", len(out), p.Size(), err)
	}
	return out
}

func TestStrip(t *testing.T) {
	t.Parallel()
	for _, name := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := sample(t, name)
			out := stripped(t, body)
			revealed := 0
			for _, secret := range secrets {
				if bytes.Contains(body, []byte(secret)) {
					revealed++
				}
				if bytes.Contains(out, []byte(secret)) {
					t.Errorf("%q is still there", secret)
				}
			}
			if revealed == 0 {
				t.Error("the sample contains no secret")
			}
			if again := stripped(t, out); !bytes.Equal(again, out) {
				t.Error("stripping again changes the file")
			}
			if strings.HasPrefix(name, "full.") && !strings.Contains(".gif.mp4.mov", filepath.Ext(name)) && !bytes.Contains(out, []byte("2024:05:01 12:30:00")) {
				t.Error("the capture date is gone")
			}
			before, _, err := image.Decode(bytes.NewReader(body))
			if errors.Is(err, image.ErrFormat) {
				return
			}
			after, _, err := image.Decode(bytes.NewReader(out))
			if err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("the picture has changed: %v", err)
			}
		})
	}
}

// TestPixels compares the compressed images byte for byte.
func TestPixels(t *testing.T) {
	t.Parallel()
	scan := func(body []byte) []byte {
		from := bytes.Index(body, []byte{0xff, 0xda})
		to := bytes.Index(body, []byte{0xff, 0xd9})
		for next := to; next >= 0 && to < from; to += 2 + next {
			next = bytes.Index(body[to+2:], []byte{0xff, 0xd9})
		}
		return body[from:to]
	}
	for _, name := range []string{"gps.jpg", "full.jpg", "motion.jpg"} {
		if body := sample(t, name); !bytes.Contains(body, scan(stripped(t, body))) || len(scan(stripped(t, body))) < 100 {
			t.Errorf("the scan of %s changed", name)
		}
	}
	media := func(body []byte) []byte {
		at := bytes.Index(body, []byte("mdat"))
		return body[at:][:binary.BigEndian.Uint32(body[at-4:])-4]
	}
	for _, name := range []string{"full.mp4", "full.mov"} {
		body := sample(t, name)
		if out := stripped(t, body); len(out) != len(body) || !bytes.Equal(media(out), media(body)) {
			t.Errorf("the media of %s changed", name)
		}
	}
}

// TestKept checks that the orientation and the colour profile are kept.
func TestKept(t *testing.T) {
	t.Parallel()
	out := stripped(t, sample(t, "full.jpg"))
	at := bytes.Index(out, []byte(exifMark))
	if at < 0 {
		t.Fatal("no Exif")
	}
	exif := out[at+len(exifMark):]
	main := directory(exif, binary.BigEndian, 8)
	sub := directory(exif, binary.BigEndian, int64(binary.BigEndian.Uint32(main[tagExif])))
	if string(main[tagOrientation]) != "\x00\x06" || string(sub[0x9003]) != "2024:05:01 12:30:00\x00" || string(sub[0x9011]) != "+02:00\x00" || len(main) != 2 || len(sub) != 4 {
		t.Errorf("the Exif is %v, %v", main, sub)
	}
	if bytes.Contains(sample(t, "full.jpg"), []byte(iccMark)) != bytes.Contains(out, []byte(iccMark)) {
		t.Error("the colour profile is gone")
	}
}

// items returns a HEIC file with an iloc box. The first item is Exif.
func items(iloc string) string {
	box := func(kind, body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
	}
	infe := box("infe", "\x02\x00\x00\x00\x00\x01\x00\x00Exif\x00")
	return box("ftyp", "heic\x00\x00\x00\x00") + box("meta", "\x00\x00\x00\x00"+box("hdlr", "\x00\x00\x00\x00\x00\x00\x00\x00pict")+
		box("iinf", "\x00\x00\x00\x00\x00\x01"+infe)+box("iloc", iloc))
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	raw := bytes.Clone(sample(t, "full.tif"))
	copy(raw, "II*\x00\x10\x00\x00\x00CR")
	for name, body := range map[string]string{
		"JPEG without an image":   "\xff\xd8\xff\xe1\x00\x08Exif\x00\x00\xff\xd9",
		"JPEG segment of no size": "\xff\xd8\xff\xe1\x00\x01",
		"JPEG segment too long":   "\xff\xd8\xff\xe1\xff\xff",
		"PNG chunk too long":      "\x89PNG\r\n\x1a\n\xff\xff\xff\xffeXIf",
		"TIFF loop":               "II*\x00\x08\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00",
		"TIFF too short":          "II*\x00\xff\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00",
		"raw file":                string(raw),
		"box without end":         "\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\xff\xffmoov",
		"items of many parts":     items("\x00\x00\x00\x00\x00\x00\xff\xff" + strings.Repeat("\x00\x01\x00\x00\xff\xff", 0xffff)),
		"film without a movie":    "\x00\x00\x00\x10ftypisom\x00\x00\x00\x00",
	} {
		if _, err := Examine(context.Background(), strings.NewReader(body), int64(len(body))); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, body := range []string{"", "x", "%PDF-1.4", "RIFF\x00\x00\x00\x00WAVE", "\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00"} {
		if p, err := Examine(context.Background(), strings.NewReader(body), int64(len(body))); err != nil || !p.Unchanged() {
			t.Errorf("%q: %v, %v", body, p, err)
		}
	}
}

// TestReadErrors checks that a failing storage does not make a file malformed.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	for _, name := range samples(t) {
		body := sample(t, name)
		_, err := Examine(context.Background(), failing{bytes.NewReader(body)}, int64(len(body)))
		if err == nil || errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		_, err = Examine(context.Background(), bytes.NewReader(body[:len(body)/2]), int64(len(body)))
		if err == nil || errors.Is(err, ErrMalformed) {
			t.Errorf("half of %s: %v", name, err)
		}
	}
}

type failing struct{ *bytes.Reader }

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("the disk is gone") }

func TestReader(t *testing.T) {
	t.Parallel()
	for _, name := range samples(t) {
		body := sample(t, name)
		p, err := Examine(context.Background(), bytes.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := Decode(p.Encode(), int64(len(body)))
		if err != nil || kept.Size() != p.Size() {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := p.Apply(body)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(kept.Open(memory{bytes.NewReader(body)}), want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Decode(p.Encode(), int64(len(body))+1); err == nil {
			t.Errorf("%s: a plan for another file is accepted", name)
		}
	}
}

// FuzzExamine checks that hostile files neither panic nor take much memory, that the result has the
// announced size, and that it contains nothing to remove.
func FuzzExamine(f *testing.F) {
	for _, name := range samples(f) {
		f.Add(sample(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := Examine(context.Background(), bytes.NewReader(body), int64(len(body)))
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		kept, err := Decode(p.Encode(), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		out, err := io.ReadAll(kept.Open(memory{bytes.NewReader(body)}))
		if err != nil || int64(len(out)) != p.Size() {
			t.Fatalf("%d bytes instead of %d: %v", len(out), p.Size(), err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x01\x64\x00\x02\x00\x01x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := Decode(text, 100); err == nil {
			_, _ = p.Apply(make([]byte, 100))
		}
	})
}
