package store_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// picture creates an Image block of a user that looks like this.
func picture(t *testing.T, s *store.Store, by domain.UserID, title, palette string, hash *int64) (id domain.BlockID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) (err error) {
		f := domain.File{Key: "key of " + title, Owner: by, BlobID: storedBlob(t, tx, "hash of "+title, storetest.Now), Name: "a.png",
			ContentType: "image/png", Extension: "png", Size: 7, Palette: palette, LookHash: hash}
		if f.ID, err = tx.Blobs().AddFile(t.Context(), f, storetest.Now); err != nil {
			return err
		}
		id, err = tx.Blocks().CreateBlock(t.Context(), domain.Block{Type: domain.ImageBlock, State: domain.Available, Title: &title,
			Author: domain.Principal{PrincipalRef: domain.UserRef(by)}, Image: &f}, storetest.Now)
		return err
	})
	return id
}

// The operator color finds images by a dominant colour or a similar one, and does not change the order by score.
func TestSearchByColour(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		names := map[int64]string{}
		for _, p := range []struct{ title, palette string }{
			{"moss", "228b22:70 8b4513:30"},
			{"sea", "008080:60 0a7f7f:20 ffffff:15 228b22:2"},
			{"moss on stone", "808080:90 2a8a2a:10"},
			{"plain", ""},
		} {
			names[int64(picture(t, s, ada, p.title, p.palette, nil))] = p.title
		}
		for query, want := range map[string][]string{
			"color:green":                {"moss on stone", "moss"},
			"colour:grün -color:brown":   {"moss on stone"},
			"color:teal":                 {"sea"},
			"color:#0a7f7f":              {"sea"},
			"color:#088282":              {"sea"},
			"color:#80ffff":              nil,
			"color:forestgreen":          {"moss on stone", "moss"},
			"moss color:#228b22":         {"moss on stone", "moss"},
			"moss color:green color:red": nil,
			"color:teal color:white":     {"sea"},
			"-color:#228b22":             {"plain", "sea"},
			"-color:green type:image":    {"plain", "sea"},
			"moss OR sea color:teal":     {"sea"},
			"title:moss color:grey":      {"moss on stone"},
		} {
			for _, limits := range append(wordLimits(), known) {
				var got []string
				l := search(t, s.WithSearchLimits(limits), ada, domain.Search{Query: query, Types: []string{string(domain.ImageBlock)}})
				for _, found := range l.Items {
					got = append(got, names[found.ID])
				}
				if !slices.Equal(got, want) || l.Total != int64(len(want)) {
					t.Errorf("%q finds %v of %d, want %v, few are %d", query, got, l.Total, want, limits.Rare)
				}
			}
			if l := search(t, s, bob, domain.Search{Query: query, Types: []string{string(domain.ImageBlock)}}); l.Total != 0 {
				t.Errorf("%q reveals %d private images", query, l.Total)
			}
		}
		title := "moss in the sea" // colours remain when only texts change
		for id, name := range names {
			if name != "sea" {
				continue
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				was, err := tx.Blocks().LockedBlock(t.Context(), ada, domain.BlockID(id))
				if err != nil {
					return err
				}
				is := was
				is.Title = &title
				return tx.Blocks().UpdateBlock(t.Context(), was, &is, storetest.Now)
			})
		}
		if l := search(t, s, ada, domain.Search{Query: "moss color:teal"}); l.Total != 1 {
			t.Errorf("after an edit: %+v", l)
		}
	})
}

// SetLook stores the look of all images with the same bytes, so that all of their blocks are found.
func TestSetLook(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada := storetest.User(t, s, "Ada")
		for i := range 3 {
			picture(t, s, ada, fmt.Sprint(i), "", nil)
		}
		storetest.Exec(t, db, "UPDATE files SET palette = NULL, blurhash = 'x', blob_id = (SELECT min(blob_id) FROM files) WHERE id <> (SELECT max(id) FROM files)")
		unseen, err := s.Blobs().UnseenFiles(t.Context(), 0, 10)
		if err != nil || len(unseen) != 2 {
			t.Fatalf("%d unseen, %v", len(unseen), err)
		}
		f := unseen[0]
		hash := int64(-7)
		f.Palette, f.LookHash = "008080:100", &hash
		for range 2 {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Blocks().SetLook(t.Context(), f) })
			if l := search(t, s, ada, domain.Search{Query: "color:teal"}); l.Total != 2 {
				t.Errorf("%+v", l)
			}
		}
		if unseen, err := s.Blobs().UnseenFiles(t.Context(), 0, 10); err != nil || len(unseen) != 0 {
			t.Errorf("%v, %v", unseen, err)
		}
		err = db.View(t.Context(), func(q database.Querier) error {
			var n int64
			err := q.QueryRow(t.Context(), "SELECT count(*) FROM files WHERE look_hash = -7").Scan(&n)
			if n != 2 {
				t.Errorf("%d files have the hash", n)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
