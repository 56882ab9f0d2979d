package backup_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/backup"
	"vitrine/internal/database"
)

// several makes backups an hour apart, each with one block and one file more, and returns their ids.
func several(t *testing.T, s site, folder string, n int, change ...func(*backup.Options)) (ids []string) {
	t.Helper()
	channel := s.Channel("ada", "Growing", "public")
	for i := range n {
		s.Block("ada", strings.Repeat("moss ", i+1), channel)
		s.Block("ada", upload(s, "p.png", apptest.PNG(t, 10+i, 10)), channel)
		s.WorkJobs()
		ids = append(ids, s.backUp(folder, change...).ID)
		s.Clock.Advance(time.Hour)
	}
	return ids
}

// intact returns the ids in a folder, and checks that each backup can be read.
func intact(t *testing.T, folder string) (ids []string) {
	t.Helper()
	from, err := backup.ToRead(t.Context(), folder, keys())
	if err != nil {
		t.Fatal(err)
	}
	all, err := backup.List(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		ids = append(ids, k.ID)
		if _, err := backup.Verify(t.Context(), from, k.ID, quiet); err != nil {
			t.Errorf("%s: %v", k.ID, err)
		}
	}
	return ids
}

// objects returns the names below a folder.
func objects(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != "lock" {
			names = append(names, strings.TrimPrefix(path, folder+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// A backup with a limit keeps the newest backups and removes all older ones, with exactly the files that
// no remaining backup needs.
func TestRetention(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		made, keep, left int
	}{
		{"all", 3, 0, 3},
		{"fewer than there may be", 2, 5, 2},
		{"as many as there may be", 3, 3, 3},
		{"one too many", 3, 2, 2},
		{"only the last", 3, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := siteOf(t, apptest.New(t))
			folder := filepath.Join(t.TempDir(), "backups")
			ids := several(t, s, folder, c.made-1)
			before := objects(t, folder)
			last := s.backUp(folder, func(o *backup.Options) { o.Keep = c.keep })
			ids = append(ids, last.ID)
			if gone := ids[:c.made-c.left]; !slices.Equal(last.Removed, gone) {
				t.Errorf("removed %q, want %q", last.Removed, gone)
			}
			if got := intact(t, folder); !slices.Equal(got, ids[c.made-c.left:]) {
				t.Errorf("kept %q of %q", got, ids)
			}
			shared := 0
			for _, name := range objects(t, folder) {
				if strings.HasPrefix(name, "files/") && slices.Contains(before, name) {
					shared++
				}
			}
			if shared != c.made-1 { // the last backup needs the files of all
				t.Errorf("%d files of before are kept, want %d", shared, c.made-1)
			}
		})
	}
}

// Before anything is removed, the remaining backups are read. If one of them is damaged, the new backup is
// complete, and nothing is removed.
func TestRetentionWithDamage(t *testing.T) {
	t.Parallel()
	s := siteOf(t, apptest.New(t))
	folder := filepath.Join(t.TempDir(), "backups")
	ids := several(t, s, folder, 3)
	manifest := filepath.Join(folder, "backups", ids[2]+".json")
	whole, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	write(t, manifest, whole[:len(whole)/2])
	before := objects(t, folder)
	to, err := backup.ToWrite(t.Context(), folder, keys())
	if err != nil {
		t.Fatal(err)
	}
	o := backup.Options{DB: s.DB(), Store: s.S.Store, Blobs: s.blobs, To: to, Keep: 2, Program: "test", Now: s.Clock.Now, OnProgress: quiet}
	res, err := backup.Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "is complete, but removing unneeded data failed") || res.ID == "" {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, name := range before {
		if !slices.Contains(objects(t, folder), name) {
			t.Errorf("%s was removed", name)
		}
	}
	from, err := backup.ToRead(t.Context(), folder, keys())
	if err != nil {
		t.Fatal(err)
	}
	all, err := backup.List(t.Context(), from)
	if err != nil || len(all) != 4 || all[2].Err == nil || all[0].Err != nil || all[3].Err != nil {
		t.Errorf("the list is %+v, %v", all, err)
	}
	if _, err := backup.Verify(t.Context(), from, ids[2], quiet); err == nil {
		t.Error("the damaged one is verified")
	}
	if _, err := backup.Verify(t.Context(), from, res.ID, quiet); err != nil {
		t.Errorf("the new one: %v", err)
	}
	write(t, manifest, whole) // the next run removes what this one could not
	s.Clock.Advance(time.Hour)
	if last := s.backUp(folder, func(o *backup.Options) { o.Keep = 1 }); len(last.Removed) != 4 {
		t.Errorf("removed %q", last.Removed)
	}
	if got := intact(t, folder); len(got) != 1 {
		t.Errorf("kept %q", got)
	}
}

// Each backup of a folder restores the site of its time, to either database, and those that came later do
// not change it.
func TestRestoreOlder(t *testing.T) {
	t.Parallel()
	s := siteOf(t, apptest.New(t))
	folder := filepath.Join(t.TempDir(), "backups")
	ids := several(t, s, folder, 3)
	from, err := backup.ToRead(t.Context(), folder, keys())
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		d := dialects[i%2]
		t.Run(d.String()+" "+id, func(t *testing.T) {
			t.Parallel()
			to, o := place(t, d)
			res, err := backup.Restore(t.Context(), from, id, to, quiet)
			if err != nil || res.ID != id || len(res.Differences) > 0 {
				t.Fatalf("%+v, %v", res.ID, err)
			}
			again := apptest.Boot(t, o)
			if n := again.Do("", "GET", "/v3/channels/growing/contents", nil).Want(200).Int("meta.total_count"); n != int64(2*(i+1)) {
				t.Errorf("%d items in backup %d", n, i)
			}
			if files := objects(t, filepath.Join(to.Files, "originals")); len(files) != i+1 {
				t.Errorf("%d files in backup %d: %q", len(files), i, files)
			}
		})
	}
	for _, id := range []string{"20200101T000000.000Z-0123456789abcdef", "nothing", "../" + ids[0], ids[0][:20]} {
		to, _ := place(t, database.SQLite)
		if _, err := backup.Restore(t.Context(), from, id, to, quiet); err == nil || !strings.Contains(err.Error(), "there is no such backup as "+id) {
			t.Errorf("%s: %v", id, err)
		}
		empty(t, to)
	}
}

// A backup or a restore that is cancelled at any point leaves nothing that counts, and can be repeated.
func TestCancelled(t *testing.T) {
	t.Parallel()
	s := seeded(t, apptest.New(t))
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "backups"), filepath.Join(dir, "site.tar.zst")
	stopping := func(after int) (context.Context, func(backup.Progress)) {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		n := 0
		return ctx, func(backup.Progress) {
			if n++; n == after {
				cancel()
			}
		}
	}
	for _, path := range []string{folder, file} {
		for _, after := range []int{1, 5} {
			to, err := backup.ToWrite(t.Context(), path, keys())
			if err != nil {
				t.Fatal(err)
			}
			ctx, progress := stopping(after)
			_, err = backup.Run(ctx, backup.Options{DB: s.DB(), Store: s.S.Store, Blobs: s.blobs, To: to, Program: "test", Now: s.Clock.Now, OnProgress: progress})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, after %d steps: %v", path, after, err)
			}
			if err := verify(t, path); err == nil {
				t.Errorf("%s, after %d steps: there is a backup", path, after)
			}
		}
		s.backUp(path)
		if err := verify(t, path); err != nil {
			t.Errorf("%s, repeated: %v", path, err)
		}
		from, err := backup.ToRead(t.Context(), path, keys())
		if err != nil {
			t.Fatal(err)
		}
		to, _ := place(t, database.SQLite)
		for _, after := range []int{1, 8, 30} {
			ctx, progress := stopping(after)
			if _, err := backup.Restore(ctx, from, "", to, progress); !errors.Is(err, context.Canceled) {
				t.Errorf("restored from %s in %d steps: %v", path, after, err)
			}
			empty(t, to)
		}
		if _, err := backup.Restore(t.Context(), from, "", to, quiet); err != nil {
			t.Errorf("restored again from %s: %v", path, err)
		}
		if _, err := backup.Restore(t.Context(), from, "", to, quiet); !errors.Is(err, backup.ErrNotEmpty) {
			t.Errorf("restored over a site: %v", err)
		}
	}
}

