package api_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

const article = `<!DOCTYPE html><html><head><title>The engine</title>
<meta name="description" content="What it does"><link rel="canonical" href="/engine">
<meta property="og:image" content="/engine.png"><meta property="og:image:alt" content="Wheels"></head>
<body><article><h1>The engine</h1><p>It weaves algebraical patterns just as the loom weaves flowers and leaves. ` +
	`It has no pretensions whatever to originate anything.</p><p>It can do whatever we know how to order it to perform, ` +
	`and it can follow analysis, but it has no power of anticipating any relations or truths.</p></article></body></html>`

func TestContentLink(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Web("example.com/engine", apptest.Serve("text/html; charset=utf-8", []byte(article)))
	r.Web("example.com/engine.png", apptest.Serve("image/png", apptest.PNG(t, 60, 30)))
	got := processed(r, " https://example.com/engine?ref=1 ", nil)
	holds(t, got, map[string]any{"type": "Link", "state": "available", "title": "The engine", "description.plain": "What it does",
		"image.width": 60, "image.alt_text": "Wheels", "source.url": "https://example.com/engine?ref=1", "source.title": "The engine",
		"source.provider.name": "example.com"})
	if text := got.Str("content.plain"); !strings.Contains(text, "loom weaves flowers") {
		t.Errorf("the text is %q", text)
	}
	checkVersions(t, r, got)
	given := map[string]any{"title": "Mine", "description": "*My* own", "alt_text": "Cogs",
		"original_source_url": "https://example.org/origin", "original_source_title": "Origin"}
	holds(t, processed(r, "https://example.com/engine", given), map[string]any{"type": "Link", "title": "Mine",
		"description.markdown": "*My* own", "image.alt_text": "Cogs", "source.url": "https://example.org/origin", "source.title": "Origin"})
}

// A page of any type redirects by its content, and other files do not.
func TestContentRedirects(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Web("example.com/engine", apptest.Serve("text/html", []byte("<title>The engine</title>")))
	r.Web("example.com/", apptest.Serve("text/html", []byte("<title>No engine</title>")))
	r.Web("example.com/мир", apptest.Serve("text/html", []byte("<title>Мир</title>")))
	refresh := func(to string) string { return `<meta http-equiv="refresh" content="0; url=` + to + `"/>` }
	xhtml := `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>` + refresh("/engine") + `</head><body/></html>`
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3">` + refresh("/engine") + `</svg>`
	for i, c := range []struct{ label, body, kind, title string }{
		{"text/html", refresh("/engine"), "Link", "The engine"},
		{"application/xhtml+xml", xhtml, "Link", "The engine"},
		{"application/vnd.wap.xhtml+xml", xhtml, "Link", "The engine"},
		{"application/xml", xhtml, "Link", "The engine"},
		{"text/xml; charset=utf-8", xhtml, "Link", "The engine"},
		{"text/html; charset='windows-1251'", refresh("/\xec\xe8\xf0"), "Link", "Мир"},
		{"image/svg+xml", svg, "Image", "file"},
		{"text/plain", refresh("/engine"), "Attachment", "file"},
	} {
		path := fmt.Sprint("example.com/redirect/", i, "/file")
		r.Web(path, apptest.Serve(c.label, []byte(c.body)))
		holds(t, processed(r, "https://"+path, nil), map[string]any{"type": c.kind, "state": "available", "title": c.title})
	}
}

