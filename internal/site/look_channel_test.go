package site_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// Images that every screen shows at first are loaded at once.
func TestFirstImages(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	guest, w := newBrowser(t, r), newWall(t, r)
	guest.get("/ada/studio-wall?type=image").says(`loading="eager" fetchpriority="high"`).hides(`loading="lazy"`)
	for n := range 4 {
		r.Block("ada", fmt.Sprint("Note ", n), w.id)
	}
	guest.get("/ada/studio-wall").says(`loading="lazy"`).hides(`loading="eager"`)
}

func TestChannelShowsEveryKind(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	guest, ada := newBrowser(t, r), signedIn(t, r, "ada")
	w := newWall(t, r)
	for _, view := range []string{"", "?view=list", "?sort=newest", "?sort=updated&view=list"} {
		p := guest.get("/ada/studio-wall"+view).want(200).says("Studio wall", "A short text", "The engine", "example.com", "Wheels", "CSV",
			"Closed drawer", "Closed", "Open", "Being processed", "example.com/nothing", fmt.Sprintf("/block/%d?in=%d", w.blocks["text"], w.id))
		p.hides("Try again", "<script>alert", "/add", "/edit")
	}
	guest.get("/ada/studio-wall").says(`decoding="async"`, `srcset="`, `<rect width="100%" height="100%" fill="#`)
	ada.get("/ada/studio-wall").says("Try again", "/ada/studio-wall/add", "/ada/studio-wall/edit", "/ada/studio-wall/arrange", "data-sortable")
	pin := fmt.Sprintf("/channel/%d/pin", w.id)
	ada.get("/ada/studio-wall").says(pin, ">Pin<")
	ada.post(pin, "do", "pin", "next", "/ada/studio-wall").leads("/ada/studio-wall").follow().says(">Unpin<")
	ada.get("/ada/studio-wall?sort=newest").hides("data-sortable")
	for kind, want := range map[string]string{"image": "wheel.png", "text": "A short text", "link": "The engine", "file": "notes.csv", "embed": "Wheels", "channel": "Closed drawer"} {
		p := guest.get("/ada/studio-wall?type=" + kind).want(200).says(want)
		if kind != "text" {
			p.hides("A short text")
		}
	}
	guest.get("/ada/studio-wall?q=short").says("A short text", "1 thing fits.", `value="short"`).hides("Closed drawer")
	guest.get("/ada/studio-wall?q=-absent+type%3Atext&view=list").says("A short text", `class="chips"`, `href="/ada/studio-wall?q=-absent&view=list"`, `href="/ada/studio-wall?q=type%3Atext&view=list"`)
	guest.get("/ada/studio-wall?q=-short").hides("A short text")
	guest.get("/ada/studio-wall?q=absent").says("Nothing in this channel fits.")
	guest.get("/ada/studio-wall?q="+strings.Repeat("x", 5000)).want(422).says("at most 4096", "Show all")
	guest.get("/ada/studio-wall/print").want(200).says("A short text", "Closed drawer", "The engine")
	for n := range 9 {
		guest.get(fmt.Sprint("/ada/studio-wall/slideshow?page=", n+1)).want(200).says(fmt.Sprint(n+1, " of "))
	}
}

