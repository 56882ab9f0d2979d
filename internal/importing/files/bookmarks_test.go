package files_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

// programs are bookmark files of browsers.
var programs = []sample{
	{"Chrome", `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1600000000" LAST_MODIFIED="1600000001" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><A HREF="https://Example.org/a?x=1&amp;y=2" ADD_DATE="1600000100" ICON="data:image/png;base64,AAAA">Fish &amp; Chips</A>
        <DT><H3 ADD_DATE="1600000200" LAST_MODIFIED="0">Deep / er</H3>
        <DL><p>
            <DT><A HREF="http://b.example" ADD_DATE="0">http://b.example</A>
        </DL><p>
        <DT><A HREF="javascript:alert(1)" ADD_DATE="1600000300">Bookmarklet</A>
    </DL><p>
    <DT><A HREF="chrome://settings/" ADD_DATE="1600000300">Settings</A>
</DL><p>
`, `
channel / "Bookmarks"
channel /Bookmarks+bar/ "Bookmarks bar" at=2020-09-13T12:26:40
Channel /Bookmarks+bar/ in / connected=2020-09-13T12:26:40 where="line 7"
Link https://example.org/a?x=1&y=2 in /Bookmarks+bar/ title="Fish & Chips" address="https://example.org/a?x=1&y=2" at=2020-09-13T12:28:20 where="line 9"
channel /Bookmarks+bar/Deep+%2F+er/ "Deep / er" at=2020-09-13T12:30:00
Channel /Bookmarks+bar/Deep+%2F+er/ in /Bookmarks+bar/ connected=2020-09-13T12:30:00 where="line 10"
Link http://b.example/ in /Bookmarks+bar/Deep+%2F+er/ address="http://b.example" where="line 12"
close /Bookmarks+bar/Deep+%2F+er/
left out "Bookmarklet", line 14: javascript: is not a web address
close /Bookmarks+bar/
left out "Settings", line 16: chrome: is not a web address
close /`},
	{"Firefox", `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Lesezeichen</TITLE>
<H1>Lesezeichen-Menü</H1>

<DL><p>
    <DT><A HREF="https://example.org/" ADD_DATE="1500000000" LAST_MODIFIED="1500000001" ICON_URI="fake-favicon-uri:1" SHORTCUTURL="x" TAGS="art, books,art">One</A>
    <DD>A note, of
two lines &lt;b&gt;
    <HR>    <DT><H3 UNFILED_BOOKMARKS_FOLDER="true">Weitere</H3>
    <DD>What is elsewhere
    <DL><p>
    </DL><p>
    <DT><H3>Weitere</H3>
    <DL><p>
        <DT><A HREF="place:sort=8">Most visited</A>
    </DL><p>
</DL>
`, `
channel / "Lesezeichen-Menü"
Link https://example.org/ in / title="One" description="A note, of\ntwo lines \\<b>" address="https://example.org/" tags=["art","books"] at=2017-07-14T02:40:00 where="line 6"
channel /Weitere/ "Weitere" description="What is elsewhere"
Channel /Weitere/ in / where="line 9"
close /Weitere/
channel /Weitere;2/ "Weitere"
Channel /Weitere;2/ in / where="line 13"
left out "Most visited", line 15: place: is not a web address
close /Weitere;2/
close /`},
	{"Safari", `<!DOCTYPE NETSCAPE-Bookmark-file-1>
	<HTML>
	<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
	<Title>Bookmarks</Title>
	<H1>Bookmarks</H1>
	<DT><H3 FOLDED>Favourites</H3>
	<DL><p>
		<DT><A HREF="https://example.org/s">S</A>
	</DL><p>
	<DT><H3 FOLDED id="com.apple.ReadingList">Reading List</H3>
	<DL><p>
	</DL><p>
	<DT><A HREF="https://example.org/t">T</A>
	</HTML>
`, `
channel / "Bookmarks"
channel /Favourites/ "Favourites"
Channel /Favourites/ in / where="line 6"
Link https://example.org/s in /Favourites/ title="S" address="https://example.org/s" where="line 8"
close /Favourites/
channel /Reading+List/ "Reading List"
Channel /Reading+List/ in / where="line 10"
close /Reading+List/
Link https://example.org/t in / title="T" address="https://example.org/t" where="line 13"
close /`},
	{"Pinboard", `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Pinboard Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p><DT><A HREF="https://example.org/p" ADD_DATE="1300000000" PRIVATE="0" TOREAD="1" TAGS="a,b">P</A>
<DD>1986. A &lt;video&gt; of 2*3*4
<DT><A HREF="https://example.org/q" ADD_DATE="1300000001" PRIVATE="1" TOREAD="0" TAGS="">Q</A>
<DT><A HREF="https://example.org/r" ADD_DATE="1300000002" PRIVATE="1" TOREAD="0" TAGS="">R</A>
</DL></p>
`, `
channel / "Bookmarks"
Link https://example.org/p in / title="P" description="1986\\. A \\<video> of 2\\*3\\*4" address="https://example.org/p" tags=["a","b"] metadata={"to_read":true} at=2011-03-13T07:06:40 where="line 5"
channel /private:/ "Private" visibility="private"
Channel /private:/ in /
Link https://example.org/q in /private:/ title="Q" address="https://example.org/q" at=2011-03-13T07:06:41 where="line 7"
Link https://example.org/r in /private:/ title="R" address="https://example.org/r" at=2011-03-13T07:06:42 where="line 8"
close /private:/
close /`},
	{"Delicious", `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<!-- This is an automatically generated file. -->
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p><DT><A HREF="https://example.org/d" ADD_DATE="1200000000" PRIVATE="0" TAGS="x,y z">D</A>
<DD>Of the owl<DT><A HREF="https://example.org/e" ADD_DATE="1200000001" PRIVATE="0" TAGS="">E</A>
</DL><p>`, `
channel / "Bookmarks"
Link https://example.org/d in / title="D" description="Of the owl" address="https://example.org/d" tags=["x","y z"] at=2008-01-10T21:20:00 where="line 6"
Link https://example.org/e in / title="E" address="https://example.org/e" at=2008-01-10T21:20:01 where="line 7"
close /`},
	{"Raindrop", `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Raindrop.io Bookmarks</TITLE>
<H1>Raindrop.io Bookmarks</H1>

<DL><p>
<DT><H3 ADD_DATE="1700000000" LAST_MODIFIED="1700000000">Design</H3>
<DL><p>
<DT><A HREF="https://example.org/w" ADD_DATE="1700000001" LAST_MODIFIED="1700000002" TAGS="ui,type" DATA-COVER="https://example.org/c.png" DATA-IMPORTANT="true">W</A>
<DD>Excerpt
</DL><p>
</DL><p>`, `
channel / "Raindrop.io Bookmarks"
channel /Design/ "Design" at=2023-11-14T22:13:20
Channel /Design/ in / connected=2023-11-14T22:13:20 where="line 7"
Link https://example.org/w in /Design/ title="W" description="Excerpt" address="https://example.org/w" tags=["ui","type"] metadata={"favorite":true} at=2023-11-14T22:13:21 where="line 9"
close /Design/
close /`},
	{"Pocket", `<!DOCTYPE html>
<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" /><title>Pocket Export</title></head>
<body><h1>Unread</h1>
<ul>
<li><a href="https://example.org/u" time_added="1400000000" tags="later">U</a></li>
<li><a href="https://example.org/v" time_added="1400000001" tags="">https://example.org/v</a></li>
</ul></body></html>`, `
channel / "Pocket"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 4"
Link https://example.org/u in /Unread/ title="U" address="https://example.org/u" tags=["later"] at=2014-05-13T16:53:20 where="line 5"
Link https://example.org/v in /Unread/ address="https://example.org/v" at=2014-05-13T16:53:21 where="line 6"
close /Unread/
close /`},
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	expect(t, "Bookmarks", programs)
}

