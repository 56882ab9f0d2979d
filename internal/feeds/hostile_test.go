package feeds_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"vitrine/internal/apptest"
)

// nasty are texts that try to break out of their context.
var nasty = []string{
	`]]>`, `<![CDATA[`, `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `&lt;script&gt;`, `&#x1;`, `</content></entry>`,
	"a\u0001b\u000bc", "\ufffe\uffff", "\u202e turned", "'\"`", `{{.}}`, `<?xml version="1.0"?>`, `javascript:alert(1)`,
	`[x](javascript:alert(1))`, `<iframe src="https://evil.example"></iframe>`, `<style>*{display:none}</style>`, "🌿\u200d",
}

// Even with hostile texts of users, feeds are well-formed, their HTML is harmless, and cards are
// drawn.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	c := r.Channel("ada", "Moss", "public")
	for _, text := range nasty {
		body := map[string]any{"value": text + " fern", "title": text, "description": text, "channel_ids": []int64{c}}
		if res := r.Do("ada", "POST", "/v3/blocks", body); res.Status != http.StatusCreated && res.Status != http.StatusBadRequest {
			t.Fatalf("%q: %d %s", text, res.Status, res.Body)
		}
	}
	named := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": `]]></title><script>"`, "visibility": "public", "description": nasty[2] + nasty[3]}).Want(http.StatusCreated)
	r.Connect("ada", "Channel", named.Int("id"), c)
	r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", c), map[string]any{"description": strings.Join(nasty[:7], " ")}).Want(http.StatusOK)

	res := get(r, "/ada/moss/feed.atom").Want(http.StatusOK)
	if !utf8.Valid(res.Body) {
		t.Error("not UTF-8")
	}
	for decoder := xml.NewDecoder(strings.NewReader(string(res.Body))); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, res.Body)
		}
	}
	doc := atom(r, "/ada/moss/feed.atom")
	if len(doc.Entries) < 10 {
		t.Errorf("%d entries", len(doc.Entries))
	}
	for _, e := range doc.Entries {
		harmless(t, e.Content.HTML)
	}
	for _, item := range feedJSON(r, "/ada/moss/feed.json").Items {
		harmless(t, item.HTML)
	}
	shown := ask(r, apptest.Base+"/ada/"+named.Str("slug")).Want(http.StatusOK)
	harmlessFrame(t, shown.Str("html"))
	picture(r, fmt.Sprintf("/cards/channel/%d.png", c))
	picture(r, fmt.Sprintf("/cards/channel/%d.png", named.Int("id")))
}

// harmless checks that HTML contains nothing that runs or loads anything except images.
func harmless(t *testing.T, fragment string) {
	t.Helper()
	tokens := html.NewTokenizer(strings.NewReader(fragment))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := tokens.Token()
			switch tag.Data {
			case "script", "style", "iframe", "object", "embed", "form", "input", "link", "meta", "base", "svg":
				t.Errorf("<%s> in %s", tag.Data, fragment)
			}
			for _, a := range tag.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") && a.Key != "alt" {
					t.Errorf("%s=%q in %s", a.Key, a.Val, fragment)
				}
			}
		}
	}
}

// harmlessFrame checks that HTML is a single frame.
func harmlessFrame(t *testing.T, fragment string) {
	t.Helper()
	tags := 0
	for tokens := html.NewTokenizer(strings.NewReader(fragment)); tokens.Next() != html.ErrorToken; {
		if tag := tokens.Token(); tag.Type == html.StartTagToken {
			tags++
			same(t, "element", tag.Data, "iframe")
		}
	}
	same(t, "elements", tags, 1)
}

// Long texts are truncated to limit the size of a feed.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	c := r.Channel("ada", "Moss", "public")
	long := strings.Repeat("Moss **grows** on <b>stones</b>. ", 6000)
	for range 30 {
		r.Block("ada", long, c)
	}
	res := get(r, "/ada/moss/feed.atom").Want(http.StatusOK)
	if len(res.Body) > 1<<20 || res.Header.Get("ETag") == "" {
		t.Errorf("%d bytes, tag %s", len(res.Body), res.Header.Get("ETag"))
	}
	for _, e := range atom(r, "/ada/moss/feed.atom").Entries {
		has(t, "cut", e.Content.HTML, "Moss grows on stones", "…", link(e.Links, "alternate").Href)
		hasNo(t, "cut", e.Content.HTML, "<b>")
	}
	r.Block("ada", strings.Repeat("x", 100_000), c)
	same(t, "a long word", len(atom(r, "/ada/moss/feed.atom").Entries), 31)
}

// URLs of any length and shape get a response.
func FuzzAddresses(f *testing.F) {
	r := apptest.New(f)
	for _, seed := range []string{"/ada/moss/feed.atom", "/feeds/1-x/feed.atom", "/cards/block/1.png", "/oembed?url=https%3A%2F%2Fvitrine.test%2Fada", "/sitemaps/users-1.xml",
		"/%00/feed.json", "/group//feed.atom", "/feeds/-/x.json", "/feeds/1-", "//feed.atom", "/oembed?maxwidth=1&url=%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !strings.HasPrefix(path, "/") {
			t.Skip()
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, apptest.Base+path, nil)
		if err != nil {
			t.Skip()
		}
		res := httptest.NewRecorder()
		if r.S.Handler().ServeHTTP(res, req); res.Code >= 500 && res.Code != http.StatusNotImplemented {
			t.Errorf("%q: %d %s", path, res.Code, res.Body)
		}
	})
}
