package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// shownPicture creates an Image block and returns it.
func shownPicture(t *testing.T, r *apptest.Rig) *apptest.Response {
	t.Helper()
	r.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 900, 300)))
	return processed(r, "https://example.com/a.png", nil)
}

func TestFilesServed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	block := shownPicture(t, r)
	src := strings.TrimPrefix(block.Str("image.src"), apptest.Base)
	whole := r.Do("", "GET", src, nil).Want(200)
	for name, want := range map[string]string{"Content-Type": "image/png", "Cache-Control": "public, max-age=31536000, immutable",
		"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin",
		"Accept-Ranges": "bytes", "Content-Disposition": "inline; filename=a.png", "Content-Length": fmt.Sprint(len(whole.Body))} {
		if got := whole.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if policy := whole.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") {
		t.Errorf("the policy is %q", policy)
	}
	tag := whole.Header.Get("ETag")
	if part := r.Do("", "GET", src, nil, "Range", "bytes=1-3").Want(206); string(part.Body) != "PNG" || part.Header.Get("ETag") != tag {
		t.Errorf("the range is %q", part.Body)
	}
	none := r.Do("", "GET", src, nil, "Range", "bytes=99999999-")
	refused(t, "a range beyond the end", none, 416)
	if none.Header.Get("Content-Range") != "bytes */"+fmt.Sprint(len(whole.Body)) || none.Header.Get("Cache-Control") != "no-store" ||
		none.Header.Get("Content-Type") != "application/json; charset=utf-8" || none.Header.Get("ETag") != "" {
		t.Errorf("416: %v", none.Header)
	}
	refused(t, "If-Match", r.Do("", "GET", src, nil, "If-Match", `"other"`), 412)
	if part := r.Do("", "GET", src, nil, "Range", "bytes=1-3", "If-Range", `"other"`).Want(200); len(part.Body) != len(whole.Body) {
		t.Error("a range of something else is served")
	}
	for _, match := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		if same := r.Do("", "GET", src, nil, "If-None-Match", match).Want(304); len(same.Body) > 0 || same.Header.Get("ETag") != tag ||
			same.Header.Get("Cache-Control") == "" {
			t.Errorf("If-None-Match %s: %v %q", match, same.Header, same.Body)
		}
	}
	r.Do("", "GET", src, nil, "If-None-Match", `"x"`).Want(200)
	r.Do("", "GET", src, nil, "Authorization", "Bearer nonsense").Want(200)
	if head := r.Do("", "HEAD", src, nil).Want(200); len(head.Body) > 0 || head.Header.Get("Content-Length") != fmt.Sprint(len(whole.Body)) {
		t.Errorf("HEAD: %v, %d bytes", head.Header, len(head.Body))
	}
	small := download(r, block.Str("image.small.src")).Want(200)
	if how := small.Header.Get("Content-Disposition"); how != "inline; filename=a.jpg" || small.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("a version is served as %s", how)
	}
	if small.Header.Get("ETag") == tag {
		t.Error("a version has the tag of the original")
	}
}

func TestFilesNotServed(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		src := strings.TrimPrefix(shownPicture(t, r).Str("image.src"), apptest.Base)
		folder := strings.TrimSuffix(src, "original.png")
		for _, path := range []string{"/files/", "/files/x", "/files/x/original.png", folder, strings.TrimSuffix(folder, "/"), folder + "original",
			folder + "original.jpg", folder + "small.webp", folder + "huge.jpg", folder + "small.jpg/", folder + "small.jpg%00", src + "/x",
			"/files/%00/original.png", "/files/%FF/original.png", "/files/%27/original.png", folder + "../" + src, folder + "%2e%2e/original.png",
			"/files//original.png", "/files/..%2f..%2fvitrine.db", "/files/originals/ab/cd", folder + "Original.png"} {
			got := r.Do("", "GET", path, nil)
			if got.Status != 404 || got.Str("error") != "Not Found" || got.Int("code") != 404 || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %v %s", path, got.Status, got.Header, got.Body)
			}
		}
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
			if got := r.Do("ada", method, src, nil).Want(405); got.Header.Get("Allow") != "GET, HEAD, OPTIONS" || got.Int("code") != 405 {
				t.Errorf("%s: %v %s", method, got.Header, got.Body)
			}
		}
		if got := r.Do("", "OPTIONS", src, nil).Want(204); got.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("OPTIONS: %v", got.Header)
		}
		pre := r.Do("", "OPTIONS", src, nil, "Origin", "https://example.org", "Access-Control-Request-Method", "GET").Want(204)
		if pre.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("preflight: %v", pre.Header)
		}
	})
}

