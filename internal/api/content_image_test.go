package api_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"vitrine/internal/apptest"
)

// gradient returns an image of width × height pixels.
func gradient(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = uint8(i / 7)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

func encodedImage(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegFile(t testing.TB, width, height int) []byte {
	return encodedImage(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, gradient(width, height), nil) })
}

// turnedJPEG returns a JPEG that is to be rotated by 90°: Exif orientation 6.
func turnedJPEG(t testing.TB, width, height int) []byte {
	plain := jpegFile(t, width, height)
	exif := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01"),
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0)
	segment := append([]byte{0xFF, 0xE1, 0, byte(len(exif) + 2)}, exif...)
	return append(append([]byte{0xFF, 0xD8}, segment...), plain[2:]...)
}

func gifFile(t testing.TB, width, height, frames int) []byte {
	var g gif.GIF
	for i := range frames {
		frame := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
		frame.Pix[i] = 1
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 10)
	}
	return encodedImage(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, &g) })
}

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><script>alert(1)</script><rect width="9" height="9" onload="alert(1)"/></svg>`

// Every image format becomes an Image with correct type and size.
func TestContentImages(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, c := range []struct {
		name, contentType string
		file              []byte
		width, height     int
	}{
		{"plain.png", "image/png", apptest.PNG(t, 1000, 500), 1000, 500},
		{"turned.jpg", "image/jpeg", turnedJPEG(t, 90, 60), 60, 90},
		{"moving.gif", "image/gif", gifFile(t, 40, 20, 3), 40, 20},
		{"plain.webp", "image/webp", mediaFile(t, "lossy.webp"), 48, 32},
		{"plain.avif", "image/avif", mediaFile(t, "plain.avif"), 48, 32},
		{"plain.heic", "image/heic", mediaFile(t, "plain.heic"), 48, 32},
		{"plain.tiff", "image/tiff", encodedImage(t, func(b *bytes.Buffer) error { return tiff.Encode(b, gradient(30, 20), nil) }), 30, 20},
		{"plain.bmp", "image/bmp", encodedImage(t, func(b *bytes.Buffer) error { return bmp.Encode(b, gradient(30, 20)) }), 30, 20},
		{"drawing.svg", "image/svg+xml", []byte(drawing), 120, 60},
	} {
		r.Web("example.com/"+c.name, apptest.Serve("application/octet-stream", c.file))
		got := processed(r, "https://example.com/"+c.name, nil)
		if got.Str("type") != "Image" || got.Str("state") != "available" {
			t.Errorf("%s became %s", c.name, got.Body)
			continue
		}
		holds(t, got, map[string]any{"title": c.name, "image.width": c.width, "image.height": c.height,
			"image.content_type": c.contentType, "image.filename": c.name, "image.alt_text": nil,
			"source.url": "https://example.com/" + c.name})
		src := download(r, got.Str("image.src")).Want(http.StatusOK)
		if int64(len(src.Body)) != got.Int("image.file_size") || src.Header.Get("Content-Type") != c.contentType {
			t.Errorf("%s: %d bytes of %s, said to be %d", c.name, len(src.Body), src.Header.Get("Content-Type"), got.Int("image.file_size"))
		}
		if c.contentType == "image/svg+xml" {
			if bytes.Contains(src.Body, []byte("alert")) {
				t.Errorf("the drawing runs: %s", src.Body)
			}
			continue
		}
		if !bytes.Equal(src.Body, c.file) {
			t.Errorf("%s is served otherwise than it came", c.name)
		}
		if ratio := fmt.Sprintf("%.4f", float64(c.width)/float64(c.height)); fmt.Sprintf("%.4f", asFloat(t, got, "image.aspect_ratio")) != ratio {
			t.Errorf("%s: aspect ratio %v, want %s", c.name, got.Get("image.aspect_ratio"), ratio)
		}
		if n := len(got.Str("image.blurhash")); n != 28 {
			t.Errorf("%s: a blurhash of %d characters", c.name, n)
		}
		checkVersions(t, r, got)
	}
}

func asFloat(t *testing.T, r *apptest.Response, path string) (f float64) {
	t.Helper()
	if _, err := fmt.Sscan(fmt.Sprint(r.Get(path)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// checkVersions compares the sizes of a block's versions with their files.
func checkVersions(t *testing.T, r *apptest.Rig, got *apptest.Response) {
	t.Helper()
	for _, name := range []string{"small", "medium", "large", "square"} {
		at := "image." + name + "."
		file := download(r, got.Str(at+"src")).Want(http.StatusOK)
		c, _, err := image.DecodeConfig(bytes.NewReader(file.Body))
		if err != nil || int64(c.Width) != got.Int(at+"width") || int64(c.Height) != got.Int(at+"height") {
			t.Errorf("%s is %d × %d (%v), said to be %v × %v", name, c.Width, c.Height, err, got.Get(at+"width"), got.Get(at+"height"))
		}
		double, _, err := image.DecodeConfig(bytes.NewReader(download(r, got.Str(at+"src_2x")).Want(http.StatusOK).Body))
		if err != nil || double.Width < c.Width {
			t.Errorf("%s at 2× is %d wide (%v)", name, double.Width, err)
		}
	}
}

// vastPNG returns a small PNG that declares a huge size.
func vastPNG(width, height uint32) []byte {
	chunk := func(name string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, name...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	file := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 2, 0, 0, 0))...)
	return append(append(file, chunk("IDAT", []byte{0x78, 0x9c, 1, 0, 0, 0xff, 0xff})...), chunk("IEND", nil)...)
}

// A file that is not a valid image is stored unchanged.
func TestContentAttachments(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, c := range []struct{ name, contentType, extension, body string }{
		{"vast.png", "image/png", "png", string(vastPNG(30_000, 30_000))},
		{"head.png", "image/png", "png", "\x89PNG\r\n\x1a\n"},
		{"polyglot.gif", "image/gif", "gif", "GIF89a=1;alert(1)//<script>alert(1)</script>"},
		{"table.csv", "text/csv", "csv", "a,b\n1,2\n"},
		{"notes.txt", "text/plain", "txt", "Some notes"},
		{"archive.zip", "application/zip", "zip", "PK\x05\x06" + string(make([]byte, 18))},
		{"song.mp3", "audio/mpeg", "mp3", "ID3\x03\x00\x00\x00\x00\x00\x0a" + string(make([]byte, 10))},
		{"saved.html", "text/html", "html", "<!DOCTYPE html><script>alert(1)</script>"},
		{"torn.svg", "application/xml", "svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script`},
		{"broken.pdf", "application/pdf", "pdf", "%PDF-1.7\nnothing follows"},
		{"locked.pdf", "application/pdf", "pdf", string(mediaFile(t, "locked.pdf"))},
		{"bytes.bin", "application/octet-stream", "", "\x00\x01\x02\x03\xfe\xff"},
	} {
		r.Web("example.com/"+c.name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte(c.body))
		})
		got := processed(r, "https://example.com/"+c.name, nil)
		if got.Str("type") != "Attachment" || got.Str("state") != "available" {
			t.Errorf("%s became %s", c.name, got.Body)
			continue
		}
		served := c.body
		if c.name == "polyglot.gif" { // bytes after the trailer are removed with the metadata
			served = c.body[:13]
		}
		extension := any(c.extension)
		if c.extension == "" {
			extension = nil
		}
		holds(t, got, map[string]any{"title": c.name, "attachment.filename": c.name, "attachment.content_type": c.contentType,
			"attachment.file_extension": extension, "attachment.file_size": len(served), "image": nil})
		file := download(r, got.Str("attachment.url")).Want(http.StatusOK)
		if string(file.Body) != served {
			t.Errorf("%s is served otherwise than it came", c.name)
		}
	}
}

