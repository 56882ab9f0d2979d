package api_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// presigned requests an upload address.
func presigned(r *apptest.Rig, as, name, contentType string) (address, key string) {
	r.T.Helper()
	got := r.Do(as, "POST", "/v3/uploads/presign", map[string]any{"files": []any{
		map[string]any{"filename": name, "content_type": contentType}}}).Want(http.StatusCreated)
	return got.Str("files.0.upload_url"), got.Str("files.0.key")
}

// put uploads bytes to an address of presigned.
func put(r *apptest.Rig, address, contentType string, body any) *apptest.Response {
	r.T.Helper()
	path, ours := strings.CutPrefix(address, apptest.Base)
	if !ours {
		r.T.Fatalf("%s is no address of this server", address)
	}
	return r.Do("", http.MethodPut, path, body, "Content-Type", contentType)
}

// sent uploads a file and returns its address as a value.
func sent(r *apptest.Rig, as, name, contentType, body string) string {
	r.T.Helper()
	address, _ := presigned(r, as, name, contentType)
	put(r, address, contentType, body).Want(http.StatusOK)
	value, _, _ := strings.Cut(address, "?")
	return value
}

func TestPresign(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		got := r.Do("ada", "POST", "/v3/uploads/presign", `{"files":[{"filename":"../x","content_type":"image/png"}]}`)
		got.Want(400)
		file := func(name, contentType string) map[string]any {
			return map[string]any{"filename": name, "content_type": contentType}
		}
		many := func(n int) (files []any) {
			for i := range n {
				files = append(files, file(fmt.Sprint(i, ".png"), "image/png"))
			}
			return files
		}
		for name, files := range map[string]any{
			"none": []any{}, "51": many(51), "null": nil, "text": "x", "empty name": []any{file("", "image/png")},
			"blank": []any{file("  ", "image/png")}, "dots": []any{file("..", "image/png")}, "folders": []any{file("../../x", "image/png")},
			"backslash": []any{file(`a\b`, "image/png")}, "long": []any{file(strings.Repeat("x", 500), "image/png")},
			"NUL": []any{file("a\x00b", "image/png")}, "line": []any{file("a\nb", "image/png")},
			"type line": []any{file("a", "image/png\r\nX: y")}, "type NUL": []any{file("a", "image/\x00")}, "no type": []any{map[string]any{"filename": "a"}},
			"bad type": []any{file("a", "png")},
		} {
			if got := r.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": files}); got.Status != 400 {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		all := r.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": []any{file("", "png"), file("a/b", "image/png"), file("ok", "x")}}).Want(400)
		if n := all.Len("details.errors"); n < 4 {
			t.Errorf("%d violations of 4 are told: %s", n, all.Body)
		}
		if n := rows(r, "uploads"); n != 0 {
			t.Errorf("%d uploads", n)
		}
		made := r.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": append(many(48),
			file("Æ ther \U0001F600+%2F;&.JPG", "IMAGE/JPEG; q=1"), file(strings.Repeat("x", 251)+".png", "image/png"))}).Want(201)
		if made.Len("files") != 50 || made.Int("expires_in") != 3600 {
			t.Errorf("%s", made.Body)
		}
		keys := map[string]bool{}
		for i := range 50 {
			key, address := made.Str(fmt.Sprintf("files.%d.key", i)), made.Str(fmt.Sprintf("files.%d.upload_url", i))
			if !regexp.MustCompile(`^[A-Za-z0-9._/-]+$`).MatchString(key) || keys[key] || len(key) > 200 ||
				!strings.HasPrefix(address, apptest.Base+"/uploads/"+key+"?") {
				t.Errorf("key %q, address %s", key, address)
			}
			keys[key] = true
		}
		if made.Str("files.48.content_type") != "IMAGE/JPEG; q=1" {
			t.Errorf("the type comes back as %s", made.Body)
		}
		put(r, made.Str("files.48.upload_url"), "IMAGE/JPEG; q=1", "x").Want(200)
		r.Do("ada/read", "POST", "/v3/uploads/presign", map[string]any{"files": many(1)}).Want(403)
		r.Do("", "POST", "/v3/uploads/presign", map[string]any{"files": many(1)}).Want(401)
	})
}