// Files that could run in a browser are served for download, or shown without scripts.
func TestFilesDisposition(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for name, c := range map[string]struct{ body, disposition string }{
		"page.html":   {"<!DOCTYPE html><script>alert(1)</script>", "attachment; filename=page.html"},
		"code.js":     {"#!/usr/bin/env node\nalert(1)", "attachment; filename=code.js"},
		"feed.xml":    {`<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>`, "attachment; filename=feed.xml"},
		"torn.svg":    {`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script`, "attachment; filename=torn.svg"},
		"drawing.svg": {drawing, "inline; filename=drawing.svg"},
		"notes.txt":   {"Notes", "inline; filename=notes.txt"},
		"table.csv":   {"a,b\n1,2\n", "attachment; filename=table.csv"},
		"archive.zip": {"PK\x05\x06" + string(make([]byte, 18)), "attachment; filename=archive.zip"},
		`a";b.zip`:    {"PK\x05\x06" + string(make([]byte, 18)), `attachment; filename="a\";b.zip"`},
		"æ\u202e.zip": {"PK\x05\x06" + string(make([]byte, 18)), "attachment; filename*=utf-8''%C3%A6.zip"},
	} {
		got := processed(r, sent(r, "ada", name, "application/octet-stream", c.body), nil)
		address, ok := got.Lookup("attachment.url")
		if !ok {
			address = got.Get("image.src")
		}
		file := download(r, address.(string)).Want(200)
		policy := file.Header.Get("Content-Security-Policy")
		if how := file.Header.Get("Content-Disposition"); how != c.disposition || !strings.HasPrefix(policy, "default-src 'none'") ||
			!strings.HasSuffix(policy, "; sandbox") || file.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is served with %v", name, file.Header)
		}
	}
}

// A lost original is 404, as documented for restored sites.
func TestFilesLost(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	block := shownPicture(t, r)
	if err := os.RemoveAll(filepath.Join(r.DataDir(), "files")); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"image.src", "image.small.src"} {
		got := download(r, block.Str(at)).Want(404)
		if body := string(got.Body); strings.Contains(body, "originals") || strings.Contains(body, "blob") || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v %s", got.Header, body)
		}
	}
}

// Unused files are removed after a day, and not before. Bytes that another block uses stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		sweep := func() {
			t.Helper()
			if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		first, second := shownPicture(t, r), processed(r, "https://example.com/a.png", nil)
		if first.Str("image.src") == second.Str("image.src") || len(storedObjects(r, "files/originals")) != 1 {
			t.Errorf("two blocks of the same bytes have %q", storedObjects(r, "files"))
		}
		r.Web("example.com/b.png", apptest.Serve("image/png", apptest.PNG(t, 7, 7)))
		third := processed(r, "https://example.com/b.png", nil)
		unused := sent(r, "ada", "unused.txt", "text/plain", "unused")
		waiting := sent(r, "ada", "waiting.txt", "text/plain", "waiting")
		pending := submit(r, "ada", waiting, nil)
		remove := func(block *apptest.Response) {
			t.Helper()
			r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", block.Int("id")), nil).Want(204)
			download(r, block.Str("image.src")).Want(404)
		}
		remove(first)
		remove(third)
		sweep()
		if left := storedObjects(r, "files/originals"); len(left) != 4 || rows(r, "uploads") != 2 {
			t.Errorf("%q are left, too little for a first day", left)
		}
		r.Clock.Advance(25 * time.Hour)
		sweep()
		download(r, second.Str("image.src")).Want(200)
		download(r, second.Str("image.small.src")).Want(200)
		if n := rows(r, "uploads"); n != 1 {
			t.Errorf("%d uploads, want the one that is waited for", n)
		}
		r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": unused, "channel_ids": []int64{r.Channel("ada", "C", "public")}}).Want(400)
		r.WorkJobs()
		holds(t, r.Get("ada", "/v3/blocks/%d", pending), map[string]any{"type": "Attachment", "title": "waiting.txt"})
		remove(second)
		sweep()
		r.Clock.Advance(25 * time.Hour)
		sweep()
		// The remaining object belongs to the block that was processed.
		if left := storedObjects(r, "files"); len(left) != 1 || rows(r, "blobs") != 1 || rows(r, "doomed_objects") != 0 || rows(r, "uploads") != 0 {
			t.Errorf("%q are left, %d blobs, %d uploads", left, rows(r, "blobs"), rows(r, "uploads"))
		}
		r.Do("ada", "POST", fmt.Sprintf("/ext/v1/blocks/%d/reprocess", pending), nil).Want(422)
	})
}

// Remains of crashes in the staging folder are removed after a day.
func TestSweepStaging(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	folder := filepath.Join(r.DataDir(), "staging")
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "new": 0} {
		file, at := filepath.Join(folder, name), time.Now().Add(-age)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := storedObjects(r, "staging"); !slices.Equal(left, []string{"new"}) {
		t.Errorf("%q are left", left)
	}
}
