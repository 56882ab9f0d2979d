package page

import (
	"testing"
	"unicode/utf8"
)

func FuzzRead(f *testing.F) {
	for _, c := range []struct{ kind, body string }{
		{"text/html; charset=utf-8", article(`<p>See <a href="/map">the map</a>.</p><pre>x</pre><ul><li>one, two<li>three</ul>`)},
		{"text/html; charset=Shift_JIS", "<title>\x90\xec</title><base href=/x><meta property=og:image content=y>"},
		{"", "\xff\xfe<\x00t\x00"},
		{"text/html", `<script type="application/ld+json">{"@graph":[{"@type":"Article","headline":"H","image":["x"]}]}</script>`},
		{"text/html", `<link rel=canonical href=/x><link rel=alternate type=application/json+oembed href=/o><html lang=de>`},
		{"text/html", article("<p>\\[x](javascript:y) <b>*</b> `a` &lt;b> 1. # > <img src=x alt='](y)'></p><table><tr><td>a<td>b</table>")},
	} {
		f.Add(c.kind, []byte(c.body))
	}
	at := address(f, here)
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		p, err := Read(at, contentType, body)
		if err != nil {
			t.Fatal(err)
		}
		if problem := wrong(p, at); problem != "" {
			t.Error(problem)
		}
		if problem := wrongMarkdown(p.Markdown); problem != "" {
			t.Errorf("%s:\n%s", problem, p.Markdown)
		}
	})
}

// FuzzMarkdown puts the input into an article, so that it is certainly read.
func FuzzMarkdown(f *testing.F) {
	f.Add("<a href='/x'>a [b](c) &lt;d></a> <code>`x`</code>")
	f.Add("<p>a<pre>```\n<script></pre><blockquote># a<ol start=3><li>&lt;!-- x")
	f.Add("<img src='/a b(c)' alt='![x](y) ] [ \\'> <h2>a\n&lt;b onclick=x></h2>")
	f.Add("<a href='https://a.example/\"<>\\`*_[]()'>x</a><em>**</em>&lt;https://a.example>&lt;javascript:x>")
	at := address(f, here)
	f.Fuzz(func(t *testing.T, parts string) {
		p, err := Read(at, "text/html; charset=utf-8", []byte(article(parts)))
		if err != nil {
			t.Fatal(err)
		}
		if problem := wrongMarkdown(p.Markdown); problem != "" {
			t.Errorf("%s:\n%s", problem, p.Markdown)
		}
	})
}

func FuzzReadOEmbed(f *testing.F) {
	f.Add("application/json", []byte(`{"type":"video","title":"T","html":"<iframe src=https://a.example/1>","width":"640","height":1e2}`))
	f.Add("text/xml", []byte(`<?xml version="1.0" encoding="koi8-r"?><oembed><type>rich</type><html><![CDATA[<x>]]></html><width>1</width></oembed>`))
	f.Add("application/json; charset=utf-16le", []byte("{\x00}\x00"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		o, err := ReadOEmbed(body, contentType)
		if err != nil {
			return
		}
		p := Page{Title: o.Title, SiteName: o.ProviderName, Author: o.AuthorName, Canonical: address(t, here)}
		for _, a := range []string{o.AuthorURL, o.ProviderURL, o.URL, o.ThumbnailURL} {
			if a != "" {
				p.Images = append(p.Images, a)
			}
		}
		if problem := wrong(p, p.Canonical); problem != "" {
			t.Error(problem)
		}
		if !utf8.ValidString(o.HTML) || o.Width < 0 || o.Height < 0 || o.Width > maxPixels || o.Height > maxPixels {
			t.Errorf("got %+v", o)
		}
	})
}

func FuzzSafeHTML(f *testing.F) {
	for _, html := range attacks {
		f.Add(html, "T", "https://a.example/o")
	}
	f.Add(`<iframe src="https://a.example/1" width=1 height="2%" title="x">`, `"><script>`, "https://x.a.example/")
	f.Fuzz(func(t *testing.T, html, title, endpoint string) {
		page := address(t, "https://a.example/x")
		e, err := page.Parse(endpoint)
		if err != nil {
			return
		}
		o := OEmbed{HTML: html, Title: line(title, maxTitle)}
		got := o.SafeHTML(e, page, "vitrine.example")
		if problem := wrongFrame(got, e, page); problem != "" {
			t.Errorf("%s: %s", problem, got)
		}
	})
}
