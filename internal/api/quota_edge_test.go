package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/server"
)

// A slow PUT is aborted and leaves nothing, regardless of its declared length. Other uploads of its user are received in
// the meantime.
func TestUploadDrips(t *testing.T) {
	t.Parallel()
	r := apptest.NewServer(t, func(o *server.Options) { o.PartTimeout = 50 * time.Millisecond }, quota(1000, 0))
	addr := r.Listen()
	address, _ := presigned(r, "ada", "a.txt", "text/plain")
	path := strings.TrimPrefix(address, apptest.Base)
	c := r.Dial(addr)
	c.Head("", "PUT", path, "Content-Type: text/plain", "Content-Length: 600")
	stop := make(chan struct{})
	var dripping sync.WaitGroup
	dripping.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				if _, err := c.Conn.Write([]byte("x")); err != nil {
					return
				}
			}
		}
	})
	got := c.Answer("PUT", path).Want(http.StatusRequestTimeout)
	if !strings.Contains(got.Str("details.message"), "too slowly") {
		t.Errorf("%s", got.Body)
	}
	close(stop)
	dripping.Wait()
	put(r, address, "text/plain", strings.Repeat("x", 1000)).Want(200)
	wantStored(r, "then", 1000, 1000)
}

// Of five concurrent uploads, four are received and one waits.
func TestUploadsAtOnce(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	var reading atomic.Int64
	entered, release := make(chan struct{}, 10), make(chan struct{})
	var all sync.WaitGroup
	for range 5 {
		address, _ := presigned(r, "ada", "a.txt", "text/plain")
		all.Go(func() {
			put(r, address, "text/plain", readerFunc(func([]byte) (int, error) {
				if n := reading.Add(1); n > content.UploadsAtOnce {
					t.Errorf("%d are received at once", n)
				}
				entered <- struct{}{}
				<-release
				reading.Add(-1)
				return 0, errors.New("is cut off")
			})).Want(400)
		})
	}
	for range content.UploadsAtOnce {
		<-entered
	}
	other, _ := presigned(r, "eve", "a.txt", "text/plain")
	put(r, other, "text/plain", "hers").Want(200)
	for range 5 {
		release <- struct{}{}
	}
	all.Wait()
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Below the disk reserve, bytes are refused and the server is not ready. Everything else works, and fetches wait.
func TestDiskReserve(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	free.Store(2000)
	r := apptest.NewServer(t, func(o *server.Options) {
		o.FreeSpace = func(string) (blob.Space, bool, error) {
			return blob.Space{Free: free.Load(), Total: 100_000}, true, nil
		}
	}, func(c *config.Config) { c.DiskReserve = config.DiskReserve{Percent: 1} })
	r.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 900, 600)))
	shown := processed(r, "http://example.com/a.png", nil)
	address, _ := presigned(r, "ada", "a.txt", "text/plain")
	full := func(got *apptest.Response) {
		t.Helper()
		if got.Want(503); got.Header.Get("Retry-After") != "60" || !strings.Contains(got.Str("details.message"), "nearly full") {
			t.Errorf("%v %s", got.Header, got.Body)
		}
	}
	full(put(r, address, "text/plain", strings.Repeat("x", 1001)))
	r.Do("", "GET", "/readyz", nil).Want(200)
	free.Store(999)
	full(put(r, address, "text/plain", "x"))
	if got := r.Do("", "GET", "/readyz", nil).Want(503); string(got.Body) != "not ready: disk\n" {
		t.Errorf("%q", got.Body)
	}
	id := r.Block("ada", "http://example.com/a.png", r.Channel("ada", "C", "public"))
	r.WorkJobs()
	holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"state": "processing"})
	path := strings.TrimPrefix(shown.Str("image.small.src"), apptest.Base)
	r.Do("", "GET", path, nil).Want(200)
	if err := os.RemoveAll(filepath.Join(r.DataDir(), "files", "versions")); err != nil {
		t.Fatal(err)
	}
	full(r.Do("", "GET", path, nil))
	free.Store(2000)
	r.Do("", "GET", path, nil).Want(200)
	put(r, address, "text/plain", "x").Want(200)
	r.HastenJobs()
	r.WorkJobs()
	holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"state": "available", "type": "Image"})
}

// Files that the storage has lost, and their versions, are 404, and the log names them.
func TestMissingFile(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]apptest.Option{"disk": func(*config.Config) {}, "S3": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if option == nil {
				option = onS3(t)
			}
			r := apptest.New(t, option)
			r.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 900, 600)))
			shown := processed(r, "http://example.com/a.png", nil)
			r.Exec(`UPDATE blobs SET object = 'originals/ab/lost'`)
			for _, field := range []string{"image.src", "image.small.src"} {
				before := len(r.Log("is not in the storage"))
				got := r.Do("", "GET", strings.TrimPrefix(shown.Str(field), apptest.Base), nil).Want(404)
				if got.Int("code") != 404 || got.Str("details.message") != "Not found" {
					t.Errorf("%s: %s", field, got.Body)
				}
				lines := r.Log("is not in the storage")[before:]
				if len(lines) != 1 || !strings.Contains(lines[0], "originals/ab/lost") || !strings.Contains(lines[0], "WARN") {
					t.Errorf("%s: %q", field, lines)
				}
			}
		})
	}
}

// An object that cannot be removed does not stop the others, and is retried later.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for i := range 30 {
			r.Exec(`INSERT INTO doomed_objects (object, created_at) VALUES ($1, 1)`, fmt.Sprintf("originals/ab/%02d", i))
		}
		r.Exec(`INSERT INTO doomed_objects (object, created_at) VALUES ('no name/of an object', 1), ('', 1)`)
		err := r.S.App.Content.SweepContent(t.Context())
		if err == nil || !strings.Contains(err.Error(), "2 objects could not be removed") {
			t.Errorf("%v", err)
		}
		if n := rows(r, "doomed_objects"); n != 2 {
			t.Errorf("%d are left", n)
		}
		if err := r.S.App.Content.SweepContent(t.Context()); err != nil { // not yet
			t.Error(err)
		}
		r.Clock.Advance(2 * time.Hour)
		if err := r.S.App.Content.SweepContent(t.Context()); err == nil {
			t.Error("they are not tried again")
		}
		r.Exec(`DELETE FROM doomed_objects`)
	})
}
