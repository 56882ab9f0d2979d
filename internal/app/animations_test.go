package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/blob"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/mediatest"
	"vitrine/internal/store"
)

// watched is a storage that reports reads.
type watched struct {
	blob.Store
	reading func(ctx context.Context, name string) error // before each ReadAt, with the context of Open
}

type watchedFile struct {
	blob.Content
	reading func() error
}

// Open implements blob.Store.
func (w watched) Open(ctx context.Context, name string) (*blob.File, error) {
	f, err := w.Store.Open(context.WithoutCancel(ctx), name)
	if err == nil {
		f.Content = watchedFile{f.Content, func() error { return w.reading(ctx, name) }}
	}
	return f, err
}

// ReadAt implements io.ReaderAt.
func (w watchedFile) ReadAt(p []byte, off int64) (int, error) {
	if err := w.reading(); err != nil {
		return 0, err
	}
	return w.Content.ReadAt(p, off)
}

// storedBefore makes files as versions stored them that examined neither animation nor metadata. The names
// of the objects are their indexes. It returns an App whose reads are reported to reading, and a function
// that evaluates a condition for each file: 1, 0, or -1 for NULL.
func storedBefore(t *testing.T, r *apptest.Rig, o content.Options, reading func(ctx context.Context, name string) error, files ...[]byte) (a *app.App, found func(column string) string) {
	t.Helper()
	r.Channel("ada", "Files", "public")
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	for i, file := range files {
		name := fmt.Sprint(i)
		if err := disk.Put(t.Context(), name, bytes.NewReader(file), int64(len(file)), "image/gif"); err != nil {
			t.Fatal(err)
		}
		r.Exec(`INSERT INTO blobs (id, hash, object, size, used_at, stored_at) VALUES ($1, $2, $2, $3, 1, 1)`, 1000+i, name, len(file))
		r.Exec(`INSERT INTO files (id, key, user_id, blob_id, name, content_type, extension, size, resized, created_at, blurhash)
			VALUES ($1, $2, (SELECT min(id) FROM users), $1, 'a.gif', 'image/gif', 'gif', 1, 'jpg', 1, 'x')`, 1000+i, name)
	}
	studio := media.NewStudio(media.Options{})
	t.Cleanup(func() { _ = studio.Close() })
	o.Blobs, o.Studio = watched{disk, reading}, studio
	found = func(column string) (all string) {
		for i := range files {
			var state int64
			err := r.DB().View(t.Context(), func(q database.Querier) error {
				return q.QueryRow(t.Context(), fmt.Sprintf(`SELECT CASE WHEN %s THEN 1 WHEN NOT (%[1]s) THEN 0 ELSE -1 END
					FROM files f JOIN blobs b ON b.id = f.blob_id WHERE f.id = $1`, column), 1000+i).Scan(&state)
			})
			if err != nil {
				t.Fatal(err)
			}
			all += fmt.Sprint(state, " ")
		}
		return all
	}
	return app.New(app.Options{Store: r.S.Store, Files: o}), found
}

// dropStored deletes the files of storedBefore, which are too incomplete for the check at the end of a test.
func dropStored(r *apptest.Rig) {
	r.Exec(`DELETE FROM files WHERE id >= 1000`)
	r.Exec(`DELETE FROM blobs WHERE id >= 1000`)
}

func moving(t *testing.T) []byte {
	frame := image.NewPaletted(mediatest.Rect(), mediatest.Palette())
	return mediatest.GIF(t, frame, frame)
}

// A job that is stopped stores what it has found, so that the next run gets further.
func TestStoppedJobsKeepWhatTheyFound(t *testing.T) {
	t.Parallel()
	unavailable := domain.NewUnavailable(errors.New("the storage is away"))
	for name, c := range map[string]struct {
		run    func(a *app.App, ctx context.Context) error
		column string
		want   string
	}{
		"find_animations": {func(a *app.App, ctx context.Context) error { return a.Content.FindAnimations(ctx) }, "f.animated", "1 -1 -1 "},
		"find_looks":      {func(a *app.App, ctx context.Context) error { return a.Content.FindLooks(ctx) }, "f.palette <> ''", "1 -1 -1 "},
		"examine_files":   {func(a *app.App, ctx context.Context) error { return a.Content.ExamineFiles(ctx) }, "b.clean_size >= 0", "1 -1 -1 "},
	} {
		for _, why := range []error{context.Canceled, unavailable} {
			t.Run(fmt.Sprint(name, " ", why), func(t *testing.T) {
				t.Parallel()
				apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					stops := true
					reading := func(_ context.Context, name string) error {
						if name != "1" || !stops {
							return nil
						}
						if why == context.Canceled {
							cancel()
						}
						return why
					}
					a, found := storedBefore(t, r, content.Options{}, reading, moving(t), moving(t), moving(t))
					defer dropStored(r)
					if err := c.run(a, ctx); !errors.Is(err, why) || found(c.column) != c.want {
						t.Errorf("%v; found %s, want %s", err, found(c.column), c.want)
					}
					stops = false
					if err := c.run(a, t.Context()); err != nil || found(c.column) != "1 1 1 " {
						t.Errorf("the next run: %v, found %s", err, found(c.column))
					}
				})
			})
		}
	}
}

