package api_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// submit creates a block with a value and further fields, and returns its id.
func submit(r *apptest.Rig, as, value string, fields map[string]any, channels ...int64) int64 {
	r.T.Helper()
	body := map[string]any{"value": value, "channel_ids": channels}
	if len(channels) == 0 {
		body["channel_ids"] = []int64{r.Channel(as, "For one block", "public")}
	}
	for name, v := range fields {
		body[name] = v
	}
	made := r.Do(as, "POST", "/v3/blocks", body).Want(http.StatusCreated)
	if made.Str("type") != "PendingBlock" || made.Str("state") != "processing" {
		r.T.Fatalf("made of %s: %s", value, made.Body)
	}
	return made.Int("id")
}

// processed creates a block with a value, runs the jobs, and reads the block.
func processed(r *apptest.Rig, value string, fields map[string]any) *apptest.Response {
	r.T.Helper()
	id := submit(r, "ada", value, fields)
	r.WorkJobs()
	return r.Get("ada", "/v3/blocks/%d", id)
}

// holds compares values of a body, by path, as text; nil means null.
func holds(t *testing.T, got *apptest.Response, want map[string]any) {
	t.Helper()
	for path, w := range want {
		g, ok := got.Lookup(path)
		if !ok || fmt.Sprint(g) != fmt.Sprint(w) {
			t.Errorf("%s is %v (%v), want %v", path, g, ok, w)
		}
	}
	if t.Failed() {
		t.Logf("in %s", got.Body)
	}
}

// download requests a file by its URL, without a token.
func download(r *apptest.Rig, address string, headers ...string) *apptest.Response {
	r.T.Helper()
	path, ours := strings.CutPrefix(address, apptest.Base)
	if !ours {
		r.T.Fatalf("%s is no address of this server", address)
	}
	return r.Do("", http.MethodGet, path, nil, headers...)
}

// mediaFile reads a file of internal/media/mediatest.
func mediaFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "media", "mediatest", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rows counts the rows of a table.
func rows(r *apptest.Rig, table string) (n int) {
	r.T.Helper()
	if err := r.DB().Reader().QueryRow(r.T.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		r.T.Fatal(err)
	}
	return n
}

// storedObjects lists the objects in the storage.
func storedObjects(r *apptest.Rig, folder string) (names []string) {
	r.T.Helper()
	root := filepath.Join(r.DataDir(), folder)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, strings.TrimPrefix(path, root+"/"))
		}
		return err
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return names
}
