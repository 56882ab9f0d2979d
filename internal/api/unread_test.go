package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"vitrine/internal/apptest"
)

// The number of unread notifications always equals that of the list: it changes when things are hidden, shown again and
// deleted, and so does the ETag.
func TestUnreadFollowsWhatIsSeen(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		block := r.Block("cy", "Moss", r.Channel("cy", "Attic", "public"))
		theirs := r.Channel("ada", "Theirs", "public")
		r.Connect("ada", "Block", block, theirs)
		followAs(r, "ada", "users/cy")
		expect := func(when string, want int64) string {
			t.Helper()
			if n := unread(r, "cy"); n != want {
				t.Errorf("%s %d are unread, want %d", when, n, want)
			}
			return r.Do("cy", "GET", "/v3/me", nil).Header.Get("ETag")
		}
		turn := func(visibility string) {
			t.Helper()
			r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", theirs), map[string]any{"visibility": visibility}).Want(http.StatusOK)
		}
		shown := expect("at first", 2)
		page := r.Do("cy", "GET", "/v3/me/notifications", nil)
		followed, added := page.Int("data.0.id"), page.Int("data.1.id")
		turn("private")
		if hidden := expect("while the channel is private", 1); hidden == shown {
			t.Error("the ETag does not tell of the hidden one")
		}
		r.Do("cy", "POST", fmt.Sprintf("/v3/me/notifications/%d/read", added), nil).Want(http.StatusNotFound)
		res := r.Do("cy", "POST", fmt.Sprintf("/v3/me/notifications/%d/read", followed), nil).Want(http.StatusOK)
		if n := res.Int("meta.notifications"); n != 0 {
			t.Errorf("%d are unread after the visible one was read", n)
		}
		expect("with the hidden one alone", 0)
		turn("public")
		expect("shown again", 1)
		turn("private")
		if n := r.Do("cy", "POST", "/v3/me/notifications/read", nil).Want(http.StatusOK).Int("meta.notifications"); n != 0 {
			t.Errorf("%d are unread after all were read", n)
		}
		turn("public")
		expect("read while it was hidden", 0)

		var all sync.WaitGroup
		all.Go(func() {
			for i := range 6 {
				r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", theirs),
					map[string]any{"visibility": []string{"private", "public"}[i%2]}).Want(http.StatusOK)
			}
		})
		for _, who := range []string{"bob", "dee"} {
			r.Person(who)
			all.Go(func() {
				for i := range 3 {
					comment(r, who, block, fmt.Sprint("Hello ", i))
				}
			})
		}
		all.Go(func() {
			for range 4 {
				r.Do("cy", "POST", "/v3/me/notifications/read", nil).Want(http.StatusOK)
				r.Do("cy", "GET", "/v3/me", nil).Want(http.StatusOK)
			}
		})
		all.Wait()
		n := unread(r, "cy")
		page = r.Do("cy", "GET", "/v3/me/notifications?unread=true&limit=100", nil)
		for i := range int(n) {
			res := r.Do("cy", "POST", fmt.Sprintf("/v3/me/notifications/%d/read", page.Int(fmt.Sprintf("data.%d.id", i))), nil).Want(http.StatusOK)
			if left := res.Int("meta.notifications"); left != n-int64(i)-1 {
				t.Errorf("%d are unread after %d of %d were read", left, i+1, n)
			}
		}
		turn("private")
		expect("hidden again", 0)
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", theirs), nil).Want(http.StatusNoContent)
		expect("deleted", 0)
	})
}
