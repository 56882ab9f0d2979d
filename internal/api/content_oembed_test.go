package api_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// oEmbed answers that a page links to only make an Embed if their type is "video". Others describe the Link.
func TestDiscoveredOEmbed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for name, size := range map[string]int{"thumb.png": 20, "photo.png": 30, "og.png": 40} {
		r.Web("example.com/"+name, apptest.Serve("image/png", apptest.PNG(t, size, 10)))
	}
	const frame = `"html":"<iframe class=\"wp-embedded-content\" src=\"https://example.com/post/embed/\"></iframe>"`
	const thumbnail = `,"thumbnail_url":"https://example.com/thumb.png"`
	text := "<article><h1>The post</h1>" + strings.Repeat("<p>It weaves algebraical patterns just as the loom weaves flowers and leaves, and it can follow analysis.</p>", 8) + "</article>"
	for i, c := range []struct {
		answer, head, kind, title, author string
		width                             any
	}{
		{`{"version":"1.0","type":"rich","title":"Post","author_name":"Ada",` + frame + thumbnail + `}`, "<title>Post | Blog</title>", "Link", "Post | Blog", "Ada", 20},
		{`{"version":"1.0","type":"rich","title":"Post","author_name":"Ada",` + frame + `}`, "", "Link", "Post", "Ada", 40},
		{`{"version":"1.0","type":"rich","title":"Post",` + frame + `,"thumbnail_url":"https://example.com/none.png"}`, "", "Link", "Post", "", 40},
		{`{"version":"1.0","type":"link","title":"Post","author_name":"Ada"` + thumbnail + `}`, "", "Link", "Post", "Ada", 20},
		{`{"version":"1.0","type":"photo","title":"Post","url":"https://example.com/photo.png"}`, "", "Link", "Post", "", 30},
		{`{"version":"1.0","type":"photo","url":"https://example.com/photo.png"` + thumbnail + `}`, "<title>Page</title>", "Link", "Page", "", 20},
		{`{"version":"1.0","type":"video","title":"Wheels",` + frame + thumbnail + `}`, "<title>Page</title>", "Embed", "Wheels", "", 20},
		{`{"version":"1.0","type":"video",` + frame + `}`, "<title>Page</title>", "Embed", "Page", "", 40},
		{`{"version":"1.0","type":"video","title":"Wheels","html":"<blockquote></blockquote>"}`, "<title>Page</title>", "Link", "Page", "", 40},
		{`nonsense`, "<title>Page</title>", "Link", "Page", "", 40},
	} {
		r.Web(fmt.Sprint("example.com/answer/", i), apptest.Serve("application/json", []byte(c.answer)))
		r.Web(fmt.Sprint("example.com/post/", i), apptest.Serve("text/html", []byte(c.head+`<meta property="og:image" content="/og.png">
			<link rel="alternate" type="application/json+oembed" href="/answer/`+fmt.Sprint(i)+`">`+text)))
		got := processed(r, fmt.Sprint("https://example.com/post/", i), nil)
		holds(t, got, map[string]any{"type": c.kind, "state": "available", "title": c.title, "image.width": c.width})
		if c.kind == "Link" {
			if content, _ := got.Get("content.plain").(string); !strings.Contains(content, "algebraical patterns") {
				t.Errorf("%d: the text is %q", i, content)
			}
			if _, ok := got.Lookup("embed"); ok {
				t.Errorf("%d: a Link has an embed: %s", i, got.Body)
			}
			if v2 := r.Get("ada", "/v2/blocks/%d", got.Int("id")); v2.Get("embed") != nil {
				t.Errorf("%d: version 2: %s", i, v2.Body)
			}
		}
		if c.author != "" {
			if found := r.Get("ada", "/v3/search?query=%s&type=Link", c.author).Ints("data", "id"); !slices.Contains(found, got.Int("id")) {
				t.Errorf("%d: the author does not find it", i)
			}
		}
	}
}

