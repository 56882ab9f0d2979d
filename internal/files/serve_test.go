package files_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "golang.org/x/image/webp"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// Ranges of bytes are served as in RFC 9110 section 14. Malformed ones, and those beyond the end, are
// refused. Too many of them are ignored.
func TestRanges(t *testing.T) {
	t.Parallel()
	const body = "0123456789abcdef"
	r := apptest.New(t)
	path := original(add(r, "ada", "digits.txt", []byte(body)))
	tag := get(r, path).Want(200).Header.Get("ETag")
	for _, c := range []struct {
		ask, ifRange string
		status       int
		want, span   string
	}{
		{"bytes=0-0", "", 206, "0", "bytes 0-0/16"},
		{"bytes=4-7", "", 206, "4567", "bytes 4-7/16"},
		{"bytes=10-", "", 206, "abcdef", "bytes 10-15/16"},
		{"bytes=-3", "", 206, "def", "bytes 13-15/16"},
		{"bytes=-99", "", 206, body, "bytes 0-15/16"},
		{"bytes=8-99", "", 206, "89abcdef", "bytes 8-15/16"},
		{"bytes= 1 - 2 ", "", 206, "12", "bytes 1-2/16"},
		{"bytes=16-", "", 416, "", "bytes */16"},
		{"bytes=99-100", "", 416, "", "bytes */16"},
		{"bytes=7-4", "", 416, "", ""},
		{"bytes=x-y", "", 416, "", ""},
		{"bytes=1", "", 416, "", ""},
		{"bytes=--1", "", 416, "", ""},
		{"bytes=99999999999999999999-", "", 416, "", ""},
		{"bytes=0-1,16-17", "", 206, "01", "bytes 0-1/16"},
		{"bytes=0-1", tag, 206, "01", "bytes 0-1/16"},
		{"bytes=0-1", "W/" + tag, 200, body, ""},
		{"bytes=0-1", `"other"`, 200, body, ""},
		{"bytes=0-1", "Sun, 06 Nov 1994 08:49:37 GMT", 200, body, ""},
		{"bytes=99-", `"other"`, 200, body, ""},
		{"bytes=0-15,0-15,0-15", "", 200, body, ""},
		{"bytes=0-1," + strings.Repeat("0-0,", 4000) + "2-3", "", 200, body, ""},
	} {
		what := fmt.Sprintf("%.40s, If-Range %s", c.ask, c.ifRange)
		fields := []string{"Range", c.ask}
		if c.ifRange != "" {
			fields = append(fields, "If-Range", c.ifRange)
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := r.Do("", method, path, nil, fields...)
			if got.Status != c.status {
				t.Errorf("%s %s: %d, want %d", method, what, got.Status, c.status)
				continue
			}
			headers(t, method+" "+what, got.Header, "Content-Range", c.span, "Access-Control-Allow-Origin", "*")
			switch {
			case method == http.MethodHead && c.status < 400 && len(got.Body) > 0: // net/http drops the bodies of errors
				t.Errorf("HEAD %s: the body is %q", what, got.Body)
			case c.status == 416:
				headers(t, what, got.Header, "Cache-Control", "no-store", "ETag", "", "Content-Disposition", "", "Content-Type", "application/json; charset=utf-8")
			default:
				headers(t, method+" "+what, got.Header, "ETag", tag, "Content-Length", fmt.Sprint(len(c.want)))
				if method == http.MethodGet && string(got.Body) != c.want {
					t.Errorf("%s: %q, want %q", what, got.Body, c.want)
				}
			}
		}
	}
	several := get(r, path, "Range", "bytes=0-1, 4-5,-1").Want(206)
	kind, params, err := mime.ParseMediaType(several.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/byteranges" {
		t.Fatalf("several ranges are served as %s (%v)", several.Header.Get("Content-Type"), err)
	}
	parts := multipart.NewReader(bytes.NewReader(several.Body), params["boundary"])
	for _, want := range [][2]string{{"bytes 0-1/16", "01"}, {"bytes 4-5/16", "45"}, {"bytes 15-15/16", "f"}} {
		part, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil || string(text) != want[1] || part.Header.Get("Content-Range") != want[0] || part.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("the part %v is %q (%v)", part.Header, text, err)
		}
	}
	empty := original(add(r, "ada", "empty.txt", nil))
	headers(t, "nothing", get(r, empty).Want(200).Header, "Content-Length", "0")
	headers(t, "a range of nothing", get(r, empty, "Range", "bytes=0-").Want(200).Header, "Content-Length", "0", "Content-Range", "")
}

