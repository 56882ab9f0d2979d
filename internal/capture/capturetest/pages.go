// Package capturetest contains small websites that are built like those on the web, for tests and measurements of copies.
package capturetest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
)

// File is a file of a website.
type File struct {
	ContentType string
	Body        string
	Handler     http.HandlerFunc // instead of the body
}

// Files are a website by path.
type Files map[string]File

// Markup returns a page.
func Markup(body string) File { return File{ContentType: "text/html; charset=utf-8", Body: body} }

// CSS returns a style sheet.
func CSS(body string) File { return File{ContentType: "text/css", Body: body} }

// SVG returns a drawing.
func SVG(body string) File { return File{ContentType: "image/svg+xml", Body: body} }

// Font returns a font.
func Font(body string) File { return File{ContentType: "font/woff2", Body: body} }

// Photo returns a PNG of one colour.
func Photo(shade byte) File { return File{ContentType: "image/png", Body: Picture(shade)} }

// Script returns a script.
func Script(body string) File { return File{ContentType: "text/javascript", Body: body} }

// WOFF2 begins like a font.
const WOFF2 = "wOF2\x00\x01\x00\x00\x00\x00\x00\x10\x00\x01\x00\x00"

// Picture returns the bytes of a PNG of one colour.
func Picture(shade byte) string {
	made := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		made.Set(i%8, i/8, color.RGBA{shade, 80, 160, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, made); err != nil {
		panic(err)
	}
	return b.String()
}

// Prose is the text of paragraphs.
const Prose = "The harbour was quiet in the early morning. Two boats had come in overnight, and their crews were mending nets on the " +
	"quay. A baker carried bread to the café, where the first guests read yesterday's paper and waited for the ferry. "

// Paragraphs returns n paragraphs.
func Paragraphs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<p>Part %d. %s</p>\n", i, Prose)
	}
	return b.String()
}

// Repeat returns a text n times. "%d" in it is the number of the repetition.
func Repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// Written returns a page with the given head and body.
func Written(head, body string) File {
	return Markup("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A page</title>" + head + "</head><body>" + body + "</body></html>")
}

