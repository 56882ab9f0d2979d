package files_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// address requests an upload address, and returns its path with the query.
func address(r *apptest.Rig, as, name, contentType string) string {
	r.T.Helper()
	got := r.Do(as, "POST", "/v3/uploads/presign", map[string]any{"files": []any{
		map[string]any{"filename": name, "content_type": contentType}}}).Want(http.StatusCreated)
	path, ours := strings.CutPrefix(got.Str("files.0.upload_url"), apptest.Base)
	if !ours {
		r.T.Fatalf("%s is no address of this server", got.Body)
	}
	return path
}

// add uploads a file, creates a block from it in a private channel, and returns the processed block.
func add(r *apptest.Rig, as, name string, body []byte, more ...any) *apptest.Response {
	r.T.Helper()
	const declared = "application/octet-stream"
	path := address(r, as, name, declared)
	r.Do("", http.MethodPut, path, body, "Content-Type", declared).Want(http.StatusOK)
	value, _, _ := strings.Cut(path, "?")
	fields := map[string]any{"value": apptest.Base + value, "channel_ids": []int64{r.Channel(as, "Drawer of "+name, "private")}}
	for i := 0; i+1 < len(more); i += 2 {
		fields[fmt.Sprint(more[i])] = more[i+1]
	}
	id := r.Do(as, "POST", "/v3/blocks", fields).Want(http.StatusCreated).Int("id")
	r.WorkJobs()
	return r.Get(as, "/v3/blocks/%d", id)
}

// original returns the path of the original file of a block.
func original(block *apptest.Response) string {
	block.T.Helper()
	for _, at := range []string{"attachment.url", "image.src"} {
		if url, ok := block.Lookup(at); ok {
			return strings.TrimPrefix(fmt.Sprint(url), apptest.Base)
		}
	}
	block.T.Fatalf("there is no file in %s", block.Body)
	return ""
}

// get sends a request without a token.
func get(r *apptest.Rig, path string, headers ...string) *apptest.Response {
	r.T.Helper()
	return r.Do("", http.MethodGet, path, nil, headers...)
}

// headers compares header fields. "" is for a field that must be missing.
func headers(t testing.TB, what string, got http.Header, want ...string) {
	t.Helper()
	for i := 0; i < len(want); i += 2 {
		if has := got.Get(want[i]); has != want[i+1] {
			t.Errorf("%s: %s is %q, want %q", what, want[i], has, want[i+1])
		}
	}
}

// clearGIF returns a GIF of one transparent colour.
func clearGIF(t testing.TB, width, height int) []byte {
	t.Helper()
	var file bytes.Buffer
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Transparent, color.Black})
	if err := gif.Encode(&file, picture, nil); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// camera is a text in the metadata of photo.
const camera = "Taken at home by a Vitrinoflex"

// photo returns a JPEG with Exif metadata, which contains camera.
func photo(t testing.TB, width, height int) []byte {
	t.Helper()
	var plain bytes.Buffer
	if err := jpeg.Encode(&plain, image.NewRGBA(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	text := camera + "\x00"
	exif := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01"), 0x01, 0x0E, 0, 2, 0, 0, 0, byte(len(text)), 0, 0, 0, 26, 0, 0, 0, 0)
	exif = append(exif, text...)
	segment := append([]byte{0xFF, 0xE1, 0, byte(len(exif) + 2)}, exif...)
	return bytes.Join([][]byte{plain.Bytes()[:2], segment, plain.Bytes()[2:]}, nil)
}