func TestUploadPut(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		address, key := presigned(r, "ada", "a.png", "image/png")
		put(r, address, "image/jpeg", "x").Want(415)
		put(r, address, "", "x").Want(415)
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		for name, forged := range map[string]string{
			"key":          strings.Replace(address, key[:3], "AAA", 1),
			"longer key":   strings.Replace(address, key, key+"/x", 1),
			"NUL":          strings.Replace(address, key, "%00", 1),
			"type":         strings.Replace(address, "image%2Fpng", "text%2Fhtml", 1),
			"expires":      strings.Replace(address, "expires=", "expires=9", 1),
			"no expires":   strings.Replace(address, "expires="+u.Query().Get("expires"), "", 1),
			"signature":    strings.Replace(address, "signature=", "signature=x", 1),
			"no signature": strings.Replace(address, "signature="+u.Query().Get("signature"), "", 1),
			"no query":     strings.Split(address, "?")[0],
		} {
			contentType := "image/png"
			if name == "type" {
				contentType = "text/html"
			}
			if got := put(r, forged, contentType, "x"); got.Status != 403 || got.Int("code") != 403 {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		for _, method := range []string{"GET", "POST", "DELETE", "HEAD"} {
			if got := r.Do("ada", method, u.RequestURI(), nil).Want(405); got.Header.Get("Allow") != "PUT, OPTIONS" {
				t.Errorf("%s: %v", method, got.Header)
			}
		}
		pre := r.Do("", "OPTIONS", u.RequestURI(), nil, "Origin", "https://example.org", "Access-Control-Request-Method", "PUT",
			"Access-Control-Request-Headers", "content-type").Want(204)
		if pre.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(pre.Header.Get("Access-Control-Allow-Methods"), "PUT") ||
			pre.Header.Get("Access-Control-Allow-Headers") == "" {
			t.Errorf("preflight: %v", pre.Header)
		}
		if n := rows(r, "blobs"); n != 0 {
			t.Fatalf("%d blobs are kept of what was refused", n)
		}
		if got := put(r, address, "image/png", "first").Want(200); got.Header.Get("Access-Control-Allow-Origin") != "*" || len(got.Body) > 0 {
			t.Errorf("%v %s", got.Header, got.Body)
		}
		put(r, address, "image/png", "first").Want(200)
		put(r, address, "image/png", "other").Want(409)
		late, _ := presigned(r, "ada", "b.png", "image/png")
		r.Clock.Advance(time.Hour - time.Minute)
		put(r, late, "image/png", "just in time").Want(200)
		r.Clock.Advance(2 * time.Minute)
		put(r, late, "image/png", "just in time").Want(403)
		if left := storedObjects(r, "staging"); len(left) > 0 {
			t.Errorf("the staging folder holds %q", left)
		}
	})
}

func TestUploadTooLarge(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.UploadLimit = 1000 })
	address, _ := presigned(r, "ada", "a.txt", "text/plain")
	put(r, address, "text/plain", strings.Repeat("x", 1001)).Want(413)
	put(r, address, "text/plain", io.MultiReader(strings.NewReader(strings.Repeat("x", 1001)))).Want(413) // without a known length
	if rows(r, "blobs") != 0 || len(storedObjects(r, "staging")) > 0 {
		t.Error("something is kept")
	}
	put(r, address, "text/plain", io.MultiReader(strings.NewReader(strings.Repeat("x", 1000)))).Want(200)
	empty, _ := presigned(r, "ada", "empty.txt", "text/plain")
	put(r, empty, "text/plain", "").Want(200)
	value, _, _ := strings.Cut(empty, "?")
	holds(t, processed(r, value, nil), map[string]any{"type": "Attachment", "attachment.file_size": 0})
}

