package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// The sentences that programs compare word by word (version 2, section 6).
const (
	v2Unauthorized = "Invalid credentials."
	v2NotFound     = "The resource you are looking for does not exist."
)

// refusedV2 checks an error in version 2's form. description is its complete sentence.
func refusedV2(t *testing.T, name string, res *apptest.Response, status int, description string) {
	t.Helper()
	if res.Status != status {
		t.Errorf("%s: status %d, want %d: %.300s", name, res.Status, status, res.Body)
		return
	}
	body, _ := res.Lookup("")
	fields, _ := body.(map[string]any)
	if len(fields) != 3 || res.Int("code") != int64(status) || res.Str("message") != http.StatusText(status) {
		t.Errorf("%s: %s is not the shape of %d", name, res.Body, status)
		return
	}
	if got := res.Str("description"); got != description {
		t.Errorf("%s: says\n%.300s\nwant\n%s", name, got, description)
	}
	if kind := res.Header.Get("Content-Type"); kind != "application/json; charset=utf-8" {
		t.Errorf("%s: Content-Type %q", name, kind)
	}
	if got := res.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("%s: Cache-Control %q", name, got)
	}
	if got := res.Header.Get("ETag"); got != "" {
		t.Errorf("%s: an error has the ETag %s", name, got)
	}
}

const formKind = "application/x-www-form-urlencoded"

// form sends parameters as a form.
func form(r *apptest.Rig, as, method, path, parameters string) *apptest.Response {
	r.T.Helper()
	return r.Do(as, method, path, parameters, "Content-Type", formKind)
}

// v2Contents returns the ids of a channel's items in version 2, from the first position.
func v2Contents(r *apptest.Rig, as string, channel int64) []int64 {
	r.T.Helper()
	return r.Get(as, "/v2/channels/%d/contents?per=100", channel).Ints("contents", "id")
}

// inOrder fails if a channel's items or their order differ.
func inOrder(t *testing.T, name string, r *apptest.Rig, as string, channel int64, want ...int64) {
	t.Helper()
	if got := v2Contents(r, as, channel); !slices.Equal(got, want) {
		t.Errorf("%s: the contents are %v, want %v", name, got, want)
	}
}

// wordsOf returns n words.
func wordsOf(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
