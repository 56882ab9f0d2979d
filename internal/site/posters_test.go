package site_test

import (
	"bytes"
	"image"
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
		home := "/ada/" + r.Get("ada", "/v3/channels/%d", r.Channel("ada", "Films", "private")).Str("slug")
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
		poster := p.find(`<video [^>]*poster="([^"]+)" width="640" height="360"`)
		ada.get(home).says(strings.Replace(poster, "/large.", "/small.", 1))
		eve.get(with).want(404)
		guest.get(with).want(404)
		id := strings.TrimPrefix(with, "/block/")
		if got := r.Get("ada", "/v3/blocks/%s", id); got.Str("type") != "Attachment" || !strings.HasSuffix(got.Str("image.filename"), "film.jpg") {
			t.Errorf("the block is %s", got.Body)
		}
		for name, poster := range map[string]string{"broken": string(picture[:len(picture)/9]), "empty": "", "text": "x", "drawing": "<svg xmlns='http://www.w3.org/2000/svg'/>"} {
			ada.get(added(film(), send("ada", name, []byte(poster)))).says("<video ").hides("poster=")
		}
		ada.get(added(send("ada", "a.txt", []byte("words")), send("ada", "p.jpg", picture))).says("a.txt").hides(`class="held"`)

		before := len(r.Dump()["uploads"])
		r.Do("ada", "DELETE", "/v3/blocks/"+id, nil).Want(204)
		r.Do("", "GET", strings.TrimPrefix(poster, apptest.Base), nil).Want(404)
		if n := before - len(r.Dump()["uploads"]); n != 2 {
			t.Errorf("%d uploads were deleted with the block", n)
		}
	})
}