// Two programs do not write to the same place at the same time; reading is possible in the meantime.
func TestPlaceInUse(t *testing.T) {
	t.Parallel()
	s := seeded(t, apptest.New(t))
	folder := filepath.Join(t.TempDir(), "backups")
	s.backUp(folder)
	s.Clock.Advance(time.Hour)
	to, err := backup.ToWrite(t.Context(), folder, keys())
	if err != nil {
		t.Fatal(err)
	}
	tried := false
	_, err = backup.Run(t.Context(), backup.Options{DB: s.DB(), Store: s.S.Store, Blobs: s.blobs, To: to, Program: "test", Now: s.Clock.Now, OnProgress: func(backup.Progress) {
		if tried {
			return
		}
		tried = true
		other, err := backup.ToWrite(t.Context(), folder, keys())
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := backup.Run(t.Context(), backup.Options{DB: s.DB(), Store: s.S.Store, Blobs: s.blobs, To: other, Program: "test", Now: s.Clock.Now, OnProgress: quiet}); !errors.Is(err, backup.ErrBusy) {
			t.Errorf("a second backup: %v", err)
		}
		if err := verify(t, folder); err != nil {
			t.Errorf("read during the backup: %v", err)
		}
	}})
	if err != nil || !tried {
		t.Fatal(tried, err)
	}
	if got := intact(t, folder); len(got) != 2 {
		t.Errorf("kept %q", got)
	}
}