func TestContentCharsets(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	wide := func(text string) string {
		var b bytes.Buffer
		for _, unit := range utf16.Encode([]rune(text)) {
			b.Write([]byte{byte(unit), byte(unit >> 8)})
		}
		return b.String()
	}
	for i, c := range []struct{ label, body, want string }{
		{"text/html; charset=iso-8859-1", "<title>\xc6ther</title>", "Æther"},
		{"text/html", `<meta charset="windows-1251"><title>` + "\xcc\xe8\xf0" + `</title>`, "Мир"},
		{"text/html; charset=Shift_JIS", "<title>\x93\xfa\x96\x7b</title>", "日本"},
		{"text/html", "\xff\xfe" + wide("<title>日本</title>"), "日本"},
		{"text/html; charset=utf-16le", wide("<!DOCTYPE html><title>日本</title>"), "日本"},
		{"text/html; charset=utf-8", "<title>a\x00b\xff</title>", "a�b�"},
		{"application/xhtml+xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head></html>`, "X"},
		{"", "<html><title>Unlabelled</title>", "Unlabelled"},
	} {
		path := fmt.Sprint("example.com/", i)
		r.Web(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if c.label != "" {
				w.Header().Set("Content-Type", c.label)
			}
			_, _ = w.Write([]byte(c.body))
		})
		got := processed(r, "http://"+path, nil)
		if got.Str("type") != "Link" || !strings.EqualFold(got.Str("title"), c.want) {
			t.Errorf("%s, %q: %s", c.label, c.body, got.Body)
		}
	}
	// The bytes take precedence over the label.
	r.Web("example.com/image", apptest.Serve("text/html", apptest.PNG(t, 9, 9)))
	holds(t, processed(r, "http://example.com/image", nil), map[string]any{"type": "Image", "title": "image"})
	r.Web("example.com/download", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Disposition", "attachment")
		_, _ = w.Write([]byte("<html><title>x</title>"))
	})
	holds(t, processed(r, "http://example.com/download", nil), map[string]any{"type": "Attachment", "attachment.content_type": "text/html"})
}

const video = `{"version":"1.0","type":"video","title":"Wheels","author_name":"Ada","author_url":"https://example.com/ada",
"provider_name":"Loom","thumbnail_url":"https://example.com/thumb.png","width":640,"height":360,
"html":"<script>alert(1)</script><iframe src='https://player.example.com/7' onload='alert(1)'></iframe><b>more</b>"}`

// A player comes from discovery or the list of providers, as one frame without permissions.
func TestContentEmbed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) {
		list := `[{"provider_name":"Loom","endpoints":[{"schemes":["https://video.example.com/*"],"url":"https://example.com/oembed"}]}]`
		if err := os.WriteFile(c.ProvidersPath(), []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	r.Web("example.com/watch", apptest.Serve("text/html", []byte(`<title>Page</title><meta name="description" content="About">
		<link rel="alternate" type="application/json+oembed" href="/oembed?x=1">`)))
	r.Web("example.com/oembed", apptest.Serve("application/json", []byte(video)))
	r.Web("example.com/thumb.png", apptest.Serve("image/png", apptest.PNG(t, 20, 10)))
	for _, address := range []string{"https://example.com/watch", "https://video.example.com/7"} {
		got := processed(r, address, nil)
		holds(t, got, map[string]any{"type": "Embed", "state": "available", "title": "Wheels", "embed.type": "video", "embed.title": "Wheels",
			"embed.author_name": "Ada", "embed.author_url": "https://example.com/ada", "embed.width": 640, "embed.height": 360,
			"embed.source_url": address, "embed.thumbnail_url": "https://example.com/thumb.png", "source.url": address, "image.width": 20})
		html := got.Str("embed.html")
		if !strings.HasPrefix(html, `<iframe src="https://player.example.com/7" sandbox="`) || strings.Contains(html, "alert") ||
			!strings.HasSuffix(html, "></iframe>") || strings.Count(html, "<") != 2 {
			t.Errorf("%s has the player %s", address, html)
		}
	}
	if got := r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", processed(r, "https://example.com/watch", nil).Int("id")), `{"alt_text":"A wheel"}`); got.Str("image.alt_text") != "A wheel" {
		t.Errorf("alt_text: %s", got.Body)
	}
}

