package page

import (
	"slices"
	"strings"
	"testing"
)

// A page that declares no title gets the best available name.
func TestReadWithoutTitle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ html, want string }{
		"heading":          {`<h1>A heading</h1><h1>Another</h1>`, "A heading"},
		"marked up":        {`<h1 class=x><a href="/"><span>Two</span> <em>words</em></a><br>and&nbsp;more</h1>`, "Two words and more"},
		"blocks":           {`<h1><div>Two</div><div>words</div></h1>`, "Two words"},
		"picture":          {`<h1><img src=/logo.png alt="The name"></h1>`, "The name"},
		"empty heading":    {`<h1> </h1><h1><svg><title>Icon</title></svg></h1><h1>Third</h1>`, "Third"},
		"script":           {`<h1><script>no()</script>Yes<style>p{}</style></h1>`, "Yes"},
		"unclosed":         {`<h1>Half<p>The text`, "Half"},
		"blank parts":      {`<h1> <b> </b><p>Within <i> </i><p>After`, "Within"},
		"paragraph":        {`<h1><p>Within</p></h1>`, "Within"},
		"never closed":     {`<h1>Half`, "a.example"},
		"site":             {`<title></title><meta property="og:site_name" content="Site">`, "Site"},
		"application":      {`<meta name="application-name" content="App">`, "App"},
		"heading and site": {`<meta property="og:site_name" content="Site"><h1>Heading</h1>`, "Heading"},
		"untitled":         {`<title>Untitled Document</title><h1>Heading</h1>`, "Heading"},
		"nothing but that": {`<title>Untitled</title>`, "a.example"},
		"title wins":       {`<title>Title</title><h1>Heading</h1>`, "Title"},
		"long":             {`<h1>` + strings.Repeat("x", 10_000) + `</h1>`, strings.Repeat("x", 499) + "…"},
		"nothing":          {``, "a.example"},
	} {
		if got := read(t, c.html).Title; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Images that may represent a page are large, and belong to its article.
func TestReadPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		html string
		want []string
	}{
		"in order":     {`<img src=/a.jpg><img src=/b.jpg alt="B"><img src=/a.jpg>`, []string{"a.jpg", "b.jpg"}},
		"article":      {`<img src=/a.jpg><article><header><h1>x</h1><img src=/b.jpg></header></article>`, []string{"b.jpg", "a.jpg"}},
		"menus":        {`<nav><img src=/a.jpg></nav><header><img src=/b.jpg></header><main><aside><img src=/c.jpg></aside></main><footer><img src=/d.jpg></footer><img src=/e.jpg>`, []string{"e.jpg"}},
		"small":        {`<img src=/a.jpg width=100 height=100><img src=/b.jpg width="1px"><img src=/c.jpg height=20><img src=/d.jpg width=800 height=600>`, []string{"d.jpg"}},
		"banner":       {`<img src=/a.jpg width=970 height=150><img src=/b.jpg width=640 height=480>`, []string{"b.jpg"}},
		"icons":        {`<img src=/img/logo.png><img src=/icons/a.png><img class="site-avatar x" src=/c.png><img src=/pixel.gif><img src=/sprite-2.png><img src=/silicon.png><img src=/adventure.jpg>`, []string{"silicon.png", "adventure.jpg"}},
		"data and svg": {`<img src="data:image/png;base64,iVBORw0KGgo="><img src=/a.svg><img><img src="javascript:x"><img src=/b.png>`, []string{"b.png"}},
		"srcset":       {`<img src=/s.jpg srcset="/m.jpg 800w, /l.jpg 1600w, /xl.jpg 4000w">`, []string{"l.jpg"}},
		"densities":    {`<img src=/s.jpg srcset="/1.jpg, /2.jpg 2x">`, []string{"2.jpg"}},
		"commas":       {`<img srcset="/w_1,h_2/a.jpg 300w, /w_3,h_4/b.jpg 600w">`, []string{"w_3,h_4/b.jpg"}},
		"late":         {`<img src="data:image/gif;base64,R0lGODlh" data-src=/a.jpg><img src=/placeholder.gif data-srcset="/b.jpg 900w">`, []string{"a.jpg", "b.jpg"}},
		"noscript":     {`<noscript><img src=/a.jpg></noscript>`, nil},
		"many":         {strings.Repeat(`<img src=/a.jpg>`, 200) + `<img src=/b.jpg>`, []string{"a.jpg"}},
	} {
		var got []string
		for _, p := range read(t, c.html).Pictures {
			got = append(got, strings.TrimPrefix(p.Address, "https://www.a.example/"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
