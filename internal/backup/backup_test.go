package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/backup"
	"vitrine/internal/database"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

var dialects = []database.Dialect{database.SQLite, database.Postgres}

// A restored site is the same on either database: the rows, the row numbers, the API responses for the
// same tokens, and the files. Waiting jobs run, and new ids continue after the highest one ever assigned.
func TestRestoreIsTheSameSite(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := seeded(t, r)
		folder, file := filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "site.tar.zst")
		res := s.backUp(folder)
		if res.Manifest.Files == 0 || len(res.Manifest.Missing) > 0 {
			t.Fatalf("%d files, missing %v", res.Manifest.Files, res.Manifest.Missing)
		}
		s.backUp(file)
		want := rowsOf(t, s)
		for i, d := range dialects {
			path := folder
			if (r.DB().Dialect() == database.Postgres) == (i == 0) {
				path = file
			}
			t.Run("to "+d.String(), func(t *testing.T) {
				again := restored(t, path, d)
				got := rowsOf(t, again)
				compare(t, want, got)
				sameAnswers(t, s, again)
				again.Web("example.com/sea", apptest.Serve("text/html", []byte("<title>The sea</title><p>Waves")))
				again.WorkJobs()
				if got := again.Do("", "GET", "/v3/blocks/5", nil, "Authorization", "Bearer "+s.Person("bob").Token); got.Str("title") != "The sea" {
					t.Errorf("what waited was not done: %s", got.Body)
				}
			})
		}
	})
}

func compare(t *testing.T, want, got rows) {
	t.Helper()
	if want.schema != got.schema {
		t.Errorf("schema %d, want %d", got.schema, want.schema)
	}
	for table, n := range want.last {
		if got.last[table] != n {
			t.Errorf("the last number of %s is %d, want %d", table, got.last[table], n)
		}
	}
	slices.Sort(want.all)
	slices.Sort(got.all)
	if slices.Equal(want.all, got.all) {
		return
	}
	t.Errorf("%d rows, want %d", len(got.all), len(want.all))
	for _, row := range want.all {
		if _, found := slices.BinarySearch(got.all, row); !found {
			t.Errorf("missing: %s", row)
		}
	}
	for _, row := range got.all {
		if _, found := slices.BinarySearch(want.all, row); !found {
			t.Errorf("unexpected: %s", row)
		}
	}
}

// sameAnswers compares the responses of two servers for several users, with tokens of the first server.
func sameAnswers(t *testing.T, s, again site) {
	t.Helper()
	paths := []string{"/v3/me", "/v3/channels/on-moss", "/v3/channels/on-moss/contents", "/v3/channels/on-moss/contents?sort=updated_at_desc",
		"/v3/channels/secrets", "/v3/channels/secrets/contents", "/v3/users/ada", "/v3/users/ada/contents", "/v3/users/bob/contents", "/v3/groups/botanists",
		"/v3/search?query=moss", "/v3/search?query=%E8%8B%94", "/v3/search?query=*", "/v3/blocks/1", "/v3/blocks/2", "/v3/blocks/3", "/v3/blocks/1/comments",
		"/v3/blocks/1/connections", "/ext/v1/feed", "/v2/channels/on-moss", "/v2/channels/on-moss/contents"}
	for _, as := range []string{"ada", "bob", ""} {
		var headers []string
		if as != "" {
			headers = []string{"Authorization", "Bearer " + s.Person(as).Token}
		}
		for _, path := range paths {
			want, got := s.Do("", "GET", path, nil, headers...), again.Do("", "GET", path, nil, headers...)
			if want.Status != got.Status || !bytes.Equal(want.Body, got.Body) {
				t.Errorf("%s as %q: %d %s\nwant %d %s", path, as, got.Status, got.Body, want.Status, want.Body)
			}
			if i := bytes.Index(want.Body, []byte(apptest.Base+"/files/")); i >= 0 && as == "ada" {
				address, _, _ := strings.Cut(string(want.Body[i+len(apptest.Base):]), `"`)
				a, b := s.Do("", "GET", address, nil), again.Do("", "GET", address, nil)
				if a.Status != 200 || b.Status != 200 || !bytes.Equal(a.Body, b.Body) {
					t.Errorf("%s: %d, then %d with other bytes", address, a.Status, b.Status)
				}
			}
		}
	}
}

