package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/storetest"
)

// waitingBlock creates a block that waits for its content, from an upload unless that is 0.
func waitingBlock(t *testing.T, s *store.Store, by domain.UserID, upload domain.UploadID) (id domain.BlockID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) (err error) {
		id, err = tx.Blocks().CreateBlock(t.Context(), domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(by)},
			Type: domain.PendingBlock, State: domain.Processing}, minutes(0))
		if err != nil {
			return err
		}
		return tx.Blobs().StartProcessing(t.Context(), id, domain.BlockUploads{UploadID: upload}, minutes(0))
	})
	return id
}

// doomed returns the names of the objects that may be removed at a time, sorted.
func doomed(t *testing.T, s *store.Store, at time.Time) (names []string) {
	t.Helper()
	all, err := s.Blobs().DoomedObjects(t.Context(), at, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return names
}

// usage returns the bytes of a user at a time.
func usage(t *testing.T, s *store.Store, user domain.UserID, at time.Time) domain.ByteUsage {
	t.Helper()
	u, err := s.Counters().ByteUsage(t.Context(), user, at)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The same content of several users is one blob, which keeps its first object.
func TestBlobsOfTheSameContent(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		claim := func(hash, object string, at int) (b domain.Blob) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				b, err = tx.Blobs().ClaimBlob(ctx, hash, object, 7, minutes(at))
				return err
			})
			return b
		}
		first := claim("a", "originals/a-1", 0)
		if again := claim("a", "originals/a-2", 1); again != first || again.Object != "originals/a-1" || again.Stored {
			t.Errorf("claimed again %+v, first %+v", again, first)
		}
		_, _, _, err := s.Blobs().ObjectOf(ctx, "a")
		want(t, "the object of bytes that are not stored", domain.NotFound, err)
		for _, at := range []int{2, 3} {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Blobs().BlobStored(ctx, first.ID, minutes(at)) })
		}
		if again := claim("a", "originals/a-3", 4); !again.Stored || again.ID != first.ID {
			t.Errorf("claimed after storing: %+v", again)
		}
		if err := s.InTx(ctx, func(tx *store.Tx) error { return tx.Blobs().BlobStored(ctx, 1<<40, minutes(0)) }); err == nil {
			t.Error("an unknown blob is stored")
		}
		other := claim("b", "originals/b-1", 0)
		for _, row := range []struct {
			name, hash, typ string
			before          func(tx *store.Tx)
		}{
			{"without a file", "a", "application/octet-stream", func(*store.Tx) {}},
			{"with a file", "a", "image/png", func(tx *store.Tx) { addedFile(t, tx, "f1", ada, first.ID) }},
			{"with a later file of another type", "a", "image/png", func(tx *store.Tx) {
				_, err := tx.Blobs().AddFile(ctx, domain.File{Key: "f2", Owner: bob, BlobID: first.ID, ContentType: "text/plain", Size: 7}, minutes(5))
				if err != nil {
					t.Error(err)
				}
			}},
		} {
			storetest.In(t, s, func(tx *store.Tx) error { row.before(tx); return nil })
			object, typ, size, err := s.Blobs().ObjectOf(ctx, row.hash)
			if err != nil || object != "originals/a-1" || typ != row.typ || size != 7 {
				t.Errorf("%s: %s, %s, %d, %v", row.name, object, typ, size, err)
			}
		}
		if b, err := s.Blobs().BlobByHash(ctx, "a"); err != nil || b.ID != first.ID || !b.Stored {
			t.Errorf("by its hash: %+v, %v", b, err)
		}
		_, err = s.Blobs().BlobByHash(ctx, "A")
		want(t, "an unknown hash", domain.NotFound, err)
		_, err = s.Blobs().Blob(ctx, 1<<40)
		want(t, "an unknown blob", domain.NotFound, err)
		hashes, err := s.Blobs().BlobHashes(ctx, []domain.BlobID{first.ID, other.ID, 1 << 40, first.ID})
		if err != nil || len(hashes) != 2 || hashes[first.ID] != "a" || hashes[other.ID] != "b" {
			t.Errorf("hashes %v, %v", hashes, err)
		}
		if none, err := s.Blobs().BlobHashes(ctx, nil); err != nil || len(none) != 0 {
			t.Errorf("hashes of none: %v, %v", none, err)
		}
		// Files of two users count for each of them.
		if a, b := usage(t, s, ada, minutes(0)), usage(t, s, bob, minutes(0)); a.Total != 7 || b.Total != 7 {
			t.Errorf("%+v, %+v", a, b)
		}
		if n := count(t, db, "blobs"); n != 2 {
			t.Errorf("%d blobs", n)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return errors.Join(blobs.DeleteFile(ctx, tx.Blobs(), "f1"), blobs.DeleteFile(ctx, tx.Blobs(), "f2"), blobs.DeleteFile(ctx, tx.Blobs(), "f3"))
		})
		if a, b := usage(t, s, ada, minutes(0)), usage(t, s, bob, minutes(0)); a.Total != 0 || b.Total != 0 {
			t.Errorf("without files %+v, %+v", a, b)
		}
	})
}

// Concurrent claims of the same content agree on one blob and object.
func TestClaimsOfBlobsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		var mu sync.Mutex
		objects := map[string]bool{}
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				err := s.InTx(t.Context(), func(tx *store.Tx) error {
					b, err := tx.Blobs().ClaimBlob(t.Context(), "same", fmt.Sprint("originals/", n), 7, minutes(n))
					mu.Lock()
					objects[b.Object] = true
					mu.Unlock()
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(objects) != 1 || count(t, db, "blobs") != 1 {
			t.Errorf("%v, %d blobs", objects, count(t, db, "blobs"))
		}
	})
}

