package site_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/searches"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// checkSearches finds the new results of saved searches among all documents.
func checkSearches(t *testing.T, r *apptest.Rig) {
	t.Helper()
	r.Exec("UPDATE search_watermark SET next_at = 0")
	for range 2 {
		if err := r.S.App.Searches.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Clock.Advance(11 * time.Minute)
	}
}

// A search is saved with the filters of its page. Its button then becomes a menu.
func TestSavingASearch(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, guest := member(t, r, "eve"), newBrowser(t, r)
		channel := r.Channel("ada", "Ceramics", "public")
		r.Block("ada", "ceramics old", channel)
		eve.get("/search").want(200).hides("Save this search", "Saved searches</summary>")
		guest.get("/search?q=ceramics").want(200).hides("Save this search")
		eve.get("/search?q=ceramics&scope=mine").want(200).hides("Save this search")
		eve.get("/search?q=" + strings.Repeat("a", domain.MaxSavedQuery+1)).want(200).hides("Save this search")
		page := "/search?q=ceramics&type=blocks&kind=text&user=ada&scope=following"
		got := eve.get(page).want(200).says("Save this search")
		query := got.find(`name="q" value="([^"]*)"><input type="hidden" name="following"`)
		if query != "ceramics type:text by:ada" {
			t.Errorf("it would save %q", query)
		}
		tag := got.header.Get("ETag")
		eve.post("/search/saved", "do", "save", "q", query, "following", "1", "next", page).leads(page).follow().
			says("The search is saved.", "Change or rename").hides("Save this search")
		if p := eve.get(page); p.header.Get("ETag") == tag {
			t.Error("the saved search has the tag of the page before")
		}
		eve.get("/search?q=ceramics").want(200).says("Save this search")
		eve.post("/search/saved", "do", "save", "q", query, "following", "1").leads("/search/saved").follow().says("ceramics type:text by:ada", "Only what you follow", "Notifications")
		eve.post("/search/saved", "do", "save", "q", `"><script>alert(1)</script>`).leads("/search/saved").follow().says(`><script>alert(1)</script>`)
		own := eve.get("/search/saved").find(`href="(/search/saved/\d+)"[^>]*>Change<span class="unseen">: <bdi>ceramics`)
		eve.get(own).want(200).says("ceramics type:text by:ada", "Notify me")
		eve.post(own, "do", "change", "name", " ", "mail", "yes").want(422).says(`id="name-error"`)
		eve.post(own, "do", "change", "name", "Pots <b>", "mail", "yes").leads("/search/saved").follow().says("Pots <b>")
		if p := eve.get(own).hides("Send me a mail"); strings.Contains(p.body, `name="notify" value="yes" checked`) {
			t.Error("the form does not show that notifications are off")
		}
		other := newBrowser(t, r)
		other.cookies = member(t, r, "mia").cookies
		other.get(own).want(404)
		other.post(own, "do", "delete").want(404)
		other.post(own, "do", "change", "name", "x").want(404)
		eve.post(own, "do", "burn").want(400)
		eve.post("/search/saved", "do", "save", "q", " ").want(400)
		eve.post("/search/saved", "do", "burn").want(400)
		eve.post(own, "do", "delete", "next", page).leads(page).follow().says("Save this search")
		eve.get(own).want(404)
	}, people)
}

// New results are in the feed and the notifications between the activities, as far as the reader sees them now.
func TestNewResultsInFeedAndNotifications(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		channel := r.Channel("ada", "Shelf", "public")
		eve.post("/follow", "type", "user", "id", fmt.Sprint(r.Person("ada").ID), "do", "follow").want(303)
		eve.post("/search/saved", "do", "save", "q", "ceramics").want(303)
		eve.get("/notifications").want(200).hides("ceramics")
		r.Block("ada", "ceramics one", channel)
		r.Block("ada", "ceramics two", channel)
		checkSearches(t, r)
		r.Block("ada", "something newer", channel)
		feed := eve.get("/feed").want(200).says("2 new results for", "ceramics one", "ceramics two", "something newer")
		if strings.Index(feed.body, "something newer") > strings.Index(feed.body, "new results") {
			t.Error("the feed is not in the order of time")
		}
		notices := eve.get("/notifications").want(200).says("2 new results for", "one unread")
		id := notices.find(`name="read" value="(s\d+)"`)
		eve.get("/notifications?filter=unread").want(200).says("2 new results for")
		other := member(t, r, "mia")
		other.get("/notifications/" + id).want(404)
		other.post("/notifications", "read", id).want(404)
		other.get("/feed").want(200).hides("ceramics")
		eve.get("/notifications/s").want(404)
		eve.get("/notifications/s9").want(404)
		eve.get("/notifications/" + id).leads("/search?q=ceramics&sort=newest").follow().says("ceramics one")
		eve.get("/notifications").want(200).says("2 new results for").hides("one unread")
		eve.get("/notifications?filter=unread").want(200).hides("new results for")
		r.Block("ada", "ceramics three", channel)
		checkSearches(t, r)
		eve.get("/notifications").want(200).says("1 new result for", "one unread")
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"visibility": "private"}).Want(200)
		eve.get("/notifications").want(200).hides("ceramics", "one unread")
		eve.get("/feed").want(200).hides("ceramics")
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"visibility": "public"}).Want(200)
		eve.post("/notifications", "do", "all").leads("/notifications").follow().says("1 new result for").hides("one unread")
		eve.get("/feed?found=1.x").want(400)
		eve.get("/feed?found=x").want(400)
	}, people)
}