// A backup that runs during writes is a snapshot with everything that was acknowledged before it started.
func TestBackupUnderWrites(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := siteOf(t, r)
		channel := r.Channel("ada", "Busy", "public")
		var mu sync.Mutex
		var acknowledged []int64
		stop := make(chan struct{})
		var writers sync.WaitGroup
		began := make(chan struct{}, 3)
		for n := range 3 {
			writers.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					res := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": fmt.Sprint("text ", n, i), "channel_ids": []int64{channel}})
					if res.Status != 201 {
						t.Errorf("status %d: %s", res.Status, res.Body)
						return
					}
					mu.Lock()
					acknowledged = append(acknowledged, res.Int("id"))
					mu.Unlock()
					if i == 2 {
						began <- struct{}{}
					}
				}
			})
		}
		for range 3 {
			<-began
		}
		mu.Lock()
		before := slices.Clone(acknowledged)
		mu.Unlock()
		folder := filepath.Join(t.TempDir(), "backups")
		s.backUp(folder)
		close(stop)
		writers.Wait()
		again := restored(t, folder, dialects[(int(r.DB().Dialect())+1)%2])
		for _, id := range before {
			if res := again.Do("", "GET", fmt.Sprint("/v3/blocks/", id), nil); res.Status != 200 {
				t.Errorf("block %d, acknowledged before the backup, is not in it", id)
			}
		}
	})
}

// A second backup only stores new content and changes nothing of the first. Pruning only removes content
// that no other backup needs.
func TestManyBackupsShare(t *testing.T) {
	t.Parallel()
	s := seeded(t, apptest.New(t))
	folder := filepath.Join(t.TempDir(), "backups")
	first := s.backUp(folder)
	s.Clock.Advance(time.Hour)
	if second := s.backUp(folder); second.New > first.New/4 {
		t.Errorf("%d bytes are new, of %d", second.New, first.New)
	}
	s.Block("ada", upload(s, "other.png", apptest.PNG(t, 20, 20)), 1)
	s.WorkJobs()
	s.Clock.Advance(time.Hour)
	third := s.backUp(folder)
	from, err := backup.ToRead(t.Context(), folder, keys())
	if err != nil {
		t.Fatal(err)
	}
	list, err := backup.List(t.Context(), from)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d backups, error %v", len(list), err)
	}
	for _, k := range list {
		if _, err := backup.Verify(t.Context(), from, k.ID, quiet); err != nil {
			t.Errorf("%s: %v", k.ID, err)
		}
	}
	checkModes(t, folder)
	s.Clock.Advance(time.Hour)
	last := s.backUp(folder, func(o *backup.Options) { o.Keep = 2 })
	if len(last.Removed) != 2 || last.Removed[0] != first.ID {
		t.Errorf("removed %v", last.Removed)
	}
	if err := verify(t, folder); err != nil {
		t.Error(err)
	}
	to, _ := place(t, database.SQLite)
	res, err := backup.Restore(t.Context(), from, third.ID, to, quiet)
	if err != nil || res.ID != third.ID {
		t.Fatalf("%v", err)
	}
	if _, err := backup.Restore(t.Context(), from, first.ID, to, quiet); err == nil {
		t.Error("a backup that is gone was restored")
	}
}

