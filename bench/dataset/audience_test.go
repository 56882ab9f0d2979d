package dataset_test

import (
	"net/http"
	"testing"

	"vitrine/bench/dataset"
	"vitrine/internal/apptest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func fillAudience(t *testing.T, s *store.Store) dataset.Audience {
	t.Helper()
	made, err := dataset.FillAudience(t.Context(), s, dataset.AudienceSize{Scale: 0.001, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// All derived values are what the program would have written.
func TestFillAudienceBothDatabases(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		made := fillAudience(t, s)
		if made.Activities != 10_000 || made.Users != 1_000 {
			t.Errorf("made %+v", made)
		}
		storetest.Check(t, s)
	})
}

// The people match their names and can be acted as.
func TestAudienceServed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	made := fillAudience(t, r.S.Store)
	as := func(name, path string) *apptest.Response {
		return r.Do("", "GET", path, nil, "Authorization", "Bearer "+made.People[name].Token).Want(http.StatusOK)
	}
	for name, want := range map[string]int{dataset.Reader: 24, dataset.SmallReader: 24, dataset.Silent: 0} {
		if n := as(name, "/v3/me/feed").Len("data"); n != want {
			t.Errorf("%s: %d in the feed, want %d", name, n, want)
		}
	}
	for name, want := range map[string]int{dataset.Inbox: 24, dataset.SmallInbox: 24} {
		if n := as(name, "/v3/me/notifications").Len("data"); n != want {
			t.Errorf("%s: %d notifications, want %d", name, n, want)
		}
	}
	for name, want := range map[string]int64{dataset.Star: 1000, dataset.Twin: 10} {
		got := as(name, "/v3/users/"+made.People[name].Slug+"/followers")
		if n := got.Int("meta.total_count"); n != want || made.People[name].Followers != want {
			t.Errorf("%s: %d followers, want %d", name, n, want)
		}
	}
}
