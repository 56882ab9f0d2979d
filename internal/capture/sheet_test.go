package capture

import "testing"

// Addresses in styles are found as browsers find them.
func TestAddressesInStyles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a{b:url(x.png)}`:                    `a{b:url("<x.png>")}`,
		`a{b:URL( "x y.png" )}`:              `a{b:URL( "<x y.png>" )}`,
		`a{b:url( 'x\'y' no-cors)}`:          `a{b:url( "<x'y>" no-cors)}`,
		`a{b:u\72 l(x)}`:                     `a{b:url("<x>")}`,
		`a{b:\75\72\6C(x)}`:                  `a{b:url("<x>")}`,
		`a{b:url(a\)b)}`:                     `a{b:url("<a)b>")}`,
		`a{b:url(a b)}`:                      `a{b:url("data:,")}`,
		`a{b:url(a"b)}`:                      `a{b:url("data:,")}`,
		`a{b:url()}`:                         `a{b:url("data:,")}`,
		`a{b:url(#g)}`:                       `a{b:url("#g")}`,
		`a{b:url(x.svg#g)}`:                  `a{b:url("<x.svg#g>#g")}`,
		`a{b:"url(x)"}`:                      `a{b:"url(x)"}`,
		`a{b:'it\'s url(x)'}`:                `a{b:'it\'s url(x)'}`,
		"a{b:\"open\nurl(x)}":                "a{b:\"open\nurl(\"<x>\")}",
		`a{b:/* url(x) */url(y)}`:            `a{b:/**/url("<y>")}`,
		`<!--url(x)-->`:                      `<!--url("<x>")-->`,
		`a{b:-url(x)}`:                       `a{b:-url(x)}`,
		`a{b:src("x")}`:                      `a{b:src("<x>")}`,
		`a{b:image-set("x" 1x type("a/b"))}`: `a{b:image-set("<x>" 1x type("a/b"))}`,
		`a{b:-webkit-image-set(url(x) 1x)}`:  `a{b:-webkit-image-set(url("<x>") 1x)}`,
		`a{b:url(x`:                          `a{b:url("<x>")}`,
		`a{b:"x`:                             `a{b:"x"}`,
		`a{b:"x\`:                            `a{b:"x"}`,
		`a{b:c/* open`:                       `a{b:c/**/}`,
		`a{b:(c}`:                            `a{b:(c})}`,
		`} a{b:c}`:                           ` a{b:c}`,
		`@charset "x"; a{}`:                  ` a{}`,
		`@namespace s url(http://n/);a{}`:    `@namespace s "http://n/";a{}`,
		`a{} @import "x"; b{}`:               `a{}  b{}`,
		`a{@import "x"} b{}`:                 `a{} b{}`,
		`@import "x" {} b{}`:                 ` b{}`,
		`@IMPORT url(x) print; b{}`:          `@media print{[x]} b{}`,
		`@import/**/"x"layer(y.z);`:          `@layer y.z{[x]}`,
		`@import "x" layer supports(a:url(b)) screen and (c), print;`: `@media screen and (c), print{@supports (a:url("data:,")){@layer {[x]}}}`,
		`@layer a, b; @import "x";`:                                   `@layer a, b; [x]`,
		`@media x{} @import "x";`:                                     `@media x{} `,
		`@font-face{font-family:"F;}";src:local(a),url(x.woff) format("woff"),url("x.woff2") format(woff2)}`: `@font-face{font-family:"F;}";src:local(a),url("<x.woff2>")}`,
		`@font-face{src:url(x.eot);src:url(x.eot) format('embedded-opentype'),url(x.svg) format("svg")} a{}`: ` a{}`,
		`@font-face{src:url(x);unicode-range:U+4??}`:                                                         ``,
		`@font-face{src:url(x);unicode-range:u+41-42}`:                                                       `@font-face{unicode-range:u+41-42;src:url("<x>")}`,
		`@media print{@font-face{src:url(x)}}`:                                                               `@media print{@font-face{src:url("<x>")}}`,
		"a{b:url(\x00)}":                                                                                     "a{b:url(\"<\uFFFD>\")}",
	} {
		s := &sheet{shows: func(ranges string) bool { return inRanges(map[rune]bool{'A': true}, ranges) }}
		s.embed = func(_ kind, reference string) string {
			if reference == "" {
				t.Errorf("%q requests itself", text)
			}
			return "<" + reference + ">"
		}
		s.insert = func(i importRule) {
			begin, end := i.wrap()
			s.out.WriteString(begin + "[" + i.reference + "]" + end)
		}
		if text == `@font-face{src:url(x.eot);src:url(x.eot) format('embedded-opentype'),url(x.svg) format("svg")} a{}` {
			s.embed = func(kind, string) string { return "" }
		}
		if got := s.rewritten(text, true); got != want {
			t.Errorf("%q\nbecame %q\n    not %q", text, got, want)
		}
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	all := pages()
	news := copyOf(t, all["news"])
	holds(t, news, `class=" lazyloaded"`, `<meta property="og:image" content="/photo-0.png"/>`)
	lacks(t, news, "R0lGODlhAQABAAAAACw=", "preconnect", "refresh")
	if noscript := copyOf(t, all["noscript"]); noscript.Parts != 2 || noscript.Omitted != 0 {
		t.Errorf("noscript: %d parts, %v", noscript.Parts, noscript.Missing)
	}
	holds(t, copyOf(t, all["imports"]), `@media (min-width: 1px){@supports (display: grid){@layer base{`, `@media print{p{color:black}}`, `<style media="screen">@layer base, top; `)
	fonts := copyOf(t, all["fonts"])
	holds(t, fonts, `src:local("Sea"),url("data:font/woff2;base64,`)
	lacks(t, fonts, "U+0400", "eot")
	if fonts.Parts != 1 {
		t.Errorf("%d fonts", fonts.Parts)
	}
	holds(t, copyOf(t, all["late styles"]), "<style>p{color:navy}</style>", "<style>p{margin:1px}</style>")
	video := copyOf(t, all["video"])
	if got := reasons(video, "/film.mp4"); got != "The server answered 404 Not Found" {
		t.Errorf("%v", video.Missing)
	}
	holds(t, video, `<video controls="" poster="data:image/png;base64,`)
	s := serve(t, all["links"])
	links, err := Page(t.Context(), client(t), s.URL+"/", Default())
	if err != nil {
		t.Fatal(err)
	}
	holds(t, links, `<a href="`+s.URL+`/dir/page">`, `<a href="#top">`, `<a>Script</a>`, `<a href="mailto:a@b.example">`, `<a target="_blank" href="http://other.example/x">`,
		`<link rel="canonical" href="`+s.URL+`/dir/canonical"/>`, `<area href="`+s.URL+`/area"/>`)
	svg := copyOf(t, all["inline svg"])
	holds(t, svg, `<use xlink:href="#g">`, `fill="url(&#34;#g&#34;)"`, "Foreign text", "Linked text", `<use href="#copied-1-a">`, `<symbol id="copied-1-a"><path d="M1 1"></path></symbol>`)
}