// Known providers make Embeds of rich answers, even after a redirect. WordPress.com is one of them, but its rich
// answers are cards of its posts.
func TestKnownProviders(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) {
		list := `[{"provider_name":"Loom","endpoints":[{"schemes":["https://play.example.com/*"],"url":"https://example.com/rich"}]},
			{"provider_name":"Press","endpoints":[{"schemes":["https://press.example.com/*"],"url":"https://example.com/card"}]}]`
		if err := os.WriteFile(c.ProvidersPath(), []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	answer := func(class string) string {
		return `{"version":"1.0","type":"rich","title":"Wheels","author_name":"Ada","html":"<iframe class='` + class + `' src='https://player.example.com/7'></iframe>"}`
	}
	r.Web("example.com/rich", apptest.Serve("application/json", []byte(answer(""))))
	r.Web("example.com/card", func(w http.ResponseWriter, req *http.Request) {
		card := answer("wp-embedded-content")
		if strings.HasSuffix(req.URL.Query().Get("url"), "/8") {
			card = strings.Replace(card, "rich", "video", 1)
		}
		apptest.Serve("application/json", []byte(card))(w, req)
	})
	r.Web("press.example.com/8", apptest.Serve("text/html", []byte(`<title>Page</title>`)))
	r.Web("play.example.com/7", apptest.Serve("text/html", []byte("<title>Page</title>")))
	r.Web("press.example.com/7", apptest.Serve("text/html", []byte(`<title>Page</title>`)))
	r.Web("example.com/short", apptest.Serve("text/html", []byte(`<meta http-equiv="refresh" content="0;url=https://play.example.com/7">`)))
	for address, want := range map[string]map[string]any{
		"https://play.example.com/7":  {"type": "Embed", "title": "Wheels", "embed.type": "rich"},
		"https://example.com/short":   {"type": "Embed", "title": "Wheels", "source.url": "https://example.com/short", "embed.source_url": "https://play.example.com/7"},
		"https://press.example.com/7": {"type": "Link", "title": "Page"},
		"https://press.example.com/8": {"type": "Embed", "title": "Wheels", "embed.type": "video"},
	} {
		holds(t, processed(r, address, nil), want)
	}
}

// The endpoint of a known provider is requested once for each address, even if the page links to it.
func TestKnownProviderOnce(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) {
		list := `[{"provider_name":"Loom","endpoints":[{"schemes":["https://loom.example.com/*"],"url":"https://example.com/known"}]}]`
		if err := os.WriteFile(c.ProvidersPath(), []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	var mu sync.Mutex
	asked := map[string]int{}
	answers := map[string]string{
		"https://loom.example.com/1":     `{"version":"1.0","type":"link","author_name":"Ada"}`,
		"https://loom.example.com/2":     `{"version":"1.0","type":"link","author_name":"Ada"}`,
		"https://loom.example.com/moved": `{"version":"1.0","type":"link","author_name":"Ada"}`,
		"https://loom.example.com/down":  `none`,
	}
	r.Web("example.com/known", func(w http.ResponseWriter, req *http.Request) {
		address := req.URL.Query().Get("url")
		mu.Lock()
		asked[address]++
		mu.Unlock()
		_, _ = fmt.Fprint(w, answers[address])
	})
	link := func(endpoint string) string {
		return `<link rel="alternate" type="application/json+oembed" href="https://example.com/` + endpoint + `">`
	}
	known := func(path string) string { return link("known?url=https%3A%2F%2Floom.example.com%2F" + path) }
	for path, page := range map[string]string{
		"loom.example.com/1":    `<title>Page</title>` + known("1&format=json") + known("1&maxwidth=9") + link("photo") + link("video"),
		"loom.example.com/2":    `<title>Page</title>` + known("2"),
		"loom.example.com/down": `<title>Page</title>` + known("down") + link("video"),
		"example.com/elsewhere": `<title>Page</title>` + known("moved"),
	} {
		r.Web(path, apptest.Serve("text/html", []byte(page)))
	}
	r.Web("loom.example.com/moved", func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, "https://example.com/elsewhere", http.StatusFound)
	})
	r.Web("example.com/photo", apptest.Serve("application/json", []byte(`{"version":"1.0","type":"photo","url":"https://example.com/none.png"}`)))
	r.Web("example.com/video", apptest.Serve("application/json", []byte(video)))
	for address, kind := range map[string]string{
		"https://loom.example.com/1": "Embed", "https://loom.example.com/2": "Link",
		"https://loom.example.com/down": "Embed", "https://loom.example.com/moved": "Link",
	} {
		got := processed(r, address, nil)
		holds(t, got, map[string]any{"type": kind, "state": "available"})
		if found := r.Get("ada", "/v3/search?query=Ada&type=Link").Ints("data", "id"); kind == "Link" && !slices.Contains(found, got.Int("id")) {
			t.Errorf("%s: the author does not find it", address)
		}
		mu.Lock()
		if asked[address] != 1 {
			t.Errorf("%s: %d requests", address, asked[address])
		}
		mu.Unlock()
	}
}