// checkModes checks that only the owner has access to the content of a folder.
func checkModes(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Leftovers of an interrupted backup do no harm, and the next backup removes them.
func TestBackupCutOff(t *testing.T) {
	t.Parallel()
	s := seeded(t, apptest.New(t))
	folder := filepath.Join(t.TempDir(), "backups")
	s.backUp(folder)
	stray := strings.Repeat("ab", 32)
	for name, content := range map[string]string{"unfinished": "", "rows/" + stray: "half", "files/ab/" + stray: "of a file", ".tmp/part": "x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := verify(t, folder); err != nil {
		t.Errorf("before the next: %v", err)
	}
	s.backUp(folder)
	for _, name := range []string{"unfinished", "rows/" + stray, "files/ab/" + stray, ".tmp/part"} {
		if _, err := os.Stat(filepath.Join(folder, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if err := verify(t, folder); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "site.tar.zst")
	if err := os.WriteFile(file+".unfinished", bytes.Repeat([]byte("x"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	s.backUp(file)
	if err := verify(t, file); err != nil {
		t.Error(err)
	}
	to, err := backup.ToWrite(t.Context(), file, keys())
	if err == nil {
		_, err = backup.Run(t.Context(), backup.Options{DB: s.DB(), Store: s.S.Store, Blobs: s.blobs, To: to, Now: s.Clock.Now, OnProgress: quiet})
	}
	if err == nil {
		t.Error("a file that is there was written over")
	}
}

// Modified and truncated backups are rejected, and leave nothing behind.
func TestDamagedBackups(t *testing.T) {
	t.Parallel()
	s := seeded(t, apptest.New(t))
	folder, file := filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "site.tar.zst")
	s.backUp(folder)
	s.backUp(file)
	random := rand.New(rand.NewPCG(1, 2))
	refused := func(path, what string, alsoRestore bool) {
		t.Helper()
		if err := verify(t, path); err == nil {
			t.Errorf("%s: taken for whole", what)
		}
		if !alsoRestore {
			return
		}
		to, _ := place(t, database.SQLite)
		if _, err := restore(t, path, to); err == nil {
			t.Errorf("%s: restored", what)
		}
		empty(t, to)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		altered := slices.Clone(whole)
		at := random.IntN(len(altered))
		altered[at] ^= 1 << random.IntN(8)
		write(t, file, altered)
		refused(file, fmt.Sprintf("byte %d of %d altered", at, len(altered)), i%20 == 0)
		write(t, file, whole[:random.IntN(len(whole))])
		refused(file, "cut off", i%20 == 0)
	}
	write(t, file, append(slices.Clone(whole), whole...))
	refused(file, "twice", true)

	var names []string
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != "lock" {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		altered := slices.Clone(content)
		altered[random.IntN(len(altered))] ^= 1 << random.IntN(8)
		for what, other := range map[string][]byte{"altered": altered, "cut off": content[:random.IntN(len(content))]} {
			write(t, name, other)
			refused(folder, name+" "+what, i%20 == 0)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		refused(folder, name+" missing", false)
		write(t, name, content)
	}
	if err := verify(t, folder); err != nil {
		t.Errorf("at the end: %v", err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A restore rejects a destination that is not empty, and changes nothing there.
func TestRestoreRefusesWhatIsNotEmpty(t *testing.T) {
	t.Parallel()
	s := seeded(t, apptest.New(t))
	folder := filepath.Join(t.TempDir(), "backups")
	s.backUp(folder)
	refuse := func(t *testing.T, to backup.Target) {
		t.Helper()
		if _, err := restore(t, folder, to); !errors.Is(err, backup.ErrNotEmpty) {
			t.Errorf("error %v", err)
		}
	}
	t.Run("a folder with a file", func(t *testing.T) {
		t.Parallel()
		to, _ := place(t, database.SQLite)
		if err := os.MkdirAll(to.Folder, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to.Folder, "notes"), []byte("mine"))
		refuse(t, to)
	})
	t.Run("a site, and one that was restored", func(t *testing.T) {
		t.Parallel()
		for _, d := range dialects {
			t.Run(d.String(), func(t *testing.T) {
				again := restored(t, folder, d)
				before := rowsOf(t, again)
				to := backup.Target{Folder: again.DataDir(), Files: filepath.Join(again.DataDir(), "files"), Database: again.Options()}
				if d == database.SQLite {
					to.SQLite = to.Database.URL
				}
				// The state after a program died at the end of a restore.
				if err := os.Mkdir(filepath.Join(to.Folder, ".restoring"), 0o700); err != nil {
					t.Fatal(err)
				}
				refuse(t, to)
				compare(t, before, rowsOf(t, again))
				if missing := again.backUp(filepath.Join(t.TempDir(), "more")).Manifest.Missing; len(missing) > 0 {
					t.Errorf("files are gone: %v", missing)
				}
			})
		}
	})
	t.Run("after one that died", func(t *testing.T) {
		t.Parallel()
		for _, d := range dialects {
			t.Run(d.String(), func(t *testing.T) {
				to, _ := place(t, d)
				if err := os.MkdirAll(filepath.Join(to.Folder, ".restoring", "files"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Join(to.Folder, "files", "originals"), 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(to.Folder, ".restoring", "vitrine.db"), []byte("half"))
				write(t, filepath.Join(to.Folder, "files", "originals", "half"), []byte("half"))
				if d == database.Postgres {
					db, err := database.Open(t.Context(), to.Database)
					if err != nil {
						t.Fatal(err)
					}
					err = db.Transact(t.Context(), func(tx *database.Tx) error {
						_, err := tx.Exec(t.Context(), "CREATE SCHEMA vitrine_restoring")
						if err == nil {
							_, err = tx.Exec(t.Context(), "CREATE TABLE vitrine_restoring.users (id INTEGER)")
						}
						return err
					})
					if err := errors.Join(err, db.Close()); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := restore(t, folder, to); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(filepath.Join(to.Folder, "files", "originals", "half")); !os.IsNotExist(err) {
					t.Error("what was half done is still there")
				}
			})
		}
	})
}

// A file that is missing in the storage, or has the wrong content, is reported, and the rest is backed up.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	s := seeded(t, apptest.New(t))
	var objects []string
	err := s.blobs.List(t.Context(), "originals", func(name string, _ int64) error {
		objects = append(objects, name)
		return nil
	})
	if err != nil || len(objects) == 0 {
		t.Fatalf("%v, error %v", objects, err)
	}
	path := filepath.Join(s.DataDir(), "files", objects[0])
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[0]++
	for what, change := range map[string]func() error{
		"altered": func() error { return os.WriteFile(path, content, 0o600) },
		"cut off": func() error { return os.WriteFile(path, content[:10], 0o600) },
		"gone":    func() error { return os.Remove(path) },
	} {
		if err := change(); err != nil && what != "gone" {
			t.Fatal(err)
		}
		for _, to := range []string{filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "site.tar.zst")} {
			res := s.backUp(to)
			if len(res.Manifest.Missing) != 1 || res.Manifest.Missing[0].Object != objects[0] {
				t.Errorf("%s: missing %v", what, res.Manifest.Missing)
			}
			place, _ := place(t, database.SQLite)
			if got, err := restore(t, to, place); err != nil || len(got.Manifest.Missing) != 1 {
				t.Errorf("%s: missing %v, error %v", what, got.Manifest.Missing, err)
			}
		}
	}
}

// Files that a running backup may need are not removed from the storage until the backup ends, or until a
// while after its program died.
func TestSweepWaitsForBackups(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := siteOf(t, r)
		if err := s.blobs.Put(t.Context(), "originals/ab/x", strings.NewReader("x"), 1, ""); err != nil {
			t.Fatal(err)
		}
		r.Exec("INSERT INTO doomed_objects (object, created_at) VALUES ('originals/ab/x', 5)")
		there := func() bool {
			if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err := s.blobs.Stat(t.Context(), "originals/ab/x")
			return err == nil
		}
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			_, err := tx.Backups().BeginBackup(t.Context(), r.Clock.Now())
			return err
		})
		if !there() {
			t.Error("removed while a backup is made")
		}
		r.Clock.Advance(time.Hour)
		if there() {
			t.Error("kept for a backup whose program died")
		}
	})
}

// A backup contains all tables of the site, and none of other programs in the same database.
func TestBackupOfAllTables(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := seeded(t, r)
		s.Exec("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
		s.Exec("CREATE TABLE notes (at TIMESTAMP, amount REAL)")
		s.Exec("INSERT INTO notes (at, amount) VALUES ('2026-01-02 03:04:05', 1.5)")
		folder := filepath.Join(t.TempDir(), "backups")
		s.backUp(folder)
		restored(t, folder, r.DB().Dialect())
		tables := map[string]bool{}
		err := r.DB().View(t.Context(), func(q database.Querier) error {
			all, err := r.DB().Catalog(t.Context(), q, func(name string) bool {
				return name == "notes" || name == "changes" || name == "webhook_deliveries" || strings.HasPrefix(name, "river_") || strings.HasPrefix(name, "search_words")
			})
			for _, table := range all {
				tables[table.Name] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		to := &begun{}
		if err := backup.DumpDatabase(t.Context(), r.DB(), to); err != nil {
			t.Fatal(err)
		}
		for table := range to.tables {
			delete(tables, table)
		}
		for table := range tables {
			if n := count(t, r, table); n > 0 && !slices.Contains([]string{"backups", "exports", "search_spellings", "search_closed", "search_removals", "text_additions", "vector_state", "block_vectors", "change_epoch", "changes", "webhook_deliveries"}, table) && table != "_litestream_seq" {
				t.Errorf("the %d rows of %s are not in a backup", n, table)
			}
		}
	})
}

// begun records which tables have rows in a dump.
type begun struct{ tables map[string]bool }

func (b *begun) Begin(int64, map[string]int64) error {
	b.tables = map[string]bool{}
	return nil
}

func (b *begun) Row(t database.Table, _ []any) error {
	b.tables[t.Name] = true
	return nil
}

func count(t *testing.T, r *apptest.Rig, table string) (n int) {
	t.Helper()
	if err := r.DB().Reader().QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
