package app_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media"
)

// counting counts the objects put into a storage.
type counting struct {
	blob.Store
	puts atomic.Int64
	late func() // called once by the next Open of a missing file; may be nil
	once sync.Once
}

// Open implements blob.Store.
func (c *counting) Open(ctx context.Context, name string) (*blob.File, error) {
	f, err := c.Store.Open(ctx, name)
	if errors.Is(err, blob.ErrNotFound) && c.late != nil {
		c.once.Do(c.late)
	}
	return f, err
}

// Put implements blob.Store.
func (c *counting) Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error {
	c.puts.Add(1)
	return c.Store.Put(ctx, name, r, size, contentType)
}

// Missing versions are rendered again, once for any number of concurrent requests.
func TestVersionsMadeAgainOnce(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 900, 300)))
	channel := r.Channel("ada", "Finds", "public")
	id := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "https://example.com/a.png", "channel_ids": []int64{channel}}).
		Want(http.StatusCreated).Int("id")
	r.WorkJobs()
	src := strings.TrimPrefix(r.Get("ada", "/v3/blocks/%d", id).Str("image.src"), apptest.Base+"/files/")
	key, _, _ := strings.Cut(src, "/")
	folder := filepath.Join(r.DataDir(), "files")
	disk, err := blob.OpenDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	store, studio := &counting{Store: disk}, media.NewStudio(media.Options{})
	a := app.New(app.Options{Store: r.S.Store, Files: content.Options{Blobs: store, Studio: studio}})
	defer studio.Close()
	open := func(name string) {
		f, err := a.Content.OpenShown(t.Context(), key, name)
		if err != nil {
			t.Error(err)
			return
		}
		_ = f.Content.Close()
	}
	for round := range 2 {
		store.puts.Store(0)
		if err := os.RemoveAll(filepath.Join(folder, "versions")); err != nil {
			t.Fatal(err)
		}
		if round == 1 { // everything is rendered between the check and the request
			store.late = func() {
				store.late = nil
				other := app.New(app.Options{Store: r.S.Store, Files: content.Options{Blobs: store, Studio: studio}})
				if _, err := other.Content.OpenShown(t.Context(), key, "large.jpg"); err != nil {
					t.Error(err)
				}
			}
			open("small.jpg")
		}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				open([]string{"small.jpg", "medium.jpg", "large-2x.jpg", "square.jpg"}[i%4])
			})
		}
		all.Wait()
		if n := store.puts.Load(); n != int64(len(domain.ImageVersions())) {
			t.Errorf("round %d: %d versions were made, want %d", round, n, len(domain.ImageVersions()))
		}
	}
}
