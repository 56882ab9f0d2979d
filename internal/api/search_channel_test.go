package api_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// TestFilterChannelContents: filters by words and types, from the top, for everyone who sees the channel, without items
// that they do not see.
func TestFilterChannelContents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ben")
		if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{Slug: "ben"}, domain.TierFree); err != nil {
			t.Fatal(err)
		}
		shelf, secret, open := r.Channel("ada", "Shelf", "public"), r.Channel("ada", "Secret moss", "private"), r.Channel("ada", "Open moss", "public")
		moss, fern, other := r.Block("ada", "moss", shelf), r.Block("ben", "fern", shelf), r.Block("ada", "more moss", shelf)
		r.Connect("ada", "Channel", secret, shelf)
		r.Connect("ada", "Channel", open, shelf)
		r.Block("ada", "moss elsewhere", open)
		inSecret := r.Block("ada", "moss", secret)
		text := func(id int64) string { return fmt.Sprint("Text ", id) }
		channel := func(id int64) string { return fmt.Sprint("Channel ", id) }
		path := fmt.Sprintf("/ext/v1/channels/%d/contents", shelf)
		for _, as := range []string{"", "ben"} {
			expectTyped(r, as, path, channel(open), text(other), text(fern), text(moss))
			expectTyped(r, as, path+"?query=moss", channel(open), text(other), text(moss))
			expectTyped(r, as, path+"?q=mos&type=Block", text(other), text(moss))
			expectTyped(r, as, path+"?type=Channel&type=Image", channel(open))
			expectTyped(r, as, path+"?query=%22")
			r.Do(as, "GET", fmt.Sprintf("/ext/v1/channels/%d/contents", secret), nil).Want(404)
		}
		expectTyped(r, "ada", path+"?query=moss", channel(open), channel(secret), text(other), text(moss))
		expectTyped(r, "ada", path+"?type=Channel", channel(open), channel(secret))
		expectTyped(r, "ada", fmt.Sprintf("/ext/v1/channels/%d/contents?query=moss", secret), text(inSecret))
		for page, want := range []string{channel(open), text(other), text(moss)} {
			res := r.Get("", "%s?query=moss&per=1&page=%d", path, page+1)
			if got := typed(res); len(got) != 1 || got[0] != want || res.Int("meta.total_count") != 3 {
				t.Errorf("page %d: %s", page+1, res.Body)
			}
		}
		if res := r.Get("", "%s?query=fern", path); res.Int("data.0.connection.position") != 2 {
			t.Errorf("%s", res.Body)
		}
		for _, bad := range []string{"?type=User", "?per=0", "?query=%00"} {
			r.Do("", "GET", path+bad, nil).Want(400)
		}
	})
}
