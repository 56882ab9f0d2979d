package feeds_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// picture decodes a card.
func picture(r *apptest.Rig, path string) *apptest.Response {
	r.T.Helper()
	res := get(r, path).Want(http.StatusOK)
	same(r.T, "type", res.Header.Get("Content-Type"), "image/png")
	found, err := png.Decode(bytes.NewReader(res.Body))
	if err != nil {
		r.T.Fatal(err)
	}
	same(r.T, "size", found.Bounds().Size().String(), "(1200,630)")
	return res
}

// Everything that has a page has a card, whose URL changes with its content.
func TestCards(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := int64(r.Group("Engines", "ada"))
		moss := r.Channel("ada", "Moss", "public")
		text := r.Block("ada", "A **fern** "+strings.Repeat("and moss ", 900), moss)
		at := &present.Addresses{Site: ""}
		user := int64(r.Person("ada").ID)
		pages := map[string]int64{"block": text, "channel": moss, "user": user, "group": group}
		seen := map[string]bool{}
		for kind, id := range pages {
			path := fmt.Sprintf("/cards/%s/%d.png?v=1", kind, id)
			res := picture(r, path)
			seen[string(res.Body)] = true
			tag := res.Header.Get("ETag")
			get(r, path, "If-None-Match", tag).Want(http.StatusNotModified)
			if n := len(r.Statements(func() { get(r, path) })); n > 4 {
				t.Errorf("%s: %d statements", path, n)
			}
		}
		same(t, "different ones", len(seen), 4)
		same(t, "the address that pages give", at.Channel(&domain.Channel{ID: domain.ChannelID(moss)}).Card().URL, fmt.Sprintf("/cards/channel/%d.png?v=0", moss))

		before := get(r, fmt.Sprintf("/cards/channel/%d.png", moss))
		r.Block("ada", "Another", moss)
		after := get(r, fmt.Sprintf("/cards/channel/%d.png", moss), "If-None-Match", before.Header.Get("ETag")).Want(http.StatusOK)
		if bytes.Equal(before.Body, after.Body) {
			t.Error("the count is old")
		}
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", moss), map[string]any{"visibility": "private"}).Want(http.StatusOK)
		r.WorkJobs()
		get(r, fmt.Sprintf("/cards/channel/%d.png", moss), "If-None-Match", after.Header.Get("ETag")).Want(http.StatusNotFound)
		get(r, fmt.Sprintf("/cards/block/%d.png", text)).Want(http.StatusNotFound)
	})
}

func TestNoCard(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Channel("ada", "Moss", "public")
	for _, path := range []string{"/cards/channel/0.png", "/cards/channel/9.png", "/cards/channel/moss.png", "/cards/things/1.png", "/cards/channel/1/2.png",
		"/cards/1.png", "/cards/channel/99999999999999999999.png", "/cards/channel/-1.png", "/cards/group/1.png", "/cards/user/9.png", "/cards/channel/.png"} {
		res := get(r, path).Want(http.StatusNotFound)
		has(t, path, res.Header.Get("Content-Type"), "text/plain")
	}
}

// Concurrent requests for the same card and for others all succeed.
func TestCardsAtOnce(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	moss := r.Channel("ada", "Moss", "public")
	paths := []string{fmt.Sprintf("/cards/channel/%d.png", moss), fmt.Sprintf("/cards/user/%d.png", r.Person("ada").ID)}
	for range 4 {
		paths = append(paths, fmt.Sprintf("/cards/block/%d.png", r.Block("ada", "A fern", moss)))
	}
	var all sync.WaitGroup
	for range 4 {
		for _, path := range paths {
			all.Go(func() {
				if res := get(r, path); res.Status != http.StatusOK {
					t.Errorf("%s: %d %s", path, res.Status, res.Body)
				}
			})
		}
	}
	all.Wait()
}

// There is a feed of new public items.
func TestExploreFeed(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		same(t, "empty", len(atom(r, "/explore/feed.atom").Entries), 0)
		same(t, "empty", len(feedJSON(r, "/explore/feed.json").Items), 0)
		stock(r)
		r.Block("eve", "Hidden", r.Channel("eve", "More hidden", "private"))
		titles := ""
		doc := atom(r, "/explore/feed.atom")
		for _, e := range doc.Entries {
			titles += e.Title + " "
		}
		same(t, "entries", titles, "Wheels Closed Open ")
		same(t, "feed", doc.Title+" "+link(doc.Links, "self").Href, "Vitrine "+apptest.Base+"/explore/feed.atom")
	})
}

// The card of a channel shows the images that guests see in it, and changes with them.
func TestCardsWithPictures(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/wheel.png", apptest.Serve("image/png", apptest.PNG(t, 900, 500)))
		moss := r.Channel("ada", "Moss", "public")
		path := fmt.Sprintf("/cards/channel/%d.png", moss)
		r.Block("ada", "Only a text", moss)
		before := picture(r, path)
		for range 2 {
			r.Block("ada", "https://example.com/wheel.png", moss)
		}
		r.WorkJobs()
		res := get(r, path, "If-None-Match", before.Header.Get("ETag")).Want(http.StatusOK)
		same(t, "type", res.Header.Get("Content-Type"), "image/jpeg")
		found, format, err := image.Decode(bytes.NewReader(res.Body))
		if err != nil || format != "jpeg" || found.Bounds().Size().String() != "(1200,630)" {
			t.Fatalf("%s %v, %v", format, found, err)
		}
		for _, at := range []image.Point{{1100, 100}, {800, 600}} { // the large picture, and the one below it
			if got, paper := found.At(at.X, at.Y), found.At(10, 10); got == paper {
				t.Errorf("there is no picture at %v", at)
			}
		}
		get(r, path, "If-None-Match", res.Header.Get("ETag")).Want(http.StatusNotModified)
		id := r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", moss).Int("data.0.connection.id")
		r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", id), nil).Want(http.StatusNoContent)
		get(r, path, "If-None-Match", res.Header.Get("ETag")).Want(http.StatusOK)
	})
}
