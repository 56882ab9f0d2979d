package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/site"
	"vitrine/internal/store"
)

// viewers are the readers. The owner has the channels, crew belongs to a group that collaborates on
// the private one, partner belongs to the group that owns another, and the stranger follows
// everyone.
var viewers = []string{"", "stranger", "collaborator", "crew", "partner", "owner"}

// thing is an item with a unique word in its texts.
type thing struct {
	word string
	api  string // where the API answers 200 to those who may see it
	page string // path of its page
}

// fixture is a server with items of different visibility.
type fixture struct {
	*apptest.Rig
	t        *testing.T
	things   []thing
	browsers map[string]*browser
	ids      map[string]int64 // by word
	paths    []string         // more addresses
}

// Everything that a page, a feed, a card or a search shows to a viewer is visible to them in the
// API too. If the API denies an item, its page is the same as that of an item that never existed.
func TestPagesShowWhatTheAPIShows(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		w := newFixture(t, r)
		visited := map[string]bool{}
		for _, as := range viewers {
			allowed := map[string]bool{}
			for _, th := range w.things {
				allowed[th.word] = r.Do(as, "GET", th.api, nil).Status == http.StatusOK
			}
			unknown := w.open(as, "/nobody/nothing").want(http.StatusNotFound)
			for _, path := range w.addresses() {
				visited[path] = true
				p := w.open(as, path)
				if p.status >= http.StatusInternalServerError {
					t.Errorf("%q: %s: %d", as, p.from, p.status)
				}
				read := strings.ToLower(html.UnescapeString(p.body))
				for _, th := range w.things {
					if strings.Contains(read, th.word) && !allowed[th.word] {
						t.Errorf("%q: %s (%d) says %s, which the API denies", as, p.from, p.status, th.word)
					}
					if th.page != path {
						continue
					}
					switch {
					case allowed[th.word] && (p.status != http.StatusOK || !strings.Contains(read, th.word)):
						t.Errorf("%q: %s: %d without %s, which the API gives", as, p.from, p.status, th.word)
					case !allowed[th.word] && (p.status != http.StatusNotFound || bare(p.body) != bare(unknown.body)):
						t.Errorf("%q: %s: %d differs from what never was: %s", as, p.from, p.status, p.body)
					}
				}
			}
			w.completeContents(as)
		}
		w.everyRoute(visited)
	}, people)
}

// bare returns a page without its frame, whose counts change in the meantime.
func bare(body string) (said string) {
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		return body
	}
	each(doc, func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "main" {
			said = strings.Join(strings.Fields(text(n)), " ")
		}
	})
	return said
}

func newFixture(t *testing.T, r *apptest.Rig) *fixture {
	w := &fixture{Rig: r, t: t, browsers: map[string]*browser{}, ids: map[string]int64{}}
	for _, as := range append([]string{"captain", "founder", "hermit"}, viewers...) {
		w.browsers[as] = newBrowser(t, r)
		if as != "" {
			w.signIn(as)
		}
	}
	crew, firm := r.Group("Crew", "captain", "crew"), r.Group("Firm", "founder", "partner")
	channel := func(word, as, visibility string, more map[string]any) int64 {
		body := map[string]any{"title": "Kiln " + word, "description": "About " + word, "visibility": visibility}
		for name, value := range more {
			body[name] = value
		}
		made := r.Do(as, "POST", "/v3/channels", body).Want(201)
		owner := as
		if more != nil {
			owner = "firm"
		}
		w.add(word, "channels", made.Int("id"), "/"+owner+"/"+made.Str("slug"))
		return made.Int("id")
	}
	entry := func(value, word, as string, channels ...int64) int64 {
		body := map[string]any{"value": value, "title": "Kiln " + word, "channel_ids": channels}
		made := r.Do(as, "POST", "/v3/blocks", body).Want(201).Int("id")
		w.add(word, "blocks", made, fmt.Sprint("/block/", made))
		r.Do(as, "POST", fmt.Sprintf("/v3/blocks/%d/comments", made), map[string]any{"body": "Remark on " + word + " @owner"}).Want(201)
		return made
	}
	block := func(word, as string, channels ...int64) int64 {
		return entry("Kiln text of "+word, word, as, channels...)
	}
	link := func(word, as string, channels ...int64) int64 {
		return entry("https://kiln.example/"+word, word, as, channels...)
	}
	open, closed, private := channel("zqopen", "owner", "public", nil), channel("zqclosed", "owner", "closed", nil), channel("zqprivate", "owner", "private", nil)
	firms := channel("zqfirms", "founder", "private", map[string]any{"owner": map[string]any{"type": "Group", "id": firm}})
	hermits := channel("zqhermits", "hermit", "private", nil)
	r.Collaborate("owner", private, "collaborator")
	r.Do("owner", "POST", fmt.Sprintf("/ext/v1/channels/%d/collaborators", private), map[string]any{"group_id": crew}).Want(201)
	block("zqinopen", "owner", open)
	block("zqinclosed", "owner", closed)
	both := block("zqinboth", "owner", open)
	block("zqinprivate", "owner", private)
	block("zqinfirms", "founder", firms)
	block("zqinhermits", "hermit", hermits)
	block("zqloose", "owner", open)
	r.Do("owner", "DELETE", fmt.Sprint("/v3/connections/", r.Get("owner", "/v3/channels/%d/contents", open).Int("data.0.connection.id")), nil).Want(204)
	r.Connect("owner", "Channel", private, open)
	r.Connect("owner", "Channel", closed, open)
	r.Connect("owner", "Channel", open, private)
	r.Connect("collaborator", "Block", both, private)
	r.Web("kiln.example/", apptest.Serve("text/html", nil))
	w.copies(link("zqlink", "owner", open), "zqkept", "zqshared")
	w.copies(link("zqpage", "owner", private), "zqhidden", "zqcrews")
	for _, as := range viewers[1:] {
		for _, who := range []string{"owner", "founder", "hermit", "collaborator"} {
			r.Do(as, "PUT", fmt.Sprintf("/ext/v1/users/%s/follow", who), nil)
		}
	}
	r.WorkJobs()
	return w
}

