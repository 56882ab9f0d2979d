package feeds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// world contains items of all visibilities. Private texts contain the word "secret".
type world struct {
	*apptest.Rig
	channels, blocks []int64
	viewers          []string
}

func newWorld(r *apptest.Rig) *world {
	w := &world{Rig: r, viewers: []string{"", "stranger", "helper", "owner"}}
	group := r.Group("Firm", "owner", "partner")
	for _, v := range []string{"public", "closed", "private"} {
		title := map[string]string{"public": "Open", "closed": "Shut", "private": "Secret"}[v]
		own := r.Channel("owner", title+" of owner", v)
		r.Collaborate("owner", own, "helper")
		held := r.Do("partner", "POST", "/v3/channels", map[string]any{"title": title + " of firm", "visibility": v, "group_id": group}).
			Want(http.StatusCreated).Int("id")
		for _, c := range []int64{own, held} {
			by := map[int64]string{own: "owner", held: "partner"}[c]
			w.blocks = append(w.blocks, r.Block(by, fmt.Sprintf("%s text in %d", title, c), c))
			w.channels = append(w.channels, c)
		}
	}
	// Private things within open ones, and the other way round.
	r.Connect("owner", "Channel", w.channels[4], w.channels[0])
	r.Connect("owner", "Channel", w.channels[0], w.channels[4])
	r.Connect("owner", "Block", w.blocks[0], w.channels[4])
	w.blocks = append(w.blocks, r.Block("helper", "Secret loose text", w.channels[4]))
	return w
}

// shown returns the pages of the items in an API list; ok is false if the list is not found.
func (w *world) shown(as, path string) (pages []string, ok bool) {
	w.T.Helper()
	res := w.Do(as, "GET", path+"?per=100", nil)
	if res.Status != http.StatusOK {
		return nil, false
	}
	var list struct {
		Data []struct {
			ID    int64  `json:"id"`
			Type  string `json:"type"`
			Slug  string `json:"slug"`
			Owner struct {
				Slug string `json:"slug"`
			} `json:"owner"`
		} `json:"data"`
	}
	if err := json.Unmarshal(res.Body, &list); err != nil {
		w.T.Fatal(err)
	}
	for _, item := range list.Data {
		page := fmt.Sprintf("/block/%d", item.ID)
		if item.Type == "Channel" {
			page = "/" + item.Owner.Slug + "/" + item.Slug
		}
		pages = append(pages, page)
	}
	return pages, true
}

// fed returns the pages of a feed's entries; ok is false if there is no feed.
func (w *world) fed(path string) (pages []string, ok bool) {
	w.T.Helper()
	res := get(w.Rig, path)
	if res.Status == http.StatusMovedPermanently {
		res = get(w.Rig, strings.TrimPrefix(res.Header.Get("Location"), apptest.Base))
	}
	if res.Status != http.StatusOK {
		return nil, false
	}
	var doc jsonDoc
	if err := json.Unmarshal(res.Body, &doc); err != nil {
		w.T.Fatal(err)
	}
	for _, item := range doc.Items {
		pages = append(pages, strings.TrimPrefix(item.URL, apptest.Base))
	}
	return pages, true
}

// equal compares a feed with an API list, in any order.
func (w *world) equal(as, feed, list string) {
	w.T.Helper()
	got, there := w.fed(feed)
	want, shown := w.shown(as, list)
	slices.Sort(got)
	slices.Sort(want)
	if there != shown || !slices.Equal(got, want) {
		w.T.Errorf("%s: %t %v; the API shows %q of %s: %t %v", feed, there, got, as, list, shown, want)
	}
}

// hold compares all responses of this package with those of the API to the same viewers.
func (w *world) hold() {
	w.T.Helper()
	status := func(as, path string) int { return w.Do(as, "GET", path, nil).Status }
	for _, c := range w.channels {
		api := fmt.Sprintf("/v3/channels/%d", c)
		w.equal("", fmt.Sprintf("/x/%d/feed.json", c), api+"/contents")
		same(w.T, "card of "+api, get(w.Rig, fmt.Sprintf("/cards/channel/%d.png", c)).Status, status("", api))
		same(w.T, "oEmbed of "+api, ask(w.Rig, fmt.Sprintf("%s/x/%d", apptest.Base, c)).Status, status("", api))
	}
	for _, b := range w.blocks {
		api := fmt.Sprintf("/v3/blocks/%d", b)
		same(w.T, "card of "+api, get(w.Rig, fmt.Sprintf("/cards/block/%d.png", b)).Status, status("", api))
		same(w.T, "oEmbed of "+api, ask(w.Rig, fmt.Sprintf("%s/block/%d", apptest.Base, b)).Status, status("", api))
	}
	for _, who := range []string{"owner", "partner", "helper", "stranger"} {
		w.equal("", "/"+who+"/feed.json", "/v3/users/"+who+"/contents")
		same(w.T, "card of "+who, get(w.Rig, fmt.Sprintf("/cards/user/%d.png", w.Person(who).ID)).Status, status("", "/v3/users/"+who))
		same(w.T, "oEmbed of "+who, ask(w.Rig, apptest.Base+"/"+who).Status, status("", "/v3/users/"+who))
	}
	w.equal("", "/group/firm/feed.json", "/v3/groups/firm/contents")
	w.holdSecret()
	w.holdOpen()
}

