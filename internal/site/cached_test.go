package site_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// onceField matches the value of a form that differs each time.
var onceField = regexp.MustCompile(`name="once" value="[^"]*"`)

// seenPage is a page as a browser may store it.
type seenPage struct{ tag, body string }

// listed are pages with lists of items.
var listed = []string{"/", "/explore", "/explore?view=blocks", "/explore?view=people", "/explore?view=groups", "/ada", "/ada?view=blocks", "/ada?view=groups",
	"/ada?view=followers", "/ada/moss", "/ada/moss?view=list", "/ada/moss/slideshow", "/ada/moss/print", "/ada/moss/embed", "/ada/moss/related",
	"/block/{block}", "/block/{block}?in={moss}", "/group/guild", "/group/guild?view=members", "/feed"}

// A page with an ETag changes its ETag whenever anything changes that it shows, for each reader, so
// that no browser shows an outdated page. Guests' pages may be stored by proxies, others only by the
// reader's browser.
func TestCachedPagesAreNeverOutdated(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	d := newDesk(t, r)
	inner := d.inside("moss", "Inner")
	paths := append(slices.Clone(listed), "/ada/moss/export", "/about/about")
	readers := []string{"", "ada", "eve"}
	tagged := map[string]bool{}
	look := func() map[string]seenPage {
		t.Helper()
		seen := map[string]seenPage{}
		for _, by := range readers {
			for _, path := range paths {
				p := d.browsers[by].get(d.at(path))
				tag := p.header.Get("ETag")
				if tag == "" {
					continue
				}
				tagged[path] = true
				want := "private, no-cache"
				if by == "" || strings.HasSuffix(path, "/embed") { // which is the same for all
					want = "public, no-cache"
				}
				varies := strings.Join(p.header.Values("Vary"), ", ")
				if got := p.header.Get("Cache-Control"); got != want || !strings.Contains(varies, "Cookie") || !strings.Contains(varies, "Accept-Language") {
					t.Errorf("%s by %q: %q, varies by %q", path, by, got, varies)
				}
				seen[by+" "+path] = seenPage{tag, onceField.ReplaceAllString(p.body, "")}
			}
		}
		return seen
	}
	before := look()
	for _, change := range d.changes(inner) {
		change.do()
		r.WorkJobs()
		r.Clock.Advance(time.Second)
		after := look()
		for at, now := range after {
			if was, ok := before[at]; ok && was.tag == now.tag && was.body != now.body {
				t.Errorf("after %s, the page %s has the same ETag, but shows\n%s\ninstead of\n%s", change.name, at, differing(now.body, was.body), differing(was.body, now.body))
			}
		}
		before = after
	}
	if len(tagged) < len(paths)-3 {
		t.Errorf("only %d of %d pages have an ETag", len(tagged), len(paths))
	}
	for _, by := range readers {
		b := d.browsers[by]
		p := b.get("/ada").want(http.StatusOK)
		b.header.Set("If-None-Match", `"other", `+p.header.Get("ETag"))
		if again := b.get("/ada").want(http.StatusNotModified); again.body != "" || again.header.Get("ETag") != p.header.Get("ETag") || again.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%q gets %v %q", by, again.header, again.body)
		}
		b.header.Del("If-None-Match")
	}
}

// differing returns the part of a that differs from b.
func differing(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return a[max(0, i-80):min(len(a), i+160)]
}

// inside creates a channel of ada's in another.
func (d *desk) inside(channel, title string) int64 {
	d.t.Helper()
	inner := d.Channel("ada", title, "public")
	d.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_id": inner, "connectable_type": "Channel", "channel_ids": []string{d.ids[channel]}})
	return inner
}

// change is a change of something that pages show.
type change struct {
	name string
	do   func()
}