// A sweep deletes the blobs that nothing refers to and that were not used for a while, in batches.
func TestSweepOfBlobs(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		rows := []struct {
			name   string
			used   int // minutes
			stored bool
			by     string // what refers to it
			swept  bool
		}{
			{"stored-and-old", 0, true, "", true},
			{"never-stored", 0, false, "", true},
			{"just-before", 9, true, "", true},
			{"exactly-then", 10, true, "", false},
			{"recent", 11, true, "", false},
			{"with-a-file", 0, true, "file", false},
			{"with-an-upload", 0, true, "upload", false},
			{"with-a-deleted-file", 0, true, "deleted file", false}, // a file that was added used the blob
			{"with-a-deleted-upload", 0, true, "deleted upload", true},
		}
		var want []string
		for _, row := range rows {
			var b domain.Blob
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				if b, err = tx.Blobs().ClaimBlob(ctx, row.name, "originals/"+row.name, 7, minutes(row.used)); err != nil || !row.stored {
					return err
				}
				return tx.Blobs().BlobStored(ctx, b.ID, minutes(row.used))
			})
			switch {
			case strings.HasSuffix(row.by, "file"):
				storetest.In(t, s, func(tx *store.Tx) error {
					f, err := tx.Blobs().AddFile(ctx, domain.File{Key: row.name, Owner: ada, BlobID: b.ID, Size: 7}, minutes(20))
					if err == nil && row.by == "deleted file" {
						err = blobs.DeleteFiles(ctx, tx.Blobs(), f)
					}
					return err
				})
			case strings.HasSuffix(row.by, "upload"):
				id := upload(t, s, row.name, ada, minutes(0))
				storetest.In(t, s, func(tx *store.Tx) error {
					_, err := tx.Blobs().FillUpload(ctx, id, b)
					if err == nil && row.by == "deleted upload" {
						err = tx.Blobs().DropUpload(ctx, id, minutes(0))
					}
					return err
				})
			}
			if row.swept {
				want = append(want, "originals/"+row.name)
			}
		}
		sweep := func(limit int) (n int) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				n, err = tx.Blobs().SweepBlobs(ctx, minutes(10), minutes(30), limit)
				return err
			})
			return n
		}
		for round, n := range []int{3, 1, 0} {
			if got := sweep(3); got != n {
				t.Errorf("round %d: swept %d, want %d", round, got, n)
			}
		}
		if got := doomed(t, s, minutes(30)); !slices.Equal(got, sorted(want)) {
			t.Errorf("doomed %q, want %q", got, sorted(want))
		}
		if n := count(t, db, "blobs"); n != int64(len(rows)-len(want)) {
			t.Errorf("%d blobs are left", n)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return blobs.DeleteFile(ctx, tx.Blobs(), "with-a-file") }) // no block shows it
		// The content that comes again gets a new object, because the old one is about to be removed.
		storetest.In(t, s, func(tx *store.Tx) error {
			b, err := tx.Blobs().ClaimBlob(ctx, "stored-and-old", "originals/new", 7, minutes(30))
			if b.Object != "originals/new" || b.Stored {
				t.Errorf("claimed again: %+v", b)
			}
			return err
		})
	})
}

func sorted[T cmp.Ordered](all []T) []T { return slices.Sorted(slices.Values(all)) }

// Stored blobs are listed by id in pages, and all of them in the order of their hashes.
func TestListsOfStoredBlobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ids := map[string]domain.BlobID{}
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, hash := range []string{"c", "a", "d", "b"} {
				ids[hash] = storedBlob(t, tx, hash, minutes(0))
			}
			_, err := tx.Blobs().ClaimBlob(ctx, "lacking", "originals/lacking", 1, minutes(0))
			return err
		})
		list := func(above domain.BlobID, limit int) (hashes string) {
			t.Helper()
			some, err := s.Blobs().StoredBlobs(ctx, above, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range some {
				if b.Object != "originals/"+b.Hash || b.Size != 7 || b.ID != ids[b.Hash] {
					t.Errorf("%+v", b)
				}
				hashes += b.Hash
			}
			return hashes
		}
		unexamined := func(above domain.BlobID, limit int) (hashes string) {
			t.Helper()
			some, err := s.Blobs().UnexaminedBlobs(ctx, above, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range some {
				hashes += b.Hash
			}
			return hashes
		}
		clean := func(hash string, size int64, plan []byte) {
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Blobs().SetCleaned(ctx, blobs.Cleaned{ID: ids[hash], Size: size, Plan: plan})
			})
		}
		clean("a", 5, []byte("plan"))
		clean("d", domain.CleanImpossible, nil)
		for _, row := range []struct {
			name  string
			list  func(above domain.BlobID, limit int) string
			above domain.BlobID
			limit int
			want  string
		}{
			{"all", list, 0, 10, "cadb"},
			{"the first two", list, 0, 2, "ca"},
			{"the next two", list, ids["a"], 2, "db"},
			{"after the last", list, ids["b"], 2, ""},
			{"not examined", unexamined, 0, 10, "cb"},
			{"the first that is not examined", unexamined, 0, 1, "c"},
			{"the next that is not examined", unexamined, ids["c"], 10, "b"},
		} {
			if got := row.list(row.above, row.limit); got != row.want {
				t.Errorf("%s: %q, want %q", row.name, got, row.want)
			}
		}
		if plan, err := s.Blobs().CleanPlan(ctx, ids["a"]); err != nil || string(plan) != "plan" {
			t.Errorf("%q, %v", plan, err)
		}
		for _, hash := range []string{"d", "c"} {
			_, err := s.Blobs().CleanPlan(ctx, ids[hash])
			want(t, "the plan of "+hash, domain.NotFound, err)
		}
		var visited string
		err := s.Blobs().EachStoredBlob(ctx, func(hash, object string, size int64) error {
			if object != "originals/"+hash || size != 7 {
				t.Errorf("%s, %s, %d", hash, object, size)
			}
			visited += hash
			return nil
		})
		if err != nil || visited != "abcd" {
			t.Errorf("visited %q, %v", visited, err)
		}
		stop := errors.New("stop")
		visited = ""
		err = s.Blobs().EachStoredBlob(ctx, func(hash, _ string, _ int64) error {
			visited += hash
			if hash == "b" {
				return stop
			}
			return nil
		})
		if !errors.Is(err, stop) || visited != "ab" {
			t.Errorf("visited %q, %v", visited, err)
		}
	})
}

