package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestSafeHTML(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, endpoint, page, html, src string }{
		{"YouTube", "https://www.youtube.com/oembed?url=x", "https://youtu.be/x",
			`<iframe width="200" height="113" src="https://www.youtube.com/embed/x?feature=oembed&amp;a=1" frameborder="0" allow="camera" allowfullscreen title="T"></iframe>`,
			"https://www.youtube.com/embed/x?feature=oembed&a=1"},
		{"Vimeo", "https://vimeo.com/api/oembed.json", "https://vimeo.com/1", `<iframe src="https://player.vimeo.com/video/1?h=2"></iframe>`, "https://player.vimeo.com/video/1?h=2"},
		{"SoundCloud", "https://soundcloud.com/oembed", "https://soundcloud.com/a/b",
			`<iframe width="100%" height="400" scrolling="no" src="https://w.soundcloud.com/player/?visual=true&url=https%3A%2F%2Fx"></iframe>`,
			"https://w.soundcloud.com/player/?visual=true&url=https%3A%2F%2Fx"},
		{"Spotify", "https://open.spotify.com/oembed", "https://open.spotify.com/track/1", `<iframe style="x" src="https://open.spotify.com/embed/track/1"></iframe>`, "https://open.spotify.com/embed/track/1"},
		{"wrapped", "https://a.example/o", "", `<div style="x" onclick="x"><blockquote>Text</blockquote><iframe src='https://a.example/1'></iframe><script src="https://a.example/x.js"></script></div>`, "https://a.example/1"},
		{"without a scheme", "https://a.example/o", "", `<iframe src="//player.a.example/1"></iframe>`, "https://player.a.example/1"},
		{"domain of the page", "https://api.b.example/o", "https://www.a.example/x", `<iframe src="https://player.a.example/1"></iframe>`, "https://player.a.example/1"},
		{"upper case", "https://a.example/o", "", `<IFRAME SRC="HTTPS://A.EXAMPLE/1">`, "https://a.example/1"},
		{"letters in the host", "https://xn--bcher-kva.example/o", "", `<iframe src="https://player.bücher.example/ä">`, "https://player.xn--bcher-kva.example/%C3%A4"},
		{"port", "https://a.example/o", "", `<iframe src="https://a.example:8443/1">`, "https://a.example:8443/1"},
		{"address alone", "https://127.0.0.1:1/o", "", `<iframe src="https://127.0.0.1:2/1">`, "https://127.0.0.1:2/1"},
		{"the second", "https://a.example/o", "", `<iframe src="about:blank"></iframe><iframe src="https://a.example/1"></iframe>`, "https://a.example/1"},
		{"quotes", "https://a.example/o", "", `<iframe src="https://a.example/1?&quot;&gt;&lt;script&gt;'">`, "https://a.example/1?%22%3E%3Cscript%3E'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			endpoint, page := address(t, c.endpoint), address(t, c.page)
			got := OEmbed{HTML: c.html}.SafeHTML(endpoint, page, "vitrine.example")
			if problem := wrongFrame(got, endpoint, page); problem != "" {
				t.Errorf("%s: %s", problem, got)
			}
			if frame := onlyTag(got); attribute(frame, "src") != c.src {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestSafeHTMLWritten(t *testing.T) {
	t.Parallel()
	const common = ` sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation"` +
		` allow="encrypted-media; fullscreen; picture-in-picture"`
	const rest = ` loading="lazy" referrerpolicy="strict-origin-when-cross-origin" allowfullscreen=""></iframe>`
	for _, c := range []struct {
		name   string
		answer OEmbed
		want   string
	}{
		{"sizes of the iframe", OEmbed{HTML: `<iframe src="https://a.example/1" width="200" height="113px" title="Own">`, Title: `A "B" <i>`, Width: 5, Height: 6},
			`<iframe src="https://a.example/1"` + common + ` width="200" height="113" title="A &#34;B&#34; &lt;i&gt;"` + rest},
		{"sizes of the answer", OEmbed{HTML: `<iframe src="https://a.example/1" width="calc(1)" height="100%" title="Own">`, Width: 5, Height: 6},
			`<iframe src="https://a.example/1"` + common + ` width="5" height="6" title="Own"` + rest},
		{"whole width", OEmbed{HTML: `<iframe src="https://a.example/1" width="100%">`, ProviderName: "Films"},
			`<iframe src="https://a.example/1"` + common + ` width="100%" title="Films"` + rest},
		{"no size", OEmbed{HTML: `<iframe src="https://a.example/1" width="1000%" height="-1">`},
			`<iframe src="https://a.example/1"` + common + rest},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.answer.SafeHTML(address(t, "https://a.example/o"), nil); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// attacks show nothing, on a page and from an endpoint of a.example.
var attacks = []string{
	``,
	`<script>alert(1)</script>`,
	`<script>document.write('<iframe src="https://a.example/1">')</script>`,
	`<img src=x onerror=alert(1)>`,
	`<blockquote>Only text</blockquote>`,
	`<iframe></iframe>`,
	`<iframe src="">`,
	`<iframe src="javascript:alert(1)">`,
	"<iframe src=\"java\nscript:alert(1)\">",
	`<iframe src=" JavaScript:alert(1)//https://a.example/">`,
	`<iframe src="data:text/html,<script>alert(1)</script>">`,
	`<iframe src="blob:https://a.example/1">`,
	`<iframe src="about:blank">`,
	`<iframe srcdoc="<script>alert(1)</script>">`,
	`<iframe src="http://a.example/1">`,
	`<iframe src="https://evil.example/1">`,
	`<iframe src="//evil.example/1">`,
	`<iframe src="/1">`,
	`<iframe src="https://a.example.evil.example/1">`,
	`<iframe src="https://evila.example/1">`,
	`<iframe src="https://a.example@evil.example/1">`,
	`<iframe src="https://eve:x@a.example/1">`,
	`<iframe src="https://evil.example\@a.example/1">`,
	`<iframe src="https://evil.example#@a.example/1">`,
	`<iframe src="https://evil.example%2F.a.example/1">`,
	`<iframe src="https://evil.example&#9;/.a.example/1">`,
	`<iframe src="https://evil.example&#x2F;.a.example/1">`,
	`<iframe src="https:evil.example/1">`,
	`<iframe src="https:///evil.example/1">`,
	`<iframe src="\\evil.example/1">`,
	`<iframe src="https://a.example./1">`,
	`<iframe src="https://vitrine.a.example/1">`,
	`<iframe src="https://VITRINE.a.example:8443/1">`,
	`<iframe src="https://127.0.0.1/1">`,
	`<iframe src="https://[::1]/1">`,
	`<iframe src="https://example/1">`,
	`<!-- <iframe src="https://a.example/1"> -->`,
	`<textarea><iframe src="https://a.example/1"></textarea>`,
	`<iframe src="https://evil.example/1"><iframe src="https://a.example/1"></iframe></iframe>`,
	`<object data="https://a.example/1"></object><embed src="https://a.example/1">`,
	`<iframe data-src="https://a.example/1">`,
	`<iframe src="https://a.example/` + strings.Repeat("x", maxAddress) + `">`,
}

func TestSafeHTMLRefuses(t *testing.T) {
	t.Parallel()
	for _, html := range attacks {
		got := OEmbed{Type: "rich", HTML: html}.SafeHTML(address(t, "https://api.a.example/o"), address(t, "https://a.example/x"), "vitrine.a.example")
		if got != "" {
			t.Errorf("%.100s: got %s", html, got)
		}
	}
	for _, c := range []struct{ endpoint, page, src string }{
		{"https://1.2.3.4/o", "", "https://5.6.3.4/1"}, // no registrable domain
		{"https://1.2.3/o", "", "https://9.2.3/1"},     // short for 1.2.0.3 and 9.2.0.3
		{"https://ada.github.io/o", "", "https://eve.github.io/1"},
		{"https://a.co.uk/o", "", "https://b.co.uk/1"},
		{"https://com/o", "", "https://a.com/1"},
		{"", "", "https://a.example/1"},
		{"https://[::1]/o", "", "https://[::1]/1"},
	} {
		html := `<iframe src="` + c.src + `"></iframe>`
		if got := (OEmbed{HTML: html}).SafeHTML(address(t, c.endpoint), address(t, c.page)); got != "" {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	if got := (OEmbed{HTML: `<iframe src="https://a.example/1">`}).SafeHTML(nil, nil); got != "" {
		t.Errorf("without any address: got %s", got)
	}
}

func onlyTag(html string) nethtml.Token {
	z := nethtml.NewTokenizer(strings.NewReader(html))
	z.Next()
	return z.Token()
}

// wrongFrame returns why SafeHTML must not return a result, "" if it is valid.
func wrongFrame(html string, endpoint, page *url.URL) string {
	if html == "" {
		return ""
	}
	body := &nethtml.Node{Type: nethtml.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := nethtml.ParseFragment(strings.NewReader(html), body)
	if err != nil || len(nodes) != 1 || nodes[0].Data != "iframe" || nodes[0].FirstChild != nil {
		return "not one empty iframe"
	}
	may := []string{"src", "sandbox", "allow", "width", "height", "title", "loading", "referrerpolicy", "allowfullscreen"}
	for _, a := range nodes[0].Attr {
		if !slices.Contains(may, a.Key) {
			return fmt.Sprintf("the attribute %q", a.Key)
		}
		switch a.Key {
		case "sandbox":
			if a.Val != frameSandbox || strings.Contains(a.Val, "navigation") {
				return fmt.Sprintf("the sandbox %q", a.Val)
			}
		case "src":
			u, err := url.Parse(a.Val)
			if err != nil || u.Scheme != "https" || u.User != nil {
				return fmt.Sprintf("the address %q", a.Val)
			}
			if !related(u.Hostname(), hostOf(endpoint)) && !related(u.Hostname(), hostOf(page)) {
				return fmt.Sprintf("the foreign address %q", a.Val)
			}
		}
	}
	return ""
}
