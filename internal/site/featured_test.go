package site_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// An operator chooses channels for the start page by their addresses. Everybody sees those that are not private, in the
// chosen order.
func TestFeaturedChannels(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		op, guest := first(t, r), newBrowser(t, r)
		garden, shed := r.Channel("bob", "Garden", "public"), r.Channel("bob", "Shed", "closed")
		r.Channel("bob", "Cellar", "private")
		const at, heading = "/operator/site", "Chosen by this site"
		slug := func(id int64) string {
			return r.Do("bob", "GET", fmt.Sprint("/v3/channels/", id), nil).Want(200).Str("slug")
		}
		site := op.get(at).want(200)
		save := func(lines string) *page {
			t.Helper()
			return op.post(at, "do", "feature", "seen", op.get(at).find(`name="seen" value="(\d+)"`), "featured", lines)
		}
		guest.get("/").want(200).hides(heading)
		op.get("/").want(200).hides(heading)
		site.says("Channels on the start page")
		tag := guest.get("/").header.Get("ETag")
		save("/bob/" + slug(shed) + "?view=list\n\nbob/" + slug(garden) + "/\n/bob/" + slug(shed)).leads(at)
		for name, b := range map[string]*browser{"guest": guest, "operator": op} {
			p := b.get("/").want(200).says(heading)
			shelf := p.body[strings.Index(p.body, heading):]
			if a, b := strings.Index(shelf, "Shed"), strings.Index(shelf, "Garden"); a < 0 || b < a {
				t.Errorf("%s: Shed at %d, Garden at %d", name, a, b)
			}
		}
		if guest.get("/").header.Get("ETag") == tag {
			t.Error("the page of guests has the tag that it had before")
		}
		kept := op.get(at).find(`(?s)name="featured"[^>]*>([^<]*)<`)
		if lines := strings.Split(strings.TrimSpace(kept), "\n"); len(lines) != 2 || !strings.HasSuffix(lines[0], "/bob/"+slug(shed)) {
			t.Errorf("the form has %q", kept)
		}
		save(kept).leads(at)
		for _, bad := range []string{"/bob/cellar", "/bob/nothing", "https://elsewhere.example/bob/" + slug(garden), "/bob/" + slug(garden) + "\n/", "javascript://x"} {
			save(bad).want(422).says(`id="featured-error"`, "is not that of a channel that everybody may see")
		}
		save(strings.Repeat("/bob/garden\n", 13)).want(422).says("Must have at most 12 items")
		op.post(at, "do", "feature", "seen", "1", "featured", "").want(422).says("Somebody else has changed this meanwhile")
		guest.get("/").says(heading, "Shed", "Garden")

		r.Do("bob", "PUT", fmt.Sprint("/v3/channels/", shed), `{"visibility":"private"}`).Want(200)
		guest.get("/").says(heading, "Garden").hides("Shed")
		r.Do("bob", "DELETE", fmt.Sprint("/v3/channels/", garden), nil).Want(204)
		guest.get("/").hides(heading)
		op.get("/").hides(heading)
		save("").leads(at)
		op.get("/operator/audit").want(200).says("Site changed")
		if p := guest.post(at, "do", "feature", "featured", "/bob/garden"); p.status == http.StatusOK {
			t.Errorf("a guest: %d", p.status)
		}
	}, people)
}

// The start page of a user begins with the newest items from their feed. It is not sent again until something changes.
func TestHomeBeginsWithNews(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	eve := member(t, r, "eve")
	garden := r.Channel("ada", "Garden", "public")
	eve.get("/").want(200).hides("New from what you follow")
	r.Do("ada", "PUT", "/v3/channels/"+fmt.Sprint(garden), `{"description":"Plants"}`).Want(200)
	eve.post("/follow", "type", "user", "id", fmt.Sprint(r.Person("ada").ID), "do", "follow")
	leaf := r.Block("ada", "Leaf", garden)
	p := eve.get("/").want(200).says("New from what you follow", "Leaf")
	if a, b := strings.Index(p.body, `id="news"`), strings.Index(p.body, `id="feed"`); a < 0 || b < a {
		t.Errorf("news at %d, the feed at %d", a, b)
	}
	again := func() int {
		eve.header.Set("If-None-Match", p.header.Get("ETag"))
		defer eve.header.Del("If-None-Match")
		return eve.get("/").status
	}
	if p.header.Get("ETag") == "" || again() != http.StatusNotModified {
		t.Errorf("%q: %d", p.header.Get("ETag"), again())
	}
	r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", leaf), `{"title":"Moss"}`).Want(200)
	if got := again(); got != http.StatusOK {
		t.Errorf("after a change of a block: %d", got)
	}
	p = eve.get("/").want(200).says("Moss")
	eve.post(fmt.Sprintf("/channel/%d/pin", garden), "do", "pin").leads("/")
	if got := again(); got != http.StatusOK {
		t.Errorf("after pinning: %d", got)
	}
}