// Conditions compare tags as RFC 9110 section 13 says. There is no date to compare.
func TestConditions(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	path := original(add(r, "ada", "text.txt", []byte("text")))
	first := get(r, path).Want(200)
	tag := first.Header.Get("ETag")
	headers(t, "a file", first.Header, "Last-Modified", "", "Vary", first.Header.Get("Vary"))
	for _, c := range []struct {
		fields []string
		status int
	}{
		{[]string{"If-None-Match", tag}, 304},
		{[]string{"If-None-Match", "W/" + tag}, 304},
		{[]string{"If-None-Match", `"a", ` + tag + ` , "b"`}, 304},
		{[]string{"If-None-Match", "*"}, 304},
		{[]string{"If-None-Match", `"a"`}, 200},
		{[]string{"If-None-Match", strings.Trim(tag, `"`)}, 200},
		{[]string{"If-None-Match", strings.ToUpper(tag)}, 200},
		{[]string{"If-None-Match", ""}, 200},
		{[]string{"If-Match", tag}, 200},
		{[]string{"If-Match", "*"}, 200},
		{[]string{"If-Match", `"a"`}, 412},
		{[]string{"If-Match", "W/" + tag}, 412},
		{[]string{"If-Match", `"a"`, "If-None-Match", tag}, 412},
		{[]string{"If-Match", tag, "If-None-Match", tag}, 304},
		{[]string{"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"}, 200},
		{[]string{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}, 200},
		{[]string{"If-None-Match", tag, "Range", "bytes=0-1"}, 304},
		{[]string{"If-None-Match", `"a"`, "Range", "bytes=0-1"}, 206},
		{[]string{"If-Match", `"a"`, "Range", "bytes=0-1"}, 412},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := r.Do("", method, path, nil, c.fields...)
			if got.Status != c.status {
				t.Errorf("%s %q: %d, want %d", method, c.fields, got.Status, c.status)
				continue
			}
			switch c.status {
			case 304:
				headers(t, "304", got.Header, "ETag", tag, "Cache-Control", "public, max-age=31536000, immutable", "Content-Length", "")
				if len(got.Body) > 0 {
					t.Errorf("%q: the body is %q", c.fields, got.Body)
				}
			case 412:
				headers(t, "412", got.Header, "ETag", "", "Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8")
			}
		}
	}
}

// The bytes decide the type of a file, not its name. Only harmless types are shown, everything else is
// offered for download, and nothing may run.
func TestKinds(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	const pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
	wav := "RIFF\x28\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data\x04\x00\x00\x00\x00\x00\x00\x00"
	for _, c := range []struct{ name, body, kind, disposition string }{
		{"plain.txt", "words", "text/plain; charset=utf-8", "inline; filename=plain.txt"},
		{"page.txt", "<!doctype html><script>alert(1)</script>", "text/html; charset=utf-8", "attachment; filename=page.txt"},
		{"data.json", `{"a":1}`, "application/json", "attachment; filename=data.json"},
		{"paper.pdf", pdf, "application/pdf", "inline; filename=paper.pdf"},
		{"paper.exe", pdf, "application/pdf", "inline; filename=paper.exe"},
		{"sound.wav", wav, "audio/wav", "inline; filename=sound.wav"},
		{"fake.png", "no picture", "text/plain; charset=utf-8", "inline; filename=fake.png"},
		{"bytes", "\x00\x01\x02\x03", "application/octet-stream", "attachment; filename=bytes"},
		{"README", "words", "text/plain; charset=utf-8", "inline; filename=README.txt"},
		{"program.exe", "MZ\x90\x00" + strings.Repeat("\x00", 60), "application/vnd.microsoft.portable-executable", "attachment; filename=program.exe"},
		{"Ünïcode 字.txt", "words", "text/plain; charset=utf-8", "inline; filename*=utf-8''%C3%9Cn%C3%AFcode%20%E5%AD%97.txt"},
		{`quote".txt`, "words", "text/plain; charset=utf-8", `inline; filename="quote\".txt"`},
		{"a;b=c.txt", "words", "text/plain; charset=utf-8", `inline; filename="a;b=c.txt"`},
		{"...", "words", "text/plain; charset=utf-8", "inline; filename=..."},
	} {
		got := get(r, original(add(r, "ada", c.name, []byte(c.body)))).Want(200)
		if string(got.Body) != c.body {
			t.Errorf("%s: the body is %q", c.name, got.Body)
		}
		headers(t, c.name, got.Header, "Content-Type", c.kind, "Content-Disposition", c.disposition, "X-Content-Type-Options", "nosniff",
			"Cross-Origin-Resource-Policy", "cross-origin", "Set-Cookie", "", "Last-Modified", "")
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "script") || strings.HasSuffix(policy, "; sandbox") == strings.HasSuffix(c.kind, "pdf") {
			t.Errorf("%s: the policy is %q", c.name, policy)
		}
	}
}

