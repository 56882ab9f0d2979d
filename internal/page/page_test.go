package page

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const here = "https://www.a.example/news/1?x=2"

func read(t *testing.T, html string) Page {
	t.Helper()
	p, err := Read(address(t, here), "text/html; charset=utf-8", []byte(html))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReadTexts(t *testing.T) {
	t.Parallel()
	const ld = `<script type="application/ld+json">{"@type":"NewsArticle","headline":"Linked","description":"Linked text"}</script>`
	for _, c := range []struct{ name, html, title, description string }{
		{"nothing", `<p>x`, "a.example", ""},
		{"plain", `<title>Plain</title><meta name=description content="Text">`, "Plain", "Text"},
		{"all", `<title>Plain</title><meta name=description content="Text">` + ld +
			`<meta name="twitter:title" content="Card"><meta name="twitter:description" content="Card text">
			<meta property="og:title" content="Graph"><meta property="og:description" content="Graph text">`, "Graph", "Graph text"},
		{"twitter before JSON-LD", ld + `<meta name="twitter:title" content="Card"><meta property="twitter:description" content="Card text">`,
			"Card", "Card text"},
		{"JSON-LD before plain", `<title>Plain</title><meta name=description content="Text">` + ld, "Linked", "Linked text"},
		{"og as name", `<meta name="og:title" content="Graph"><title>Plain</title>`, "Graph", ""},
		{"upper case", `<META PROPERTY="OG:TITLE" CONTENT="Graph"><META NAME="Description" CONTENT="Text">`, "Graph", "Text"},
		{"name and property", `<meta name="description" property="og:description" content="Both">`, "a.example", "Both"},
		{"several", `<meta property="og:title" content="One"><meta property="og:title" content="Two">`, "One", ""},
		{"empty", `<meta property="og:title" content=""><meta property="og:title" content=" &#8203;&nbsp;"><title>Plain</title>`, "Plain", ""},
		{"blank", `<meta property="og:title" content=" &nbsp; "><title>Plain</title>`, "Plain", ""},
		{"in the body", `<body><p>x</p><meta property="og:title" content="Late">`, "Late", ""},
		{"entities", `<meta property="og:title" content="A &amp; B &lt;i&gt; &eacute;&#x2014;">`, "A & B <i> é—", ""},
		{"entities in the title", `<title>A &amp; B <b>x</b></title>`, "A & B <b>x</b>", ""},
		{"white space", "<title>\n\t A \r\n  B\u00a0 C </title>", "A B C", ""},
		{"controls", "<title>A\x01B\u202eC\u0085D\x00</title>", "ABC D\uFFFD", ""},
		{"invalid", "<title>A\xffB</title>", "A\uFFFDB", ""},
		{"title of a drawing", `<svg><title>Icon</title></svg><title>Plain</title>`, "Plain", ""},
		{"second title", `<title>Plain</title><title>Other</title>`, "Plain", ""},
		{"script", `<script>document.write("<title>No</title>")</script><title>Plain</title>`, "Plain", ""},
		{"comment", `<!-- <title>No</title> --><title>Plain</title>`, "Plain", ""},
		{"unclosed", `<title>Plain`, "Plain", ""},
		{"long", `<title>` + strings.Repeat("é", 501) + `</title>`, strings.Repeat("é", 499) + "…", ""},
		{"just fits", `<title>` + strings.Repeat("é", 500) + `</title>`, strings.Repeat("é", 500), ""},
		{"long description", `<meta name=description content="` + strings.Repeat("a ", 3000) + `">`, "a.example", strings.TrimSpace(strings.Repeat("a ", 2500)) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, c.html)
			if p.Title != c.title || p.Description != c.description {
				t.Errorf("got %q and %q, want %q and %q", p.Title, p.Description, c.title, c.description)
			}
		})
	}
}

