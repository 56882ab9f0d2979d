package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/page"
)

func TestOnward(t *testing.T) {
	t.Parallel()
	const at = "https://example.com/a/b?c=d"
	head := func(content string) string {
		return `<!doctype html><html><head><title>Moved</title><meta http-equiv="Refresh" content="` + content + `"></head><body><p>` +
			strings.Repeat("words ", 200) + `</body></html>`
	}
	bare := func(content string) string {
		return `<title>Moved</title><meta http-equiv=refresh content="` + content + `"><p>Moved`
	}
	script := func(text string) string { return "<title>x</title><body>Redirecting… <script>" + text + "</script>" }
	for _, c := range []struct{ header, body, want string }{
		{"", head("0; url=/next"), "/next"},
		{"", head("0;url=/next"), "/next"},
		{"", head("0,URL = /next"), "/next"},
		{"", head(" 2 \n url='/next'x"), "/next"},
		{"", head("3;url=/next"), ""},
		{"", bare("3;url=/next"), "/next"},
		{"", bare("10; url=next"), "/a/next"},
		{"", bare("11; url=/next"), ""},
		{"", head("0;url=&quot;/next&quot;"), "/next"},
		{"", head("0;/next"), "/next"},
		{"", head("0 /next"), "/next"},
		{"", head("0;'/next"), "/next"},
		{"", head(".5;url=/next"), "/next"},
		{"", head("1.5.5;url=/next"), "/next"},
		{"", head("0; url=https://example.org/x#y"), "https://example.org/x#y"},
		{"", head("0; url=url"), "/a/url"},
		{"", head("0; urls"), "/a/urls"},
		{"", head("11; url=/next"), ""},
		{"", head("99999999999999999999; url=/next"), ""},
		{"", head("30"), ""},
		{"", head("0"), ""},
		{"", head("0; url="), ""},
		{"", head("x; url=/next"), ""},
		{"", head("0x; url=/next"), ""},
		{"", head("; url=/next"), ""},
		{"", head("-1; url=/next"), ""},
		{"", head(""), ""},
		{"", head("0; url=javascript:alert(1)"), ""},
		{"", head("0; url=data:text/html,x"), ""},
		{"", head("0; url=ftp://example.org/"), ""},
		{"", head("0; url=https://ada:pw@example.org/"), ""},
		{"", `<base href="/deep/"><meta http-equiv=refresh content="0;url=x">`, "/deep/x"},
		{"", `<meta http-equiv=refresh content="nonsense"><meta http-equiv=refresh content="0;url=/2">`, "/2"},
		{"", `<meta http-equiv=refresh content="60;url=/1"><meta http-equiv=refresh content="0;url=/2">`, ""},
		{"", `<noscript><meta http-equiv=refresh content="0;url=/plain"></noscript><title>x</title>`, ""},
		{"", `<!--[if IE]><meta http-equiv=refresh content="0;url=/ie"><![endif]--><title>x</title>`, ""},
		{"", `<template><meta http-equiv=refresh content="0;url=/t"></template>`, ""},
		{"", `<script>"<meta http-equiv=refresh content='0;url=/s'>"</script>`, ""},
		{"", `<body><p>Wait</p><meta http-equiv=refresh content="0;url=/next">`, "/next"},
		{"", `<body><p>` + strings.Repeat("words ", 200) + `</p><meta http-equiv=refresh content="0;url=/next">`, ""},
		{"0; url=/header", "<title>x</title>", "/header"},
		{"2;URL='/header'", head("0; url=/next"), "/header"},
		{"3; url=/header", head("0; url=/next"), ""},
		{"3; url=/header", "<title>x</title>", "/header"},
		{"60; url=/header", head("0; url=/next"), ""},
		{"nonsense", head("0; url=/next"), "/next"},

		{"", script(`location = "/next"`), "/next"},
		{"", script(`location='next';`), "/a/next"},
		{"", script(`window.location.href = "/next";`), "/next"},
		{"", script(`document.location="/next"`), "/next"},
		{"", script(`self . location . replace( '/next' )`), "/next"},
		{"", script(`top.location.assign("/next")`), "/next"},
		{"", script("window.top.location = `/next`"), "/next"},
		{"", script(`window.opener = null; location.replace("https:\/\/example.org\/\u0061")`), "https://example.org/a"},
		{"", script("<!--\nlocation.href = '/next'; // go\n//-->"), "/next"},
		{"", script(`/* moved; really */ location.href = "/next"`), "/next"},
		{"", script(`setTimeout(function () { window.location.href = "/next"; }, 3000);`), "/next"},
		{"", script(`setTimeout(() => location.replace("/next"), 0)`), "/next"},
		{"", script(`setTimeout("location.href='/next'", 100)`), "/next"},
		{"", script(`window.onload = function() { location.href = '/next' }`), "/next"},
		{"", script(`(function(){ location.href = "/next"; })();`), "/next"},
		{"", `<body onload="location.href='/next'">`, "/next"},
		{"", `<script src="/stats.js"></script>` + script(`location="/next"`), "/next"},
		{"", `<noscript><meta http-equiv="refresh" content="0;URL=/plain"></noscript><script>location.replace("/next")</script>`, "/next"},
		{"", script(`setTimeout(function () { location.href = "/next"; }, 30000);`), ""},
		{"", script(`if (!user) location.href = "/login"`), ""},
		{"", script(`if (!user) { location.href = "/login" }`), ""},
		{"", script(`function go() { location.href = "/next" }`), ""},
		{"", script(`ready || (location.href = "/next")`), ""},
		{"", script(`button.onclick = function() { location.href = "/next" }`), ""},
		{"", script(`location.href = "/next?" + id`), ""},
		{"", script(`location.href = next`), ""},
		{"", script(`location.hash = "/next"`), ""},
		{"", script(`var location2 = "/next"`), ""},
		{"", script(`mylocation = "/next"`), ""},
		{"", script(`// location = "/next"`), ""},
		{"", script(`location = "javascript:alert(1)"`), ""},
		{"", script(`start(); location = "/next"`), ""},
		{"", script(`location = "/next`), ""},
		{"", script("setTimeout(" + strings.Repeat("function(){", 900)), ""},
		{"", `<script type="application/json">location = "/next"</script>`, ""},
		{"", `<p>` + strings.Repeat("words ", 200) + script(`location = "/next"`), ""},
		{"", `<form action="/consent"><button>Yes</button></form>` + script(`location = "/next"`), ""},
		{"", `<img src="a"><img src="b">` + script(`location = "/next"`), ""},
		{"", script(`location = "/next"`) + strings.Repeat(" ", 20_000), ""},
		{"", "", ""},
	} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		if c.header != "" {
			header.Set("Refresh", c.header)
		}
		got, want := "", c.want
		if to := page.RedirectTarget(u, "text/html", header, []byte(c.body)); to != nil {
			got = to.String()
		}
		if strings.HasPrefix(want, "/") {
			want = "https://example.com" + want
		}
		if got != want {
			t.Errorf("%q, %.200q: got %q, want %q", c.header, c.body, got, want)
		}
	}
}

func FuzzOnward(f *testing.F) {
	for _, body := range []string{`<meta http-equiv=refresh content="0;url=x">`, `<script>setTimeout("location='\u0061'",1)</script>`, `<body onload="'\\`, "<script>/*", "<script>`${"} {
		f.Add("1;url='x", body)
	}
	at := &url.URL{Scheme: "https", Host: "example.com", Path: "/"}
	f.Fuzz(func(t *testing.T, header, body string) {
		to := page.RedirectTarget(at, "text/html", http.Header{"Refresh": {header}}, []byte(body))
		if to != nil && (to.Scheme != "http" && to.Scheme != "https" || to.Host == "") {
			t.Errorf("it leads to %s", to)
		}
	})
}