// An object is unknown if it is of no blob, export or upload and is not about to be removed.
func TestUnknownObjects(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		upload(t, s, "key/a.png", ada, minutes(0))
		storetest.In(t, s, func(tx *store.Tx) error {
			storedBlob(t, tx, "kept", minutes(0))
			if _, err := tx.Blobs().ClaimBlob(ctx, "coming", "originals/coming", 1, minutes(0)); err != nil {
				return err
			}
			return tx.Blobs().DoomObject(ctx, "originals/doomed", minutes(0))
		})
		names := []string{"originals/kept", "originals/coming", "originals/doomed", "originals/stray", "uploads/key/a.png", "uploads/key/b.png", "key/a.png", ""}
		got, err := s.Blobs().UnknownObjects(ctx, blobs.UploadFolder, names)
		if err != nil || !slices.Equal(got, []string{"originals/stray", "uploads/key/b.png", "key/a.png", ""}) {
			t.Errorf("%q, %v", got, err)
		}
		if names[3] != "originals/stray" {
			t.Errorf("the names were changed: %q", names)
		}
		if got, err := s.Blobs().UnknownObjects(ctx, blobs.UploadFolder, nil); err != nil || got != nil {
			t.Errorf("%q, %v", got, err)
		}
		if n := count(t, db, "doomed_objects"); n != 1 {
			t.Errorf("%d objects are doomed", n)
		}
	})
}

// An object that cannot be removed is tried again later, and none is removed during a backup.
func TestDoomedObjects(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, name := range []string{"a", "b", "a"} {
				if err := tx.Blobs().DoomObject(ctx, name, minutes(0)); err != nil {
					return err
				}
			}
			for range 2 {
				if err := tx.Blobs().ObjectStays(ctx, "a", minutes(10)); err != nil {
					return err
				}
			}
			return tx.Blobs().ObjectStays(ctx, "unknown", minutes(10))
		})
		var backup string
		for _, row := range []struct {
			name   string
			before func(tx *store.Tx) error
			at     int
			want   []string
		}{
			{"before the second attempt", nil, 9, []string{"b"}},
			{"at the second attempt", nil, 10, []string{"a", "b"}},
			{"during a backup", func(tx *store.Tx) (err error) {
				backup, err = tx.Backups().BeginBackup(ctx, minutes(20))
				return err
			}, 21, nil},
			{"just before the backup counts as dead", nil, 34, nil},
			{"after the backup died", nil, 35, []string{"a", "b"}},
			{"while the backup is extended", func(tx *store.Tx) error { return tx.Backups().HoldBackup(ctx, backup, minutes(34)) }, 48, nil},
			{"after the backup ended", func(tx *store.Tx) error { return tx.Backups().EndBackup(ctx, backup, blobs.EndedBackup{}, minutes(48)) }, 48, []string{"a", "b"}},
			{"an ended backup is not extended", func(tx *store.Tx) error { return tx.Backups().HoldBackup(ctx, backup, minutes(90)) }, 50, []string{"a", "b"}},
			{"one was removed", func(tx *store.Tx) error { return tx.Blobs().ObjectRemoved(ctx, "b") }, 50, []string{"a"}},
			{"an unknown one was removed", func(tx *store.Tx) error { return tx.Blobs().ObjectRemoved(ctx, "b") }, 50, []string{"a"}},
		} {
			if row.before != nil {
				storetest.In(t, s, row.before)
			}
			if got := doomed(t, s, minutes(row.at)); !slices.Equal(got, row.want) {
				t.Errorf("%s: %q, want %q", row.name, got, row.want)
			}
		}
		all, err := s.Blobs().DoomedObjects(ctx, minutes(50), 10)
		if err != nil || len(all) != 1 || all[0] != (blobs.DoomedObject{Name: "a", Attempts: 2}) {
			t.Errorf("%+v, %v", all, err)
		}
		// The next ones are those that wait longest.
		storetest.In(t, s, func(tx *store.Tx) error {
			return errors.Join(tx.Blobs().DoomObject(ctx, "z", minutes(0)), tx.Blobs().DoomObject(ctx, "c", minutes(0)))
		})
		all, err = s.Blobs().DoomedObjects(ctx, minutes(50), 2)
		if err != nil || len(all) != 2 || all[0].Name != "c" || all[1].Name != "z" {
			t.Errorf("%+v, %v", all, err)
		}
		if n := count(t, db, "doomed_objects"); n != 3 {
			t.Errorf("%d are doomed", n)
		}
	})
}