// holdSecret compares the secret feeds of each viewer.
func (w *world) holdSecret() {
	w.T.Helper()
	for _, as := range w.viewers[1:] {
		at := secrets(w.Rig, as)
		for _, c := range w.channels {
			feed := strings.TrimSuffix(at.Home(present.JSONFeed), "/feed.json") + fmt.Sprintf("/x/%d.json", c)
			w.equal(as, feed, fmt.Sprintf("/v3/channels/%d/contents", c))
		}
		for _, who := range []string{"owner", "helper"} {
			w.equal(as, at.User(&domain.User{Slug: who}, present.JSONFeed), "/v3/users/"+who+"/contents")
		}
		w.equal(as, at.Group(&domain.Group{Slug: "firm"}, present.JSONFeed), "/v3/groups/firm/contents")
	}
}

// holdOpen checks that public output contains nothing that guests may not see.
func (w *world) holdOpen() {
	w.T.Helper()
	var open []string
	for _, c := range w.channels {
		if res := w.Do("", "GET", fmt.Sprintf("/v3/channels/%d", c), nil); res.Status == http.StatusOK {
			page := "/" + res.Str("owner.slug") + "/" + res.Str("slug")
			open = append(open, page)
			same(w.T, page+" is in a sitemap", slices.Contains(listed(w.Rig), page), res.Str("visibility") == "public")
		}
	}
	for _, b := range w.blocks {
		if path := fmt.Sprintf("/block/%d", b); w.Do("", "GET", "/v3/blocks/"+path[len("/block/"):], nil).Status == http.StatusOK {
			open = append(open, path)
		}
	}
	explored, _ := w.fed("/explore/feed.json")
	slices.Sort(open)
	slices.Sort(explored)
	same(w.T, "explored", explored, open)
	for _, path := range []string{"/explore/feed.atom", "/owner/feed.atom", "/helper/feed.json", "/group/firm/feed.atom", "/sitemap.xml",
		"/sitemaps/channels-1.xml", "/sitemaps/users-1.xml", "/sitemaps/groups-1.xml", "/robots.txt"} {
		hasNo(w.T, path, strings.ToLower(string(get(w.Rig, path).Body)), "secret")
	}
}

// Feeds, cards, oEmbed and sitemaps show the same as the API to the same viewer, also after items
// became private or were removed, and after users were suspended.
func TestVisibility(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		w := newWorld(r)
		w.hold()
		r.Do("owner", "PUT", fmt.Sprintf("/v3/channels/%d", w.channels[0]), map[string]any{"visibility": "private", "title": "Secret now"}).Want(http.StatusOK)
		r.Do("owner", "PUT", fmt.Sprintf("/v3/channels/%d", w.channels[4]), map[string]any{"visibility": "public", "title": "No more"}).Want(http.StatusOK)
		r.WorkJobs()
		r.Do("owner", "DELETE", fmt.Sprintf("/v3/channels/%d", w.channels[2]), nil).Want(http.StatusNoContent)
		r.Do("partner", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", w.blocks[1]), nil)
		r.WorkJobs()
		w.viewers = []string{"", "stranger", "helper", "owner"}
		w.holdAfter()
	})
}

// holdAfter is hold after titles no longer mark private items.
func (w *world) holdAfter() {
	w.T.Helper()
	for _, c := range w.channels {
		api := fmt.Sprintf("/v3/channels/%d", c)
		w.equal("", fmt.Sprintf("/x/%d/feed.json", c), api+"/contents")
		same(w.T, "card of "+api, get(w.Rig, fmt.Sprintf("/cards/channel/%d.png", c)).Status, w.Do("", "GET", api, nil).Status)
	}
	for _, b := range w.blocks {
		api := fmt.Sprintf("/v3/blocks/%d", b)
		same(w.T, "card of "+api, get(w.Rig, fmt.Sprintf("/cards/block/%d.png", b)).Status, w.Do("", "GET", api, nil).Status)
	}
	w.holdSecret()
}

// The secret URLs of suspended or deleted users do not work. Their public items stay, as in the
// API, but suspended users are in no sitemap.
func TestSuspended(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	w := newWorld(r)
	home := secrets(r, "owner").Home(present.Atom)
	get(r, home).Want(http.StatusOK)
	storetest.In(t, r.S.Store, func(tx *store.Tx) error {
		return tx.Moderation().SetSuspended(t.Context(), r.Person("owner").ID, &storetest.Now)
	})
	get(r, home).Want(http.StatusNotFound)
	w.viewers = []string{"", "stranger", "helper"}
	w.hold()
	same(t, "in a sitemap", slices.Contains(listed(r), "/owner"), false)
}

// If guests are not allowed, only secret URLs show anything.
func TestVisibilityGuestsClosed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.GuestsClosed = true })
	w := newWorld(r)
	w.holdSecret()
	paths := []string{"/explore/feed.atom", "/owner/feed.json", "/group/firm/feed.atom", "/sitemap.xml", "/sitemaps/channels-1.xml",
		fmt.Sprintf("/cards/user/%d.png", r.Person("owner").ID), "/cards/group/1.png"}
	for _, c := range w.channels {
		paths = append(paths, fmt.Sprintf("/x/%d/feed.atom", c), fmt.Sprintf("/cards/channel/%d.png", c), fmt.Sprintf("/oembed?url=%s", url.QueryEscape(fmt.Sprintf("%s/x/%d", apptest.Base, c))))
	}
	for _, b := range w.blocks {
		paths = append(paths, fmt.Sprintf("/cards/block/%d.png", b), fmt.Sprintf("/oembed?url=%s", url.QueryEscape(fmt.Sprintf("%s/block/%d", apptest.Base, b))))
	}
	for _, path := range paths {
		same(t, path, string(get(r, path).Want(http.StatusNotFound).Body), "There is nothing at this address\n")
	}
}