// A file that takes too long to read counts as not animated, and the job continues with the next one.
func TestAnimationsInSlowFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		slow := func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return domain.NewUnavailable(ctx.Err()) // as S3 does
		}
		a, found := storedBefore(t, r, content.Options{InspectTimeout: time.Millisecond}, slow, moving(t), moving(t))
		defer dropStored(r)
		if err := a.Content.FindAnimations(t.Context()); err != nil || found("f.animated") != "0 0 " {
			t.Errorf("%v; found %s", err, found("f.animated"))
		}
	})
}

// Files are read in large blocks, because each read is a request to the storage.
func TestAnimationsAreFoundInFewReads(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	// 100,000 comments of one byte before the second image.
	gif := moving(t)
	second := bytes.LastIndex(gif, []byte{0x2C, 0, 0, 0, 0})
	gif = slices.Concat(gif[:second], bytes.Repeat([]byte{0x21, 0xFE, 1, 'x', 0}, 100_000), gif[second:])
	var reads atomic.Int64
	a, found := storedBefore(t, r, content.Options{}, func(context.Context, string) error { reads.Add(1); return nil }, gif)
	defer dropStored(r)
	if err := a.Content.FindAnimations(t.Context()); err != nil || found("f.animated") != "1 " || reads.Load() > 3 {
		t.Errorf("%v; found %s in %d reads", err, found("f.animated"), reads.Load())
	}
}

// Files with the same bytes and content type are examined together, at most 1,000 at once.
func TestAnimationsInEqualFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var reads atomic.Int64
		a, found := storedBefore(t, r, content.Options{}, func(context.Context, string) error { reads.Add(1); return nil }, moving(t))
		defer dropStored(r)
		r.Exec(`INSERT INTO files (id, key, user_id, blob_id, name, content_type, extension, size, resized, created_at)
			WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 1100)
			SELECT 1000 + n, 'copy ' || n, f.user_id, f.blob_id, f.name, CASE n WHEN 1 THEN 'video/mp4' ELSE f.content_type END,
				f.extension, f.size, f.resized, f.created_at FROM copies CROSS JOIN files f WHERE f.id = 1000`)
		if err := a.Content.FindAnimations(t.Context()); err != nil || found("f.animated") != "1 " || reads.Load() > 4 {
			t.Errorf("%v; found %s in %d reads", err, found("f.animated"), reads.Load())
		}
		count := func(where string, want int64) {
			t.Helper()
			var n int64
			err := r.DB().View(t.Context(), func(q database.Querier) error {
				return q.QueryRow(t.Context(), "SELECT count(*) FROM files WHERE id >= 1000 AND "+where).Scan(&n)
			})
			if err != nil || n != want {
				t.Errorf("%d files match %s, want %d: %v", n, where, want, err)
			}
		}
		count("animated", 1100)
		count("animated IS NULL AND content_type = 'video/mp4'", 1)

		// Looking again at the files below would take a time that grows with the square of their number.
		r.Exec("UPDATE files SET animated = NULL")
		f := domain.File{ID: 1200, BlobID: 1000, ContentType: "image/gif", Animated: true}
		if err := r.S.Store.InTx(t.Context(), func(tx *store.Tx) error { return tx.Blobs().SetAnimated(t.Context(), f) }); err != nil {
			t.Error(err)
		}
		count("animated AND id >= 1200", 901)
		count("animated AND id < 1200", 0)
	})
}

// A broken image has no colours, and the job does not read it again.
func TestLooksOfBrokenFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var reads atomic.Int64
		a, found := storedBefore(t, r, content.Options{}, func(context.Context, string) error { reads.Add(1); return nil }, []byte("GIF89a"), moving(t))
		defer dropStored(r)
		if err := a.Content.FindLooks(t.Context()); err != nil || found("f.palette <> ''") != "0 1 " {
			t.Errorf("%v; found %s", err, found("f.palette <> ''"))
		}
		was := reads.Load()
		if err := a.Content.FindLooks(t.Context()); err != nil || reads.Load() != was {
			t.Errorf("%v; %d more reads", err, reads.Load()-was)
		}
	})
}
