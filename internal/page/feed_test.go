package page

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

const rssStart = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
	`xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"><channel>`

const atomStart = `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom">`

func rssItems(items string) string { return rssStart + items + `</channel></rss>` }

// date returns a date of November 2026.
func date(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }

func TestFeedEntries(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []FeedEntry
	}{
		"RSS": {rssItems(`<title>News</title><image><title>Logo</title></image><item><title>One</title><link>https://a.example/1</link>
			<guid isPermaLink="false">tag:1</guid><pubDate>Tue, 10 Nov 2026 08:00:00 GMT</pubDate><description>&lt;p>First &amp;amp; &lt;b>best&lt;/b>&lt;/p></description></item>`),
			[]FeedEntry{{"tag:1", "https://a.example/1", "One", "First & best", date(10, 8)}}},
		"RSS without a link": {rssItems(`<item><guid>https://a.example/2</guid><dc:date>2026-11-10T09:00:00+01:00</dc:date></item>`),
			[]FeedEntry{{"https://a.example/2", "https://a.example/2", "", "", date(10, 8)}}},
		"enclosure only": {rssItems(`<item><title>Episode</title><enclosure url="/1.mp3"/><content:encoded><![CDATA[<p>Notes</p><script>x</script>]]></content:encoded></item>`),
			[]FeedEntry{{"", "https://a.example/1.mp3", "Episode", "Notes", time.Time{}}}},
		"other namespaces": {rssItems(`<item><media:title>No</media:title><media:link>https://no.example/</media:link><atom:link rel="self" href="https://no.example/"/>
			<title>Yes</title><link>https://a.example/3</link></item>`), []FeedEntry{{"", "https://a.example/3", "Yes", "", time.Time{}}}},
		"RDF": {`<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel><title>R</title></channel>
			<item rdf:about="x"><title>R1</title><link>https://a.example/r</link></item></rdf:RDF>`, []FeedEntry{{"", "https://a.example/r", "R1", "", time.Time{}}}},
		"Atom": {atomStart + `<title>A</title><entry xml:base="/blog/"><id>urn:1</id><title type="html">A &lt;i>new&lt;/i> day</title>
			<link rel="edit" href="no"/><link href="p/1"/><updated>2026-11-11T00:00:00Z</updated><published>2026-11-10T00:00:00Z</published>
			<source><title>Other</title><id>no</id></source><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>T<b>w</b>o</p></div></content></entry></feed>`,
			[]FeedEntry{{"urn:1", "https://a.example/blog/p/1", "A new day", "One Two", date(10, 0)}}},
		"Atom text is no HTML": {atomStart + `<entry><title>Use &lt;b> with care</title><link href="/b"/></entry></feed>`,
			[]FeedEntry{{"", "https://a.example/b", "Use <b> with care", "", time.Time{}}}},
		"JSON Feed": {`{"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"id":7,"url":"/j","title":"J1","content_html":"<p>x<br>y</p>","date_published":"2026-11-10T08:00:00Z"},
			{"id":"https://a.example/k","title":5}, {"id":"none"}, "odd"]}`,
			[]FeedEntry{{"7", "https://a.example/j", "J1", "x y", date(10, 8)}, {"https://a.example/k", "https://a.example/k", "", "", time.Time{}}}},
		"hostile text": {rssItems("<item><title>a\u202Eb\u0007 &#x0B;&lt;script>alert(1)&lt;/script>c</title><link>https://a.example/h</link></item>" +
			"<item><title>no</title><link>javascript:alert(1)</link></item><item><link>https://u:p@a.example/</link></item><item><link>file:///etc/passwd</link></item>"),
			[]FeedEntry{{"", "https://a.example/h", "ab c", "", time.Time{}}}},
		"dates sort": {rssItems(`<item><link>/1</link><pubDate>1 Nov 2026 00:00:00 +0000</pubDate></item><item><link>/2</link><pubDate>Mon, 2 Nov 2026 01:00 +0100</pubDate></item>`),
			[]FeedEntry{{Link: "https://a.example/2", Date: date(2, 0)}, {Link: "https://a.example/1", Date: date(1, 0)}}},
		"cut off": {rssStart + `<item><title>Whole</title><link>/1</link></item><item><title>Hal`, []FeedEntry{{"", "https://a.example/1", "Whole", "", time.Time{}}}},
		"empty":   {rssItems(""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := ReadFeed(address(t, "https://a.example/feed"), "", []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(f.Entries) != fmt.Sprint(c.want) {
				t.Errorf("got  %+v\nwant %+v", f.Entries, c.want)
			}
		})
	}
}