// An image has eight smaller versions of the announced sizes: JPEG, or WebP if it is transparent. Other
// files have none.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, c := range []struct {
		name      string
		file      []byte
		extension string
		kind      string
	}{
		{"opaque.png", apptest.PNG(t, 640, 320), "jpg", "image/jpeg"},
		{"clear.gif", clearGIF(t, 320, 640), "webp", "image/webp"},
	} {
		block := add(r, "ada", c.name, c.file)
		folder := original(block)
		folder = folder[:strings.LastIndexByte(folder, '/')+1]
		tags := map[string]string{get(r, original(block)).Want(200).Header.Get("ETag"): "the original"}
		for _, v := range domain.ImageVersions() {
			got := get(r, folder+v.String()+"."+c.extension).Want(200)
			picture, format, err := image.DecodeConfig(bytes.NewReader(got.Body))
			width, height := v.Fit(int(block.Int("image.width")), int(block.Int("image.height")))
			if err != nil || "image/"+format != c.kind || picture.Width != width || picture.Height != height {
				t.Errorf("%s of %s: %s of %d × %d, want %d × %d (%v)", v, c.name, format, picture.Width, picture.Height, width, height, err)
			}
			stem := strings.Split(c.name, ".")[0]
			headers(t, v.String(), got.Header, "Content-Type", c.kind, "Content-Disposition", "inline; filename="+stem+"."+c.extension)
			tag := got.Header.Get("ETag")
			if other := tags[tag]; other != "" {
				t.Errorf("%s has the tag of %s", v, other)
			}
			tags[tag] = v.String()
		}
		for _, none := range []string{"small." + map[string]string{"jpg": "webp", "webp": "jpg"}[c.extension], "small.png", "small-3x." + c.extension,
			"SMALL." + c.extension, "small", "small." + c.extension + "/", "original", "original.exe", "thumb." + c.extension, ""} {
			if got := get(r, folder+none); got.Status != 404 {
				t.Errorf("%s of %s: %d", none, c.name, got.Status)
			}
		}
	}
	text := original(add(r, "ada", "text.txt", []byte("text")))
	for _, none := range []string{"small.jpg", "small.webp", "large-2x.jpg", "square.jpg"} {
		get(r, text[:strings.LastIndexByte(text, '/')+1]+none).Want(404)
	}
}

// The metadata of a photo is removed for others unless its owner keeps it. What depends on that choice is
// cached for an hour only, under tags of their own.
func TestMetadataOfOriginals(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	block := add(r, "ada", "photo.jpg", photo(t, 40, 30))
	path := original(block)
	clean := get(r, path).Want(200)
	headers(t, "without metadata", clean.Header, "Cache-Control", "public, max-age=3600", "Content-Type", "image/jpeg", "Content-Disposition", "inline; filename=photo.jpg")
	if bytes.Contains(clean.Body, []byte(camera)) || !strings.HasSuffix(clean.Header.Get("ETag"), `-clean"`) {
		t.Errorf("the metadata is served under the tag %s", clean.Header.Get("ETag"))
	}
	get(r, path, "If-None-Match", clean.Header.Get("ETag")).Want(304)
	if part := get(r, path, "Range", "bytes=0-1").Want(206); string(part.Body) != "\xff\xd8" {
		t.Errorf("the beginning is %q", part.Body)
	}
	kept := get(r, original(add(r, "ada", "plain.png", apptest.PNG(t, 9, 9)))).Want(200)
	headers(t, "nothing to remove", kept.Header, "Cache-Control", "public, max-age=31536000, immutable")
	small := get(r, strings.Replace(path, "original.jpg", "small.jpg", 1)).Want(200)
	headers(t, "a version", small.Header, "Cache-Control", "public, max-age=31536000, immutable")

	keeping := apptest.New(t, func(c *config.Config) { c.KeepMetadata = true })
	whole := get(keeping, original(add(keeping, "ada", "photo.jpg", photo(t, 40, 30)))).Want(200)
	if !bytes.Contains(whole.Body, []byte(camera)) || strings.HasSuffix(whole.Header.Get("ETag"), `-clean"`) {
		t.Errorf("the operator keeps metadata, and %s has none", whole.Header.Get("ETag"))
	}
	headers(t, "with metadata", whole.Header, "Cache-Control", "public, max-age=3600")
}

