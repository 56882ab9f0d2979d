package site_test

import (
	"bytes"
	"fmt"
	"image"
	"mime/multipart"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/media/mediatest"
)

// video is the beginning of a file that browsers would try to play.
const video = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08mdat"

// A video shows the image that the browser uploaded with it, wherever its block is shown, and until it is deleted.
func TestVideoPosters(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Films", "private")
		home := "/ada/" + r.Get("ada", "/v3/channels/%d", channel).Str("slug")
		ada, eve, guest := entered(t, r, "ada"), entered(t, r, "eve"), newBrowser(t, r)
		send := func(as, name string, file []byte) string {
			t.Helper()
			got := r.Do(as, "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": name, "content_type": "application/octet-stream"}}}).Want(201)
			address := got.Str("files.0.upload_url")
			r.Do("", "PUT", strings.TrimPrefix(address, apptest.Base), file, "Content-Type", "application/octet-stream").Want(200)
			value, _, _ := strings.Cut(address, "?")
			return value
		}
		picture := mediatest.JPEG(t, mediatest.Painted(image.NewRGBA(image.Rect(0, 0, 640, 360))))
		films := 0
		film := func() string {
			films++
			return send("ada", "film.mp4", []byte(video+strings.Repeat("x", films)))
		}
		add := home + "/add"
		for name, poster := range map[string]string{
			"of somebody else": send("eve", "p.jpg", picture), "no upload": "https://example.com/p.jpg", "not sent": apptest.Base + "/uploads/a/b.jpg",
			"too large": send("ada", "large.jpg", bytes.Repeat([]byte("x"), 2<<20+1)),
		} {
			if p := ada.post(add, "upload", film(), "poster", poster); p.status != 422 || !strings.Contains(p.body, `id="file-error"`) {
				t.Errorf("%s: %d", name, p.status)
			}
		}
		ada.post(add, "value", "a text", "poster", send("ada", "p.jpg", picture)).leads(home) // no video, no poster

		added := func(upload, poster string) string {
			t.Helper()
			ada.post(add, "upload", upload, "poster", poster).leads(home)
			r.WorkJobs()
			return ada.get(home).find(`href="(/block/[0-9]+)`)
		}
		with := added(film(), send("ada", "p.jpg", picture))
		p := ada.get(with).want(200)
		p.says("Download", "film.mp4").hides("Original image", "640 × 360") // which are of the poster
		poster := p.find(`<video [^>]*poster="([^"]+)" width="640" height="360"`)
		ada.get(home).says(strings.Replace(poster, "/large.", "/small.", 1))
		eve.get(with).want(404)
		guest.get(with).want(404)
		block := strings.TrimPrefix(with, "/block/")
		if got := r.Get("ada", "/v3/blocks/%s", block); got.Str("type") != "Attachment" || !strings.HasSuffix(got.Str("image.filename"), "film.jpg") {
			t.Errorf("the block is %s", got.Body)
		}
		for name, poster := range map[string]string{"broken": string(picture[:len(picture)/9]), "empty": "", "text": "x", "drawing": "<svg xmlns='http://www.w3.org/2000/svg'/>"} {
			ada.get(added(film(), send("ada", name, []byte(poster)))).says("<video ").hides("poster=")
		}
		ada.get(added(send("ada", "a.txt", []byte("words")), send("ada", "p.jpg", picture))).says("a.txt").hides(`class="held"`)

		form := func(path string, poster []byte, fields ...string) *page {
			t.Helper()
			films++
			var body bytes.Buffer
			w := multipart.NewWriter(&body)
			for i := 0; i < len(fields); i += 2 {
				_ = w.WriteField(fields[i], fields[i+1])
			}
			for _, file := range []struct {
				field, name string
				content     []byte
			}{{"file", "a.txt", []byte(strings.Repeat("y", films))}, {"poster", "poster.jpg", poster}, {"file", "film.mp4", []byte(video + strings.Repeat("x", films))}} {
				part, err := w.CreateFormFile(file.field, file.name)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = part.Write(file.content)
			}
			_ = w.Close()
			return ada.multipart(path, w.FormDataContentType(), body.String())
		}
		newest := func() *page {
			t.Helper()
			r.WorkJobs()
			all := regexp.MustCompile(`href="(/block/[0-9]+)`).FindAllStringSubmatch(ada.get(home).body, 2)
			for _, found := range all {
				if p := ada.get(found[1]); strings.Contains(p.body, "<video ") {
					return p
				}
			}
			t.Fatalf("no video is among %v", all)
			return nil
		}
		form(add, picture).leads(home)
		newest().says("poster=")
		form(add, bytes.Repeat([]byte("x"), 2<<20+1)).leads(home)
		newest().hides("poster=")
		id := fmt.Sprint(channel)
		form("/save", picture, "channel", id).want(303)
		newest().says("poster=")
		p = form("/save", picture).want(422)
		values := []string{"channel", id, "poster", p.find(`name="poster" value="([^"]+)"`)}
		for _, found := range regexp.MustCompile(`name="upload" value="([^"]+)"`).FindAllStringSubmatch(p.body, -1) {
			values = append(values, "upload", found[1])
		}
		ada.post("/save", values...).want(303)
		newest().says("poster=")

		before := len(r.Dump()["uploads"])
		r.Do("ada", "DELETE", "/v3/blocks/"+block, nil).Want(204)
		r.Do("", "GET", strings.TrimPrefix(poster, apptest.Base), nil).Want(404)
		if n := before - len(r.Dump()["uploads"]); n != 2 {
			t.Errorf("%d uploads were deleted with the block", n)
		}
	})
}
