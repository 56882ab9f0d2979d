package api_test

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// filesOf returns the paths of a block's picture and of one of its versions.
func filesOf(r *apptest.Rig, block int64) []string {
	r.T.Helper()
	b := r.Get("ada", "/v3/blocks/%d", block)
	return []string{strings.TrimPrefix(b.Str("image.src"), apptest.Base), strings.TrimPrefix(b.Str("image.small.src"), apptest.Base)}
}

// hiddenFiles checks that the files of a block are hidden and shown with it, and no others.
func hiddenFiles(t *testing.T, r *apptest.Rig) {
	r.Operator("op")
	picture := apptest.PNG(t, 900, 300)
	r.Web("example.com/a.png", apptest.Serve("image/png", picture))
	r.Web("example.com/b.txt", apptest.Serve("application/zip", []byte("PK\x03\x04 attached")))
	hidden := processed(r, "https://example.com/a.png", nil).Int("id")
	same := processed(r, "https://example.com/a.png", nil).Int("id") // the same bytes
	attached := processed(r, "https://example.com/b.txt", nil)
	kept := strings.TrimPrefix(attached.Str("attachment.url"), apptest.Base)
	files, others := filesOf(r, hidden), filesOf(r, same)
	served := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			if got := r.Do("", "GET", path, nil).Want(200); len(got.Body) == 0 {
				t.Errorf("%s is empty", path)
			}
		}
		if got := r.Do("", "GET", files[0], nil); got.Status == 200 && !bytes.Equal(got.Body, picture) {
			t.Errorf("the picture has %d bytes", len(got.Body))
		}
	}
	gone := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			for _, as := range []string{"", "ada", "ben"} {
				for _, header := range [][]string{nil, {"Range", "bytes=0-1"}, {"If-None-Match", "*"}} {
					got := r.Do(as, "GET", path, nil, header...).Want(404)
					if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("ETag") != "" {
						t.Errorf("%s: %v", path, got.Header)
					}
				}
			}
			r.Do("", "HEAD", path, nil).Want(404)
		}
	}
	served(append(append(files, others...), kept)...)

	hide := func(block int64) moderation.HiddenID {
		t.Helper()
		h, err := r.S.App.Moderation.Hide(t.Context(), operating.CommandLine(),
			moderation.HideInput{About: domain.Subject{Type: domain.SubjectBlock, ID: block}})
		if err != nil {
			t.Fatal(err)
		}
		return h.ID
	}
	show := func(id moderation.HiddenID) {
		t.Helper()
		if _, err := r.S.App.Moderation.Show(t.Context(), operating.CommandLine(), id, ""); err != nil {
			t.Fatal(err)
		}
	}
	picked, file := hide(hidden), hide(attached.Int("id"))
	gone(append(files, kept)...)
	served(others...)
	show(file)
	gone(files...)
	served(append(others, kept)...)
	show(picked)
	served(append(append(files, others...), kept)...)

	again := hide(hidden) // separately, and with the person who created it
	ada := domain.Ref{ID: int64(r.Person("ada").ID)}
	if _, err := r.S.App.Operating.SuspendAndHide(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	all := append(append(append([]string{}, files...), others...), kept)
	for _, path := range all {
		r.Do("", "GET", path, nil).Want(404)
	}
	r.WorkJobs()
	if _, err := r.S.App.Operating.Suspend(t.Context(), ada, false); err != nil {
		t.Fatal(err)
	}
	r.WorkJobs()
	gone(files...)
	served(append(others, kept)...)
	show(again)
	served(append(append(files, others...), kept)...)
	if got := r.Get("ada", "/v3/blocks/%d", hidden).Str("image.src"); !strings.HasSuffix(got, files[0]) {
		t.Errorf("the address is %s, not %s", got, files[0])
	}
}

// Hidden files stop being served at once to everyone with their URLs, and are served again when they are shown.
func TestHiddenFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, hiddenFiles)
}

func TestHiddenFilesInS3(t *testing.T) {
	t.Parallel()
	hiddenFiles(t, apptest.New(t, onS3(t)))
}