const head = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"

func TestOddFiles(t *testing.T) {
	t.Parallel()
	expect(t, "Mine", []sample{
		{"empty", head, ""},
		{"cut off in a tag", head + `<DL><DT><H3>F</H3><DL><DT><A HREF="https://example.org/1">One</A>` + "\n" + `<DT><A HREF="https://exam`, `
channel / "Mine"
channel /F/ "F"
Channel /F/ in / where="line 2"
Link https://example.org/1 in /F/ title="One" address="https://example.org/1" where="line 2"
left out "The end of the file", line 3: the file breaks off: a folder has no end
close /F/
close /`},
		{"ends too often", head + `</DL></DL><DL></DL></DL><DT><A HREF="https://example.org/1">One</A>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"a folder without a list", head + `<DL><DT><H3>Empty</H3><DT><H3></H3><DL></DL></DL>`, `
channel / "Mine"
channel /Empty/ "Empty"
Channel /Empty/ in / where="line 2"
close /Empty/
channel /Untitled/ "Untitled"
Channel /Untitled/ in / where="line 2"
close /Untitled/
close /`},
		{"addresses that are none", head + `<DL>
<DT><A>No address</A>
<DT><A HREF="ftp://example.org/">F</A>
<DT><A HREF="example.org/x">Bare</A>
<DT><A HREF="https://ann:secret@example.org/">Secret</A>
<DT><A HREF="http://[::1">Malformed</A>
<DT><A HREF="https:///x">Three slashes</A>
<DT><A HREF="https://example.org/` + strings.Repeat("x", domain.MaxURL) + `">Long</A>
<DT><A HREF=" https://example.org:443/a b
c ">Spaces</A>
</DL>`, `
left out "No address", line 3: has no address
left out "F", line 4: ftp: is not a web address
left out "Bare", line 5: its address does not begin with http:// or https://
left out "Secret", line 6: its address contains a user name or password
left out "Malformed", line 7: its address is malformed
channel / "Mine"
Link https://x/ in / title="Three slashes" address="https://x" where="line 8"
left out "Long", line 9: its address is longer than 4096 bytes
Link https://example.org/a%20bc in / title="Spaces" address="https://example.org/a%20bc" where="line 10"
close /`},
		{"Windows-1252 and NUL", head + "<DL><DT><A HREF=\"https://example.org/1\">Caf\xe9 \x80 \x00 na\u00efve</A></DL>", `
channel / "Mine"
Link https://example.org/1 in / title="Café € � naïve" address="https://example.org/1" where="line 2"
close /`},
		{"a script", head + `<script><DL><DT><A HREF="https://example.org/1"><b onclick="x()">One</b></A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"a tag that is too long", head + `<DL>
<DT><A HREF="https://example.org/1">One</A>
<DT><A HREF="https://example.org/2" ICON="` + strings.Repeat("A", 5<<20) + `">Two</A>
<DT><A HREF="https://example.org/3">Three</A>
<DT><H3 ICON="` + strings.Repeat("A", 2<<20) + `">Four</H3>
<DL><DT><A HREF="https://example.org/5">Five</A></DL>
</DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 3"
left out "A bookmark", line 4: a tag of it is longer than 1048576 bytes
Link https://example.org/3 in / title="Three" address="https://example.org/3" where="line 5"
left out "A bookmark", line 6: a tag of it is longer than 1048576 bytes
Link https://example.org/5 in / title="Five" address="https://example.org/5" where="line 7"
close /`},
	})
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	told := sourcetest.Read(t, files.Text(strings.NewReader(head+`<DL><DT><A HREF="https://example.org/1">`+strings.Repeat("é", 5<<20)+`</A>
<DD>Note
<DT><A HREF="https://example.org/2">Two</A></DL>`), files.Options{Title: "Mine"}))
	if len(told) != 4 || len(told[1]) > 70<<10 || !strings.Contains(told[1], `description="Note"`) || !strings.Contains(told[2], `"Two"`) {
		t.Errorf("told %.300q", told)
	}
}