// Pages returns small websites by name. The page of each is "/".
func Pages() map[string]Files {
	photos := Files{}
	for i := range 12 {
		photos[fmt.Sprintf("/photo-%d.png", i)] = Photo(byte(i * 20))
	}
	with := func(f Files) Files {
		for path, Photo := range photos {
			f[path] = Photo
		}
		return f
	}
	return map[string]Files{
		"news": with(Files{"/": Written(`<link rel=stylesheet href=/news.css><link rel=preconnect href=https://cdn.example><link rel="alternate" type="application/rss+xml" href=/feed>
<meta http-equiv=refresh content="900"><meta property=og:image content=/photo-0.png><script async src=/ads.js></script>`,
			`<header><nav><a href=/>Home</a><a href=world>World</a></nav></header><article><h1>Ferry returns</h1><figure><img src=photo-0.png alt="A ferry" srcset="photo-0.png 400w, photo-1.png 800w" sizes=100vw>
<figcaption>The ferry at noon</figcaption></figure>`+Paragraphs(8)+`</article><aside><h2>More</h2>`+Repeat(6, `<a href="/story/%d"><img loading=lazy data-src="/photo-%d.png" class=lazyload src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">Story number %d</a>`)+`</aside><script>document.write("ad")</script>`),
			"/news.css": CSS(`@charset "utf-8"; body{font:16px serif;background:url(photo-2.png)} .lazyload{opacity:0}`), "/ads.js": Script("alert(1)")}),
		"blog": with(Files{"/": Written(`<style>article{max-width:40em} pre{background:#eee}</style>`, `<article><h1>On nets</h1>`+Paragraphs(5)+
			`<pre><code>if a &lt; b &amp;&amp; b &gt; c { return }</code></pre><blockquote cite=https://a.example>`+Prose+`</blockquote></article><section id=comments><h2>2 comments</h2><p onclick="x()">Nice.</p><p>Thanks!</p></section><form action=/comment method=post><textarea name=t>Your text</textarea><button formaction=/other>Send</button></form>`)}),
		"shop": with(Files{"/": Written(`<script type="application/ld+json">{"@type":"Product"}</script><link rel=stylesheet href=shop.css>`, `<h1>Rope, 10 m</h1><picture><source type=image/avif srcset=rope.avif><source media="(min-width: 600px)" srcset="/photo-3.png 1x, /photo-4.png 2x"><img src=/photo-5.png alt=Rope></picture>
<table><tr><th>Length<td>10 m<tr><th>Price<td>19 €</table><form action=https://shop.example/cart><select name=c><option>Red<option>Blue</select><input type=image src=photo-6.png><button>Add to cart</button></form>`+Repeat(8, `<div class=card><img src=/photo-%d.png><b>Item %d</b> <span>%d.00 €</span></div>`)),
			"/shop.css": CSS(`.card{background-image:image-set("photo-7.png" 1x, url(photo-8.png) 2x)}`)}),
		"gallery": with(Files{"/": Written("", `<h1>Gallery</h1><div class=grid>`+Repeat(12, `<a href=/photo-%d.png><img src="/photo-%d.png" width=300 height=200 alt="Photo %d"></a>`)+`</div>`)}),
		"srcset":  with(Files{"/": Written("", `<p>Sets</p>`+Repeat(5, `<img srcset="/photo-%d.png 320w,/photo-1.png 4000w" alt=%d>`))}),
		"data-src": with(Files{"/": Written("", `<p>Late</p>`+Repeat(5, `<img data-src="/photo-%d.png" class="lazy x" alt=%d>`)+Repeat(3, `<img data-lazy-src="/photo-%d.png" src=spinner.gif>`)+`<div data-bg="/photo-9.png">Over a picture</div><script src=/lazy.js></script>`),
			"/lazy.js": Script(`for (const e of document.querySelectorAll("[data-src], [data-lazy-src], [data-bg]")) new IntersectionObserver(([seen]) => {
	if (!seen.isIntersecting) return;
	if (e.dataset.bg) e.style.backgroundImage = "url(" + e.dataset.bg + ")"; else e.src = e.dataset.src || e.dataset.lazySrc;
}).observe(e)`)}),
		"loading":   with(Files{"/": Written("", `<p>Below the fold</p>`+Repeat(9, `<img loading=lazy decoding=async fetchpriority=low src="/photo-%d.png"><p>Text %d</p>`))}),
		"picture":   with(Files{"/": Written("", `<picture><source srcset="/photo-1.png" media="(prefers-color-scheme: dark)"><img src="/photo-2.png"></picture><picture><source data-srcset="/photo-3.png 1x"><img alt="Late"></picture><p>Pictures</p>`)}),
		"noscript":  with(Files{"/": Written(`<noscript><link rel=stylesheet href=/plain.css><style>.js{display:none}</style></noscript>`, `<img class=lazy data-src=/photo-1.png><noscript><img src=/photo-1.png></noscript><noscript><p>This page works without scripts.</p><img height=1 width=1 src=https://count.example/p></noscript><p>After</p>`), "/plain.css": CSS("p{color:green}")}),
		"imports":   with(Files{"/": Written(`<link rel=stylesheet href=/css/a.css media=screen>`, `<p class=x>Imported</p>`), "/css/a.css": CSS(`@layer base, top; @import url("b.css") layer(base) supports(display: grid) (min-width: 1px); @import 'c.css' print; p{color:red}`), "/css/b.css": CSS(`@import "deep/d.css"; .x{background:url('../photo-1.png')}`), "/css/deep/d.css": CSS(`.y{background:url(../../photo-2.png)}`), "/css/c.css": CSS(`p{color:black}`)}),
		"fonts":     {"/": Written(`<style>@font-face{font-family:Sea;src:local("Sea"),url(sea.eot?#iefix) format("embedded-opentype"),url(sea.woff2) format("woff2"),url(sea.woff) format("woff")} @font-face{font-family:Sea;src:url(cyrillic.woff2) format("woff2");unicode-range:U+0400-045F,U+0490-0491} body{font-family:Sea}</style>`, Paragraphs(2)), "/sea.woff2": Font(WOFF2), "/sea.woff": Font("wOFF"), "/cyrillic.woff2": Font(WOFF2)},
		"dark mode": with(Files{"/": Written(`<meta name=color-scheme content="light dark"><style>:root{--bg:#fff}@media (prefers-color-scheme: dark){:root{--bg:#111} body{background:var(--bg) url(/photo-1.png)}}</style>`, Paragraphs(3))}),
		"frames": with(Files{"/": Written("", `<h1>Outer</h1><iframe src=/inner title=Inner></iframe><iframe srcdoc="&lt;p&gt;Written inside&lt;/p&gt;&lt;img src=/photo-1.png&gt;"></iframe><iframe src=//ads.invalid/x width=1 height=1></iframe><p>End</p>`),
			"/inner": Written(`<style>p{background:url(photo-2.png)}</style>`, `<p>Inner text</p><iframe src=/third></iframe>`), "/third": Written("", `<p>Third level text</p><script>x</script>`)}),
		"frameset":      {"/": Markup(`<html><frameset cols="20%,*"><frame src=menu.html><frame src=main.html><noframes>Needs frames</noframes></frameset></html>`), "/menu.html": Written("", `<a href=main.html target=main>Start</a>`), "/main.html": Written("", Paragraphs(3))},
		"app shell":     {"/": Written(`<script type=module src=/app.js></script><link rel=modulepreload href=/app.js><link rel=manifest href=/m.json>`, `<div id=root><p>Loading the application</p></div><noscript>You need to enable JavaScript to run this app.</noscript>`), "/app.js": Script(`document.getElementById("root").innerHTML = "<h1>The application</h1>" + "<p>It writes its text itself.</p>".repeat(20)`)},
		"right to left": {"/": Markup(`<!DOCTYPE html><html dir=rtl lang=ar><meta charset=utf-8><title>ميناء</title><body><h1>الميناء في الصباح</h1><p>كان الميناء هادئا في الصباح الباكر، ووصلت سفينتان ليلا.</p><p lang=he>הנמל היה שקט בבוקר</p></body></html>`)},
		"japanese":      {"/": File{ContentType: "text/html; charset=shift_jis", Body: "<html><title>\x8d\x60</title><p>\x8d\x60\x82\xcd\x90\xc3\x82\xa9\x82\xbe\x82\xc1\x82\xbd</p></html>"}},
		"windows-1252":  {"/": File{ContentType: "text/html", Body: "<html><head><meta charset=windows-1252></head><p>caf\xe9 \x80 19</p></html>"}},
		"table":         {"/": Written(`<style>td{border:1px solid}</style>`, `<table background=/bg.png><caption>Tides</caption><thead><tr><th>Hour<th>Height</thead><tbody>`+Repeat(60, `<tr><td>%d:00<td style="background: url( &quot;/cell.png&quot; )">%d cm`)+`</table>`), "/bg.png": Photo(9), "/cell.png": Photo(10)},
		"inline svg": with(Files{"/": Written("", `<svg viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="x()"><defs><linearGradient id=g><stop/></linearGradient></defs><style>path{fill:url(#g)}</style><path fill="url(#g)" d="M0 0"/><image xlink:href=/photo-1.png width=5 /><use xlink:href="#g"/><use href="/sprite.svg#a"/><a xlink:href="/there"><text>Linked text</text></a><script>x()</script><set attributeName=href to="javascript:x()"/><foreignObject><p onclick=x()>Foreign text</p></foreignObject></svg><p>Drawn</p>`),
			"/sprite.svg": SVG(`<svg xmlns="http://www.w3.org/2000/svg"><symbol id="a"><path d="M1 1"/></symbol></svg>`)}),
		"svg images":   {"/": Written(`<style>b{background:url(icon.svg#x)}</style>`, `<img src=logo.svg><object data=chart.svg type=image/svg+xml><p>No chart</p></object><embed src=icon.svg><p>Drawings</p>`), "/logo.svg": SVG(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;" onload="x()"><script>x()</script><image href="http://track.example/x.png"/><style>@import url(http://x.example/y.css); a{fill:url(http://x.example/#z)}</style><rect width="1" height="1"/></svg>`), "/chart.svg": SVG(`<svg xmlns="http://www.w3.org/2000/svg"><text>Chart</text></svg>`), "/icon.svg": SVG(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
		"favicon":      with(Files{"/": Written(`<link rel="shortcut icon" href=/photo-1.png><link rel=apple-touch-icon href=/photo-2.png>`, Paragraphs(1))}),
		"video":        with(Files{"/": Written("", `<video poster=/photo-1.png autoplay controls><source src=/film.mp4><track src=/film.vtt>Your browser has no video.</video><audio src=/sound.mp3 controls></audio><p>Watch it</p>`)}),
		"links":        {"/": Written(`<base href="/dir/"><link rel=canonical href=canonical>`, `<a href=page>Relative</a> <a href="#top">Top</a> <a href="javascript:void(0)">Script</a> <a href="mailto:a@b.example">Mail</a> <a href="//other.example/x" ping=/count target=_blank>Other</a><map name=m><area href=/area onfocus=x></map><img usemap=#m src=/none.png alt="Not there">`)},
		"misnested":    {"/": Markup(`<title>Broken</title><b><p>One<i>two</b>three</i><table><td>cell<p>in cell<div></table><ul><li>a<li>b</ul></div><p>End <a href=x>link <a href=y>other</a><style>p{color:red`)},
		"pre and code": {"/": Written("", "<pre>\n\n  two lines\n\tand a tab\n</pre><xmp><b>not bold</b></xmp><textarea>\n\n text </textarea><listing>\nold</listing>")},
		"old page":     with(Files{"/": Markup(`<HTML><BODY BACKGROUND="photo-1.png" BGCOLOR=#ffffff onLoad="go()"><CENTER><FONT SIZE=5>Welcome!</FONT><MARQUEE>Moving text</MARQUEE><IMG LOWSRC=photo-2.png SRC=photo-3.png><!--[if IE]><img src=ie.png><![endif]--></CENTER></BODY></HTML>`)}),
		"shadow":       with(Files{"/": Written("", `<my-card><template shadowrootmode=open><style>p{background:url(/photo-1.png)}</style><p><slot></slot></p></template>Slotted text</my-card><template><img src=/photo-2.png></template>`)}),
		"math":         {"/": Written("", `<p>Formula</p><math xmlns="http://www.w3.org/1998/Math/MathML" href="http://m.example"><mi>x</mi><mo>=</mo><mn>2</mn><annotation encoding="application/x-tex">x=2</annotation></math>`)},
		"late styles":  {"/": Written(`<link rel=stylesheet href=/a.css media=print onload="this.media='all'"><link rel=preload as=style href=/b.css onload="this.rel='stylesheet'"><link rel="alternate stylesheet" href=/c.css><link rel=stylesheet href=/missing.css>`, Paragraphs(1)), "/a.css": CSS("p{color:navy}"), "/b.css": CSS("p{margin:1px}"), "/c.css": CSS("p{margin:9px}")},
		"xhtml":        {"/": {ContentType: "application/xhtml+xml", Body: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><div id="a"/><p>After the elements<br/>that end at once</p></body></html>`}},
		"details":      {"/": Written("", `<details open ontoggle=x><summary>Question</summary><p>Answer here</p></details><dialog open>A dialog</dialog><ruby>漢<rt>kan</rt></ruby>`)},
	}
}