// Anyone with its address can read a file. While an operator hides its block or its
// author, and after it was deleted, nobody can.
func TestWhoReadsFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		picture := add(r, "ada", "p.png", apptest.PNG(t, 60, 40))
		path := original(picture)
		paths := []string{path, strings.Replace(path, "original.png", "small.jpg", 1)}
		other := original(add(r, "ben", "p.png", apptest.PNG(t, 60, 40))) // the same bytes in another block
		text := original(add(r, "ada", "t.txt", []byte("text")))
		all := func(when string, status int) {
			t.Helper()
			for _, as := range []string{"", "ada", "ada/read", "eve"} {
				for _, p := range paths {
					for _, method := range []string{http.MethodGet, http.MethodHead} {
						got := r.Do(as, method, p, nil)
						if got.Status != status {
							t.Errorf("%s: %s %s as %q is %d, want %d", when, method, p, as, got.Status, status)
						}
						if status == 404 {
							headers(t, when, got.Header, "Cache-Control", "no-store", "ETag", "", "Content-Disposition", "")
						}
					}
				}
			}
			get(r, other).Want(200)
		}
		all("at first", 200)
		get(r, path, "Authorization", "Bearer of nothing", "Cookie", "session=x").Want(200)

		hide := func(about domain.Subject) moderation.HiddenID {
			t.Helper()
			hidden, err := r.S.App.Moderation.Hide(t.Context(), operating.CommandLine(), moderation.HideInput{About: about})
			if err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			return hidden.ID
		}
		id := hide(domain.Subject{Type: domain.SubjectBlock, ID: picture.Int("id")})
		all("hidden", 404)
		get(r, path, "If-None-Match", "*").Want(404)
		get(r, path, "Range", "bytes=0-1").Want(404)
		get(r, text).Want(200)
		if _, err := r.S.App.Moderation.Show(t.Context(), operating.CommandLine(), id, ""); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		all("shown again", 200)

		ada := domain.Ref{ID: int64(r.Person("ada").ID)}
		r.Operator("eve")
		if _, err := r.S.App.Operating.SuspendAndHide(t.Context(), ada); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		for _, p := range append(paths, text) {
			get(r, p).Want(404)
		}
		if _, err := r.S.App.Operating.Suspend(t.Context(), ada, false); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		all("the account is back", 200)
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", picture.Int("id")), nil).Want(204)
		all("deleted", 404)
	})
}

// Addresses that lead to no file get the same answer, which caches do not keep and which reveals
// nothing about the storage.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	path := original(add(r, "ada", "text.txt", []byte("text")))
	folder := strings.TrimSuffix(path, "original.txt")
	key := strings.Split(path, "/")[2]
	missing := original(add(r, "ada", "lost.txt", []byte("lost")))
	objects := filepath.Join(r.DataDir(), "files", "originals")
	if err := os.RemoveAll(objects); err != nil {
		t.Fatal(err)
	}
	r.Do("", "PUT", address(r, "ada", "here.txt", "text/plain"), "unused", "Content-Type", "text/plain").Want(200)
	for _, p := range []string{missing, path, "/files/" + strings.ToUpper(key) + "/original.txt", "/files/" + strings.ToLower(key) + "/original.txt",
		"/files/" + key[:len(key)-1] + "/original.txt", "/files/" + key + "x/original.txt", "/files/" + strings.Repeat("a", 5000) + "/original.txt",
		folder + strings.Repeat("a", 5000), folder + "original.txt%20", folder + "original.txt?x=1", folder + "%6Friginal.txt?", "/files/.", "/files/-/-",
		"/files/" + key + "%2Foriginal.txt", "/files/ä/original.txt", "/files/%F0%28/original.txt", "/files/" + key + "'--/original.txt"} {
		got := get(r, p)
		if got.Status != 404 {
			t.Errorf("%s: %d", p, got.Status)
			continue
		}
		headers(t, p, got.Header, "Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8", "ETag", "")
		var body struct {
			Error string
			Code  int
		}
		if err := json.Unmarshal(got.Body, &body); err != nil || body.Error != "Not Found" || body.Code != 404 || strings.Contains(string(got.Body), "originals") {
			t.Errorf("%s: %s (%v)", p, got.Body, err)
		}
	}
	if lines := r.Log("a file is not in the storage"); len(lines) == 0 {
		t.Error("the log does not mention lost bytes")
	}
}
