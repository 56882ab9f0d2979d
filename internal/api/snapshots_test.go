package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// formOf returns a form as SingleFile sends it.
func formOf(page, address string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"SingleFile.html\"\r\nContent-Type: text/html\r\n\r\n" + page +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"url\"\r\n\r\n" + address + "\r\n--b--\r\n"
}

// sendAs sends a body with a media type.
func sendAs(r *apptest.Rig, as, path, contentType, body string, headers ...string) *apptest.Response {
	r.T.Helper()
	return r.Send(r.Request(as, http.MethodPost, path, body, append(headers, "Content-Type", contentType)...))
}

const snapshotForm = "multipart/form-data; boundary=b"

func TestSnapshotsInTheAPI(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", nil))
		channel := r.Channel("ada", "Moss", "closed")
		block := r.Block("ada", "https://example.com/page", channel)
		r.WorkJobs()
		list := fmt.Sprintf("/ext/v1/blocks/%d/snapshots", block)
		page := "<!DOCTYPE html><html><title>Moss</title>" + strings.Repeat("x", 1<<20+1) // more than the body of other requests
		made := sendAs(r, "ada", list+"?taken_at=2025-01-02T03:04:05Z&title=On%20moss", "text/html; charset=utf-8", page).Want(201)
		id := made.Int("id")
		one := fmt.Sprintf("/ext/v1/snapshots/%d", id)
		if made.Str("title") != "On moss" || made.Str("source") != "browser" || made.Bool("shared") || made.Str("url") != "https://example.com/page" ||
			made.Str("taken_at") != "2025-01-02T03:04:05.000Z" || made.Header.Get("Location") != apptest.Base+one {
			t.Errorf("%s", made.Body)
		}
		if again := sendAs(r, "ada", list, "text/html", page).Want(201); again.Int("id") != id {
			t.Error("the same bytes were saved twice")
		}
		if n := r.Get("ada", "/ext/v1/me/usage").Int("snapshots.bytes"); n != int64(len(page)) {
			t.Errorf("%d bytes", n)
		}
		for _, who := range []string{"bob", ""} {
			if r.Get(who, "%s", list).Want(200).Len("data") != 0 {
				t.Errorf("%q sees a private copy", who)
			}
			r.Do(who, "GET", one, nil).Want(404)
		}
		r.Do("bob", "PUT", one, map[string]any{"shared": true}).Want(404)
		r.Do("ada", "PUT", one, map[string]any{}).Want(400)
		r.Do("ada", "PUT", one, map[string]any{"shared": true}).Want(200)
		r.Get("", "%s", one).Want(200)
		r.Do("bob", "DELETE", one, nil).Want(403)
		for _, c := range []struct {
			as, path, contentType, body string
			status                      int
		}{
			{"", list, "text/html", page, 401},
			{"ada/read", list, "text/html", page, 403},
			{"bob", list, "text/html", page, 403},
			{"ada", list, "application/json", "{}", 415},
			{"ada", list, "", page, 415},
			{"ada", list, "text/html", strings.Repeat("x", 2<<20+1), 413},
			{"ada", list, "text/html", "moss", 400},
			{"ada", list + "?taken_at=x", "text/html", page, 400},
			{"ada", list + "?url=x", "text/html", page, 400},
			{"ada", "/ext/v1/blocks/999/snapshots", "text/html", page, 404},
			{"ada", "/ext/v1/snapshots", snapshotForm, "moss", 400},
			{"ada", "/ext/v1/snapshots", snapshotForm, formOf(page, "https://example.com/new")[:2000], 400},
			{"ada", "/ext/v1/snapshots", snapshotForm, formOf("moss", "https://example.com/new"), 400},
			{"ada", "/ext/v1/snapshots", snapshotForm, formOf("<html>moss", "moss"), 400},
			{"ada", "/ext/v1/snapshots", snapshotForm, formOf("<html>moss", "https://example.com/new"), 400}, // without a channel
			{"ada", "/ext/v1/snapshots?channel=nowhere", snapshotForm, formOf("<html>moss", "https://example.com/new"), 404},
			{"ada", "/ext/v1/snapshots", snapshotForm, formOf(strings.Repeat("x", 3<<20), "https://example.com/new"), 413},
			{"", "/ext/v1/snapshots", snapshotForm, formOf("<html>moss", "https://example.com/page"), 401},
		} {
			before := r.Dump()
			got := sendAs(r, c.as, c.path, c.contentType, c.body)
			if got.Status != c.status {
				t.Errorf("%q %s %s: %d %.200s, not %d", c.as, c.path, c.contentType, got.Status, got.Body, c.status)
			}
			if diff := before.Diff(r.Dump()); len(diff) > 0 && strings.Contains(strings.Join(diff, "\n"), "snapshots") {
				t.Errorf("%s changed %s", c.path, diff)
			}
		}
		// SingleFile adds to the newest block of the page, or creates one.
		known := sendAs(r, "ada", "/ext/v1/snapshots", snapshotForm, formOf("<html>moss", "http://www.example.com/page?utm_source=x#part")).Want(201)
		if known.Int("block_id") != block {
			t.Errorf("%s", known.Body)
		}
		into := fmt.Sprintf("/ext/v1/snapshots?channel=%d", channel)
		fresh := sendAs(r, "ada", into, snapshotForm, formOf("<html>moss", "https://example.com/new")).Want(201)
		if again := sendAs(r, "ada", into, snapshotForm, formOf("<html>ferns", "https://example.com/new")).Want(201); again.Int("block_id") != fresh.Int("block_id") {
			t.Error("a second block was created")
		}
		r.WorkJobs()
		r.Do("ada", "DELETE", one, nil).Want(204)
		r.Do("ada", "GET", one, nil).Want(404)
	})
}

// On a private instance, guests get nothing.
func TestSnapshotsOfAPrivateInstance(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.GuestsClosed = true })
	r.Do("", "GET", "/ext/v1/snapshots/1", nil).Want(401)
	r.Do("", "GET", "/ext/v1/blocks/1/snapshots", nil).Want(401)
}
