package capture

import (
	"fmt"
	"strings"
	"testing"
)

const prose = "The harbour was quiet in the early morning. Two boats had come in overnight, and their crews were mending nets on the " +
	"quay. A baker carried bread to the café, where the first guests read yesterday's paper and waited for the ferry. "

func paragraphs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<p>Part %d. %s</p>\n", i, prose)
	}
	return b.String()
}

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

func written(head, body string) file {
	return markup("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A page</title>" + head + "</head><body>" + body + "</body></html>")
}

// pages are small websites that are built like those on the web.
func pages() map[string]files {
	photos := files{}
	for i := range 12 {
		photos[fmt.Sprintf("/photo-%d.png", i)] = photo(byte(i * 20))
	}
	with := func(f files) files {
		for path, photo := range photos {
			f[path] = photo
		}
		return f
	}
	return map[string]files{
		"news": with(files{"/": written(`<link rel=stylesheet href=/news.css><link rel=preconnect href=https://cdn.example><link rel="alternate" type="application/rss+xml" href=/feed>
<meta http-equiv=refresh content="900"><meta property=og:image content=/photo-0.png><script async src=/ads.js></script>`,
			`<header><nav><a href=/>Home</a><a href=world>World</a></nav></header><article><h1>Ferry returns</h1><figure><img src=photo-0.png alt="A ferry" srcset="photo-0.png 400w, photo-1.png 800w" sizes=100vw>
<figcaption>The ferry at noon</figcaption></figure>`+paragraphs(8)+`</article><aside><h2>More</h2>`+repeat(6, `<a href="/story/%d"><img loading=lazy data-src="/photo-%d.png" class=lazyload src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">Story number %d</a>`)+`</aside><script>document.write("ad")</script>`),
			"/news.css": css(`@charset "utf-8"; body{font:16px serif;background:url(photo-2.png)} .lazyload{opacity:0}`), "/ads.js": script("alert(1)")}),
		"blog": with(files{"/": written(`<style>article{max-width:40em} pre{background:#eee}</style>`, `<article><h1>On nets</h1>`+paragraphs(5)+
			`<pre><code>if a &lt; b &amp;&amp; b &gt; c { return }</code></pre><blockquote cite=https://a.example>`+prose+`</blockquote></article><section id=comments><h2>2 comments</h2><p onclick="x()">Nice.</p><p>Thanks!</p></section><form action=/comment method=post><textarea name=t>Your text</textarea><button formaction=/other>Send</button></form>`)}),
		"shop": with(files{"/": written(`<script type="application/ld+json">{"@type":"Product"}</script><link rel=stylesheet href=shop.css>`, `<h1>Rope, 10 m</h1><picture><source type=image/avif srcset=rope.avif><source media="(min-width: 600px)" srcset="/photo-3.png 1x, /photo-4.png 2x"><img src=/photo-5.png alt=Rope></picture>
<table><tr><th>Length<td>10 m<tr><th>Price<td>19 €</table><form action=https://shop.example/cart><select name=c><option>Red<option>Blue</select><input type=image src=photo-6.png><button>Add to cart</button></form>`+repeat(8, `<div class=card><img src=/photo-%d.png><b>Item %d</b> <span>%d.00 €</span></div>`)),
			"/shop.css": css(`.card{background-image:image-set("photo-7.png" 1x, url(photo-8.png) 2x)}`)}),
		"gallery": with(files{"/": written("", `<h1>Gallery</h1><div class=grid>`+repeat(12, `<a href=/photo-%d.png><img src="/photo-%d.png" width=300 height=200 alt="Photo %d"></a>`)+`</div>`)}),
		"srcset":  with(files{"/": written("", `<p>Sets</p>`+repeat(5, `<img srcset="/photo-%d.png 320w,/photo-1.png 4000w" alt=%d>`))}),
		"data-src": with(files{"/": written("", `<p>Late</p>`+repeat(5, `<img data-src="/photo-%d.png" class="lazy x" alt=%d>`)+repeat(3, `<img data-lazy-src="/photo-%d.png" src=spinner.gif>`)+`<div data-bg="/photo-9.png">Over a picture</div><script src=/lazy.js></script>`),
			"/lazy.js": script(`for (const e of document.querySelectorAll("[data-src], [data-lazy-src], [data-bg]")) new IntersectionObserver(([seen]) => {
	if (!seen.isIntersecting) return;
	if (e.dataset.bg) e.style.backgroundImage = "url(" + e.dataset.bg + ")"; else e.src = e.dataset.src || e.dataset.lazySrc;
}).observe(e)`)}),
		"loading":   with(files{"/": written("", `<p>Below the fold</p>`+repeat(9, `<img loading=lazy decoding=async fetchpriority=low src="/photo-%d.png"><p>Text %d</p>`))}),
		"picture":   with(files{"/": written("", `<picture><source srcset="/photo-1.png" media="(prefers-color-scheme: dark)"><img src="/photo-2.png"></picture><picture><source data-srcset="/photo-3.png 1x"><img alt="Late"></picture><p>Pictures</p>`)}),
		"noscript":  with(files{"/": written(`<noscript><link rel=stylesheet href=/plain.css><style>.js{display:none}</style></noscript>`, `<img class=lazy data-src=/photo-1.png><noscript><img src=/photo-1.png></noscript><noscript><p>This page works without scripts.</p><img height=1 width=1 src=https://count.example/p></noscript><p>After</p>`), "/plain.css": css("p{color:green}")}),
		"imports":   with(files{"/": written(`<link rel=stylesheet href=/css/a.css media=screen>`, `<p class=x>Imported</p>`), "/css/a.css": css(`@layer base, top; @import url("b.css") layer(base) supports(display: grid) (min-width: 1px); @import 'c.css' print; p{color:red}`), "/css/b.css": css(`@import "deep/d.css"; .x{background:url('../photo-1.png')}`), "/css/deep/d.css": css(`.y{background:url(../../photo-2.png)}`), "/css/c.css": css(`p{color:black}`)}),
		"fonts":     {"/": written(`<style>@font-face{font-family:Sea;src:local("Sea"),url(sea.eot?#iefix) format("embedded-opentype"),url(sea.woff2) format("woff2"),url(sea.woff) format("woff")} @font-face{font-family:Sea;src:url(cyrillic.woff2) format("woff2");unicode-range:U+0400-045F,U+0490-0491} body{font-family:Sea}</style>`, paragraphs(2)), "/sea.woff2": font(woff2), "/sea.woff": font("wOFF"), "/cyrillic.woff2": font(woff2)},
		"dark mode": with(files{"/": written(`<meta name=color-scheme content="light dark"><style>:root{--bg:#fff}@media (prefers-color-scheme: dark){:root{--bg:#111} body{background:var(--bg) url(/photo-1.png)}}</style>`, paragraphs(3))}),
		"frames": with(files{"/": written("", `<h1>Outer</h1><iframe src=/inner title=Inner></iframe><iframe srcdoc="&lt;p&gt;Written inside&lt;/p&gt;&lt;img src=/photo-1.png&gt;"></iframe><iframe src=//ads.invalid/x width=1 height=1></iframe><p>End</p>`),
			"/inner": written(`<style>p{background:url(photo-2.png)}</style>`, `<p>Inner text</p><iframe src=/third></iframe>`), "/third": written("", `<p>Third level text</p><script>x</script>`)}),
		"frameset":      {"/": markup(`<html><frameset cols="20%,*"><frame src=menu.html><frame src=main.html><noframes>Needs frames</noframes></frameset></html>`), "/menu.html": written("", `<a href=main.html target=main>Start</a>`), "/main.html": written("", paragraphs(3))},
		"app shell":     {"/": written(`<script type=module src=/app.js></script><link rel=modulepreload href=/app.js><link rel=manifest href=/m.json>`, `<div id=root><p>Loading the application</p></div><noscript>You need to enable JavaScript to run this app.</noscript>`), "/app.js": script(`document.getElementById("root").innerHTML = "<h1>The application</h1>" + "<p>It writes its text itself.</p>".repeat(20)`)},
		"right to left": {"/": markup(`<!DOCTYPE html><html dir=rtl lang=ar><meta charset=utf-8><title>ميناء</title><body><h1>الميناء في الصباح</h1><p>كان الميناء هادئا في الصباح الباكر، ووصلت سفينتان ليلا.</p><p lang=he>הנמל היה שקט בבוקר</p></body></html>`)},
		"japanese":      {"/": file{contentType: "text/html; charset=shift_jis", body: "<html><title>\x8d\x60</title><p>\x8d\x60\x82\xcd\x90\xc3\x82\xa9\x82\xbe\x82\xc1\x82\xbd</p></html>"}},
		"windows-1252":  {"/": file{contentType: "text/html", body: "<html><head><meta charset=windows-1252></head><p>caf\xe9 \x80 19</p></html>"}},
		"table":         {"/": written(`<style>td{border:1px solid}</style>`, `<table background=/bg.png><caption>Tides</caption><thead><tr><th>Hour<th>Height</thead><tbody>`+repeat(60, `<tr><td>%d:00<td style="background: url( &quot;/cell.png&quot; )">%d cm`)+`</table>`), "/bg.png": photo(9), "/cell.png": photo(10)},
		"inline svg": with(files{"/": written("", `<svg viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="x()"><defs><linearGradient id=g><stop/></linearGradient></defs><style>path{fill:url(#g)}</style><path fill="url(#g)" d="M0 0"/><image xlink:href=/photo-1.png width=5 /><use xlink:href="#g"/><use href="/sprite.svg#a"/><a xlink:href="/there"><text>Linked text</text></a><script>x()</script><set attributeName=href to="javascript:x()"/><foreignObject><p onclick=x()>Foreign text</p></foreignObject></svg><p>Drawn</p>`),
			"/sprite.svg": svg(`<svg xmlns="http://www.w3.org/2000/svg"><symbol id="a"><path d="M1 1"/></symbol></svg>`)}),
		"svg images":   {"/": written(`<style>b{background:url(icon.svg#x)}</style>`, `<img src=logo.svg><object data=chart.svg type=image/svg+xml><p>No chart</p></object><embed src=icon.svg><p>Drawings</p>`), "/logo.svg": svg(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;" onload="x()"><script>x()</script><image href="http://track.example/x.png"/><style>@import url(http://x.example/y.css); a{fill:url(http://x.example/#z)}</style><rect width="1" height="1"/></svg>`), "/chart.svg": svg(`<svg xmlns="http://www.w3.org/2000/svg"><text>Chart</text></svg>`), "/icon.svg": svg(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
		"favicon":      with(files{"/": written(`<link rel="shortcut icon" href=/photo-1.png><link rel=apple-touch-icon href=/photo-2.png>`, paragraphs(1))}),
		"video":        with(files{"/": written("", `<video poster=/photo-1.png autoplay controls><source src=/film.mp4><track src=/film.vtt>Your browser has no video.</video><audio src=/sound.mp3 controls></audio><p>Watch it</p>`)}),
		"links":        {"/": written(`<base href="/dir/"><link rel=canonical href=canonical>`, `<a href=page>Relative</a> <a href="#top">Top</a> <a href="javascript:void(0)">Script</a> <a href="mailto:a@b.example">Mail</a> <a href="//other.example/x" ping=/count target=_blank>Other</a><map name=m><area href=/area onfocus=x></map><img usemap=#m src=/none.png alt="Not there">`)},
		"misnested":    {"/": markup(`<title>Broken</title><b><p>One<i>two</b>three</i><table><td>cell<p>in cell<div></table><ul><li>a<li>b</ul></div><p>End <a href=x>link <a href=y>other</a><style>p{color:red`)},
		"pre and code": {"/": written("", "<pre>\n\n  two lines\n\tand a tab\n</pre><xmp><b>not bold</b></xmp><textarea>\n\n text </textarea><listing>\nold</listing>")},
		"old page":     with(files{"/": markup(`<HTML><BODY BACKGROUND="photo-1.png" BGCOLOR=#ffffff onLoad="go()"><CENTER><FONT SIZE=5>Welcome!</FONT><MARQUEE>Moving text</MARQUEE><IMG LOWSRC=photo-2.png SRC=photo-3.png><!--[if IE]><img src=ie.png><![endif]--></CENTER></BODY></HTML>`)}),
		"shadow":       with(files{"/": written("", `<my-card><template shadowrootmode=open><style>p{background:url(/photo-1.png)}</style><p><slot></slot></p></template>Slotted text</my-card><template><img src=/photo-2.png></template>`)}),
		"math":         {"/": written("", `<p>Formula</p><math xmlns="http://www.w3.org/1998/Math/MathML" href="http://m.example"><mi>x</mi><mo>=</mo><mn>2</mn><annotation encoding="application/x-tex">x=2</annotation></math>`)},
		"late styles":  {"/": written(`<link rel=stylesheet href=/a.css media=print onload="this.media='all'"><link rel=preload as=style href=/b.css onload="this.rel='stylesheet'"><link rel="alternate stylesheet" href=/c.css><link rel=stylesheet href=/missing.css>`, paragraphs(1)), "/a.css": css("p{color:navy}"), "/b.css": css("p{margin:1px}"), "/c.css": css("p{margin:9px}")},
		"xhtml":        {"/": {contentType: "application/xhtml+xml", body: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><div id="a"/><p>After the elements<br/>that end at once</p></body></html>`}},
		"details":      {"/": written("", `<details open ontoggle=x><summary>Question</summary><p>Answer here</p></details><dialog open>A dialog</dialog><ruby>漢<rt>kan</rt></ruby>`)},
	}
}

// Each copy requests nothing, runs nothing, and has the text of its page.
func TestPages(t *testing.T) {
	t.Parallel()
	all := pages()
	if len(all) < 30 {
		t.Errorf("%d pages", len(all))
	}
	for name, website := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := copyOf(t, website)
			if name == "japanese" || name == "windows-1252" || name == "xhtml" {
				return // TestCharsets, TestXHTML
			}
			was := words(website["/"].body, func(address string) string {
				if f, ok := website["/"+strings.TrimPrefix(address, "/")]; ok {
					return f.body
				}
				return address
			})
			is := words(string(made.HTML), copied)
			count, lost := 0, []string{}
			for word, n := range was {
				count += n
				if is[word] < n {
					lost = append(lost, word)
				}
			}
			if len(lost)*100 > count || count == 0 {
				t.Errorf("%d of %d words are missing: %q\n%.2000s", len(lost), count, lost, made.HTML)
			}
		})
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	all := pages()
	holds(t, copyOf(t, all["japanese"]), `<meta charset="utf-8"/>`, "港は静かだった")
	made := copyOf(t, all["windows-1252"])
	holds(t, made, "café € 19")
	if strings.Count(string(made.HTML), "charset") != 1 {
		t.Errorf("%s", made.HTML)
	}
}

func TestXHTML(t *testing.T) {
	t.Parallel()
	holds(t, copyOf(t, pages()["xhtml"]), `<div id="a"></div><p>After the elements<br/>that end at once</p>`)
}