// The owner chooses the layout of a channel, and readers may choose another one for themselves, which the browser
// remembers unless another site led there.
func TestLayouts(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	id := r.Channel("ada", "Moss", "public")
	other := r.Channel("ada", "Fern", "public")
	r.Block("ada", "Green *moss*", id, other)
	r.Collaborate("ada", id, "bob")
	ada, bob, guest := signedIn(t, r, "ada"), signedIn(t, r, "bob"), newBrowser(t, r)
	looks := map[string]string{"grid": `class="cells sized s3"`, "masonry": `class="cells masonry sized s3"`, "list": `class="cells rowed"`, "reading": "<em>moss</em>"}
	for layout, look := range looks {
		guest.get("/ada/moss?view="+layout).want(200).says(look, `aria-current="true">`)
	}
	ada.get("/ada/moss/edit").says(`id="layout-grid" type="radio" name="layout" value="grid" checked`)
	bob.get("/ada/moss/edit").want(200).hides("layout-grid")
	ada.post("/ada/moss/edit", "title", "Moss", "layout", "spiral").want(422).says("Must be one of grid, masonry, list, reading")
	bob.post("/ada/moss/edit", "title", "Moss", "layout", "list").want(422).says("You may not change the layout of this channel")
	guest.get("/ada/moss").says(looks["grid"])
	before := guest.get("/ada/moss").header.Get("ETag")
	for layout, look := range looks {
		ada.post("/ada/moss/edit", "title", "Moss", "layout", layout).leads("/ada/moss")
		guest.get("/ada/moss").says(look)
		guest.get("/ada/fern").says(looks["grid"])
	}
	ada.post("/ada/moss/edit", "title", "Moss", "layout", "masonry").leads("/ada/moss")
	if guest.get("/ada/moss").header.Get("ETag") == before {
		t.Error("the ETag does not depend on the layout")
	}

	guest.header.Set("Sec-Fetch-Site", "cross-site")
	guest.get("/ada/moss?view=list&size=5").says(looks["list"])
	guest.get("/ada/moss").says(looks["masonry"])
	guest.header.Set("Sec-Fetch-Site", "same-origin")
	if got := guest.get("/ada/moss?view=list").says(looks["list"]).header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("a page that sets a cookie is %s", got)
	}
	if got := guest.get("/ada/moss").says(looks["list"]).header.Get("Cache-Control"); got != "public, no-cache" {
		t.Errorf("a page that sets no cookie is %s", got)
	}
	guest.get("/ada/fern?size=5").says(`class="cells sized s5"`)
	guest.get("/ada/fern").says(`class="cells sized s5"`)
	guest.get("/ada/moss").says(looks["list"])
	bob.get("/ada/moss").says(looks["masonry"])
	for _, size := range []string{"0", "6", "x", "-1", "99999999999999999999"} {
		guest.get("/ada/moss?size=" + size).want(400).says("Size: must be")
	}
	guest.header.Set("Cookie", "vitrine-looks=size-9.0-list.x-grid.1-spiral")
	guest.get("/ada/fern").want(200)
}

// The columns of the list reverse the order, and keep the rest of the address.
func TestColumnsOfTheList(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	id := r.Channel("ada", "Moss", "public")
	first := r.Block("ada", "First", id)
	r.Clock.Advance(time.Hour)
	second := r.Block("ada", "Second", id)
	b := newBrowser(t, r)
	order := func(query string, want ...int64) {
		t.Helper()
		body := b.get("/ada/moss?" + query).want(200).body
		if (strings.Index(body, fmt.Sprintf("/block/%d?", want[0])) < strings.Index(body, fmt.Sprintf("/block/%d?", want[1]))) == false {
			t.Errorf("%s: not in the order %v", query, want)
		}
	}
	order("view=list&sort=newest", second, first)
	order("view=list&sort=oldest", first, second)
	order("view=list&sort=unchanged", first, second)
	b.get("/ada/moss?view=list").says(`href="/ada/moss?sort=newest&view=list">Added`, `href="/ada/moss?sort=updated&view=list">Changed`)
	b.get("/ada/moss?view=list&sort=newest").says(`href="/ada/moss?sort=oldest&view=list" aria-current="true">Added`, "(newest first)")
	b.get("/ada/moss?view=list&sort=unchanged").says(`href="/ada/moss?sort=updated&view=list" aria-current="true">Changed`, "(oldest first)")
}

