package api_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// photograph returns a JPEG that contains the location and the name of the photographer.
func photograph(t *testing.T) string {
	t.Helper()
	body, err := os.ReadFile("../media/strip/testdata/gps.jpg")
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// reveals reports whether a file contains the metadata of photograph.
func reveals(body []byte) bool {
	return bytes.Contains(body, []byte("Secret Person")) || bytes.Contains(body, []byte("SN12345"))
}

// TestServedOriginals uploads the same photograph for two blocks. The owner of the first one chooses to
// show its metadata.
func TestServedOriginals(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		photo := photograph(t)
		channel := r.Channel("ada", "Channel", "public")
		r.Channel("bob", "Bobs", "public")
		one := processed(r, sent(r, "ada", "one.jpg", "image/jpeg", photo), nil)
		bobs := r.Do("bob", "POST", "/v3/blocks", map[string]any{"value": sent(r, "bob", "two.jpg", "image/jpeg", photo), "channel_ids": []string{"bobs"}}).Want(201)
		r.WorkJobs()
		two := r.Get("bob", "/v3/blocks/%d", bobs.Int("id"))

		path := strings.TrimPrefix(one.Str("image.src"), apptest.Base)
		clean := r.Do("", "GET", path, nil).Want(200)
		if reveals(clean.Body) || len(clean.Body) >= len(photo) || len(clean.Body) < 1000 {
			t.Errorf("%d of %d bytes are served, and reveal who took them", len(clean.Body), len(photo))
		}
		if clean.Header.Get("Content-Length") != fmt.Sprint(len(clean.Body)) || one.Int("image.file_size") != int64(len(clean.Body)) ||
			clean.Header.Get("Cache-Control") != "public, max-age=3600" || clean.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("%v, of a file of %d bytes", clean.Header, one.Int("image.file_size"))
		}
		if part := r.Do("", "GET", path, nil, "Range", "bytes=100-2099").Want(206); !bytes.Equal(part.Body, clean.Body[100:2100]) ||
			part.Header.Get("Content-Range") != fmt.Sprintf("bytes 100-2099/%d", len(clean.Body)) {
			t.Errorf("the range is %v", part.Header)
		}
		if end := r.Do("", "GET", path, nil, "Range", "bytes=-10").Want(206); !bytes.Equal(end.Body, clean.Body[len(clean.Body)-10:]) {
			t.Error("the last bytes differ")
		}
		r.Do("", "GET", path, nil, "If-None-Match", clean.Header.Get("ETag")).Want(304)

		choice := fmt.Sprintf("/ext/v1/blocks/%d/file-metadata", one.Int("id"))
		holds(t, r.Get("ada", "%s", choice), map[string]any{"keep": false, "state": "removed"})
		refused(t, "a guest reads", r.Do("", "GET", choice, nil), 401)
		refused(t, "a stranger reads", r.Do("bob", "GET", choice, nil), 404)
		refused(t, "a stranger chooses", r.Do("bob", "PUT", choice, `{"keep":true}`), 403)
		r.Do("ada", "PUT", choice, `{"keep":"yes"}`).Want(400)
		text := r.Block("ada", "Words", channel)
		refused(t, "a text", r.Do("ada", "PUT", fmt.Sprintf("/ext/v1/blocks/%d/file-metadata", text), `{"keep":true}`), 422)
		refused(t, "a text", r.Do("ada", "GET", fmt.Sprintf("/ext/v1/blocks/%d/file-metadata", text), nil), 404)

		r.Clock.Advance(1e9)
		holds(t, r.Do("ada", "PUT", choice, `{"keep":true}`).Want(200), map[string]any{"keep": true, "state": "kept"})
		kept := r.Do("", "GET", path, nil, "If-None-Match", clean.Header.Get("ETag")).Want(200)
		if string(kept.Body) != photo || kept.Header.Get("ETag") == clean.Header.Get("ETag") || kept.Header.Get("Cache-Control") != "public, max-age=3600" {
			t.Errorf("of the kept file %d bytes are served: %v", len(kept.Body), kept.Header)
		}
		if now := r.Get("ada", "/v3/blocks/%d", one.Int("id")); now.Int("image.file_size") != int64(len(photo)) || now.Str("updated_at") == one.Str("updated_at") {
			t.Error("the block does not show the choice")
		}
		if other := download(r, two.Str("image.src")).Want(200); reveals(other.Body) {
			t.Error("the choice of one owner applies to the block of another")
		}
		holds(t, r.Do("ada", "PUT", choice, `{"keep":true}`).Want(200), map[string]any{"keep": true})
		r.Do("ada", "POST", fmt.Sprintf("/ext/v1/blocks/%d/reprocess", one.Int("id")), nil).Want(202)
		r.WorkJobs()
		holds(t, r.Get("ada", "%s", choice), map[string]any{"keep": true, "state": "kept"}) // applies to the new file, too
		holds(t, r.Do("ada", "PUT", choice, `{"keep":false}`).Want(200), map[string]any{"keep": false, "state": "removed"})
		if again := download(r, r.Get("ada", "/v3/blocks/%d", one.Int("id")).Str("image.src")).Want(200); reveals(again.Body) {
			t.Error("the owner has hidden the metadata again, but it is served")
		}
	})
}

