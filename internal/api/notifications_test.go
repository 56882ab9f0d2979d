package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"vitrine/internal/apptest"
)

// unread returns the count of /v3/me, and compares it with the list of unread notifications.
func unread(r *apptest.Rig, who string) int64 {
	r.T.Helper()
	n := r.Do(who, "GET", "/v3/me", nil).Want(http.StatusOK).Int("counts.notifications")
	if l := r.Do(who, "GET", "/v3/me/notifications?unread=true&limit=100", nil).Want(http.StatusOK).Len("data"); int64(l) != n {
		r.T.Errorf("%s has %d unread notifications, and %d are listed", who, n, l)
	}
	return n
}

func TestNotificationsOnTheWire(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		attic := r.Channel("cy", "Attic", "public")
		block := r.Block("cy", "A *text*", attic)
		if n := unread(r, "cy"); n != 0 {
			t.Fatalf("%d of one's own", n)
		}
		before := r.Do("cy", "GET", "/v3/me", nil).Header.Get("ETag")
		stranger := r.Do("ada", "GET", "/v3/users/cy", nil).Header.Get("ETag")
		r.Block("ada", "Mine", attic)
		if after := r.Do("cy", "GET", "/v3/me", nil).Header.Get("ETag"); after == before {
			t.Error("the ETag of me is still the same")
		}
		if after := r.Do("ada", "GET", "/v3/users/cy", nil).Header.Get("ETag"); after != stranger {
			t.Error("strangers see by the ETag that cy was notified")
		}
		id := comment(r, "ada", block, "Hello @cy")
		followAs(r, "ada", "users/cy")
		page := r.Do("cy", "GET", "/v3/me/notifications", nil).Want(http.StatusOK)
		want := []string{"followed_user User - -", "mentioned_you Comment User Text", "commented_on_block Comment Text Channel",
			"added_block_to_channel Text Channel -"}
		if got := kinds(page); !slices.Equal(got, want) || page.Bool("data.0.is_read") || page.Str("data.0.type") != "Notification" {
			t.Errorf("notifications: %s", page.Body)
		}
		if page.Str("data.1.item.user.slug") != "ada" || page.Int("data.1.item.id") != id ||
			page.Str("data.1.item._links.block.href") != fmt.Sprint(apptest.Base, "/v3/blocks/", block) {
			t.Errorf("comment: %s", page.Body)
		}
		if n := unread(r, "cy"); n != 4 {
			t.Errorf("%d unread, want 4", n)
		}
		one := fmt.Sprintf("/v3/me/notifications/%d/read", page.Int("data.2.id"))
		for range 2 {
			res := r.Do("cy", "POST", one, nil).Want(http.StatusOK)
			if res.Int("meta.notifications") != 3 || !res.Bool("data.is_read") || res.Str("data.kind") != "commented_on_block" {
				t.Errorf("read: %s", res.Body)
			}
		}
		if n := unread(r, "cy"); n != 3 {
			t.Errorf("%d unread, want 3", n)
		}
		r.Do("ada", "POST", one, nil).Want(http.StatusNotFound)
		r.Do("cy/read", "POST", one, nil).Want(http.StatusForbidden)
		r.Do("", "POST", one, nil).Want(http.StatusUnauthorized)
		for _, none := range []string{"0", "-1", "987654", "99999999999999999999"} {
			r.Do("cy", "POST", "/v3/me/notifications/"+none+"/read", nil).Want(http.StatusNotFound)
		}
		// Notifications of deleted things are no longer unread.
		r.Do("ada", "DELETE", fmt.Sprint("/v3/comments/", id), nil).Want(http.StatusNoContent)
		if n := unread(r, "cy"); n != 2 {
			t.Errorf("%d unread after the comment was deleted, want 2", n)
		}
		r.Do("cy", "POST", one, nil).Want(http.StatusNotFound)
		for range 2 {
			if n := r.Do("cy", "POST", "/v3/me/notifications/read", nil).Want(http.StatusOK).Int("meta.notifications"); n != 0 {
				t.Errorf("%d unread after all were read", n)
			}
		}
		if n := unread(r, "cy"); n != 0 {
			t.Errorf("%d unread after all were read", n)
		}
		if all := r.Do("cy", "GET", "/v3/me/notifications", nil); all.Len("data") != 2 || !all.Bool("data.0.is_read") {
			t.Errorf("all: %s", all.Body)
		}
		comment(r, "bob", block, "later")
		if n := unread(r, "cy"); n != 1 {
			t.Errorf("%d unread, want the later one", n)
		}
	})
}