// Invalid parameters are an error, and never show something else.
func TestChannelAddresses(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	id := r.Channel("ada", "Moss", "public")
	r.Block("ada", "Green", id)
	b := newBrowser(t, r)
	for _, page := range []string{"", "/slideshow", "/print", "/embed"} {
		for _, number := range []string{"0", "-1", "one", "99999999999999999999", "1.5"} {
			b.get("/ada/moss" + page + "?page=" + number).want(404)
		}
		for _, number := range []string{"2", "1000000000", "9223372036854775807"} {
			b.get("/ada/moss" + page + "?page=" + number).want(200).says("The list does not go this far").hides("Green")
		}
	}
	b.get("/ada/moss?sort=x").want(400).says("Sort: must be one of position, newest, updated, oldest, unchanged, title, title-back.")
	b.get("/ada/moss?view=x").want(400).says("View: must be")
	b.get("/ada/moss?type=User").want(400).says("Type: must be")
	for from, to := range map[string]string{"/bob/moss?page=1&view=list": "/ada/moss?page=1&view=list", "/ADA/Moss": "/ada/moss",
		fmt.Sprint("/ada/", id, "/print"): "/ada/moss/print"} {
		if p := b.get(from).want(301); p.header.Get("Location") != apptest.Base+to {
			t.Errorf("%s leads to %s", from, p.header.Get("Location"))
		}
	}
	b.get("/settings/moss").want(404)
	b.get("/assets/moss").want(404)
	r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", id), `{"title":"Lichen"}`).Want(200)
	if p := b.get("/ada/moss?x=1").want(301); p.header.Get("Location") != apptest.Base+"/ada/lichen?x=1" {
		t.Errorf("the old address leads to %s", p.header.Get("Location"))
	}
	r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", id), nil).Want(204)
	b.get("/ada/lichen").want(404)
}

func TestChannelVisibility(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada, guest, bob := signedIn(t, r, "ada"), newBrowser(t, r), signedIn(t, r, "bob")
	open := r.Channel("ada", "Open shelf", "public")
	for _, v := range []string{"closed", "private"} {
		in := r.Channel("ada", "The "+v+" one", v)
		r.Block("ada", "Words in "+v, in)
		r.Connect("ada", "Channel", in, open)
	}
	slug := fmt.Sprint("/ada/", r.Do("ada", "GET", "/v3/channels/the-private-one", nil).Str("slug"))
	nothing := guest.get("/ada/nothing-here").want(404)
	for _, page := range []string{"", "/slideshow", "/print", "/embed"} {
		for _, b := range []*browser{guest, bob} {
			b.get("/ada/the-closed-one" + page).want(200).says("Words in closed")
			b.get(slug + page).want(404).hides("private one")
			if p := b.get("/bob/the-private-one" + page).want(404); b == guest && page == "" && p.body != nothing.body {
				t.Errorf("what is private and what is nowhere differ: %s", p.body)
			}
		}
		if page == "/embed" { // it shows every reader what guests see
			ada.get(slug + page).want(404)
		} else {
			ada.get(slug + page).want(200).says("Words in private")
		}
	}
	guest.get("/ada/open-shelf").says("The closed one").hides("The private one", "/add")
	ada.get("/ada/open-shelf").says("The closed one", "The private one")
	bob.get("/ada/open-shelf").says("/ada/open-shelf/add").hides("/edit", "The private one")
	bob.get("/ada/the-closed-one").hides("/the-closed-one/add")
	for path, want := range map[string]bool{"/ada/open-shelf": true, "/ada/the-closed-one": false} {
		p := guest.get(path)
		if canonical := strings.Contains(p.body, `rel="canonical"`); canonical != want || strings.Contains(p.body, `content="noindex"`) == want {
			t.Errorf("%s is for search engines: %v", path, canonical)
		}
		p.says("/feed.atom", "application/json+oembed")
	}
	ada.get(slug).hides("/feed.atom", "oembed", `rel="canonical"`)
}