func (w *fixture) add(word, kind string, id int64, page string) {
	w.ids[word] = id
	w.things = append(w.things, thing{word: word, api: fmt.Sprintf("/v3/%s/%d", kind, id), page: page})
}

// copies adds two saved copies of an owner's block: one that only the owner sees, and a later one that is shared.
func (w *fixture) copies(block int64, private, shared string) {
	w.t.Helper()
	path, compared := fmt.Sprintf("/block/%d/copies", block), ""
	w.paths = append(w.paths, path)
	for i, word := range []string{private, shared} {
		page := "<!DOCTYPE html><title>Kiln</title><p>Kiln copy of " + word + "</p>"
		s, err := w.S.App.Content.AddSnapshot(w.t.Context(), domain.Actor{UserID: w.Person("owner").ID, Scope: domain.ScopeWrite}, domain.BlockID(block),
			content.SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromBrowser, Shared: i == 1, Length: int64(len(page)), Body: strings.NewReader(page)})
		if err != nil {
			w.t.Fatal(err)
		}
		w.things = append(w.things, thing{word: word, api: fmt.Sprint("/ext/v1/snapshots/", s.ID), page: fmt.Sprint(path, "/", s.ID)})
		if compared != "" {
			w.paths = append(w.paths, fmt.Sprintf("%s/%d/compare/%s", path, s.ID, compared))
		}
		compared = fmt.Sprint(s.ID)
	}
}

