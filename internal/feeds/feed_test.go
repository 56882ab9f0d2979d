package feeds_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// A channel's feed contains its connections, newest first, in both formats.
func TestChannelFeed(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss := r.Channel("ada", "Moss & more", "public")
		r.Block("ada", "A **fern**", moss)
		shelf := r.Channel("ben", "Shelf", "closed")
		r.Connect("ben", "Channel", shelf, moss)
		text := r.Block("ada", "Connected by another", r.Channel("ada", "Elsewhere", "public"))
		r.Connect("ben", "Block", text, moss)

		doc := atom(r, "/ada/moss-and-more/feed.atom")
		same(t, "title", doc.Title, "Moss & more · Ada")
		same(t, "page", link(doc.Links, "alternate").Href, apptest.Base+"/ada/moss-and-more")
		same(t, "self", link(doc.Links, "self").Href, apptest.Base+"/ada/moss-and-more/feed.atom")
		same(t, "authors", doc.Authors, []string{"Ada"})
		if len(doc.Entries) != 3 {
			t.Fatalf("%d entries: %+v", len(doc.Entries), doc)
		}
		first, channel, last := doc.Entries[0], doc.Entries[1], doc.Entries[2]
		same(t, "author", first.Author+" "+first.AuthorURI, "Ada "+apptest.Base+"/ada")
		same(t, "who connected it", first.Contributors, []string{"Ben"})
		same(t, "address", link(first.Links, "alternate").Href, fmt.Sprintf("%s/block/%d", apptest.Base, text))
		same(t, "channel", channel.Title+" "+link(channel.Links, "alternate").Href, "Shelf "+apptest.Base+"/ben/shelf")
		same(t, "nobody else", len(last.Contributors), 0)
		has(t, "content", last.Content.HTML, "A <strong>fern</strong>")

		other := feedJSON(r, "/ada/moss-and-more/feed.json")
		same(t, "address of the feed", other.FeedURL, apptest.Base+"/ada/moss-and-more/feed.json")
		same(t, "page", other.HomePageURL, apptest.Base+"/ada/moss-and-more")
		for i, e := range doc.Entries {
			item := other.Items[i]
			same(t, "both formats", fmt.Sprint(item.ID, item.URL, item.Title, item.HTML, item.Published, item.Modified, item.Authors),
				fmt.Sprint(e.ID, link(e.Links, "alternate").Href, e.Title, e.Content.HTML, e.Published, e.Updated,
					[]struct{ Name, URL string }{{e.Author, e.AuthorURI}}))
		}
	})
}

// IDs do not change when things are renamed; old URLs redirect to new ones.
func TestFeedIDs(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	moss := r.Channel("ada", "Moss", "public")
	r.Block("ada", "A fern", moss)
	before := atom(r, "/ada/moss/feed.atom")
	r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", moss), map[string]any{"title": "Ferns"}).Want(http.StatusOK)
	res := get(r, "/ada/moss/feed.atom")
	if res.Status == http.StatusMovedPermanently {
		same(t, "leads to", res.Header.Get("Location"), apptest.Base+"/ada/ferns/feed.atom")
	}
	for _, old := range []string{"/eve/moss/feed.atom", fmt.Sprintf("/ada/%d/feed.atom", moss)} {
		res := get(r, old).Want(http.StatusMovedPermanently)
		after := atom(r, strings.TrimPrefix(res.Header.Get("Location"), apptest.Base))
		same(t, "title", after.Title, "Ferns · Ada")
		same(t, "id of the feed", after.ID, before.ID)
		same(t, "id of the entry", after.Entries[0].ID, before.Entries[0].ID)
	}
	same(t, "by id", get(r, fmt.Sprintf("/%d/feed.json", r.Person("ada").ID)).Header.Get("Location"), apptest.Base+"/ada/feed.json")
}