// Unused bytes of a user follow what happens to an upload.
func TestBytesOfUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		var small, large domain.Blob
		storetest.In(t, s, func(tx *store.Tx) (err error) {
			if small, err = tx.Blobs().ClaimBlob(ctx, "small", "originals/small", 5, minutes(0)); err != nil {
				return err
			}
			large, err = tx.Blobs().ClaimBlob(ctx, "large", "originals/large", 70, minutes(0))
			return err
		})
		type steps = []func(tx *store.Tx, id domain.UploadID) error
		fill := func(b *domain.Blob, has *domain.Blob) func(*store.Tx, domain.UploadID) error {
			return func(tx *store.Tx, id domain.UploadID) error {
				got, err := tx.Blobs().FillUpload(ctx, id, *b)
				if err == nil && got != has.ID {
					err = fmt.Errorf("has blob %d, want %d", got, has.ID)
				}
				return err
			}
		}
		measure := func(size int64) func(*store.Tx, domain.UploadID) error {
			return func(tx *store.Tx, id domain.UploadID) error { return tx.Blobs().MeasureUpload(ctx, id, size) }
		}
		use := func(tx *store.Tx, id domain.UploadID) error { return tx.Blobs().UseUpload(ctx, id, minutes(1)) }
		drop := func(tx *store.Tx, id domain.UploadID) error { return tx.Blobs().DropUpload(ctx, id, minutes(1)) }
		sweep := func(tx *store.Tx, _ domain.UploadID) error {
			_, err := tx.Blobs().SweepUploads(ctx, minutes(1), minutes(1), 10)
			return err
		}
		for i, row := range []struct {
			name    string
			do      steps
			unused  int64
			uploads int64 // that are open, an hour later
			doomed  bool
		}{
			{"only an address", nil, 0, 0, false},
			{"sent", steps{fill(&small, &small)}, 5, 1, false},
			{"sent twice", steps{fill(&small, &small), fill(&small, &small)}, 5, 1, false},
			{"sent with other bytes", steps{fill(&small, &small), fill(&large, &small)}, 5, 1, false},
			{"sent and used", steps{fill(&large, &large), use}, 0, 0, false},
			{"used twice", steps{fill(&large, &large), use, use}, 0, 0, false},
			{"used before it is sent", steps{use, fill(&large, &large)}, 0, 0, false},
			{"measured", steps{measure(30)}, 30, 1, false},
			{"measured twice", steps{measure(30), measure(40)}, 30, 1, false},
			{"measured and used", steps{measure(30), use}, 0, 0, false},
			{"measured as empty", steps{measure(0)}, 0, 1, false},
			{"used and then measured", steps{use, measure(30)}, 0, 0, false},
			{"sent and dropped", steps{fill(&small, &small), drop}, 0, 0, false},
			{"measured and dropped", steps{measure(30), drop}, 0, 0, true},
			{"dropped twice", steps{drop, drop}, 0, 0, true},
			{"used and dropped", steps{fill(&small, &small), use, drop}, 0, 0, false},
			{"sent and swept", steps{fill(&small, &small), sweep}, 0, 0, false},
			{"measured and swept", steps{measure(30), sweep}, 0, 0, true},
			{"used and swept", steps{measure(30), use, sweep}, 0, 0, true},
		} {
			user, key := storetest.User(t, s, fmt.Sprint("Person ", i)), fmt.Sprint("key", i)
			made := minutes(0)
			if !strings.Contains(row.name, "swept") {
				made = minutes(1)
			}
			id := upload(t, s, key, user, made)
			for n, step := range row.do {
				if err := s.InTx(ctx, func(tx *store.Tx) error { return step(tx, id) }); err != nil {
					t.Errorf("%s: step %d: %v", row.name, n, err)
				}
			}
			if u := usage(t, s, user, minutes(61)); u.Unused != row.unused || u.Total != row.unused || u.Uploads != row.uploads {
				t.Errorf("%s: %+v", row.name, u)
			}
			if got := slices.Contains(doomed(t, s, minutes(100)), "uploads/"+key); got != row.doomed {
				t.Errorf("%s: doomed %v", row.name, got)
			}
		}
		err := s.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Blobs().FillUpload(ctx, 1<<40, small); return err })
		want(t, "filling an unknown upload", domain.NotFound, err)
		want(t, "keeping an unknown upload", domain.NotFound, s.InTx(ctx, func(tx *store.Tx) error { return tx.Blobs().KeepUpload(ctx, 1<<40) }))
		for _, id := range []domain.UploadID{0, 1 << 40} {
			if err := s.InTx(ctx, func(tx *store.Tx) error {
				return errors.Join(tx.Blobs().UseUpload(ctx, id, minutes(0)), tx.Blobs().DropUpload(ctx, id, minutes(0)), tx.Blobs().MeasureUpload(ctx, id, 3))
			}); err != nil {
				t.Errorf("upload %d: %v", id, err)
			}
		}
	})
}

// An upload that something waits for is neither swept nor dropped.
func TestUploadsThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		for i, row := range []struct {
			name          string
			wait          func(user domain.UserID, id domain.UploadID)
			sweeps, drops bool
		}{
			{"nothing waits", func(domain.UserID, domain.UploadID) {}, true, true},
			{"a block waits", func(u domain.UserID, id domain.UploadID) { waitingBlock(t, s, u, id) }, false, false},
			{"a block has failed", func(u domain.UserID, id domain.UploadID) {
				block, why := waitingBlock(t, s, u, id), "broken"
				storetest.In(t, s, func(tx *store.Tx) error {
					was, err := tx.Blocks().LockedBlock(ctx, u, block)
					is := was
					is.Type, is.State = domain.LinkBlock, domain.Failed
					return errors.Join(err, tx.Blocks().FillBlock(ctx, was, is, minutes(1)),
						tx.Blobs().EndProcessing(ctx, block, domain.ProcessingFailed, &why, minutes(1)))
				})
			}, true, false},
			{"an avatar is wished", func(u domain.UserID, id domain.UploadID) {
				storetest.In(t, s, func(tx *store.Tx) error {
					_, err := tx.Avatars().RequestAvatar(ctx, store.AvatarRequest{Owner: domain.UserRef(u), Upload: id}, minutes(20))
					return err
				})
			}, false, false},
			{"an avatar was wished long ago", func(u domain.UserID, id domain.UploadID) {
				storetest.In(t, s, func(tx *store.Tx) error {
					_, err := tx.Avatars().RequestAvatar(ctx, store.AvatarRequest{Owner: domain.UserRef(u), Upload: id}, minutes(5))
					return err
				})
			}, true, false},
			{"an avatar was granted", func(u domain.UserID, id domain.UploadID) {
				storetest.In(t, s, func(tx *store.Tx) error {
					n, err := tx.Avatars().RequestAvatar(ctx, store.AvatarRequest{Owner: domain.UserRef(u), Upload: id}, minutes(20))
					return errors.Join(err, tx.Avatars().AvatarGranted(ctx, domain.UserRef(u), n))
				})
			}, true, true},
			{"another avatar was wished since", func(u domain.UserID, id domain.UploadID) {
				storetest.In(t, s, func(tx *store.Tx) error {
					for _, w := range []store.AvatarRequest{{Upload: id}, {URL: "https://example.org/a.png"}} {
						w.Owner = domain.UserRef(u)
						if _, err := tx.Avatars().RequestAvatar(ctx, w, minutes(20)); err != nil {
							return err
						}
					}
					return nil
				})
			}, true, true},
			{"a block that waited is deleted", func(u domain.UserID, id domain.UploadID) {
				block := waitingBlock(t, s, u, 0)
				storetest.Exec(t, db, "UPDATE processings SET upload_id = NULL WHERE block_id = $1", block)
				storetest.In(t, s, func(tx *store.Tx) error { return tx.Blocks().DeleteBlock(ctx, block, minutes(1)) })
			}, true, true},
		} {
			user := storetest.User(t, s, fmt.Sprint("Person ", i))
			for _, how := range []string{"sweep", "drop"} {
				key := fmt.Sprint(how, "-", i)
				id := upload(t, s, key, user, minutes(0))
				row.wait(user, id)
				storetest.In(t, s, func(tx *store.Tx) (err error) {
					if how == "drop" {
						return tx.Blobs().DropUpload(ctx, id, minutes(30))
					}
					_, err = tx.Blobs().SweepUploads(ctx, minutes(10), minutes(30), 100)
					return err
				})
				gone := map[string]bool{"sweep": row.sweeps, "drop": row.drops}[how]
				if _, err := s.Blobs().UploadByID(ctx, id); (domain.KindOf(err) == domain.NotFound && err != nil) != gone {
					t.Errorf("%s, %s: %v", row.name, how, err)
				}
			}
		}
	})
}

