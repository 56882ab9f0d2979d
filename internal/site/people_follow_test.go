package site_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

func TestFollowing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, guest := member(t, r, "eve"), newBrowser(t, r)
		ada := r.Person("ada")
		channel := func(visibility string) string { return fmt.Sprint(r.Channel("ada", "Field "+visibility, visibility)) }
		open, hidden := channel("public"), channel("private")
		group := fmt.Sprint(r.Group("Guild", "ada"))
		follows := func(kind, id string) bool {
			return r.Do("ada", "GET", "/v3/"+kind+"/"+id+"/followers", nil).Want(200).Len("data") == 1
		}
		for kind, id := range map[string]string{"user": fmt.Sprint(ada.ID), "channel": open, "group": group} {
			eve.post("/follow", "type", kind, "id", id, "do", "follow", "next", "/feed?x=1").leads("/feed?x=1")
			eve.post("/follow", "type", kind, "id", id, "do", "follow").leads("/feed")
			if kind != "group" && !follows(kind+"s", id) {
				t.Errorf("eve does not follow the %s", kind)
			}
			eve.post("/follow", "type", kind, "id", id, "do", "unfollow", "next", "//evil.example/").leads("/feed")
			eve.post("/follow", "type", kind, "id", id, "do", "unfollow").leads("/feed")
			if kind != "group" && follows(kind+"s", id) {
				t.Errorf("eve still follows the %s", kind)
			}
			guest.post("/follow", "type", kind, "id", id, "do", "follow", "next", "/x?a=b&c=d").leads("/sign-in?next=%2Fx%3Fa%3Db%26c%3Dd")
		}
		me := fmt.Sprint(r.Do("ada", "GET", "/v3/users/eve", nil).Int("id"))
		before := r.Dump()
		eve.post("/follow", "type", "user", "id", me, "do", "follow").want(422).says("You cannot follow yourself.")
		eve.post("/follow", "type", "channel", "id", hidden, "do", "follow").want(404)
		eve.post("/follow", "type", "channel", "id", hidden, "do", "unfollow").want(404)
		eve.post("/follow", "type", "block", "id", "1", "do", "follow").want(400)
		eve.post("/follow", "type", "user", "id", me, "do", "poke").want(400)
		eve.post("/follow", "type", "user", "id", "eve", "do", "follow").want(404)
		eve.post("/follow", "type", "user", "id", "99999999", "do", "follow").want(404)
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("what was refused changed %s", strings.Join(diff, "\n"))
		}
	}, people)
}

// Two concurrent requests to follow create one follow and one notification.
func TestFollowingTwiceAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := r.Person("ada")
		eve := member(t, r, "eve")
		var all sync.WaitGroup
		for range 2 {
			again := newBrowser(t, r)
			for name, cookie := range eve.cookies {
				again.cookies[name] = cookie
			}
			all.Go(func() {
				if p := again.post("/follow", "type", "user", "id", fmt.Sprint(ada.ID), "do", "follow"); p.status != 303 {
					t.Errorf("%s: %d %s", p.from, p.status, p.body)
				}
			})
		}
		all.Wait()
		if got := r.Do("ada", "GET", "/v3/users/ada/followers", nil).Want(200).Int("meta.total_count"); got != 1 {
			t.Errorf("%d followers, want 1", got)
		}
		if got := r.Do("ada", "GET", "/v3/me/notifications", nil).Want(200).Len("data"); got != 1 {
			t.Errorf("%d notifications, want 1", got)
		}
	}, people)
}

func TestPrivateFeeds(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom := member(t, r, "eve"), member(t, r, "tom")
		r.Person("ada")
		secret := func(b *browser) string {
			return b.get("/settings/feeds").want(200).find(`id="atom-0">` + apptest.Base + `/feeds/\d+-([^/]+)/feed\.atom<`)
		}
		id := domain.UserID(r.Do("ada", "GET", "/v3/users/eve", nil).Int("id"))
		opens := func(secret string) bool {
			_, err := r.S.App.People.FeedReader(t.Context(), id, secret)
			return err == nil
		}
		old := secret(eve)
		if opens(secret(tom)) || !opens(old) {
			t.Error("the feeds of eve are not opened by her secret alone")
		}
		eve.post("/settings/feeds", "do", "x").want(400)
		if !opens(old) {
			t.Error("a form that says nothing renewed the feeds")
		}
		eve.post("/settings/feeds", "do", "renew").leads("/settings/feeds").follow().says("Your private feeds have new addresses.").hides(old)
		if opens(old) || !opens(secret(eve)) {
			t.Error("the old secret still opens the feeds, or the new one does not")
		}
	}, people)
}
