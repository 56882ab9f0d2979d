package site_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"vitrine/internal/apptest"
)

// reply is the response of a web server of the cases.
type reply struct {
	status int
	header string // lines such as "Content-Type: text/html"
	body   string
}

const (
	asHTML = "Content-Type: text/html; charset=utf-8"
	asJSON = "Content-Type: application/json"
	reads  = "<p>body text here that is long enough to be read by somebody who is reading it for real and not only for a test.</p>"
)

// pageOf returns a web page with a head and a body, or a short text if it is "".
func pageOf(head, body string) string {
	if body == "" {
		body = reads
	}
	return "<!doctype html><html><head>" + head + "</head><body>" + body + "</body></html>"
}

// titled is an ordinary page.
func titled(title string) reply { return reply{200, asHTML, pageOf("<title>"+title+"</title>", "")} }

// encoded is a page that is sent in another character set.
func encoded(t *testing.T, by encoding.Encoding, contentType, head string) reply {
	t.Helper()
	body, err := by.NewEncoder().String(pageOf(head, ""))
	if err != nil {
		t.Fatal(err)
	}
	return reply{200, "Content-Type: " + contentType, body}
}

// packed is a page that is sent with a Content-Encoding.
func packed(t *testing.T, coding, title string, pack func(w io.Writer) io.WriteCloser) reply {
	t.Helper()
	var b bytes.Buffer
	w := pack(&b)
	_, err := io.WriteString(w, pageOf("<title>"+title+"</title>", ""))
	if err := errorsOf(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return reply{200, asHTML + "\nContent-Encoding: " + coding, b.String()}
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// file is a download with a Content-Disposition.
func file(disposition string) reply {
	return reply{200, "Content-Type: application/octet-stream\nContent-Disposition: " + disposition, strings.Repeat("\x01\x02\x03", 100)}
}

// oembed is a page that names an oEmbed answer at a path.
func oembed(path, head, body string) reply {
	return reply{200, asHTML, pageOf(head+`<link rel="alternate" type="application/json+oembed" href="`+path+`">`, body)}
}

func article(paragraphs int) string {
	var b strings.Builder
	b.WriteString("<nav>menu menu menu</nav><article><h1>Article</h1>")
	for i := range paragraphs {
		fmt.Fprintf(&b, "<p>Paragraph %d of a real article with enough words to be kept by any extractor that knows what it is doing.</p>", i)
	}
	return b.String() + "</article><footer>foot</footer>"
}

// caseWeb returns the responses of the cases' web servers by path.
func caseWeb(t *testing.T) map[string]reply {
	t.Helper()
	base64Of := func(text string) string {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	picture := string(apptest.PNG(t, 60, 40))
	paper, err := os.ReadFile("testdata/cases/media/paper.pdf")
	if err != nil {
		t.Fatal(err)
	}
	const ogImage = `<meta property="og:image" content="/img.png">`
	return map[string]reply{
		"/img.png":   {200, "Content-Type: image/png", picture},
		"/large.png": {200, "Content-Type: image/png", string(apptest.PNG(t, 640, 480))},

		// Character sets.
		"/sjis-header":   encoded(t, japanese.ShiftJIS, "text/html; charset=Shift_JIS", "<title>日本語のタイトル</title>"),
		"/sjis-meta":     encoded(t, japanese.ShiftJIS, "text/html", `<meta charset="Shift_JIS"><title>日本語のタイトル</title>`),
		"/cp1251-meta":   encoded(t, charmap.Windows1251, "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><title>Привет мир</title>`),
		"/cp1251-quotes": encoded(t, charmap.Windows1251, "text/html; charset='windows-1251'", "<title>Привет мир</title>"),
		"/gbk-meta":      encoded(t, simplifiedchinese.GBK, "text/html", "<meta charset=gbk><title>中文标题</title>"),
		"/euckr":         encoded(t, korean.EUCKR, "text/html", `<meta charset="euc-kr"><title>한국어 제목</title>`),
		"/utf16":         encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "text/html", "<title>UTF16 äö</title>"),
		"/latin-nodecl":  encoded(t, charmap.ISO8859_1, "text/html", "<title>Café Zürich</title>"),

		// Titles.
		"/entities":    titled("Tom &amp;amp; Jerry &mdash; &quot;Best&quot; &#8217;s"),
		"/no-title":    {200, asHTML, pageOf("", "<h1>Heading as title</h1><p>x</p>")},
		"/svg-title":   {200, asHTML, pageOf("<svg><title>Icon</title></svg><title>Real title</title>", "")},
		"/title-body":  {200, asHTML, pageOf("", "<svg><title>Icon title</title></svg><title>Late title</title><p>x</p>")},
		"/ws-title":    titled("\n   Much \n   space\t here  "),
		"/long-title":  titled(strings.Repeat("x", 3000)),
		"/empty-title": {200, asHTML, pageOf(`<title></title><meta property="og:site_name" content="Site">`, "")},
		"/nameless":    {200, asHTML, pageOf("", "")},
		"/og-only":     {200, asHTML, pageOf(`<meta property="og:title" content="OG Only Title"><meta property="og:description" content="OG desc">`+ogImage, "")},
		"/og-name":     {200, asHTML, pageOf(`<title>T</title><meta name="og:image" content="/img.png"><meta name="og:title" content="Named OG">`, "")},
		"/twitter":     {200, asHTML, pageOf(`<meta name="twitter:title" content="TW title"><meta name="twitter:image:src" content="/img.png">`, "")},
		"/jsonld":      {200, asHTML, pageOf(`<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"LD Headline","image":["/img.png"],"description":"LD desc"}</script>`, "")},
		"/js-shell":    {200, asHTML, pageOf("<title>App</title>", "<div id=root></div><script>1</script><noscript>You need to enable JavaScript to run this app.</noscript>")},
		"/consent":     titled("Before you continue"),
		"/literal":     {200, asHTML, pageOf(`<title>Literal</title><meta name="description" content="&lt;video&gt; and 2*3*4 and _x_">`, "")},
		"/numbered":    {200, asHTML, pageOf(`<title>Numbered</title><meta name="description" content="1986. A great good year for `+"`code`"+`">`, "")},
		"/hashed":      {200, asHTML, pageOf(`<title>Hashed</title><meta name="description" content="# 1 in the charts">`, "")},

		// Pictures.
		"/og-protorel": {200, asHTML, pageOf(`<title>T</title><meta property="og:image" content="//og-protorel.example.com/img.png">`, "")},
		"/og-rel":      {200, asHTML, pageOf(`<title>T</title><base href="/deep/"><meta property="og:image" content="../img.png">`, "")},
		"/og-svg":      {200, asHTML, pageOf(`<title>T</title><meta property="og:image" content="/i.svg">`, "")},
		"/og-data":     {200, asHTML, pageOf(`<title>T</title><meta property="og:image" content="data:image/png;base64,iVBORw0KGgo=">`, "")},
		"/og-404":      {200, asHTML, pageOf(`<title>T</title><meta property="og:image" content="/nope.png"><meta name="twitter:image" content="/img.png">`, "")},
		"/og-percent":  {200, asHTML, pageOf(`<title>T</title><meta property="og:image" content="/100%.png">`, "")},
		"/100%.png":    {200, "Content-Type: image/png", picture},
		"/in-text":     {200, asHTML, pageOf("<title>T</title>", `<article><p>Some words.</p><img src="/spacer.png" width="1" height="1"><img src="/large.png" alt="A large picture" width="640" height="480">`+strings.Repeat(reads, 5)+"</article>")},
		"/i.svg":       {200, "Content-Type: image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50"><rect width="100" height="50" fill="red"/><script>alert(1)</script></svg>`},

		"/img-octet":        {200, "Content-Type: application/octet-stream", picture},
		"/img-texthtml.png": {200, "Content-Type: text/html", picture},
		"/img-nottype":      {200, "", picture},

		// Files.
		"/app.bin":    file(`attachment; filename="plain.bin"; filename*=UTF-8''na%C3%AFve%20file.bin`),
		"/unquoted":   file("attachment; filename=two words.bin"),
		"/rfc2047":    file("attachment; filename==?UTF-8?B?w6Rwc2VsLmJpbg==?="),
		"/percent":    file(`attachment; filename="na%C3%AFve.bin"`),
		"/raw-gbk":    file("attachment; filename=\"\xd6\xd0\xce\xc4.bin\""),
		"/rfc5987":    file("attachment; filename*=ISO-8859-1'de'%C4pfel.bin"),
		"/bare":       file("filename=bare.bin"),
		"/paper.pdf":  {200, "Content-Type: application/pdf", string(paper)},
		"/plain-text": {200, "Content-Type: text/plain", "just plain text file\nwith lines"},
		"/json":       {200, asJSON, `{"a":1}`},
		"/xhtml":      {200, "Content-Type: application/xhtml+xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>XHTML title</title></head><body/></html>`},
		"/xhtml-set":  {200, "Content-Type: application/xhtml+xml", "<?xml version='1.0' encoding='windows-1251'?><html><head><title>\xcc\xe8\xf0</title></head></html>"},
		"/html-twice": {200, "Content-Type: text/html, text/html", pageOf("<title>Twice</title>", "")},
		"/control":    {200, asHTML, "\x02" + pageOf("<title>Control</title>", "")},
		"/ümlaut":     titled("Umlaut path"),
		"/a b":        titled("Space path"),

		// Codings and bodies.
		"/gz":      packed(t, "gzip", "Gzipped", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"/deflate": packed(t, "deflate", "Deflated", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"/deflate-raw": packed(t, "deflate", "Raw", func(w io.Writer) io.WriteCloser {
			f, err := flate.NewWriter(w, flate.DefaultCompression)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}),
		"/br":          {200, asHTML + "\nContent-Encoding: br", base64Of("Gy4AABWh0t3G5tNxxOF7QVBE4JAD9n9JgBGXIRMrHxlYern5LtG0HhRORNCKCAE=")},
		"/gzip-br":     {200, asHTML + "\nContent-Encoding: gzip, br", base64Of("iySAH4sIAAAAAAAAA7MpySzJSbVzr8os0FEoyUjNU3Aqyi/JybTRh0jYFNgF5+emKpTnF6UUK5TkKxSlJqbo2egX2AEAHAsH0joAAAAD")},
		"/coding-utf8": {200, asHTML + "\nContent-Encoding: utf-8", pageOf("<title>No coding</title>", "")},
		"/coding-none": {200, asHTML + "\nContent-Encoding: none", pageOf("<title>No coding</title>", "")},
		"/204":         {204, "", ""},
		"/empty":       {200, "Content-Type: application/octet-stream", ""},
		"/trunc":       {200, asHTML + "\nContent-Length: 100000", "<title>Truncated page</title>"},

		// Redirects and failures.
		"/redir-loop":   {302, "Location: /redir-loop", ""},
		"/redir-rel":    {302, "Location: og-only", ""},
		"/redir-frag":   {301, "Location: /og-only#section", ""},
		"/redir-303":    {303, "Location: /og-only", ""},
		"/redir-empty":  {302, "", ""},
		"/meta-refresh": {200, asHTML, "<!doctype html><html><head>" + `<meta http-equiv="refresh" content="0; url=/og-only"><title>Redirecting…</title></head></html>`},
		"/refresh":      {200, asHTML + "\nRefresh: 0; url=/og-only", "<title>Wait</title>"},
		"/js-location":  {200, asHTML, `<title>Wait</title><script>window.location.href = "/og-only"</script>`},
		"/cookie":       {}, // see serveCases
		"/403":          {403, asHTML, "<title>Forbidden by bot wall</title>"},
		"/404":          {404, asHTML, "<title>Not found</title>"},
		"/500":          {500, asHTML, "<title>err</title>"},
		"/429":          {429, asHTML + "\nRetry-After: 2", "<title>slow down</title>"},

		// Addresses that pages give as their own.
		"/board":     {200, asHTML, pageOf(`<title>Board</title><link rel="canonical" href="/board">`, "")},
		"/paged":     {200, asHTML, pageOf(`<title>Paged</title><link rel="canonical" href="/paged">`, "")},
		"/og-url":    {200, asHTML, pageOf(`<title>Shared</title><meta property="og:url" content="/shared">`, "")},
		"/100%":      titled("Hundred percent"),
		"/a|b[c]{d}": titled("Pipes"),

		// Players and articles.
		"/video":          oembed("/video.json", "<title>Page</title>", ""),
		"/video.json":     {200, asJSON, `{"version":"1.0","type":"video","title":"Oembed vid","html":"<iframe src=\"https://player.example.com/1\" width=640 height=360></iframe>","width":640,"height":360,"provider_name":"Prov","author_name":"Au","thumbnail_url":"https://video.example.com/img.png"}`},
		"/wordpress":      oembed("/wordpress.json", "<title>Post</title>"+ogImage, article(12)),
		"/wordpress.json": {200, asJSON, `{"version":"1.0","type":"rich","title":"Post","html":"<blockquote class=\"wp-embedded-content\"><a href=\"https://wordpress.example.com/wordpress\">Post</a></blockquote><iframe sandbox=\"allow-scripts\" src=\"https://wordpress.example.com/wordpress/embed/\" width=\"600\" height=\"338\"></iframe>","width":600,"height":338,"provider_name":"Blog"}`},
		"/photo":          oembed("/photo.json", "<title>A photo</title>", article(12)),
		"/photo.json":     {200, asJSON, `{"version":"1.0","type":"photo","title":"A photo","url":"https://photo.example.com/large.png","width":640,"height":480,"thumbnail_url":"https://photo.example.com/img.png"}`},
		"/article":        {200, asHTML, pageOf(`<title>Article | Site</title><meta property="og:title" content="Article"><meta property="og:site_name" content="Site"><meta name="description" content="Meta desc">`, article(12))},
		"/table":          {200, asHTML, pageOf("<title>Table</title>", "<article>"+strings.Repeat(reads, 6)+"<table><tr><th>Name</th><th>Price</th></tr><tr><td>Apple</td><td>3</td></tr></table><ol start=7><li>seventh</li><li>eighth</li></ol>"+reads+"</article>")},
		"/big":            {200, asHTML, pageOf("<title>Big page</title>", "<p>"+strings.Repeat("word ", 500_000)+"</p>")},
	}
}

// serveCases serves the web of the cases at all hosts below example.com.
func serveCases(t *testing.T, r *apptest.Rig) {
	t.Helper()
	all := caseWeb(t)
	r.Web("/", func(w http.ResponseWriter, req *http.Request) {
		found, ok := all[req.URL.Path]
		switch {
		case !ok:
			found = reply{404, asHTML, "<title>Not here</title>"}
		case req.URL.Path == "/cookie" && strings.Contains(req.Header.Get("Cookie"), "ok=1"):
			found = titled("Cookie page")
		case req.URL.Path == "/cookie":
			found = reply{302, "Location: /cookie\nSet-Cookie: ok=1; Path=/", ""}
		}
		w.Header()["Content-Type"] = nil
		for line := range strings.Lines(found.header) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			w.Header().Add(name, value)
		}
		w.WriteHeader(found.status)
		_, _ = io.WriteString(w, found.body)
	})
}
