package dataset_test

import (
	"net/http"
	"strconv"
	"testing"

	"vitrine/bench/dataset"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

var tiny = dataset.Size{Users: 60, Channels: 50, Blocks: 500, Connections: 800, Large: 3000, Small: 100, Seed: 1}

func fill(t *testing.T, s *store.Store) dataset.Made {
	t.Helper()
	made, err := dataset.Fill(t.Context(), s, tiny)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Each test checks every derived value at the end, and again after changing the bulk-loaded orders through the store.
func TestFillBothDatabases(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		made := fill(t, s)
		if made.Large.Items != 3000 || made.Small.Items != 100 || made.Blocks != 3600 || made.Connections != 3900 || made.Channels != 52 {
			t.Errorf("made %+v", made)
		}
		storetest.Check(t, s)
		large := domain.ChannelID(made.Large.ID)
		block := storetest.Block(t, s, 1, "one more")
		id := storetest.Connect(t, s, 1, large, domain.BlockRef(block), 1500)
		if at, err := s.Contents().Positions(t.Context(), id); err != nil || at[id] != 1500 {
			t.Errorf("position %d, %v", at[id], err)
		}
		if _, err := dataset.Fill(t.Context(), s, tiny); err == nil {
			t.Error("a database that is not empty was filled")
		}
	})
}

// The data can be served: ids and slugs resolve, and the token may write.
func TestServed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	made := fill(t, r.S.Store)
	for _, p := range []dataset.Place{made.Large, made.Small, made.Middle} {
		got := r.Do("", "GET", "/v3/channels/"+p.Slug, nil).Want(http.StatusOK)
		if id, n := got.Int("id"), got.Int("counts.contents"); id != p.ID || n != int64(p.Items) {
			t.Errorf("%s has id %d and %d items, want %+v", p.Slug, id, n, p)
		}
		last := strconv.Itoa((p.Items + 99) / 100)
		page := r.Do("", "GET", "/v3/channels/"+p.Slug+"/contents?per=100&page="+last, nil).Want(http.StatusOK)
		if at := page.Int("data.0.connection.position"); at != int64((p.Items-1)%100+1) {
			t.Errorf("%s: the last page begins at position %d of %d", p.Slug, at, p.Items)
		}
	}
	if n := made.LastBlock - made.FirstBlock + 1; n != int64(tiny.Blocks) {
		t.Errorf("%d ordinary blocks, want %d", n, tiny.Blocks)
	}
	r.Do("", "POST", "/v3/blocks", map[string]any{"value": "Written", "channel_ids": []int64{made.Large.ID}},
		"Authorization", "Bearer "+made.Token).Want(http.StatusCreated)
}

// The same seed creates the same rows.
func TestSeed(t *testing.T) {
	t.Parallel()
	var texts [2]string
	for i := range texts {
		r := apptest.New(t)
		made := fill(t, r.S.Store)
		block := r.Do("", "GET", "/v3/channels/"+made.Middle.Slug+"/contents?per=100", nil).Want(http.StatusOK)
		texts[i] = string(block.Body)
	}
	if texts[0] != texts[1] {
		t.Error("two fillings with one seed differ")
	}
}