func TestFeedIsNone(t *testing.T) {
	at := address(t, "https://a.example/blog/")
	for name, c := range map[string]struct{ body, want string }{
		"page":      {`<!doctype html><link rel="alternate" type="application/rss+xml" href="feed"><link rel="alternate stylesheet" href=x><title>x`, "This is a web page, not a feed [https://a.example/blog/feed]"},
		"no feeds":  {`<html><body>x`, "This is a web page, not a feed []"},
		"text":      {"hello", "This is not an Atom, RSS or JSON feed []"},
		"empty":     {"", "This is not an Atom, RSS or JSON feed []"},
		"other XML": {"<opml/>", "This is not an Atom, RSS or JSON feed []"},
		"JSON":      {`{"items":[{"url":"https://a.example/"}]}`, "This is not an Atom, RSS or JSON feed []"},
		"bomb": {`<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>` + rssItems("<item><title>&b;</title><link>/</link></item>"),
			"The feed defines XML entities, which are not read"},
		"deep":   {rssItems("<item>" + strings.Repeat("<a>", 200_000)), "The feed is broken and cannot be read"},
		"broken": {rssStart + "<item><title>&", "The feed is broken and cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadFeed(at, "text/html", []byte(c.body))
			got := fmt.Sprint(err)
			if none, ok := errors.AsType[*NotFeedError](err); ok {
				got += fmt.Sprintf(" %v", none.Feeds)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFeedCharsets(t *testing.T) {
	latin, _ := charmap.ISO8859_1.NewEncoder().String(rssItems("<item><title>Café</title><link>/</link></item>"))
	utf := rssItems("<item><title>Café</title><link>/</link></item>")
	for name, c := range map[string]struct{ kind, body string }{
		"declared":                {"application/rss+xml", `<?xml version="1.0" encoding="iso-8859-1"?>` + latin},
		"header":                  {"text/xml; charset=iso-8859-1", latin},
		"header before XML":       {"text/xml; charset=iso-8859-1", `<?xml version="1.0" encoding="utf-8"?>` + latin},
		"wrong header":            {"text/xml; charset=iso-8859-1", `<?xml version="1.0" encoding="UTF-8"?>` + utf},
		"no declaration":          {"text/xml; charset=us-ascii", utf},
		"byte order mark":         {"text/xml; charset=iso-8859-1", "\uFEFF" + utf},
		"a page's media type":     {"text/html", utf},
		"white space comes first": {"", "\n " + utf},
	} {
		f, err := ReadFeed(address(t, here), c.kind, []byte(c.body))
		if err != nil || len(f.Entries) != 1 || f.Entries[0].Title != "Café" {
			t.Errorf("%s: %+v, %v", name, f.Entries, err)
		}
	}
}

// TestFeedIsBounded reads feeds of a million entries.
func TestFeedIsBounded(t *testing.T) {
	for name, body := range map[string]string{
		"entries":    rssStart + strings.Repeat("<item><link>/a</link></item>", 1_000_000),
		"empty ones": rssStart + strings.Repeat("<item/>", 1_000_000),
		"JSON":       `{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"}` + strings.Repeat(`,{"url":"/a"}`, 1_000_000),
		"text":       rssStart + "<item><link>/a</link></item><item><title>" + strings.Repeat("a", 5<<20),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f, err := ReadFeed(address(t, here), "", []byte(body))
		runtime.GC()
		runtime.ReadMemStats(&after)
		if n := len(f.Entries); n > maxFeedEntries || n == 0 && name != "empty ones" {
			t.Errorf("%s: %d entries, %v", name, n, err)
		}
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 10<<20 {
			t.Errorf("%s: %d bytes are kept", name, kept)
		}
	}
}

func FuzzFeed(f *testing.F) {
	f.Add("text/xml", []byte(rssItems(`<item><title>&lt;b>x</title><link>/a</link><pubDate>1 Nov 2026</pubDate></item>`)))
	f.Add("", []byte(atomStart+`<entry xml:base="x"><id>1</id><link href="a"/><content type="xhtml"><p>x</p></content></entry></feed>`))
	f.Add("", []byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":7,"url":"/j"}]}`))
	f.Add("text/html", []byte(`<link rel=alternate type=application/rss+xml href=/f>`))
	at := address(f, here)
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		feed, _ := ReadFeed(at, contentType, body)
		for _, e := range feed.Entries {
			if !strings.HasPrefix(e.Link, "http") || len(e.Link) > maxAddress || !utf8.ValidString(e.Title+e.Summary+e.ID) ||
				utf8.RuneCountInString(e.Title) > maxFeedTitle || utf8.RuneCountInString(e.Summary) > maxSummary {
				t.Errorf("bad entry %+v", e)
			}
		}
	})
}