// A deleted block takes its upload with it, and a block of another user keeps its own.
func TestUploadsOfDeletedBlocks(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		shared, own := upload(t, s, "shared", ada, minutes(0)), upload(t, s, "own", ada, minutes(0))
		first, second, third := waitingBlock(t, s, ada, shared), waitingBlock(t, s, ada, shared), waitingBlock(t, s, ada, own)
		for _, row := range []struct {
			name string
			id   domain.BlockID
			left int64
		}{{"another block waits for it", first, 2}, {"it is the last one", second, 1}, {"its own", third, 0}} {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Blocks().DeleteBlock(ctx, row.id, minutes(1)) })
			if n := count(t, db, "uploads"); n != row.left {
				t.Errorf("%s: %d uploads, want %d", row.name, n, row.left)
			}
			_, err := s.Blobs().Processing(ctx, row.id)
			want(t, row.name, domain.NotFound, err)
		}
		if got := doomed(t, s, minutes(1)); !slices.Equal(got, []string{"uploads/own", "uploads/shared"}) {
			t.Errorf("doomed %q", got)
		}
	})
}

// Uploads whose addresses have expired are measured once, in pages.
func TestUnmeasuredUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		ids := map[string]domain.UploadID{}
		for _, key := range []string{"a", "b", "used", "sized", "c", "d"} {
			ids[key] = upload(t, s, key, ada, minutes(0))
		}
		ids["later"] = upload(t, s, "later", ada, minutes(1))
		storetest.In(t, s, func(tx *store.Tx) error {
			return errors.Join(tx.Blobs().UseUpload(ctx, ids["used"], minutes(0)), tx.Blobs().MeasureUpload(ctx, ids["sized"], 0))
		})
		for _, row := range []struct {
			name  string
			above string
			at    int
			limit int
			want  string
		}{
			{"before they expire", "", 59, 10, ""},
			{"when they expire", "", 60, 10, "abcd"},
			{"a page", "", 60, 2, "ab"},
			{"the next page", "b", 60, 2, "cd"},
			{"after the last", "d", 60, 2, ""},
			{"when the later one expires", "d", 61, 2, "later"},
		} {
			some, err := s.Blobs().UnmeasuredUploads(ctx, ids[row.above], minutes(row.at), row.limit)
			got := ""
			for _, u := range some {
				got += u.Key
			}
			if err != nil || got != row.want {
				t.Errorf("%s: %q, %v, want %q", row.name, got, err, row.want)
			}
		}
	})
}

// Reserved bytes count until they are released or expire, but not for their own key.
func TestReservations(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		reserve := func(key string, upload bool, bytes int64, until int) func(tx *store.Tx) error {
			return func(tx *store.Tx) error {
				return tx.Counters().Reserve(ctx, domain.Reservation{Key: key, UserID: ada, Upload: upload, Bytes: bytes, ExpiresAt: minutes(until)})
			}
		}
		end := func(key string, at int, held int64) func(tx *store.Tx) error {
			return func(tx *store.Tx) error {
				got, err := tx.Counters().EndReservation(ctx, key, minutes(at))
				if err == nil && got != held {
					err = fmt.Errorf("held %d, want %d", got, held)
				}
				return err
			}
		}
		for _, row := range []struct {
			name                  string
			do                    func(tx *store.Tx) error
			at                    int
			unused, total, except int64 // except is the total without the reservation "a"
		}{
			{"nothing", func(*store.Tx) error { return nil }, 0, 0, 0, 0},
			{"of an upload", reserve("a", true, 10, 5), 0, 10, 10, 0},
			{"of an upload, more", reserve("a", true, 15, 5), 0, 15, 15, 0},
			{"of content as well", reserve("b", false, 100, 9), 0, 15, 115, 100},
			{"just before the first expires", nil, 4, 15, 115, 100},
			{"the first has expired", nil, 5, 0, 100, 100},
			{"the first is extended", func(tx *store.Tx) error { return tx.Counters().ExtendReservation(ctx, "a", minutes(20)) }, 5, 15, 115, 100},
			{"an unknown one is extended", func(tx *store.Tx) error { return tx.Counters().ExtendReservation(ctx, "c", minutes(20)) }, 5, 15, 115, 100},
			{"the second is released after its end", end("b", 9, 0), 8, 15, 15, 0},
			{"the first is released", end("a", 8, 15), 8, 0, 0, 0},
			{"it is released again", end("a", 8, 0), 8, 0, 0, 0},
		} {
			if row.do != nil {
				if err := s.InTx(ctx, row.do); err != nil {
					t.Errorf("%s: %v", row.name, err)
				}
			}
			if u := usage(t, s, ada, minutes(row.at)); u.Unused != row.unused || u.Total != row.total || u.Tier != domain.TierSupporter {
				t.Errorf("%s: %+v", row.name, u)
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				u, err := tx.Counters().LockByteUsage(ctx, ada, "a", minutes(row.at))
				if u.Total != row.except {
					t.Errorf("%s: without its own %+v", row.name, u)
				}
				return err
			})
			if u := usage(t, s, bob, minutes(row.at)); u.Total != 0 {
				t.Errorf("%s: of bob %+v", row.name, u)
			}
		}
		// Several users at once, and a sweep in batches.
		for n, bytes := range []int64{1, 2, 4, 8} {
			storetest.In(t, s, reserve(fmt.Sprint("k", n), n%2 == 0, bytes, 10+n))
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Counters().Reserve(ctx, domain.Reservation{Key: "bob", UserID: bob, Bytes: 3, ExpiresAt: minutes(99)})
		})
		all, err := s.Counters().ByteUsages(ctx, []domain.UserID{ada, bob, 1 << 40}, minutes(11))
		if err != nil || len(all) != 2 || all[ada].Total != 12 || all[ada].Unused != 4 || all[bob].Total != 3 {
			t.Errorf("%+v, %v", all, err)
		}
		for _, want := range []int{2, 1, 0} {
			storetest.In(t, s, func(tx *store.Tx) error {
				n, err := tx.Counters().SweepReservations(ctx, minutes(12), 2)
				if n != want {
					t.Errorf("swept %d, want %d", n, want)
				}
				return err
			})
		}
		if n := count(t, db, "byte_reservations"); n != 2 {
			t.Errorf("%d reservations are left", n)
		}
		_, err = s.Counters().ByteUsage(ctx, 1<<40, minutes(0))
		want(t, "an unknown user", domain.NotFound, err)
	})
}