// An interrupted upload leaves nothing and can be repeated.
func TestUploadCutOff(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	addr := r.Listen()
	address, _ := presigned(r, "ada", "a.txt", "text/plain")
	path := strings.TrimPrefix(address, apptest.Base)
	for _, fields := range [][]string{{"Content-Length: 1000"}, {"Transfer-Encoding: chunked"}} {
		c := r.Dial(addr)
		c.Head("", "PUT", path, append(fields, "Content-Type: text/plain")...)
		c.Say("3e8\r\nonly this")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	refused := r.Dial(addr)
	refused.Head("", "PUT", path, "Content-Type: text/plain", "Content-Length: 99999999999", "Expect: 100-continue")
	refused.Answer("PUT", path).Want(413)
	if _, err := refused.In.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection stays: %v", err)
	}
	if err := r.Stop(t.Context()); err != nil { // waits for the interrupted one
		t.Fatal(err)
	}
	if left := storedObjects(r, "staging"); len(left) > 0 {
		t.Errorf("the staging folder holds %q", left)
	}
	if left := storedObjects(r, "files"); len(left) > 0 || rows(r, "blobs") != 0 {
		t.Errorf("%q are kept", left)
	}
}

// If different bytes are sent to one address concurrently, one upload wins, and the others get an error.
func TestUploadConcurrent(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for range 5 {
			address, _ := presigned(r, "ada", "a.txt", "text/plain")
			var all sync.WaitGroup
			var mu sync.Mutex
			answers := map[int][]string{}
			for i := range 8 {
				body := fmt.Sprint("body ", i/2) // each body twice
				all.Go(func() {
					got := put(r, address, "text/plain", body)
					mu.Lock()
					defer mu.Unlock()
					answers[got.Status] = append(answers[got.Status], body)
				})
			}
			all.Wait()
			won := answers[200]
			if len(won) != 2 || won[0] != won[1] || len(answers[409]) != 6 {
				t.Fatalf("%v", answers)
			}
			value, _, _ := strings.Cut(address, "?")
			got := processed(r, value, nil)
			if file := download(r, got.Str("attachment.url")); string(file.Body) != won[0] {
				t.Errorf("%q won, and %q is kept", won[0], file.Body)
			}
		}
	})
}

// Every form of an upload's address that clients use creates a block of it.
func TestUploadValues(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		address, key := presigned(r, "ada", "Æther 1.png", "text/html")
		bare, _, _ := strings.Cut(address, "?")
		public := "https://s3.amazonaws.com/arena_images-temp/"
		refused := func(as, value, says string) {
			t.Helper()
			got := r.Do(as, "POST", "/v3/blocks", map[string]any{"value": value, "channel_ids": []int64{r.Channel(as, "C", "public")}})
			if got.Status != 400 || !strings.Contains(got.Str("details.message")+fmt.Sprint(got.Get("details")), says) {
				t.Errorf("%s as %s: %d %s", value, as, got.Status, got.Body)
			}
		}
		refused("ada", bare, "value")
		put(r, address, "text/html", string(apptest.PNG(t, 6, 4))).Want(200)
		for _, value := range []string{bare, address, bare + "#x", public + key, public + strings.ReplaceAll(key, "/", "%2F"),
			public + strings.ReplaceAll(key, "/", "%2f"), public + strings.ReplaceAll(key, "/", "+"), public + key + "?1699",
			strings.Replace(public, "https", "http", 1) + key, "HTTPS://S3.AMAZONAWS.COM/arena_images-temp/" + key, " " + bare + "\n"} {
			got := processed(r, value, nil)
			holds(t, got, map[string]any{"type": "Image", "title": "Æther 1.png", "image.width": 6, "image.content_type": "image/png",
				"image.filename": "Æther 1.png", "source": nil})
		}
		holds(t, processed(r, bare, map[string]any{"title": "Mine", "original_source_url": "https://example.com/x", "original_source_title": "X",
			"alt_text": "Cogs", "description": "D"}), map[string]any{"title": "Mine", "source.url": "https://example.com/x", "source.title": "X",
			"image.alt_text": "Cogs", "description.plain": "D"})
		for _, value := range []string{bare, public + key} {
			refused("eve", value, "value")
		}
		for _, value := range []string{public, public + "nothing", public + "%00", public + "a b", apptest.Base + "/uploads/",
			apptest.Base + "/uploads/x/y.png", public + strings.Repeat("x", 3000)} {
			if !strings.Contains(value, " ") {
				refused("ada", value, "value")
			}
		}
		// Only an address with this prefix is that of an upload.
		r.Web("example.com/", apptest.Serve("text/html", []byte("<title>Archive</title>")))
		holds(t, processed(r, "http://example.com/2020/"+public+key, nil), map[string]any{"type": "Link", "title": "Archive"})
	})
}
