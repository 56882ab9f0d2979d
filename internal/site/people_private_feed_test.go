package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Readers of a private channel, and members of a group, find the address of their secret feed on
// its page. Others find the public feed. The page's head contains no secret.
func TestPrivateFeedsOnPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		ada, eve, guest := signedIn(t, r, "ada"), member(t, r, "eve"), newBrowser(t, r)
		shed := r.Channel("ada", "Shed", "private")
		r.Block("ada", "Rust", shed)
		r.Channel("ada", "Garden", "public")
		path := "/ada/" + r.Get("ada", "/v3/channels/%d", shed).Str("slug")
		p := ada.get(path).want(200).says("Private feed")
		address := p.find(`href="` + apptest.Base + `(/feeds/[^"]+` + path + `\.atom)"`)
		if head, _, _ := strings.Cut(p.body, "<body"); strings.Contains(head, "/feeds/") {
			t.Error("the head of the page has a secret")
		}
		guest.get(path).want(404)
		eve.get(path).want(404)
		for _, b := range []*browser{ada, eve, guest} {
			b.get("/ada/garden").want(200).says(`href="/ada/garden/feed.atom"`).hides("/feeds/", "Private feed")
		}
		feed := func(path string, status int) string {
			t.Helper()
			return string(r.Do("", "GET", path, nil).Want(status).Body)
		}
		if !strings.Contains(feed(address, 200), "Rust") {
			t.Error("the feed of the private channel has not what is in it")
		}
		tag := p.header.Get("ETag")
		ada.post("/settings/feeds", "do", "renew").want(303)
		p = ada.get(path).want(200).hides(address)
		if p.header.Get("ETag") == tag {
			t.Error("with another address the page has the same tag")
		}
		feed(address, 404)

		r.Do("ada", "POST", "/v3/groups", map[string]any{"name": "Weavers"}).Want(201)
		slug := "weavers"
		address = ada.get("/group/" + slug).want(200).find(`href="` + apptest.Base + `(/feeds/[^"]+/group/` + slug + `\.atom)"`)
		if !strings.Contains(feed(address, 200), "Weavers") {
			t.Error("no feed of the group")
		}
		for _, b := range []*browser{eve, guest} {
			b.get("/group/"+slug).want(200).hides("/feeds/", "Private feed")
		}
		ada.get("/settings/feeds").want(200).says("Weavers", fmt.Sprintf("%s</code>", address))
	}, people)
}
