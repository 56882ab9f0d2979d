package page

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	d, err := Providers()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ page, endpoint, provider string }{
		{"https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com/oembed?", "YouTube"},
		{"http://youtube.com/watch?v=dQw4w9WgXcQ&t=3", "https://www.youtube.com/oembed?", "YouTube"},
		{"https://m.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com/oembed?", "YouTube"},
		{"https://youtu.be/dQw4w9WgXcQ?si=x", "https://www.youtube.com/oembed?", "YouTube"},
		{"https://www.youtube.com/shorts/abc", "https://www.youtube.com/oembed?", "YouTube"},
		{"https://www.youtube.com/playlist?list=PL1", "https://www.youtube.com/oembed?", "YouTube"},
		{"https://WWW.YouTube.com:443/watch?v=x", "https://www.youtube.com/oembed?", "YouTube"},
		{"https://vimeo.com/76979871", "https://vimeo.com/api/oembed.json?", "Vimeo"},
		{"https://www.vimeo.com/76979871", "https://vimeo.com/api/oembed.json?", "Vimeo"},
		{"https://soundcloud.com/a/b", "https://soundcloud.com/oembed?", "SoundCloud"},
		{"https://open.spotify.com/track/1?si=2", "https://open.spotify.com/oembed?", "Spotify"},
		{"https://www.flickr.com/photos/a/1", "https://www.flickr.com/services/oembed/?", "Flickr"},
		{"https://flic.kr/p/abc", "https://www.flickr.com/services/oembed/?", "Flickr"},
		{"https://www.ted.com/talks/x", "https://www.ted.com/services/v1/oembed.json?", "TED"},
		{"https://www.tiktok.com/@ada/video/1", "https://www.tiktok.com/oembed?", "TikTok"},
		{"https://codepen.io/ada/pen/x", "https://codepen.io/api/oembed?", "CodePen"},
		{"https://www.dailymotion.com/video/x1", "https://www.dailymotion.com/services/oembed?", "Dailymotion"},
		{"https://www.mixcloud.com/a/b/", "https://www.mixcloud.com/oembed/?", "MixCloud"},
		{"https://www.figma.com/file/x/y?node-id=1", "https://www.figma.com/api/oembed?", "Figma"},
		{"https://www.canva.com/design/x/view?utm=1", "https://www.canva.com/_oembed?", "Canva"},
		{"https://hearthis.at/a/b/", "https://hearthis.at/oembed/?format=json&", "hearthis.at"},
		{"https://www.facebook.com/photo.php?fbid=1", "https://graph.facebook.com/v16.0/oembed_post?", "Facebook"},
		{"https://www.youtube.com/", "", ""},
		{"https://www.youtube.com/feed/library", "", ""},
		{"https://www.youtube.com/playlist?x=PL1", "", ""},
		{"https://www.youtube.com:8443/watch?v=x", "", ""},
		{"https://youtube.com.evil.example/watch?v=x", "", ""},
		{"https://evilyoutube.com/watch?v=x", "", ""},
		{"https://evil.example/https://www.youtube.com/watch?v=x", "", ""},
		{"https://evil.example/?x=.youtube.com/watch", "", ""},
		{"https://eve:x@www.youtube.com/watch?v=x", "", ""},
		{"ftp://www.youtube.com/watch?v=x", "", ""},
		{"spotify:track:1", "", ""},
		{"https://example.com/", "", ""},
	} {
		t.Run(c.page, func(t *testing.T) {
			t.Parallel()
			page := address(t, c.page)
			found, ok := d.Find(page)
			if ok != (c.endpoint != "") || found.Provider != c.provider || !strings.HasPrefix(found.URL, c.endpoint) {
				t.Fatalf("got %+v, %t", found, ok)
			}
			if !ok {
				return
			}
			query := address(t, found.URL).Query()
			if query.Get("url") != page.String() || query.Get("format") != "json" || query.Get("maxwidth") != "1280" {
				t.Errorf("the request is %s", found.URL)
			}
		})
	}
}

