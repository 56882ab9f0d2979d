package exporting_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/transfer"
	"vitrine/internal/apptest"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/server"
)

// start starts an export and returns its ID.
func start(r *apptest.Rig, as string) int64 {
	r.T.Helper()
	return r.Do(as, "POST", "/ext/v1/exports", nil).Want(202).Int("id")
}

func at(id int64) string { return fmt.Sprintf("/ext/v1/exports/%d", id) }

// objects returns the exports in the storage.
func objects(r *apptest.Rig) []string {
	all, err := filepath.Glob(filepath.Join(r.DataDir(), "files", "exports", "*"))
	if err != nil {
		r.T.Fatal(err)
	}
	return all
}

// sweep runs the hourly cleanup.
func sweep(r *apptest.Rig) {
	r.T.Helper()
	if err := errors.Join(r.S.App.Transfer.SweepExports(context.Background()), r.S.App.Content.SweepContent(context.Background())); err != nil {
		r.T.Fatal(err)
	}
}

// staged returns the files that are waiting to be stored.
func staged(r *apptest.Rig) []string {
	all, err := filepath.Glob(filepath.Join(r.DataDir(), "staging", "*"))
	if err != nil {
		r.T.Fatal(err)
	}
	return all
}

func TestExports(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Shelf", "private")
		r.Block("ada", "a text", channel)
		upload(r, "ada", "p.png", "image/png", apptest.PNG(t, 9, 9), nil, channel)

		r.Do("", "POST", "/ext/v1/exports", nil).Want(401)
		r.Do("ada/read", "POST", "/ext/v1/exports", nil).Want(403)
		id := start(r, "ada")
		r.Do("ada", "POST", "/ext/v1/exports", nil).Want(422)
		if got := r.Do("ada/read", "GET", at(id), nil).Want(200); got.Str("state") != "queued" || got.Get("file_url") != nil {
			t.Errorf("it begins as %s", got.Body)
		}
		r.Do("ada", "GET", at(id)+"/file", nil).Want(422)
		r.WorkJobs()
		done := r.Do("ada", "GET", at(id), nil).Want(200)
		if done.Str("state") != "done" || done.Int("progress.items") != 2 || done.Int("progress.items_done") != 2 || done.Int("counts.files") != 1 || done.Int("size") == 0 {
			t.Errorf("it ends as %s", done.Body)
		}
		whole := r.Do("ada/read", "GET", at(id)+"/file", nil).Want(200)
		if int64(len(whole.Body)) != done.Int("size") || done.Str("file_url") != apptest.Base+at(id)+"/file" {
			t.Errorf("%d bytes at %s", len(whole.Body), done.Str("file_url"))
		}
		valid(t, unzip(t, whole.Body))

		// A range, a range of an outdated version, and an invalid range. Other users get nothing.
		part := r.Do("ada", "GET", at(id)+"/file", nil, "Range", "bytes=10-19").Want(206)
		if !bytes.Equal(part.Body, whole.Body[10:20]) {
			t.Errorf("the part is %q", part.Body)
		}
		if again := r.Do("ada", "GET", at(id)+"/file", nil, "Range", "bytes=10-19", "If-Range", `"other"`).Want(200); !bytes.Equal(again.Body, whole.Body) {
			t.Error("a part of something else is not the whole")
		}
		if tail := r.Do("ada", "GET", at(id)+"/file", nil, "Range", "bytes=10-", "If-Range", whole.Header.Get("ETag")).Want(206); !bytes.Equal(tail.Body, whole.Body[10:]) {
			t.Error("the rest is another")
		}
		r.Do("ada", "GET", at(id)+"/file", nil, "Range", "bytes=99999999-").Want(416)
		if head := r.Do("ada", "HEAD", at(id)+"/file", nil).Want(200); head.Header.Get("Content-Length") != fmt.Sprint(done.Int("size")) {
			t.Errorf("HEAD says %s", head.Header.Get("Content-Length"))
		}
		for _, path := range []string{at(id), at(id) + "/file"} {
			r.Do("", "GET", path, nil).Want(401)
			r.Do("eve", "GET", path, nil).Want(404)
		}
		r.Do("eve", "DELETE", at(id), nil).Want(404)
		r.Do("ada/read", "DELETE", at(id), nil).Want(403)
		if n := r.Do("eve", "GET", "/ext/v1/exports", nil).Want(200).Len("data"); n != 0 {
			t.Errorf("Eve is shown %d", n)
		}

		// The job once more changes nothing.
		if err := exporter(r).Make(context.Background(), domain.ExportID(id)); err != nil {
			t.Fatal(err)
		}
		if again := r.Do("ada", "GET", at(id)+"/file", nil).Want(200); !bytes.Equal(again.Body, whole.Body) || len(objects(r)) != 1 {
			t.Errorf("the second run made another: %q", objects(r))
		}

		// The latest few are kept. Deleted and expired exports leave nothing behind.
		for range domain.MaxExports - 1 {
			start(r, "ada")
			r.WorkJobs()
		}
		r.Do("ada", "POST", "/ext/v1/exports", nil).Want(422)
		r.Do("ada", "DELETE", at(id), nil).Want(204)
		r.Do("ada", "GET", at(id), nil).Want(404)
		r.Do("ada", "DELETE", at(id), nil).Want(404)
		sweep(r)
		if n := len(objects(r)); n != domain.MaxExports-1 {
			t.Errorf("%d files are left", n)
		}
		r.Clock.Advance(transfer.ExportsKept + time.Hour)
		if n := r.Do("ada", "GET", "/ext/v1/exports", nil).Want(200).Len("data"); n != 0 {
			t.Errorf("%d are there when they have expired", n)
		}
		sweep(r)
		if left := append(objects(r), staged(r)...); len(left) != 0 {
			t.Errorf("%q are left", left)
		}
	}, generous)
}

