package site_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// token creates an access token for the signed-in account.
func (b *browser) token() string {
	b.t.Helper()
	return b.post("/settings/personal-access-tokens", "name", "test", "scope", "write").want(200).secret()
}

func commented(r *apptest.Rig, who string, block int64, body string) int64 {
	r.T.Helper()
	return r.Do(who, "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": body}).Want(201).Int("id")
}

func TestFeedPage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		eve.get("/feed").want(200).says("Nothing yet.", "/explore")
		eve.post("/follow", "type", "user", "id", fmt.Sprint(r.Person("ada").ID), "do", "follow")
		garden, shed := r.Channel("ada", "Garden <b>", "public"), r.Channel("ada", "Shed", "private")
		first := r.Block("ada", "Seed", garden)
		r.Block("ada", "Leaf", garden)
		r.Block("ada", "Rust", shed)
		commented(r, "ada", first, "A *fine* one")
		eve.get("/feed").want(200).says("added 2 blocks to", "made the channel", "Garden <b>", "A fine one", "commented on", fmt.Sprintf("/block/%d?in=%d", first, garden)).
			hides("Shed", "Rust", "<b>Garden", "Nothing yet")
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", garden), `{"visibility":"private"}`).Want(200)
		eve.get("/feed").want(200).hides("Garden", "A fine one", "Seed")
		newBrowser(t, r).get("/feed").leads("/sign-in?next=%2Ffeed")
		eve.get("/feed?next=x").want(400)
	}, people)
}

// All pages of the feed together equal the API's feed for the same reader.
func TestFeedPageIsTheAPIs(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		token := eve.token()
		for _, name := range []string{"ada", "bob"} {
			eve.post("/follow", "type", "user", "id", fmt.Sprint(r.Person(name).ID), "do", "follow")
		}
		var channels []int64
		for i, visibility := range []string{"public", "closed", "private", "public"} {
			channels = append(channels, r.Channel("ada", fmt.Sprint("Channel ", i), visibility))
		}
		for i := range 30 {
			block := r.Block("ada", fmt.Sprint("Text ", i), channels[i%4])
			if i%4 != 2 {
				commented(r, "bob", block, fmt.Sprint("Comment ", i))
			}
		}
		want, address := map[string]bool{}, "/v3/me/feed?limit=100"
		for _, id := range r.Do("", "GET", address, nil, "Authorization", "Bearer "+token).Want(200).Ints("data", "id") {
			want[fmt.Sprint(id)] = true
		}
		shown, pages := map[string]bool{}, 0
		for at := "/feed"; at != ""; pages++ {
			p := eve.get(at).want(200).hides("Channel 2")
			for _, m := range regexp.MustCompile(`<li id="activity-(\d+)"`).FindAllStringSubmatch(p.body, -1) {
				if !want[m[1]] || shown[m[1]] {
					t.Errorf("%s shows the activity %s, which the API does not, or twice", p.from, m[1])
				}
				shown[m[1]] = true
			}
			at = ""
			if m := regexp.MustCompile(`<a rel="next" href="([^"]+)"`).FindStringSubmatch(p.body); m != nil {
				at = m[1]
			}
		}
		if pages != 3 || len(shown) < 20 {
			t.Errorf("%d pages with %d sentences for %d activities", pages, len(shown), len(want))
		}
	}, people)
}