func TestSameEndpoint(t *testing.T) {
	t.Parallel()
	d, err := LoadProviders(strings.NewReader(`[{"provider_name":"Loom","endpoints":[{"url":"https://example.com/oembed?format=json","schemes":["https://play.example.com/*"]}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	known, ok := d.Find(address(t, "https://play.example.com/?v=7"))
	if !ok {
		t.Fatal("there is no endpoint")
	}
	const page = "url=https%3A%2F%2Fplay.example.com%2F%3Fv%3D7"
	for link, want := range map[string]bool{
		known.URL:                            true,
		"https://example.com/oembed?" + page: true,
		"https://example.com/oembed?url=https://play.example.com/?v=7":            true,
		"http://www.Example.com:80/oembed?format=json&" + page + "&maxheight=720": true,
		"https://example.com/oembed?format=xml&" + page:                           false,
		"https://example.com/oembed?for=discovery&" + page:                        false,
		"https://example.com/oembed?" + page + "1":                                false,
		"https://example.com/oembed?" + page + "&" + page:                         false,
		"https://example.com/oembed":                                              false,
		"https://example.com/other?" + page:                                       false,
		"https://example.com:8443/oembed?" + page:                                 false,
		"https://example.org/oembed?" + page:                                      false,
		"":                                                                        false,
		"https://example.com/%zz?" + page:                                         false,
	} {
		found := Endpoint{URL: link}
		if found.Same(known) != want || known.Same(found) != want {
			t.Errorf("%s: want %t", link, want)
		}
	}
	if known.Same(Endpoint{}) {
		t.Error("it is the same as none")
	}
}

func TestLoadProviders(t *testing.T) {
	t.Parallel()
	d, err := LoadProviders(strings.NewReader(`[
		{"provider_name":" Odd\n","endpoints":[{"url":"javascript:x","schemes":["https://a.example/*"]},
			{"url":"http://127.0.0.1:8080/o","schemes":["https://*.com/*","https://*/*","https://a*.example/x","x","http://127.0.0.1:8080/v/*","https://b.example/*/x*y/*"]}]},
		{"provider_name":"Second","endpoints":[{"url":"https://b.example/o","schemes":["https://b.example/*","https://c.example/#/*"]}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"http://127.0.0.1:8080/v/1":    "Odd",
		"http://127.0.0.1:8081/v/1":    "",
		"https://a.example/1":          "",
		"https://aa.example/x":         "",
		"https://some.com/1":           "",
		"https://b.example/1/x2y/":     "Odd",
		"https://b.example/1/x2/":      "Second",
		"https://c.example/#/1":        "Second",
		"https://c.example/?x#/1":      "Second",
		"https://c.example/1":          "",
		"https://b.example":            "Second",
		"https://below.b.example/1":    "",
		"https://www.b.example/1/xy/2": "Odd",
	} {
		if found, _ := d.Find(address(t, page)); found.Provider != want {
			t.Errorf("%s: got %q, want %q", page, found.Provider, want)
		}
	}
}

func TestLoadProvidersRefuses(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]string{
		"nothing":     ``,
		"an object":   `{"provider_name":"x"}`,
		"empty":       `[]`,
		"nothing new": `[{"provider_name":"x","endpoints":[{"url":"https://a.example/o"}]}]`,
		"a page":      `<html>`,
		"too long":    `[` + strings.Repeat(" ", maxList) + `]`,
	} {
		if _, err := LoadProviders(strings.NewReader(list)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// All usable entries of the list are parsed.
func TestProvidersAreUnderstood(t *testing.T) {
	t.Parallel()
	var providers []struct {
		Endpoints []struct{ Schemes []string }
	}
	if err := json.Unmarshal(embeddedList, &providers); err != nil {
		t.Fatal(err)
	}
	for _, p := range providers {
		for _, e := range p.Endpoints {
			for _, scheme := range e.Schemes {
				if _, ok := newPattern(scheme); !ok && scheme != "spotify:*" {
					t.Errorf("%s is not understood", scheme)
				}
			}
		}
	}
}

func BenchmarkFind(b *testing.B) {
	d, err := Providers()
	if err != nil {
		b.Fatal(err)
	}
	page := address(b, "https://example.com/none/of/them?x=1")
	for b.Loop() {
		d.Find(page)
	}
}