// If the player fails in any way, the page is a Link.
func TestContentEmbedFails(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for name, answer := range map[string]http.HandlerFunc{
		"missing":  http.NotFound,
		"down":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"nonsense": apptest.Serve("application/json", []byte("{{{")),
		"link":     apptest.Serve("application/json", []byte(`{"version":"1.0","type":"link","title":"x"}`)),
		"script":   apptest.Serve("application/json", []byte(`{"version":"1.0","type":"rich","html":"<script>alert(1)</script>"}`)),
		"foreign":  apptest.Serve("application/json", []byte(`{"version":"1.0","type":"rich","html":"<iframe src='https://example.org/'></iframe>"}`)),
		"large":    apptest.Serve("application/json", bytes.Repeat([]byte(" "), 2<<20)),
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("{"))
		},
	} {
		r.Web("example.com/oembed/"+name, answer)
		r.Web("example.com/watch/"+name, apptest.Serve("text/html", []byte(`<title>Page</title>
			<link rel="alternate" type="application/json+oembed" href="/oembed/`+name+`">`)))
		got := processed(r, "https://example.com/watch/"+name, nil)
		if got.Str("type") != "Link" || got.Str("title") != "Page" || got.Str("state") != "available" {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
}

// A page whose images cannot be used is a Link without a preview; otherwise the next image is used.
func TestContentBrokenPreview(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	page := func(images ...string) http.HandlerFunc {
		text := "<title>Page</title>"
		for _, image := range images {
			text += `<meta property="og:image" content="` + image + `">`
		}
		return apptest.Serve("text/html", []byte(text))
	}
	r.Web("example.com/none", http.NotFound)
	r.Web("example.com/text", apptest.Serve("image/png", []byte("no image")))
	r.Web("example.com/vast", apptest.Serve("image/png", vastPNG(30_000, 30_000)))
	r.Web("example.com/good", apptest.Serve("text/plain", apptest.PNG(t, 5, 5)))
	r.Web("example.com/page1", page("/none", "/text", "/vast", "/good"))
	r.Web("example.com/page2", page("/none", "/good"))
	holds(t, processed(r, "https://example.com/page1", nil), map[string]any{"type": "Link", "title": "Page", "image": nil})
	holds(t, processed(r, "https://example.com/page2", nil), map[string]any{"type": "Link", "image.width": 5})
	if n := rows(r, "files"); n != 1 {
		t.Errorf("%d files, want 1", n)
	}
}

// Concurrent fetches of pages of one site do not take each other's images.
func TestContentManyOfOneSite(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	const pages = 4 // the maximum number of concurrent fetches from a site, and of concurrent jobs
	var all sync.WaitGroup
	all.Add(pages)
	r.Web("example.com/page/", func(w http.ResponseWriter, _ *http.Request) {
		all.Done()
		all.Wait()
		_, _ = w.Write([]byte(`<html><title>Page</title><meta property="og:image" content="/image">`))
		w.(http.Flusher).Flush()
	})
	r.Web("example.com/image", apptest.Serve("image/png", apptest.PNG(t, 5, 5)))
	ids := make([]int64, pages)
	for i := range ids {
		ids[i] = submit(r, "ada", fmt.Sprint("https://example.com/page/", i), nil)
	}
	r.WorkJobs()
	for _, id := range ids {
		holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"type": "Link", "image.width": 5})
	}
}

// Endless bodies and decompression bombs use no more than the limits.
func TestContentBombs(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.UploadLimit = 6 << 20 })
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write([]byte("<html><title>Bomb</title><p>"))
	for range 32 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	serve := func(label string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", label)
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}
	}
	r.Web("example.com/page", serve("text/html"))
	r.Web("example.com/file", serve("application/octet-stream"))
	r.Web("example.com/endless", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	holds(t, processed(r, "https://example.com/page", nil), map[string]any{"type": "Link", "title": "Bomb"})
	for _, path := range []string{"file", "endless"} {
		got := processed(r, "https://example.com/"+path, nil)
		holds(t, got, map[string]any{"type": "Link", "state": "failed", "source.url": "https://example.com/" + path})
		holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", got.Int("id")),
			map[string]any{"state": "failed", "attempts": 1, "reason": "The answer is larger than 6 MiB"})
	}
	if left := storedObjects(r, "staging"); len(left) > 0 {
		t.Errorf("the staging folder holds %q", left)
	}
}