func TestReadLinked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, json, want string }{
		{"object", `{"@type":"Article","headline":"H","author":{"name":"Ada"},"publisher":{"name":"P"},"image":{"url":"/i.png"}}`,
			"H|Ada|P|[https://www.a.example/i.png]"},
		{"array", `[{"@type":"BreadcrumbList","name":"No"},{"@type":"Product","name":"N","image":["/1.png","/2.png"]}]`,
			"N|||[https://www.a.example/1.png https://www.a.example/2.png]"},
		{"graph", `{"@graph":[{"@type":"WebSite","name":"S"},{"@type":"WebPage","name":"W"},
			{"@type":["Article","x"],"headline":"H","author":[{"name":"Ada"},"Eve"],"image":{"@type":"ImageObject","contentUrl":"http://b.example/i.png"}}]}`,
			"H|Ada, Eve|S|[http://b.example/i.png]"},
		{"vocabulary", `{"@type":"http://schema.org/VideoObject","name":"V","thumbnailUrl":["/t.png"]}`, "V|||[https://www.a.example/t.png]"},
		{"page that is nothing else", `{"@type":"WebPage","name":"W"}`, "W|||[]"},
		{"main entity", `{"@type":"WebPage","name":"W","mainEntity":{"@type":"Recipe","name":"R"}}`, "R|||[]"},
		{"organisation alone", `{"@type":"Organization","name":"O","image":"/logo.png"}`, "a.example|||[]"},
		{"without a type", `{"headline":"H"}`, "a.example|||[]"},
		{"entities", `{"@type":"Article","headline":"A &amp; B"}`, "A & B|||[]"},
		{"comment", `<!-- {"@type":"Article","headline":"H"} -->`, "H|||[]"},
		{"CDATA", "//<![CDATA[\n{\"@type\":\"Article\",\"headline\":\"H\"}\n//]]>", "H|||[]"},
		{"semicolon", `{"@type":"Article","headline":"H"};`, "H|||[]"},
		{"line end in a string", "{\"@type\":\"Article\",\"headline\":\"A\nB\"}", "A B|||[]"},
		{"broken", `{"@type":"Article","headline":`, "a.example|||[]"},
		{"wrong kinds", `{"@type":7,"headline":[1,{}],"author":3,"image":true,"@graph":"x","mainEntity":null}`, "a.example|||[]"},
		{"wrong kinds of an article", `{"@type":"Article","headline":{"a":1},"name":"N","author":[[1],null,{"name":2}],"image":[{},7]}`, "N|||[]"},
		{"a string", `"Article"`, "a.example|||[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, `<script type="application/ld+json; charset=utf-8">`+c.json+`</script>`)
			if got := fmt.Sprintf("%s|%s|%s|%v", p.Title, p.Author, p.SiteName, p.Images); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	t.Run("after a broken one", func(t *testing.T) {
		t.Parallel()
		p := read(t, `<script type="application/ld+json">{</script><script type="application/ld+json">{"@type":"Book","name":"B"}</script>`)
		if p.Title != "B" {
			t.Errorf("got %q", p.Title)
		}
	})
}

func TestReadImages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, html string
		want       []string
		alt        string
	}{
		{"none", `<img src=/x.png><link rel=icon href=/i.ico>`, nil, ""},
		{"relative", `<meta property=og:image content="../i.png?a=1&amp;b=2">`, []string{"https://www.a.example/i.png?a=1&b=2"}, ""},
		{"base", `<base href="//cdn.example/x/"><meta property=og:image content="i.png">`, []string{"https://cdn.example/x/i.png"}, ""},
		{"base that is none", `<base href="javascript:x"><meta property=og:image content="i.png">`, []string{"https://www.a.example/news/i.png"}, ""},
		{"secure first", `<meta property=og:image content="http://b.example/i"><meta property=og:image:secure_url content="https://b.example/i">`,
			[]string{"https://b.example/i", "http://b.example/i"}, ""},
		{"several with texts", `<meta property=og:image content="/1"><meta property=og:image:width content=9><meta property=og:image:alt content="One  picture">
			<meta property=og:image content="/2"><meta property=og:image:alt content="Two">`, []string{"https://www.a.example/1", "https://www.a.example/2"}, "One picture"},
		{"text of the one that counts", `<meta property=og:image content="data:x"><meta property=og:image:alt content="One">
			<meta name=twitter:image content="/2"><meta name=twitter:image:alt content="Two">`, []string{"https://www.a.example/2"}, "Two"},
		{"order", `<link rel="image_src" href="/4"><script type=application/ld+json>{"@type":"Article","image":"/3"}</script>
			<meta name="twitter:image:src" content="/2"><meta property=og:image:url content="/1">`,
			[]string{"https://www.a.example/1", "https://www.a.example/2", "https://www.a.example/3", "https://www.a.example/4"}, ""},
		{"twice", `<meta property=og:image content="/1"><meta name=twitter:image content="/1">`, []string{"https://www.a.example/1"}, ""},
		{"not on the web", `<meta property=og:image content="javascript:alert(1)"><meta property=og:image content="data:image/png,x">
			<meta property=og:image content="ftp://a.example/x"><meta property=og:image content="http://eve:x@a.example/">
			<meta property=og:image content="http://a<b/"><meta property=og:image content="http://%zz/"><meta property=og:image content="https://">`, nil, ""},
		{"space and letters", `<meta property=og:image content=" /a b/é.png ">`, []string{"https://www.a.example/a%20b/%C3%A9.png"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, c.html)
			if !slices.Equal(p.Images, c.want) || p.ImageAlt != c.alt {
				t.Errorf("got %q %q, want %q %q", p.Images, p.ImageAlt, c.want, c.alt)
			}
		})
	}
}

func TestReadOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, html, want string }{
		{"nothing", ``, "|||" + here},
		{"all", `<html lang="pt-BR"><meta property=og:site_name content=" The Site "><meta name=author content=Ada><link rel="nofollow Canonical" href="/1">`,
			"pt-BR|The Site|Ada|https://www.a.example/1"},
		{"others", `<html lang="not a language"><meta property=og:locale content=de_AT><meta name=application-name content=App><meta property=og:url content="http://a.example/2">
			<meta property=article:author content="https://www.b.example/ada"><meta name=twitter:creator content="@ada">`, "de-AT|App|@ada|http://a.example/2"},
		{"canonical of another", `<link rel=canonical href="https://b.example/">`, "|||" + here},
		{"canonical of another, then ours", `<link rel=canonical href="https://b.example/"><meta property=og:url content="/3">`, "|||https://www.a.example/3"},
		{"canonical script", `<link rel=canonical href="javascript:alert(1)">`, "|||" + here},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, c.html)
			if got := fmt.Sprintf("%s|%s|%s|%s", p.Lang, p.SiteName, p.Author, p.Canonical); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestReadEndpoints(t *testing.T) {
	t.Parallel()
	p := read(t, `<link rel="alternate" type="text/xml+oembed" href="/o?format=xml">
		<link rel="alternate" type="application/rss+xml" href="/rss">
		<link rel="alternate" type="application/json+oembed" href="javascript:x">
		<link rel="alternate" type="Application/JSON+oEmbed; charset=utf-8" href="/o?url=https%3A%2F%2Fa.example%2F&amp;format=json">`)
	want := []Endpoint{{URL: "https://www.a.example/o?url=https%3A%2F%2Fa.example%2F&format=json"}, {URL: "https://www.a.example/o?format=xml"}}
	if !slices.Equal(p.OEmbed, want) {
		t.Errorf("got %v", p.OEmbed)
	}
}

func TestReadNeedsAnAddress(t *testing.T) {
	t.Parallel()
	for _, at := range []*url.URL{nil, {}, {Scheme: "file", Path: "/x"}, {Scheme: "https"}} {
		if _, err := Read(at, "", nil); !errors.Is(err, ErrAddress) {
			t.Errorf("%v: got %v", at, err)
		}
	}
}

// wrong returns what is invalid about a page, apart from its Markdown; "" if nothing is.
func wrong(p Page, at *url.URL) string {
	for _, bounded := range []struct {
		text  string
		limit int
	}{{p.Title, maxTitle}, {p.Description, maxDescription}, {p.SiteName, maxName}, {p.Author, maxName},
		{p.ImageAlt, maxDescription}, {p.Lang, 60}} {
		switch {
		case !utf8.ValidString(bounded.text):
			return fmt.Sprintf("%q is not valid", bounded.text)
		case utf8.RuneCountInString(bounded.text) > bounded.limit:
			return fmt.Sprintf("%q is too long", bounded.text)
		case strings.ContainsFunc(bounded.text, hidden) || strings.TrimSpace(bounded.text) != bounded.text:
			return fmt.Sprintf("%q is not clean", bounded.text)
		}
	}
	addresses := append(slices.Clone(p.Images), p.Canonical.String())
	for _, e := range p.OEmbed {
		addresses = append(addresses, e.URL)
	}
	for _, a := range addresses {
		if u, err := url.Parse(a); err != nil || !web(u) {
			return fmt.Sprintf("%q is not on the web", a)
		}
	}
	if !related(hostOf(p.Canonical), hostOf(at)) && p.Canonical != at {
		return "canonical of somebody else"
	}
	return ""
}
