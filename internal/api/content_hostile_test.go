package api_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Foreign text that databases refuse, or that is misleading, is cleaned before it is stored.
func TestContentHostileText(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		bad := "a\x00b\xff\u202Ec\x1b[2J"
		r.Web("example.com/page", apptest.Serve("text/html; charset=utf-8", []byte(`<html><title>`+bad+`</title>
			<meta name="description" content="`+bad+strings.Repeat(bad, 2000)+`"><meta property="og:image" content="`+bad+`">
			<meta property="og:image" content="/good"><link rel="canonical" href="/`+bad+`"><p>`+bad)))
		r.Web("example.com/good", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", `inline; filename="`+strings.Repeat("\xff\u202E", 300)+`..\..\x.png"`)
			_, _ = w.Write(apptest.PNG(t, 3, 3))
		})
		r.Web("example.com/watch", apptest.Serve("text/html", []byte(`<title>Page</title>
			<link rel="alternate" type="application/json+oembed" href="/oembed">`)))
		r.Web("example.com/oembed", apptest.Serve("application/json", []byte(`{"type":"video","version":"1.0","title":"a\u0000b","author_name":"\u0000\ud800",
			"author_url":"http://example.com/\u0000","url":"javascript:alert(1)","thumbnail_url":"data:image/png;base64,x","width":"1e9","height":-4,
			"html":"<iframe src=\"https://example.com/\u0000\" title=\"\u0000\"></iframe><iframe src=\"https://example.com/x&quot; onload=alert(1)\"></iframe>"}`)))
		r.Web("example.com/file/", apptest.Serve("", []byte("\x00\x01")))
		page := processed(r, "http://example.com/page", nil)
		holds(t, page, map[string]any{"type": "Link", "state": "available", "image.width": 3})
		watch := processed(r, "http://example.com/watch", nil)
		holds(t, watch, map[string]any{"type": "Embed", "embed.url": nil, "embed.author_url": "http://example.com/", "embed.thumbnail_url": nil, "embed.width": nil, "embed.height": nil})
		if html := watch.Str("embed.html"); strings.Count(html, "<") != 2 || strings.Contains(html, `" onload`) {
			t.Errorf("the player is %s", html)
		}
		file := processed(r, "http://example.com/file/%00%FF%E2%80%AEgpj.%2e%2f..%2Fx", nil)
		holds(t, file, map[string]any{"type": "Attachment", "attachment.filename": "x"})
		for _, got := range []*apptest.Response{page, watch, file} {
			if strings.ContainsAny(string(got.Body), "\x00\x1b") || strings.Contains(string(got.Body), `\u0000`) || strings.Contains(got.Str("title"), "\u202E") {
				t.Errorf("%s", got.Body)
			}
		}
	})
}