// An export that is deleted while it is made ends and leaves nothing, as does one whose user is
// deleted.
func TestDeletedExport(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Shelf", "private")
		for i := range 120 {
			r.Block("ada", fmt.Sprint("block ", i), channel)
		}
		id := start(r, "ada")
		r.Clock.Advance(time.Minute) // so that each step is written down
		var once sync.Once
		end := r.Intercept(func(_ context.Context, query string) {
			if strings.HasPrefix(query, "SELECT c.id FROM connections c WHERE c.channel_id") {
				once.Do(func() { r.Do("ada", "DELETE", at(id), nil).Want(204) })
			}
			r.Clock.Advance(time.Minute)
		})
		err := exporter(r).Make(context.Background(), domain.ExportID(id))
		end()
		if err != nil {
			t.Errorf("a deleted export fails: %v", err)
		}
		r.WorkJobs()
		sweep(r)
		if left := append(objects(r), staged(r)...); len(left) != 0 {
			t.Errorf("%q are left", left)
		}
		if n := r.Do("ada", "GET", "/ext/v1/exports", nil).Want(200).Len("data"); n != 0 {
			t.Errorf("%d are there", n)
		}
	}, generous)
}

// A server that crashes during an export leaves its row and maybe its file. The next attempt starts
// from the beginning and takes effect once, and the first file is removed. If the first attempt is
// still running after all, its output is not used.
func TestExportAfterACrash(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ctx := context.Background()
		r.Block("ada", "a text", r.Channel("ada", "Shelf", "private"))
		id := domain.ExportID(start(r, "ada"))
		first, ok, err := r.S.App.Transfer.BeginExport(ctx, id)
		if err != nil || !ok {
			t.Fatalf("%t, %v", ok, err)
		}
		if err := exporter(r).Make(ctx, id); err != nil { // the second attempt
			t.Fatal(err)
		}
		whole := r.Do("ada", "GET", at(int64(id))+"/file", nil).Want(200).Body
		if wanted, err := r.S.App.Transfer.NoteExport(ctx, first); wanted || err != nil {
			t.Errorf("the first attempt: wanted %t, %v", wanted, err)
		}
		if err := r.S.App.Transfer.KeepExport(ctx, first, strings.NewReader("of the first")); err != nil {
			t.Fatal(err)
		}
		sweep(r)
		if again := r.Do("ada", "GET", at(int64(id))+"/file", nil).Want(200).Body; !bytes.Equal(again, whole) || len(objects(r)) != 1 {
			t.Errorf("%d bytes, and %q", len(again), objects(r))
		}
		if faults := checkFiles(r); len(faults) != 0 {
			t.Errorf("the check finds %q", faults)
		}

		// One that kills every server is given up.
		id = domain.ExportID(start(r, "ada"))
		for n := 0; ; n++ {
			_, ok, err := r.S.App.Transfer.BeginExport(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if n > 20 {
				t.Fatal("it is tried for ever")
			}
		}
		if got := r.Do("ada", "GET", at(int64(id)), nil).Want(200); got.Str("state") != "failed" {
			t.Errorf("it is %s", got.Body)
		}
		start(r, "ada") // so that another can be made
	}, generous)
}

// checkFiles returns the findings of `vitrine check --files`.
func checkFiles(r *apptest.Rig) (found []string) {
	err := r.S.App.Content.CheckFiles(context.Background(), false, func(f content.FileFault) { found = append(found, fmt.Sprint(f)) }, func(content.CheckingFiles) {})
	if err != nil {
		r.T.Fatal(err)
	}
	return found
}

// Deleting an account deletes its exports.
func TestExportsOfADeletedAccount(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, generous)
	id := start(r, "ada")
	r.WorkJobs()
	if len(objects(r)) != 1 {
		t.Fatalf("%q", objects(r))
	}
	if err := r.S.App.Accounts.DeleteAccount(context.Background(), domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}, r.Proved(r.Person("ada").ID), "ada"); err != nil {
		t.Fatal(err)
	}
	r.WorkJobs()
	sweep(r)
	r.Do("ada", "GET", at(id)+"/file", nil).Want(401)
	if left := objects(r); len(left) != 0 {
		t.Errorf("%q are left", left)
	}
}

// If the disk is full, an export waits and does not fail.
func TestExportWithoutRoom(t *testing.T) {
	t.Parallel()
	free := atomic.Int64{}
	r := apptest.NewServer(t, func(o *server.Options) {
		o.FreeSpace = func(string) (blob.Space, bool, error) {
			return blob.Space{Total: 1 << 30, Free: free.Load()}, true, nil
		}
	}, generous, func(c *config.Config) { c.DiskReserve = config.DiskReserve{Bytes: 1 << 20} })
	free.Store(1 << 29)
	id := start(r, "ada")
	free.Store(1 << 10)
	for range 20 {
		if err := exporter(r).Make(context.Background(), domain.ExportID(id)); domain.KindOf(err) != domain.Unavailable {
			t.Fatalf("without room it says %v", err)
		}
	}
	free.Store(1 << 29)
	if err := exporter(r).Make(context.Background(), domain.ExportID(id)); err != nil {
		t.Fatal(err)
	}
	if got := r.Do("ada", "GET", at(id), nil).Want(200); got.Str("state") != "done" {
		t.Errorf("it is %s", got.Body)
	}
}