// Every type of block has a suitable entry.
func TestFeedContent(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Web("example.com/fern.png", apptest.Serve("image/png", apptest.PNG(t, 1600, 800)))
	r.Web("example.com/fern.pdf.txt", apptest.Serve("text/plain", []byte("A list of ferns")))
	r.Web("example.com/page", apptest.Serve("text/html", []byte(`<html><head><title>On "ferns" & <i>moss</i></title></head><body><p>Text</p></body></html>`)))
	moss := r.Channel("ada", "Moss", "public")
	make := func(value string, more map[string]any) {
		body := map[string]any{"value": value, "channel_ids": []int64{moss}}
		for k, v := range more {
			body[k] = v
		}
		r.Do("ada", "POST", "/v3/blocks", body).Want(http.StatusCreated)
	}
	make("https://example.com/fern.png", map[string]any{"title": "Fern", "alt_text": `A "fern"`, "description": "*Green*"})
	make("https://example.com/fern.pdf.txt", nil)
	make("https://example.com/page", nil)
	r.WorkJobs()

	doc := atom(r, "/ada/moss/feed.atom")
	page, file, image := doc.Entries[0], doc.Entries[1], doc.Entries[2]
	has(t, "link", page.Content.HTML, `<a href="https://example.com/page" rel="nofollow noopener">`)
	same(t, "related", link(page.Links, "related").Href, "https://example.com/page")
	enclosure := link(file.Links, "enclosure")
	same(t, "enclosure", enclosure.Length+" "+enclosure.Type, "15 text/plain")
	has(t, "file", file.Content.HTML, `<a href="`+enclosure.Href+`">`)
	get(r, strings.TrimPrefix(enclosure.Href, apptest.Base)).Want(http.StatusOK)
	has(t, "image", image.Content.HTML, `alt="A &#34;fern&#34;" width="1200" height="600"`, "<em>Green</em>", "/large.")
	item := feedJSON(r, "/ada/moss/feed.json").Items[2]
	has(t, "image", item.HTML, item.Image)
	get(r, strings.TrimPrefix(item.Image, apptest.Base)).Want(http.StatusOK)
	same(t, "attachment", fmt.Sprint(feedJSON(r, "/ada/moss/feed.json").Items[1].Attachments), fmt.Sprintf("[{%s text/plain %s 15}]", enclosure.Href, enclosure.Title))
}

// A client with a current feed gets 304, by ETag or by date, until something changes.
func TestFeedConditions(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	moss := r.Channel("ada", "Moss", "public")
	r.Block("ada", "A fern", moss)
	for _, path := range []string{"/ada/moss/feed.atom", "/ada/moss/feed.json", "/ada/feed.atom"} {
		first := get(r, path).Want(http.StatusOK)
		tag, date := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
		same(t, "caching", first.Header.Get("Cache-Control"), "max-age=300, public")
		for _, condition := range [][]string{{"If-None-Match", tag}, {"If-Modified-Since", date}, {"If-None-Match", tag, "If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}} {
			res := get(r, path, condition...).Want(http.StatusNotModified)
			same(t, "body", len(res.Body), 0)
		}
		get(r, path, "If-None-Match", `"other"`, "If-Modified-Since", date).Want(http.StatusOK)
		get(r, path, "If-Modified-Since", "no date").Want(http.StatusOK)
		r.Clock.Advance(2 * time.Second)
		r.Block("ada", "Another", moss)
		get(r, path, "If-None-Match", tag).Want(http.StatusOK)
		get(r, path, "If-Modified-Since", date).Want(http.StatusOK)
	}
}

// A feed contains the newest 50 entries and needs a limited number of statements.
func TestFeedBounds(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	moss := r.Channel("ada", "Moss", "public")
	for i := range 55 {
		r.Block("ada", fmt.Sprint("Fern ", i), moss)
	}
	for path, limit := range map[string]int{"/ada/moss/feed.atom": 7, "/ada/feed.atom": 7} {
		var doc atomDoc
		n := len(r.Statements(func() { doc = atom(r, path) }))
		same(t, path, len(doc.Entries), 50)
		if n > limit {
			t.Errorf("%s: %d statements", path, n)
		}
	}
	same(t, "newest", atom(r, "/ada/moss/feed.atom").Entries[0].Title, "Fern 54")
}

// Users and groups have feeds of their items.
func TestPeopleFeeds(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	group := r.Group("Engines", "ada", "ben")
	held := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Held together", "visibility": "public", "group_id": group}).
		Want(http.StatusCreated).Int("id")
	r.Block("ben", "A wheel", held)
	user := atom(r, "/ben/feed.atom")
	same(t, "user", user.Title+" "+user.Entries[0].Title, "Ben A wheel")
	together := atom(r, "/group/engines/feed.atom")
	same(t, "group", together.Title+" "+together.Entries[0].Title+" "+together.Entries[1].Title, "Engines A wheel Held together")
	same(t, "group", feedJSON(r, "/group/engines/feed.json").HomePageURL, apptest.Base+"/group/engines")
}

// Paths that are not feeds are left to other handlers, or not found.
func TestNoFeed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Channel("ada", "Moss", "private")
	for _, path := range []string{"/ada/moss/feed.atom", "/eve/feed.json", "/group/eve/feed.atom", "/ada/9/feed.atom", "/ada/a%00b/feed.atom", "/%ff/feed.atom"} {
		res := get(r, path).Want(http.StatusNotFound)
		same(t, path, res.Header.Get("Content-Type")+" "+string(res.Body), "text/plain; charset=utf-8 Not found\n")
	}
	for _, path := range []string{"/feed.atom", "/v3/feed.json", "/ext/v1/feed.json", "/settings/feed.atom", "/ada/moss/more/feed.atom", "/ada/feed.rss"} {
		if res := get(r, path).Want(http.StatusNotFound); strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s is answered as a feed", path)
		}
	}
}