// Transactions that look at the usage and then reserve do so one after another.
func TestReservationsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		full := errors.New("full")
		var all sync.WaitGroup
		for n := range 12 {
			all.Go(func() {
				err := s.InTx(ctx, func(tx *store.Tx) error {
					key := fmt.Sprint(n)
					u, err := tx.Counters().LockByteUsage(ctx, ada, key, minutes(0))
					if err != nil {
						return err
					}
					if u.Total+10 > 50 {
						return full
					}
					return tx.Counters().Reserve(ctx, domain.Reservation{Key: key, UserID: ada, Bytes: 10, ExpiresAt: minutes(5)})
				})
				if err != nil && !errors.Is(err, full) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if u := usage(t, s, ada, minutes(0)); u.Total != 50 {
			t.Errorf("%+v", u)
		}
	})
}

// The states of fetching a block's content.
func TestProcessings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		start := minutes(0).UnixMicro()
		why := "The server is away"
		type step = func(tx *store.Tx, id domain.BlockID) error
		begin := func(round int64) step {
			return func(tx *store.Tx, id domain.BlockID) error {
				return tx.Blobs().BeginAttempt(ctx, id, round, minutes(1))
			}
		}
		failed := func(tx *store.Tx, id domain.BlockID) error { return tx.Blobs().AttemptFailed(ctx, id, why, minutes(2)) }
		undo := func(tx *store.Tx, id domain.BlockID) error { return tx.Blobs().UndoAttempt(ctx, id) }
		restart := func(at int) step {
			return func(tx *store.Tx, id domain.BlockID) error { return tx.Blobs().RestartProcessing(ctx, id, minutes(at)) }
		}
		end := func(state domain.ProcessingState, reason *string) step {
			return func(tx *store.Tx, id domain.BlockID) error {
				return tx.Blobs().EndProcessing(ctx, id, state, reason, minutes(3))
			}
		}
		var made []domain.BlockID
		for _, row := range []struct {
			name     string
			do       []step
			last     domain.Kind // of the last step; 0 for success
			refused  bool
			state    domain.ProcessingState
			attempts int64
			reason   string
			round    int64
		}{
			{"new", nil, 0, false, domain.ProcessingWaiting, 0, "", start},
			{"an attempt", []step{begin(start)}, 0, false, domain.ProcessingWaiting, 1, "", start},
			{"an attempt of any round", []step{begin(0)}, 0, false, domain.ProcessingWaiting, 1, "", start},
			{"an attempt of another round", []step{begin(start + 1)}, domain.NotFound, true, domain.ProcessingWaiting, 0, "", start},
			{"two attempts", []step{begin(start), begin(start)}, 0, false, domain.ProcessingWaiting, 2, "", start},
			{"an attempt that is undone", []step{begin(start), undo}, 0, false, domain.ProcessingWaiting, 0, "", start},
			{"undone too often", []step{begin(start), undo, undo}, 0, false, domain.ProcessingWaiting, 0, "", start},
			{"a failed attempt", []step{begin(start), failed}, 0, false, domain.ProcessingWaiting, 1, why, start},
			{"the next attempt keeps the reason", []step{begin(start), failed, begin(start)}, 0, false, domain.ProcessingWaiting, 2, why, start},
			{"done", []step{begin(start), failed, end(domain.ProcessingDone, nil)}, 0, false, domain.ProcessingDone, 1, "", start},
			{"done twice", []step{end(domain.ProcessingDone, nil), end(domain.ProcessingFailed, &why)}, domain.NotFound, true, domain.ProcessingDone, 0, "", start},
			{"given up", []step{begin(start), end(domain.ProcessingFailed, &why)}, 0, false, domain.ProcessingFailed, 1, why, start},
			{"an attempt after it is done", []step{end(domain.ProcessingDone, nil), begin(start)}, domain.NotFound, true, domain.ProcessingDone, 0, "", start},
			{"a failure after it is done", []step{end(domain.ProcessingDone, nil), failed}, 0, false, domain.ProcessingDone, 0, "", start},
			{"undone after it is done", []step{begin(start), end(domain.ProcessingDone, nil), undo}, 0, false, domain.ProcessingDone, 1, "", start},
			{"restarted", []step{begin(start), end(domain.ProcessingFailed, &why), restart(5)}, 0, false, domain.ProcessingWaiting, 0, "", minutes(5).UnixMicro()},
			{"restarted at the same time", []step{restart(0), restart(0)}, 0, false, domain.ProcessingWaiting, 0, "", start + 2},
			{"restarted by a clock that went back", []step{restart(5), restart(1)}, 0, false, domain.ProcessingWaiting, 0, "", minutes(5).UnixMicro() + 1},
			{"an attempt of the round before", []step{restart(5), begin(start)}, domain.NotFound, true, domain.ProcessingWaiting, 0, "", minutes(5).UnixMicro()},
			{"an attempt of the new round", []step{restart(5), begin(minutes(5).UnixMicro())}, 0, false, domain.ProcessingWaiting, 1, "", minutes(5).UnixMicro()},
		} {
			id := waitingBlock(t, s, ada, 0)
			made = append(made, id)
			for n, step := range row.do {
				err := s.InTx(ctx, func(tx *store.Tx) error { return step(tx, id) })
				if refused := row.refused && n == len(row.do)-1; (err != nil) != refused || refused && domain.KindOf(err) != row.last {
					t.Errorf("%s: step %d: %v", row.name, n, err)
				}
			}
			p, err := s.Blobs().Processing(ctx, id)
			reason := ""
			if p.Reason != nil {
				reason = *p.Reason
			}
			if err != nil || p.State != row.state || p.Attempts != row.attempts || reason != row.reason || p.Round != row.round || p.UploadID != 0 || p.BlockID != id {
				t.Errorf("%s: %+v, %q, %v", row.name, p, reason, err)
			}
		}
		_, err := s.Blobs().Processing(ctx, storetest.Block(t, s, ada, "text"))
		want(t, "a block of text", domain.NotFound, err)
		for _, id := range made { // some of them will never get their content
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Blocks().DeleteBlock(ctx, id, minutes(9)) })
		}
	})
}