// Pages of the feed continue with older new results, also after the last activity, and show each once.
func TestPagesOfNewResults(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		channel := r.Channel("ada", "Shelf", "public")
		eve.post("/follow", "type", "channel", "id", fmt.Sprint(channel), "do", "follow").want(303)
		for i := range 60 {
			eve.post("/search/saved", "do", "save", "q", fmt.Sprint("ceramics -absent", i)).want(303)
		}
		r.Block("ada", "ceramics", channel)
		checkSearches(t, r)
		seen, pages := map[string]int{}, 0
		for path := "/feed"; path != "" && pages < 10; pages++ {
			p := eve.get(path).want(200)
			for i := range 60 {
				if strings.Contains(p.body, fmt.Sprintf(">ceramics -absent%d<", i)) {
					seen[fmt.Sprint(i)]++
				}
			}
			path = ""
			if strings.Contains(p.body, `rel="next"`) {
				path = strings.ReplaceAll(p.find(`<a rel="next" href="([^"]+)"`), "&amp;", "&")
			}
		}
		for i := range 60 {
			if n := seen[fmt.Sprint(i)]; n != 1 {
				t.Errorf("the results of search %d are on %d pages", i, n)
			}
		}
		if pages < 3 {
			t.Errorf("%d pages", pages)
		}
	}, people)
}

// The link in a mail stops mails without signing in: by a page for people, and by one request of a mail program.
func TestUnsubscribing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, guest := member(t, r, "eve"), newBrowser(t, r)
		channel := r.Channel("ada", "Shelf", "public")
		eve.post("/search/saved", "do", "save", "q", "ceramics").want(303)
		u, err := r.S.App.People.User(t.Context(), refOf("eve"))
		if err != nil {
			t.Fatal(err)
		}
		actor := domain.Actor{UserID: u.ID, Scope: domain.ScopeWrite}
		s, err := r.S.App.Searches.SavedAs(t.Context(), actor, "ceramics", false)
		if err != nil {
			t.Fatal(err)
		}
		mailed := func(text string) apptest.Mail {
			t.Helper()
			if _, err := r.S.App.Searches.ChangeSearch(t.Context(), actor, s.ID, searches.ChangeInput{Mail: new(true)}); err != nil {
				t.Fatal(err)
			}
			r.Block("ada", text, channel)
			checkSearches(t, r)
			r.Clock.Advance(24 * time.Hour)
			if err := r.S.App.Searches.QueueSearchMails(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			for _, m := range r.Outbox() {
				if strings.Contains(m.Text, text) {
					return m
				}
			}
			t.Fatalf("no mail says %q", text)
			return apptest.Mail{}
		}
		m := mailed("ceramics one")
		_, path, _ := strings.Cut(m.Text, apptest.Base+"/unsubscribe/")
		path, _, _ = strings.Cut("/unsubscribe/"+path, "\n")
		guest.get(path + "x").want(404)
		guest.get(path).want(200).says("Stop these mails")
		eve.get("/search/saved").says("Mail</span>")
		guest.post(path, "List-Unsubscribe", "One-Click").want(200).says("You get no more mails about saved searches.")
		eve.get("/search/saved").hides("Mail</span>")
		if m = mailed("ceramics two"); strings.Contains(m.Text, "ceramics one") {
			t.Errorf("a mail repeats results: %s", m.Text)
		}
	}, people)
}

// The feed of a search has public results for everyone, and what its owner sees at the secret address.
func TestFeedsOfSearches(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, guest := member(t, r, "eve"), newBrowser(t, r)
		open, closed := r.Channel("mia", "Shelf", "public"), r.Channel("mia", "Drawer", "private")
		r.Block("mia", "ceramics shown", open)
		r.Block("mia", "ceramics hidden", closed)
		public := strings.ReplaceAll(guest.get("/search?q=ceramics&type=blocks").want(200).find(`type="application/atom\+xml" title="[^"]*" href="`+apptest.Base+`([^"]+)"`), "&amp;", "&")
		if q, _ := url.Parse(public); q.Path != "/search/feed.atom" || q.Query().Get("q") != "ceramics type:block" {
			t.Errorf("the page links to %s", public)
		}
		for _, b := range []*browser{guest, eve} {
			b.get(public).want(200).says("ceramics shown").hides("ceramics hidden")
		}
		guest.get("/search/feed.json?q=ceramics").want(200).says("ceramics shown").hides("ceramics hidden")
		guest.get("/search/feed.atom").want(404)
		guest.get("/search/feed.atom?q=%20").want(404)
		guest.get("/search/feed.atom?q=" + strings.Repeat("a+", 401)).want(400)
		guest.get("/search/feed.atom?q=%ff").want(400)
		guest.get("/search/feed.atom?q=%3C%2Ftitle%3E%00").want(400)
		guest.get("/search?q=ceramics&scope=following").want(200)
		eve.post("/search/saved", "do", "save", "q", "ceramics").want(303)
		own := eve.get("/search/saved").find(`href="(/search/saved/\d+)"`)
		secret := eve.get(own).find(`id="atom">` + apptest.Base + `([^<]+)<`)
		guest.get(secret).want(200).says("ceramics shown")
		guest.get(strings.Replace(secret, "/search/", "/search/9", 1)).want(404)
		guest.get(strings.Replace(secret, "-", "-x", 1)).want(404)
		r.Exec("UPDATE saved_searches SET user_id = (SELECT id FROM users WHERE slug = 'mia')")
		guest.get(secret).want(404)
		r.Exec("UPDATE saved_searches SET user_id = (SELECT id FROM users WHERE slug = 'eve')")
		eve.post(own, "do", "delete").want(303)
		guest.get(secret).want(404)
	}, people)
}