// Texts of users are escaped, even if they contain HTML or control characters.
func TestChannelOfHostileTexts(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	evil := `"><script>alert(1)</script>` + "\u202e\u2066"
	id := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": evil, "visibility": "public", "description": evil + "\n\n# Heading\n\n[x](javascript:alert(1))"}).Want(201)
	channel, slug := id.Int("id"), id.Str("slug")
	long := r.Block("ada", strings.Repeat("unbroken", 12_500)+"\n\n# One\n\n### Three", channel)
	block := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": evil, "title": evil, "description": evil, "original_source_title": evil,
		"original_source_url": "https://example.com/" + url.QueryEscape(evil), "channel_ids": []int64{channel}, "metadata": map[string]any{"key": evil}}).Want(201).Int("id")
	r.Exec(`UPDATE blocks SET source_url = 'javascript:alert(1)' WHERE id = $1`, long)
	b := newBrowser(t, r)
	for _, view := range []string{"", "?view=list", "/slideshow", "/slideshow?page=2", "/print", "/embed"} {
		p := b.get("/ada/" + slug + view).want(200)
		if strings.Contains(p.body, "<script>alert") || strings.Contains(p.body, `href="javascript:`) {
			t.Errorf("%s runs what strangers wrote", p.from)
		}
	}
	if p := b.get("/ada/" + slug); len(p.body) > 20_000 {
		t.Errorf("a long text makes the page %d bytes long", len(p.body))
	}
	p := b.get(fmt.Sprint("/block/", long)).want(200)
	if strings.Contains(p.body, `href="javascript:`) {
		t.Error("the source is a link")
	}
	if p := b.get(fmt.Sprint("/block/", block)).want(200); strings.Contains(p.body, "<script>alert") {
		t.Errorf("%s runs what strangers wrote", p.from)
	}
}

func TestChannelIsKeptUntilItChanges(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	id := r.Channel("ada", "Moss", "public")
	block := r.Block("ada", "Green", id)
	b := newBrowser(t, r)
	for _, path := range []string{"/ada/moss", "/ada/moss?view=list", "/ada/moss/slideshow", "/ada/moss/print", "/ada/moss/embed", fmt.Sprint("/block/", block, "?in=", id)} {
		tag := b.get(path).want(200).header.Get("ETag")
		b.header.Set("If-None-Match", tag)
		p := b.get(path).want(304)
		if framed := p.header.Get("X-Frame-Options") == ""; framed != strings.HasSuffix(path, "/embed") {
			t.Errorf("%s: may be framed: %v", p.from, framed)
		}
		r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", block), map[string]any{"title": "After " + path}).Want(200)
		if p := b.get(path).want(200).says("After "); p.header.Get("ETag") == tag {
			t.Errorf("%s has the tag of before", path)
		}
		b.header.Del("If-None-Match")
	}
	tag := b.get("/ada/moss").header.Get("ETag")
	b.header.Set("If-None-Match", tag)
	r.Block("ada", "Brown", id)
	b.get("/ada/moss").want(200).says("Brown")
}

func TestEmbeddedChannel(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	r.Block("ada", "Green", r.Channel("ada", "Moss", "public"))
	ada := signedIn(t, r, "ada")
	p := ada.get("/ada/moss/embed").want(200).says("Moss", `target="_blank" rel="noopener"`).hides("Sign out", "/add", "data-connection=\"\"")
	if csp := p.header.Get("Content-Security-Policy"); strings.Contains(csp, "frame-ancestors") || p.header.Get("X-Frame-Options") != "" ||
		!strings.HasPrefix(p.header.Get("Cache-Control"), "public") || p.header.Get("Set-Cookie") != "" {
		t.Errorf("%v", p.header)
	}
	for _, p := range []*page{ada.get("/ada/moss"), ada.get("/ada/moss/print"), ada.get("/ada/nothing/embed")} {
		if !strings.Contains(p.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || p.header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s may be framed: %v", p.from, p.header)
		}
	}
}