const onePage = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 150]>> endobj
trailer <</Root 1 0 R>>
`

// A PDF is an Attachment with its first page as the image.
func TestContentPDF(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Web("example.com/paper", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Disposition", `attachment; filename*=UTF-8''..%2FThe%20%C3%A6ther.pdf`)
		_, _ = w.Write([]byte(onePage))
	})
	got := processed(r, "https://example.com/paper", map[string]any{"alt_text": "A page"})
	holds(t, got, map[string]any{"type": "Attachment", "title": "The æther.pdf", "attachment.filename": "The æther.pdf",
		"attachment.file_extension": "pdf", "image.alt_text": "A page"})
	if ratio := asFloat(t, got, "image.aspect_ratio"); ratio < 1.9 || ratio > 2.1 {
		t.Errorf("the preview has the aspect ratio %v", ratio)
	}
	checkVersions(t, r, got)
	file := download(r, got.Str("attachment.url")).Want(http.StatusOK)
	if how := file.Header.Get("Content-Disposition"); how != "inline; filename*=utf-8''The%20%C3%A6ther.pdf" {
		t.Errorf("the PDF is served as %s", how)
	}
	if policy := file.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "sandbox") {
		t.Errorf("the policy of a PDF is %q", policy) // some browsers do not show it in a sandbox
	}
}