func TestNotificationsPage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom := member(t, r, "eve"), member(t, r, "tom")
		token, id := eve.token(), fmt.Sprint(r.Do("ada", "GET", "/v3/users/eve", nil).Int("id"))
		unread := func() int64 {
			return r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+token).Want(200).Int("counts.notifications")
		}
		eve.get("/notifications").want(200).says("No notifications yet.").hides("Mark all as read")
		r.Do("ada", "PUT", "/ext/v1/users/"+id+"/follow", nil).Want(200)
		block := r.Block("ada", "Seed", r.Channel("ada", "Garden", "public"))
		comment := commented(r, "ada", block, "Look, @eve")
		p := eve.get("/notifications").want(200).says("follows you", "mentioned you in a comment", "Look, @eve", "Mark all as read", "Mark as read")
		ids := regexp.MustCompile(`<li id="activity-(\d+)" class="activity unread"`).FindAllStringSubmatch(p.body, -1)
		if len(ids) != 2 || unread() != 2 {
			t.Fatalf("%d are unread of %d", len(ids), unread())
		}
		mention, followed := ids[0][1], ids[1][1]
		for _, other := range []string{followed, "x", "0", "99999999"} {
			tom.get("/notifications/" + other).want(404)
			tom.post("/notifications", "read", other).want(404)
		}
		eve.send("HEAD", "/notifications/"+mention, "").leads("/notifications")
		eve.header.Set("Sec-Purpose", "prefetch;prerender")
		eve.get("/notifications/" + mention).want(403)
		eve.header.Del("Sec-Purpose")
		if unread() != 2 {
			t.Errorf("%d are unread after looking ahead", unread())
		}
		p = eve.get("/notifications/" + mention)
		p.leads(fmt.Sprintf("/block/%d/comments/%d", block, comment)).follow().leads(fmt.Sprintf("/block/%d#comment-%d", block, comment))
		eve.get("/notifications?filter=unread").want(200).says("follows you").hides("mentioned you")
		eve.post("/notifications", "read", followed, "next", "/notifications?filter=unread").leads("/notifications?filter=unread").follow().says("You have read everything.")
		eve.post("/notifications", "read", followed).leads("/notifications")
		if unread() != 0 {
			t.Errorf("%d are unread", unread())
		}
		commented(r, "ada", block, "Again, @eve")
		eve.post("/notifications").want(400)
		eve.post("/notifications", "do", "all").leads("/notifications").follow().says("All notifications are marked as read.").hides("Mark all as read")
		r.Do("ada", "PUT", "/v3/channels/garden", `{"visibility":"private"}`).Want(200)
		eve.get("/notifications").want(200).says("follows you").hides("Look, @eve", "Again")
		eve.get("/notifications/" + mention).want(404)
	}, people)
}

// entries returns the entries of a list of activities as text, without tags.
func entries(p *page) (all []string) {
	for _, m := range regexp.MustCompile(`(?s)<li id="activity-.*?</li>`).FindAllString(p.body, -1) {
		said := regexp.MustCompile(`(?s)<p>.*?</p>`).FindString(m)
		all = append(all, strings.TrimSpace(regexp.MustCompile(`<[^>]*>|\s*<time.*`).ReplaceAllString(said, "")))
	}
	return all
}