// The file of a hidden block, or of a hidden author, is not shown at its address.
func TestFilesOfHiddenBlocks(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		for i, row := range []struct {
			name  string
			kind  string
			about string // the block, its author, another block with the same bytes, or somebody else
			state moderation.HidingState
			shown bool
		}{
			{"nothing is hidden", "", "", "", true},
			{"the block is being hidden", "Block", "it", moderation.Moving, false},
			{"the block is hidden", "Block", "it", moderation.Hidden, false},
			{"the block is being shown", "Block", "it", moderation.Showing, true},
			{"its author is being hidden", "User", "it", moderation.Moving, false},
			{"its author is hidden", "User", "it", moderation.Hidden, false},
			{"its author is being shown", "User", "it", moderation.Showing, true},
			{"another block is hidden", "Block", "other", moderation.Hidden, true},
			{"somebody else is hidden", "User", "other", moderation.Hidden, true},
			{"a channel with the id of the block", "Channel", "it", moderation.Hidden, true},
		} {
			ada, bob := storetest.User(t, s, fmt.Sprint("Ada ", i)), storetest.User(t, s, fmt.Sprint("Bob ", i))
			with := func(by domain.UserID, as string, key string) (id domain.BlockID) {
				storetest.In(t, s, func(tx *store.Tx) (err error) {
					f := addedFile(t, tx, key, by, storedBlob(t, tx, "same", minutes(0)))
					b := domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(by)}, Type: domain.ImageBlock, State: domain.Available, Image: &f}
					if as == "file" {
						b.Type, b.Image, b.File = domain.AttachmentBlock, nil, &f
					}
					id, err = tx.Blocks().CreateBlock(ctx, b, minutes(0))
					return err
				})
				return id
			}
			for _, as := range []string{"image", "file"} {
				key := fmt.Sprint(as, i)
				block, other := with(ada, as, key), with(bob, as, "other"+key)
				if row.kind != "" {
					id := map[string]int64{"Blockit": int64(block), "Userit": int64(ada), "Blockother": int64(other), "Userother": int64(bob), "Channelit": int64(block)}[row.kind+row.about]
					storetest.In(t, s, func(tx *store.Tx) error {
						h, err := tx.Hiding().RecordHidden(ctx, moderation.HiddenSubject{About: domain.AuditTarget{Kind: row.kind, ID: id}, OwnerID: ada, CreatedAt: minutes(0)})
						if err != nil {
							return err
						}
						return tx.Hiding().SetHidden(ctx, h.ID, row.state)
					})
				}
				f, err := s.Blobs().ShownFile(ctx, key)
				if row.shown != (err == nil) || err == nil && (f.Key != key || f.Owner != ada || f.Object != "originals/same") {
					t.Errorf("%s, %s: %+v, %v", row.name, as, f, err)
				}
				if f, err := s.Blobs().FileByKey(ctx, key); err != nil || f.Key != key {
					t.Errorf("%s, %s, to operators: %+v, %v", row.name, as, f, err)
				}
				storetest.Exec(t, db, "DELETE FROM hidden_things")
			}
		}
		_, err := s.Blobs().ShownFile(ctx, "unknown")
		want(t, "an unknown file", domain.NotFound, err)
	})
}