// TestSiteKeepsMetadata checks the setting of the operator.
func TestSiteKeepsMetadata(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.KeepMetadata = true })
	r.Channel("ada", "Channel", "public")
	photo := photograph(t)
	block := processed(r, sent(r, "ada", "one.jpg", "image/jpeg", photo), nil)
	if whole := download(r, block.Str("image.src")).Want(200); string(whole.Body) != photo || block.Int("image.file_size") != int64(len(photo)) {
		t.Error("the file was changed")
	}
	holds(t, r.Get("ada", "/ext/v1/blocks/%d/file-metadata", block.Int("id")), map[string]any{"keep": false, "state": "kept"})
}

// TestIrremovableMetadata checks files whose metadata cannot be removed: images are served as their
// largest resized version, other files are not found, and the owner can show both.
func TestIrremovableMetadata(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Channel("ada", "Channel", "public")
	image := processed(r, sent(r, "ada", "one.png", "image/png", string(apptest.PNG(t, 900, 600))), nil)
	film := processed(r, sent(r, "ada", "film.mp4", "video/mp4", "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isommp42\x00\x00\xff\xffmoov, and where it was"), nil)
	r.Exec(`UPDATE blobs SET clean_size = -1 WHERE id IN (SELECT blob_id FROM files WHERE content_type = 'image/png')`)
	holds(t, r.Get("ada", "/ext/v1/blocks/%d/file-metadata", image.Int("id")), map[string]any{"state": "irremovable"})
	got := download(r, image.Str("image.src")).Want(200)
	if got.Header.Get("Content-Type") != "image/jpeg" || !strings.HasPrefix(string(got.Body), "\xff\xd8") || !strings.Contains(got.Header.Get("Content-Disposition"), "one.jpg") {
		t.Errorf("%v", got.Header)
	}
	holds(t, r.Get("ada", "/ext/v1/blocks/%d/file-metadata", film.Int("id")), map[string]any{"state": "irremovable"})
	refused(t, "the film", download(r, film.Str("attachment.url")), 404)
	r.Do("ada", "PUT", fmt.Sprintf("/ext/v1/blocks/%d/file-metadata", film.Int("id")), `{"keep":true}`).Want(200)
	download(r, film.Str("attachment.url")).Want(200)
}

// TestExamineFiles checks files that an older version stored: they are clean even before the job
// reaches them, and the job does its work once.
func TestExamineFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Channel("ada", "Channel", "public")
		photo := processed(r, sent(r, "ada", "one.jpg", "image/jpeg", photograph(t)), nil)
		processed(r, sent(r, "ada", "one.png", "image/png", string(apptest.PNG(t, 30, 20))), nil)
		forget := func() { r.Exec(`UPDATE blobs SET clean_size = NULL, clean_plan = NULL`) }
		left := func() int64 {
			all, err := r.S.App.Operating.Backfills(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range all {
				if b.Kind == "examine_files" {
					return b.Rows
				}
			}
			t.Fatal("the job is not listed as a backfill")
			return 0
		}
		forget()
		if n := left(); n != 2 {
			t.Errorf("%d files are left", n)
		}
		if got := download(r, photo.Str("image.src")).Want(200); reveals(got.Body) {
			t.Error("a file that is not examined yet is served with its metadata")
		}
		if n := left(); n != 1 {
			t.Errorf("%d files are left after one was requested", n)
		}
		forget()
		for range 2 {
			if err := r.S.App.Content.ExamineFiles(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := left(); n != 0 {
				t.Errorf("%d files are left after the job", n)
			}
		}
		writes := r.Statements(func() { _ = r.S.App.Content.ExamineFiles(t.Context()) })
		for _, query := range writes {
			if strings.Contains(query, "UPDATE") {
				t.Errorf("the job writes again: %s", query)
			}
		}
		if got := download(r, photo.Str("image.src")).Want(200); reveals(got.Body) || int64(len(got.Body)) != r.Get("ada", "/v3/blocks/%d", photo.Int("id")).Int("image.file_size") {
			t.Error("the examined file is served with its metadata")
		}
	})
}