// signIn sets the session of a member of the cast, who has no password, in a browser.
func (w *fixture) signIn(as string) {
	w.t.Helper()
	secret, hash, _ := auth.NewToken(auth.Session)
	id, now := w.Person(as).ID, time.Now()
	if err := w.S.Store.InTx(w.t.Context(), func(tx *store.Tx) error {
		_, err := tx.Account().CreateSession(w.t.Context(), domain.Session{UserID: id, CreatedAt: now, ExpiresAt: now.AddDate(10, 0, 0)}, hash)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	w.browsers[as].cookies["session"] = &http.Cookie{Name: "__Host-vitrine", Value: secret}
}

func (w *fixture) open(as, path string) *page { return w.browsers[as].get(path) }

// addresses returns all pages that might show the items.
func (w *fixture) addresses() []string {
	all := []string{"/", "/explore", "/explore?view=channels", "/explore?view=blocks", "/explore?view=people", "/explore?view=groups",
		"/search", "/search?q=kiln", "/search?q=kiln&scope=my", "/search?q=kiln&scope=following", "/search?q=remark",
		"/search/suggest?q=kiln", "/search/tags?q=k", "/search/duplicates", "/search/duplicates/merge?keep=1&ids=1,2,3", "/search/saved", "/search/saved/1", "/unsubscribe/x", "/search/feed.atom?q=kiln", "/search/feed.json?q=kiln",
		"/explore/feed.atom", "/explore/feed.json", "/sitemap.xml", "/sitemaps/1.xml", "/robots.txt",
		"/feed", "/notifications", "/groups", "/groups/new", "/new", "/save?url=https://kiln.example/", "/save/share", "/connections/choices", "/connections/choices?q=kiln", "/comments/mentions?q=o",
		"/settings/profile", "/settings/profile/history", "/settings/feeds", "/settings/highlights", "/settings/highlights/1", "/settings/storage", "/settings/subscriptions", "/settings/subscriptions/opml", "/about/imprint"}
	for id := range 40 {
		all = append(all, fmt.Sprint("/connection/", id), fmt.Sprint("/notifications/", id), fmt.Sprint("/comments/", id))
	}
	for _, who := range []string{"owner", "founder", "hermit", "collaborator", "stranger", "crew"} {
		all = append(all, "/"+who, "/"+who+"/feed.atom", "/"+who+"/feed.json", fmt.Sprintf("/cards/user/%d.png", w.Person(who).ID))
		for _, view := range []string{"channels", "blocks", "groups", "followers", "following"} {
			all = append(all, "/"+who+"?view="+view)
		}
	}
	for _, group := range []string{"crew", "firm"} {
		all = append(all, "/group/"+group, "/group/"+group+"?view=channels", "/group/"+group+"?view=members", "/group/"+group+"/members",
			"/group/"+group+"/edit", "/group/"+group+"/history", "/group/"+group+"/delete", "/group/"+group+"/feed.atom", "/group/"+group+"/feed.json")
	}
	all = append(all, w.paths...)
	for _, th := range w.things {
		if strings.Contains(th.page, "/copies/") {
			all = append(all, th.page)
			continue
		}
		all = append(all, th.page, "/oembed?format=json&url="+url.QueryEscape(apptest.Base+th.page), "/oembed?format=xml&url="+url.QueryEscape(apptest.Base+th.page))
		id := w.ids[th.word]
		if strings.HasPrefix(th.page, "/block/") {
			all = append(all, th.page+"/edit", th.page+"/similar", th.page+"/connect", th.page+"/delete", th.page+"/connect?q=kiln", th.page+"?play=1", th.page+"/comments", th.page+"/pages", th.page+"/read", th.page+"/article.epub", th.page+"/comments/1", th.page+"/history",
				fmt.Sprintf("/cards/block/%d.png", id), fmt.Sprintf("/comments/mentions?q=o&block=%d", id))
			for _, in := range w.things {
				if !strings.HasPrefix(in.page, "/block/") {
					all = append(all, fmt.Sprintf("%s?in=%d", th.page, w.ids[in.word]))
				}
			}
			continue
		}
		for _, below := range []string{"?view=list", "?sort=newest", "?sort=updated", "?type=text", "?q=kiln", "?page=2", "/embed", "/print", "/slideshow", "/related", "/add", "/edit",
			"/arrange", "/sort", "/collaborators", "/subscriptions", "/subscriptions/opml", "/feed.atom", "/feed.json", "/export", "/export/zip", "/export/markdown", "/export/csv", "/export/epub", "/export/opds", "/articles.epub", "/articles.epub?connection=1", "/copies.wacz", "/history"} {
			all = append(all, th.page+below)
		}
		all = append(all, fmt.Sprintf("/channel/%d/connect", id), fmt.Sprintf("/channel/%d/connect?q=kiln", id), fmt.Sprintf("/channel/%d/delete", id), fmt.Sprintf("/channel/%d/copy", id), fmt.Sprintf("/cards/channel/%d.png", id))
	}
	return all
}

// completeContents compares each channel's page with the API's list of its contents.
func (w *fixture) completeContents(as string) {
	for _, th := range w.things {
		if strings.HasPrefix(th.page, "/block/") {
			continue
		}
		list := w.Do(as, "GET", th.api+"/contents?per=100", nil)
		if list.Status != http.StatusOK {
			continue
		}
		read := html.UnescapeString(w.open(as, th.page).want(http.StatusOK).body)
		for i := range list.Len("data") {
			if title := list.Str(fmt.Sprintf("data.%d.title", i)); !strings.Contains(read, title) {
				w.t.Errorf("%q: the page %s lacks %q, which the API lists", as, th.page, title)
			}
		}
	}
}

// everyRoute fails for pages of collections that the test did not visit.
func (w *fixture) everyRoute(visited map[string]bool) {
	for _, set := range site.PageSets() {
		if !slices.Contains([]string{"look", "collect", "people"}, set.Name) {
			continue
		}
		for _, route := range set.Routes {
			found := route.Get == nil || route.Path == "/feed/changes" // TestChangesOfSite
			for path := range visited {
				bare, _, _ := strings.Cut(path, "?")
				found = found || route.Matches(bare)
			}
			if !found {
				w.t.Errorf("no address of the test is at %s", route.Path)
			}
		}
	}
}