// A channel with hundreds of items needs as many statements as a small one, and its page is not
// large.
func TestChannelPageIsBounded(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		w := newWall(t, r)
		text := strings.Repeat("words that go on, ", 40)
		for i := range 100 {
			if i%4 == 0 {
				r.Connect("ada", "Channel", r.Channel("ada", fmt.Sprint("Drawer ", i), []string{"public", "closed", "private"}[i%3]), w.id)
				continue
			}
			r.Block("ada", text+fmt.Sprint(i), w.id)
		}
		r.Do("ada", "POST", fmt.Sprint("/v3/blocks/", w.blocks["text"], "/comments"), `{"body":"Yes"}`).Want(201)
		ada, guest := signedIn(t, r, "ada"), newBrowser(t, r)
		for _, tt := range []struct {
			b    *browser
			path string
			most int
		}{
			{guest, "/ada/studio-wall", 8}, {ada, "/ada/studio-wall", 12}, {guest, "/ada/studio-wall?view=list&sort=updated", 9}, {guest, "/ada/studio-wall?type=text&q=words", 18},
			{guest, "/ada/studio-wall/related", 10}, {ada, "/ada/studio-wall/related", 12},
			{guest, "/ada/studio-wall/embed", 8}, {guest, "/ada/studio-wall/slideshow?page=70", 10}, {guest, "/ada/studio-wall/print", 17},
			{guest, fmt.Sprint(w.page("text"), "?in=", w.id), 16}, {ada, fmt.Sprint(w.page("text"), "?in=", w.id), 18},
		} {
			var p *page
			seen := r.Statements(func() { p = tt.b.get(tt.path) })
			p.want(200)
			if len(seen) > tt.most {
				t.Errorf("%s: %d statements, want %d at most:\n%s", p.from, len(seen), tt.most, strings.Join(seen, "\n"))
			}
			if len(p.body) > 150<<10 {
				t.Errorf("%s: %d bytes", p.from, len(p.body))
			}
		}
		var seen []string
		next := "/ada/studio-wall"
		for next != "" {
			p := ada.get(next).want(200)
			for _, part := range strings.Split(p.body, `data-connection="`)[1:] {
				id, _, _ := strings.Cut(part, `"`)
				seen = append(seen, id)
			}
			_, rest, more := strings.Cut(p.body, `<a rel="next" href="`)
			if next, _, _ = strings.Cut(rest, `"`); !more {
				next = ""
			}
		}
		slices.Sort(seen)
		if n := len(seen); n != 109 || len(slices.Compact(seen)) != n {
			t.Errorf("%d things on all pages, want 109, each once", n)
		}
	}, people)
}

// The channels that are related to a channel have a page of their own, which the channel's page loads when its end is
// reached. It lists what the reader may see.
func TestRelatedChannels(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	moss := r.Channel("ada", "Moss", "public")
	block := r.Block("ada", "Green", moss)
	for _, visibility := range []string{"closed", "private"} {
		r.Connect("ada", "Channel", moss, r.Channel("ada", "Outer "+visibility, visibility))
		r.Connect("ada", "Block", block, r.Channel("ada", "Sharing "+visibility, visibility))
	}
	ada, guest := signedIn(t, r, "ada"), newBrowser(t, r)
	for _, b := range []*browser{ada, guest} {
		b.get("/ada/moss").want(200).says(`href="/ada/moss/related"`, `hx-get="/ada/moss/related"`, `<div id="related-lists"></div>`).hides("Outer", "Sharing")
		b.get("/ada/moss/related").want(200).says(`<div id="related-lists">`, "Outer closed", "Sharing closed", `content="noindex"`)
	}
	guest.get("/ada/moss/related").hides("private")
	ada.get("/ada/moss/related").says("Outer private", "Sharing private")
	r.Channel("ada", "Lichen", "public")
	guest.get("/ada/lichen/related").want(200).says("No other channel that you may see contains this channel or its items.")
	if p := guest.get("/bob/moss/related").want(301); p.header.Get("Location") != apptest.Base+"/ada/moss/related" {
		t.Errorf("it leads to %s", p.header.Get("Location"))
	}
	guest.get("/ada/nothing/related").want(404)
}