// TestManyEndsInLongTexts reads long texts with many end tags. Reading an end tag must not scan the
// whole text.
func TestManyEndsInLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60<<10)
	for name, file := range map[string]string{
		"links in a note": `<DL><DT><A HREF="https://example.org/1">One</A><DD>` + long + strings.Repeat("<a href=x></a>", 200_000),
		"titles":          `<title>` + long + strings.Repeat("</title>", 400_000) + `<DL><DT><A HREF="https://example.org/1">One</A>`,
		"headings":        `<h1>` + long + strings.Repeat("</h1>", 400_000) + `<DL><DT><A HREF="https://example.org/1">One</A>`,
	} {
		var count sourcetest.Count
		if err := files.Text(strings.NewReader(head+file), files.Options{Title: "Mine"}).Read(t.Context(), &count); err != nil || count.Items != 1 {
			t.Errorf("%s: %+v (%v)", name, count, err)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"nothing": "", "a page": `<html><h1>News</h1><ul><li><a href="https://example.org/">Home</a></li></ul>`,
		"CSV": "url,title\nhttps://example.org/,One\n", "bytes": "\x89PNG\r\n\x1a\n\x00\x00\x00",
	} {
		text, err := source.Decode(strings.NewReader(file), "")
		if err != nil {
			t.Fatal(err)
		}
		told, err := sourcetest.Try(t, files.NewBookmarks(text, "Mine"))
		if domain.KindOf(err) != domain.Unprocessable || len(told) > 0 {
			t.Errorf("%s: %v, told %q", name, err, told)
		}
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	var count sourcetest.Count
	file := head + strings.Repeat("<DL><DT><H3>F</H3>\n", 1_000) + `<DL><DT><A HREF="https://example.org/1">One</A></DL>` + strings.Repeat("</DL>\n", 1_000)
	if err := files.Text(strings.NewReader(file), files.Options{Title: "Mine"}).Read(t.Context(), &count); err != nil {
		t.Fatal(err)
	}
	if count.Channels != 65 || count.Items != 64+1 || count.LeftOuts != 1_000-64 {
		t.Errorf("%+v", count)
	}
}

// TestMemory reads about 15 or 40 MB of a file that opens more and more lists.
func TestMemory(t *testing.T) {
	n := heavy.Count(20_000, 60_000)
	count := &heapCount{every: 10_000}
	file := io.MultiReader(strings.NewReader(head+"<DL>"), &endless{n: n, line: func(i int) string {
		return fmt.Sprintf("<DT><H3>Folder %d</H3><DL><p>\n<DT><A HREF=\"https://example.org/%d\" ADD_DATE=\"1600000000\" ICON=\"%0512d\">Bookmark %d</A>\n</DL><p>\n<DL>", i, i, 0, i)
	}})
	if err := files.Text(file, files.Options{Title: "Mine"}).Read(t.Context(), count); err != nil {
		t.Fatal(err)
	}
	if count.Items < n || count.grown > 8<<20 {
		t.Errorf("%d items, and the heap grew by %d KB", count.Items, count.grown>>10)
	}
}

func FuzzRead(f *testing.F) {
	for _, p := range programs {
		f.Add([]byte(p.file))
	}
	f.Add([]byte(head + "<DL><DL><H3><DD></DL><A HREF=x></DL></DL><DT>"))
	f.Add([]byte("\xff\xfe<\x00D\x00L\x00>\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, err := sourcetest.Try(t, files.Text(strings.NewReader(string(file)), files.Options{Title: "Mine"}))
		if err != nil && domain.KindOf(err) != domain.Unprocessable {
			t.Error(err)
		}
	})
}