// Notifications of a day about the same thing are one entry, which is unread if one of them is, and opens and marks all.
func TestNotificationsAreGrouped(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		id := fmt.Sprint(r.Do("ada", "GET", "/v3/users/eve", nil).Int("id"))
		token := eve.token()
		unread := func() int64 {
			return r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+token).Want(200).Int("counts.notifications")
		}
		block := r.Block("ada", "Seed", r.Channel("ada", "Garden", "public"))
		for i, name := range []string{"ada", "bob", "cyd", "dan"} {
			r.Do(name, "PUT", "/ext/v1/users/"+id+"/follow", nil).Want(200)
			if i < 3 {
				commented(r, "ada", block, fmt.Sprint("Look, @eve, ", i))
			}
		}
		list := eve.get("/notifications").want(200)
		want := []string{"Unread: Dan and 3 others follow you", "Unread: Ada mentioned you 3 times in comments on Seed"}
		if got := entries(list); !slices.Equal(got, want) || unread() != 7 {
			t.Fatalf("%q, %d unread", got, unread())
		}
		list.says("Look, @eve, 2").hides("Look, @eve, 1")
		groups := regexp.MustCompile(`href="(/notifications/[0-9,]+)"`).FindAllStringSubmatch(list.body, -1)
		if len(groups) != 2 {
			t.Fatal(groups)
		}
		eve.get(groups[0][1]).leads("/eve?view=followers")
		if unread() != 3 {
			t.Errorf("%d unread after opening the followers", unread())
		}
		other := member(t, r, "tom")
		other.get(groups[1][1]).want(404)
		for _, ids := range []string{"1,,2", ",", "1," + strings.Repeat("2,", 100) + "3", "999999,999998"} {
			eve.get("/notifications/" + ids).want(404)
		}
		commented(r, "bob", block, "Look here, @eve")
		if got, want := entries(eve.get("/notifications"))[0], "Unread: Bob and Ada mentioned you in comments on Seed"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		eve.post("/notifications", "read", regexp.MustCompile(`name="read" value="([0-9,]+)"`).FindStringSubmatch(eve.get("/notifications").body)[1]).leads("/notifications")
		if unread() != 0 {
			t.Errorf("%d unread after marking the mentions", unread())
		}
		eve.get("/notifications").hides("Unread: ")
		if n := len(r.Do("", "GET", "/v3/me/notifications", nil, "Authorization", "Bearer "+token).Want(200).Ints("data", "id")); n != 8 {
			t.Errorf("the API lists %d notifications", n)
		}
	}, people)
}

// A page of notifications ends with a day, so no group is split between pages.
func TestGroupsStayOnOnePage(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	eve := member(t, r, "eve")
	garden := r.Channel("ada", "Garden", "public")
	blocks := []int64{r.Block("ada", "Seed", garden), r.Block("ada", "Leaf", garden)}
	for range 3 {
		for i := range 40 {
			commented(r, "ada", blocks[i%2], "Look, @eve")
		}
		r.Clock.Advance(24 * time.Hour)
	}
	seen := 0
	for at := "/notifications"; at != ""; seen++ {
		p := eve.get(at).want(200)
		want := []string{"Unread: Ada mentioned you 20 times in comments on Leaf", "Unread: Ada mentioned you 20 times in comments on Seed"}
		if seen == 0 {
			want = append(want, want...)
		}
		if got := entries(p); !slices.Equal(got, want) {
			t.Errorf("%s: %q", at, got)
		}
		at = ""
		if m := regexp.MustCompile(`<a rel="next" href="([^"]+)"`).FindStringSubmatch(p.body); m != nil {
			at = m[1]
		}
	}
	if seen != 2 {
		t.Errorf("%d pages", seen)
	}
}

// The number of unread notifications is correct, even if many tabs mark some at once.
func TestMarkingNotificationsAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		garden := r.Channel("ada", "Garden", "public")
		for i := range 6 {
			commented(r, "ada", r.Block("ada", "Seed", garden), fmt.Sprint("Look ", i, ", @eve"))
		}
		p := eve.get("/notifications").want(200)
		var ids []string
		for _, m := range regexp.MustCompile(`name="read" value="(\d+)"`).FindAllStringSubmatch(p.body, -1) {
			ids = append(ids, m[1])
		}
		var all sync.WaitGroup
		for _, id := range slices.Concat(ids[:4], ids[:4]) {
			tab := newBrowser(t, r)
			for name, cookie := range eve.cookies {
				tab.cookies[name] = cookie
			}
			all.Go(func() {
				if p := tab.post("/notifications", "read", id); p.status != 303 {
					t.Errorf("%s: %d %s", p.from, p.status, p.body)
				}
			})
		}
		all.Wait()
		if left := strings.Count(eve.get("/notifications").body, `class="activity unread"`); left != len(ids)-4 {
			t.Errorf("%d of %d are unread", left, len(ids))
		}
		if got := r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+eve.token()).Int("counts.notifications"); got != int64(len(ids)-4) {
			t.Errorf("the API counts %d", got)
		}
	}, people)
}