// changes returns changes of each kind, to make in this order. inner is a channel inside of moss.
func (d *desk) changes(inner int64) []change {
	api := func(as, method, path string, body any) func() {
		return func() {
			d.t.Helper()
			if res := d.Do(as, method, d.at(path), body); res.Status >= http.StatusBadRequest {
				d.t.Fatalf("%s %s: %d %s", method, path, res.Status, res.Body)
			}
		}
	}
	form := func(by, path string, pairs ...string) func() {
		return func() {
			d.t.Helper()
			d.browsers[by].post(d.at(path), d.sent(pairs)...).want(http.StatusSeeOther)
			d.browsers[by].get("/settings/storage") // consumes the note
		}
	}
	hide := func(what domain.SubjectType, item string) func() {
		return func() {
			d.t.Helper()
			var id int64
			if _, err := fmt.Sscan(d.ids[item], &id); err != nil {
				d.t.Fatal(err)
			}
			if _, err := d.S.App.Moderation.Hide(d.t.Context(), operating.CommandLine(), moderation.HideInput{About: domain.Subject{Type: what, ID: id}}); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	return []change{
		{"a new block", api("bob", "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": []string{d.ids["moss"]}})},
		{"another title of a block", api("ada", "PUT", "/v3/blocks/{block}", map[string]any{"title": "Titled"})},
		{"another text of a block", api("ada", "PUT", "/v3/blocks/{block}", map[string]any{"content": "Another *text*"})},
		{"metadata of a block", api("ada", "PUT", "/v3/blocks/{block}", map[string]any{"metadata": map[string]any{"k": "v"}})},
		{"a comment", api("bob", "POST", "/v3/blocks/{block}/comments", map[string]any{"body": "Bob's remark"})},
		{"another text of a comment", form("ada", "/comments/{comment}", "do", "save", "body", "Another remark")},
		{"a deleted comment", form("ada", "/comments/{comment}", "do", "delete")},
		{"a connection elsewhere", api("bob", "POST", "/v3/connections", map[string]any{"connectable_id": 1, "connectable_type": "Block", "channel_ids": []int64{d.Channel("bob", "Bob's", "public")}})},
		{"a channel in which the channel is", api("ada", "POST", "/v3/connections", map[string]any{"connectable_id": 1, "connectable_type": "Channel", "channel_ids": []int64{inner}})},
		{"a move", api("ada", "POST", "/v3/connections/{connection}/move", map[string]any{"movement": "move_to_top"})},
		{"metadata of a connection", api("ada", "PUT", "/v3/connections/{connection}", map[string]any{"metadata": map[string]any{"k": "v"}})},
		{"another description of a channel", api("ada", "PUT", "/v3/channels/{moss}", map[string]any{"description": "About moss"})},
		{"metadata of a channel", api("ada", "PUT", "/v3/channels/{moss}", map[string]any{"metadata": map[string]any{"k": "v"}})},
		{"another title of a channel inside", api("ada", "PUT", fmt.Sprintf("/v3/channels/%d", inner), map[string]any{"title": "Renamed"})},
		{"a follower of a user", api("eve", "PUT", "/ext/v1/users/ada/follow", nil)},
		{"a follower of a channel", api("eve", "PUT", "/ext/v1/channels/{moss}/follow", nil)},
		{"a follower of a group", api("eve", "PUT", "/ext/v1/groups/guild/follow", nil)},
		{"the end of following", api("eve", "DELETE", "/ext/v1/users/ada/follow", nil)},
		{"a pin", form("ada", "/channel/{moss}/pin", "do", "pin")},
		{"another name of a user", api("ada", "PATCH", "/ext/v1/me", map[string]any{"name": "Ada Lovelace"})},
		{"a text about a user", api("ada", "PATCH", "/ext/v1/me", map[string]any{"bio": "I weave"})},
		{"a collaborator", api("ada", "POST", "/ext/v1/channels/{moss}/collaborators", map[string]any{"user_id": d.Person("eve").ID})},
		{"the end of a collaboration", api("ada", "DELETE", "/ext/v1/channels/{moss}/collaborators/User/{bob}", nil)},
		{"another description of a group", form("ada", "/group/guild/edit", "name", "Guild", "description", "We make")},
		{"a member less", form("ada", "/group/guild/members", "remove", "{bob}")},
		{"another name of the site", form("olga", "/operator/site", "do", "save", "name", "Museum", "about", "Look")},
		{"an announcement", form("olga", "/operator/site", "do", "announce", "announcement", "Closed on Monday")},
		{"another title of a page", form("olga", "/operator/pages/about", "do", "save", "title", "About us", "body", "Who")},
		{"another text of a page", form("olga", "/operator/pages/about", "do", "save", "title", "About us", "body", "Who we are")},
		{"a hidden block", hide(domain.SubjectBlock, "bobs")},
		{"closing a channel", api("ada", "PUT", "/v3/channels/{moss}", map[string]any{"visibility": "closed"})},
		{"a removal", api("ada", "DELETE", "/v3/connections/{connection}", nil)},
		{"a deleted channel inside", api("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", inner), nil)},
		{"a suspended user", func() {
			if _, err := d.S.App.Operating.Suspend(d.t.Context(), domain.Ref{ID: int64(d.Person("bob").ID)}, true); err != nil {
				d.t.Fatal(err)
			}
		}},
		{"making a channel private", api("ada", "PUT", "/v3/channels/{moss}", map[string]any{"visibility": "private"})},
	}
}