// A filled block drops its previous files, whose bytes stop counting.
func TestReplacedFiles(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		for i, row := range []struct {
			name        string
			image, file bool // before
			then        string
			files       int64
		}{
			{"an image by another", true, false, "image", 1},
			{"an image by nothing", true, false, "", 0},
			{"an image and a file by an image", true, true, "image", 1},
			{"a file by both", false, true, "both", 2},
			{"nothing by an image", false, false, "image", 1},
			{"both by nothing", true, true, "", 0},
		} {
			user, block := storetest.User(t, s, fmt.Sprint("Person ", i)), domain.Block{}
			file := func(tx *store.Tx, key string) *domain.File {
				f := addedFile(t, tx, fmt.Sprint(key, i), user, storedBlob(t, tx, "same", minutes(0)))
				return &f
			}
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				block = domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(user)}, Type: domain.ImageBlock, State: domain.Available}
				if row.image {
					block.Image = file(tx, "image")
				}
				if row.file {
					block.File = file(tx, "file")
				}
				block.ID, err = tx.Blocks().CreateBlock(ctx, block, minutes(0))
				return err
			})
			storetest.In(t, s, func(tx *store.Tx) error {
				was, err := tx.Blocks().LockedBlock(ctx, user, block.ID)
				if err != nil {
					return err
				}
				is := was
				is.Image, is.File = nil, nil
				if row.then != "" {
					is.Image = file(tx, "new image")
				}
				if row.then == "both" {
					is.File = file(tx, "new file")
				}
				return tx.Blocks().FillBlock(ctx, was, is, minutes(1))
			})
			if n := count(t, db, "files WHERE user_id = $1", user); n != row.files || usage(t, s, user, minutes(1)).Total != 7*row.files {
				t.Errorf("%s: %d files, %+v", row.name, n, usage(t, s, user, minutes(1)))
			}
			b, err := s.Block(ctx, user, block.ID)
			if err != nil || (b.Image != nil) != (row.then != "") || (b.File != nil) != (row.then == "both") || b.Image != nil && b.Image.Key != fmt.Sprint("new image", i) {
				t.Errorf("%s: %+v, %v", row.name, b, err)
			}
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Blocks().DeleteBlock(ctx, block.ID, minutes(2)) })
			if u := usage(t, s, user, minutes(2)); u.Total != 0 {
				t.Errorf("%s: after deleting %+v", row.name, u)
			}
		}
	})
}

// A scheduled backup starts when it is due, on one node, and sooner after a failure.
func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		const day = 24 * 60
		var running string
		claim := func(at, every int) (id string) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				id, err = tx.Backups().ClaimBackup(ctx, time.Duration(every)*time.Minute, minutes(at))
				return err
			})
			return id
		}
		end := func(at int, why string) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Backups().EndBackup(ctx, running, blobs.EndedBackup{Copy: fmt.Sprint("copy-", at), Rows: 1, Files: 2, Bytes: 3, Written: 4, Missing: 5, Error: why}, minutes(at))
			})
		}
		for _, row := range []struct {
			name   string
			before func()
			at     int
			starts bool
			copied string // of the last complete one
			why    string // of the last failure; "died" if nobody ended it
		}{
			{"the first", nil, 0, true, "", ""},
			{"while it runs", nil, 5, false, "", ""},
			{"after it ended well", func() { end(10, "") }, 11, false, "copy-10", ""},
			{"just before the next is due", nil, day - 1, false, "copy-10", ""},
			{"the next is due", nil, day, true, "copy-10", ""},
			{"after it failed", func() { end(day+1, "no space") }, day + 14, false, "copy-10", "no space"},
			{"a quarter of an hour later", nil, day + 15, true, "copy-10", "no space"},
			{"it stops to respond", nil, day + 29, false, "copy-10", "no space"},
			{"it is dead", nil, day + 30, true, "copy-10", "it was cut off"},
			{"the new one ends", func() { end(day+31, "") }, day + 60, false, fmt.Sprint("copy-", day+31), "it was cut off"},
			{"much later, all of them are forgotten", nil, day * 200, true, "", ""},
		} {
			if row.before != nil {
				row.before()
			}
			id := claim(row.at, day)
			if (id != "") != row.starts {
				t.Errorf("%s: claimed %q", row.name, id)
			}
			if id != "" {
				running = id
			}
			last, err := s.Backups().LastBackup(ctx, minutes(row.at))
			if err != nil || (last == nil) != (row.copied == "") || last != nil && (last.Copy != row.copied || !last.Scheduled || last.Died || last.EndedAt.IsZero()) {
				t.Errorf("%s: the last one %+v, %v", row.name, last, err)
			}
			failure, err := s.Backups().LastFailure(ctx, minutes(row.at))
			if err != nil || (failure == nil) != (row.why == "") || failure != nil && failure.Error != row.why {
				t.Errorf("%s: the last failure %+v, %v", row.name, failure, err)
			}
		}
		// A backup that no server makes any more counts as a failure, before the next one starts.
		if f, err := s.Backups().LastFailure(ctx, minutes(day*200+15)); err != nil || f == nil || !f.Died || f.Error != "" || !f.EndedAt.IsZero() {
			t.Errorf("a dead one: %+v, %v", f, err)
		}
		if f, err := s.Backups().LastFailure(ctx, minutes(day*200+14)); err != nil || f != nil {
			t.Errorf("a running one: %+v, %v", f, err)
		}
		if err := s.InTx(ctx, func(tx *store.Tx) error {
			return tx.Backups().EndBackup(ctx, "unknown", blobs.EndedBackup{}, minutes(0))
		}); err == nil {
			t.Error("an unknown backup ended")
		}
		// A backup by hand neither waits for scheduled ones nor delays them.
		storetest.Exec(t, db, "DELETE FROM backups")
		storetest.In(t, s, func(tx *store.Tx) error { _, err := tx.Backups().BeginBackup(ctx, minutes(0)); return err })
		if claim(1, day) == "" {
			t.Error("a backup by hand delays the scheduled one")
		}
		storetest.Exec(t, db, "DELETE FROM backups")
		if claim(0, 5) == "" || claim(4, 5) != "" {
			t.Error("an interval shorter than the pause after a failure")
		}
	})
}

// Only one of several nodes starts the scheduled backup.
func TestScheduledBackupsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for round := range 3 {
			var mu sync.Mutex
			var started []string
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					var id string
					err := s.InTx(t.Context(), func(tx *store.Tx) (err error) {
						id, err = tx.Backups().ClaimBackup(context.WithoutCancel(t.Context()), time.Hour, minutes(61*round))
						return err
					})
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					if id != "" {
						started = append(started, id)
					}
				})
			}
			all.Wait()
			if len(started) != 1 {
				t.Fatalf("round %d: started %d", round, len(started))
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Backups().EndBackup(t.Context(), started[0], blobs.EndedBackup{}, minutes(61*round+1))
			})
		}
	})
}
