package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// storedBlob stores a blob of 7 bytes.
func storedBlob(t *testing.T, tx *store.Tx, hash string, now time.Time) domain.BlobID {
	t.Helper()
	b, err := tx.Blobs().ClaimBlob(t.Context(), hash, "originals/"+hash, 7, now)
	if err == nil {
		err = tx.Blobs().BlobStored(t.Context(), b.ID, now)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.ID
}

func addedFile(t *testing.T, tx *store.Tx, key string, owner domain.UserID, blob domain.BlobID) domain.File {
	t.Helper()
	f := domain.File{Key: key, Owner: owner, BlobID: blob, Name: "a.png", ContentType: "image/png", Extension: "png", Size: 7}
	id, err := tx.Blobs().AddFile(t.Context(), f, storetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	f.ID = id
	return f
}

// upload creates an upload of a user.
func upload(t *testing.T, s *store.Store, key string, by domain.UserID, made time.Time) (id domain.UploadID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) error {
		err := tx.Blobs().AddUpload(t.Context(), domain.Upload{Key: key, UserID: by, Name: key, ContentType: "a/b",
			ExpiresAt: made.Add(time.Hour), CreatedAt: made})
		if err != nil {
			return err
		}
		u, err := tx.Blobs().Upload(t.Context(), key)
		id = u.ID
		return err
	})
	return id
}

// The sweep keeps an upload that a concurrent transaction starts to use. An upload that was swept
// is not used.
func TestSweepRacesUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		before := storetest.Now.Add(time.Hour)
		for round := range 20 {
			key := strings.Repeat("k", round+1)
			id := upload(t, s, key, ada, storetest.Now)
			swept, used := make(chan error, 1), make(chan error, 1)
			go func() {
				swept <- s.InTx(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Blobs().SweepUploads(t.Context(), before, before, 10)
					return err
				})
			}()
			go func() {
				used <- s.InTx(t.Context(), func(tx *store.Tx) error {
					if err := tx.Blobs().KeepUpload(t.Context(), id); err != nil {
						return err
					}
					block, err := tx.Blocks().CreateBlock(t.Context(), domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(ada)},
						Type: domain.PendingBlock, State: domain.Processing}, storetest.Now)
					if err != nil {
						return err
					}
					return tx.Blobs().StartProcessing(t.Context(), block, domain.BlockUploads{UploadID: id}, storetest.Now)
				})
			}()
			if err := <-swept; err != nil {
				t.Fatal(err)
			}
			err := <-used
			_, there := s.Blobs().Upload(t.Context(), key)
			if err != nil && domain.KindOf(err) != domain.NotFound {
				t.Fatal(err)
			}
			if (err == nil) != (there == nil) {
				t.Fatalf("using the upload gave %v, reading it then %v", err, there)
			}
		}
	})
}

// The sweep keeps uploads that something waits for. It does not wait for avatars requested long
// ago.
func TestSweepUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		day := storetest.Now.Add(24 * time.Hour)
		upload(t, s, "old", ada, storetest.Now)
		wished, forgotten := upload(t, s, "wished", ada, storetest.Now), upload(t, s, "forgotten", ada, storetest.Now)
		upload(t, s, "new", ada, day)
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Avatars().RequestAvatar(t.Context(), store.AvatarRequest{Owner: domain.UserRef(ada), Upload: wished}, day)
			if err == nil {
				_, err = tx.Avatars().RequestAvatar(t.Context(), store.AvatarRequest{Owner: domain.UserRef(bob), Upload: forgotten}, storetest.Now)
			}
			return err
		})
		n := 0
		storetest.In(t, s, func(tx *store.Tx) (err error) {
			n, err = tx.Blobs().SweepUploads(t.Context(), day, day, 10)
			return err
		})
		doomed, err := s.Blobs().DoomedObjects(t.Context(), day, 10)
		if err != nil || n != 2 {
			t.Fatalf("swept %d, %v", n, err)
		}
		var gone []string
		for _, object := range doomed {
			gone = append(gone, object.Name)
		}
		if slices.Sort(gone); !slices.Equal(gone, []string{"uploads/forgotten", "uploads/old"}) {
			t.Errorf("swept %q", gone)
		}
	})
}

// The bytes of a blob that a transaction starts to use during the sweep remain, or are stored
// again.
func TestSweepBlobsRacesUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		day := storetest.Now.Add(24 * time.Hour)
		for range 20 {
			storetest.In(t, s, func(tx *store.Tx) error { storedBlob(t, tx, "same", storetest.Now); return nil })
			swept := make(chan error, 1)
			go func() {
				swept <- s.InTx(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Blobs().SweepBlobs(t.Context(), day, day, 10)
					return err
				})
			}()
			var claimed domain.Blob
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				claimed, err = tx.Blobs().ClaimBlob(t.Context(), "same", "originals/same", 7, day)
				return err
			})
			if err := <-swept; err != nil {
				t.Fatal(err)
			}
			if b, err := s.Blobs().Blob(t.Context(), claimed.ID); err != nil || b.Stored != claimed.Stored {
				t.Fatalf("claimed %+v, there is %+v (%v)", claimed, b, err)
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				_, err := tx.Blobs().SweepBlobs(t.Context(), day.Add(time.Hour), day, 10)
				return err
			})
		}
	})
}

// An avatar is never that of an earlier request.
func TestAvatarRacesWish(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for round := range 20 {
			owner := domain.UserRef(storetest.User(t, s, "Ada"))
			var blob domain.BlobID
			var n int64
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				blob = storedBlob(t, tx, "picture", storetest.Now)
				n, err = tx.Avatars().RequestAvatar(t.Context(), store.AvatarRequest{Owner: owner, URL: "https://example.com"}, storetest.Now)
				return err
			})
			granted := make(chan error, 2)
			for _, letter := range []string{"a", "b"} { // the job runs twice
				key := strings.Repeat(letter, 20) + string(rune('a'+round)) + "x"
				go func() {
					granted <- s.InTx(t.Context(), func(tx *store.Tx) error {
						if err := tx.Avatars().LockAvatarRequest(t.Context(), owner, n); err != nil {
							return err
						}
						path := addedFile(t, tx, key, domain.UserID(owner.ID), blob).Key + "/a.png"
						if err := tx.Avatars().SetAvatar(t.Context(), owner, &path, storetest.Now); err != nil {
							return err
						}
						return tx.Avatars().AvatarGranted(t.Context(), owner, n)
					})
				}()
			}
			storetest.In(t, s, func(tx *store.Tx) error { // cancels the request
				if _, err := tx.Avatars().RequestAvatar(t.Context(), store.AvatarRequest{Owner: owner}, storetest.Now); err != nil {
					return err
				}
				return tx.Avatars().SetAvatar(t.Context(), owner, nil, storetest.Now)
			})
			for range 2 {
				if err := <-granted; err != nil && domain.KindOf(err) != domain.NotFound {
					t.Fatal(err)
				}
			}
			if u, err := s.Users().User(t.Context(), domain.Ref{ID: owner.ID}); err != nil || u.Avatar != nil {
				t.Fatalf("there is a picture after it was taken back: %v %v", u.Avatar, err)
			}
		}
	})
}
