package files_test

import (
	"strings"
	"testing"

	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
)

func TestServices(t *testing.T) {
	t.Parallel()
	rows := []sample{
		{"Pocket with two sections", `<title>Pocket Export</title><h1>Unread</h1>
<ul><li><a href="https://example.org/1" time_added="1400000000" tags="a,two words">One</a></li></ul>
<h1>Read Archive</h1>
<ul><li><a href="https://example.org/2" time_added="1300000000" tags="">Two</a></li></ul>`, `
channel / "Pocket"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 2"
Link https://example.org/1 in /Unread/ title="One" address="https://example.org/1" tags=["a","two words"] at=2014-05-13T16:53:20 where="line 2"
close /Unread/
channel /Read+Archive/ "Read Archive"
Channel /Read+Archive/ in / where="line 4"
Link https://example.org/2 in /Read+Archive/ title="Two" address="https://example.org/2" at=2011-03-13T07:06:40 where="line 4"
close /Read+Archive/
close /`},
		{"Instapaper", `<title>Instapaper: Export</title><h1>Unread</h1><ol>
<li><a href="https://example.org/1">One</a>
</ol><h1>My folder</h1><ol>
<li><a href="https://example.org/2">Two</a>
</ol>`, `
channel / "Instapaper"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 1"
Link https://example.org/1 in /Unread/ title="One" address="https://example.org/1" where="line 2"
close /Unread/
channel /My+folder/ "My folder"
Channel /My+folder/ in / where="line 3"
Link https://example.org/2 in /My+folder/ title="Two" address="https://example.org/2" where="line 4"
close /My+folder/
close /`},
		{"Shaarli", head + `<TITLE>Export - My links</TITLE>
<H1>Shaarli export of all bookmarks on Thu, 26 Nov 26 02:30:00 +0000</H1>
<DL><p>
<DT><A HREF="https://example.org/1" ADD_DATE="1700000000" PRIVATE="0" TAGS="go,web">One</A></DT>
<DD>About it</DD>
<DT><A HREF="/shaare/aB3_-x" ADD_DATE="1700000000" PRIVATE="0" TAGS="idea">A note</A></DT>
<DD>First line
second line</DD>
<DT><A HREF="https://links.example/?x1Y2z3" ADD_DATE="1700000000" PRIVATE="1" TAGS="">Only a title</A></DT>
</DL><p>`, `
channel / "Shaarli"
Link https://example.org/1 in / title="One" description="About it" address="https://example.org/1" tags=["go","web"] at=2023-11-14T22:13:20 where="line 5"
Text shaarli:aB3_-x in / title="A note" content="First line\nsecond line" tags=["idea"] at=2023-11-14T22:13:20 where="line 7"
channel /private:/ "Private" visibility="private"
Channel /private:/ in /
Text shaarli:x1Y2z3 in /private:/ content="Only a title" at=2023-11-14T22:13:20 where="line 10"
close /private:/
close /`},
		{"linkding", head + "\n\r<TITLE>Bookmarks</TITLE>\n\r<H1>Bookmarks</H1>\n\r<DL><p>\n\r" +
			`<DT><A HREF="https://example.org/1" ADD_DATE="1700000000" PRIVATE="0" TOREAD="1" TAGS="go,linkding:archived">One</A>` + "\n\r<DD>About[linkding-notes]My *note*[/linkding-notes]\n\r</DL><p>", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" description="About\n\nMy \\*note\\*" address="https://example.org/1" tags=["go"] metadata={"archived":true,"to_read":true} at=2023-11-14T22:13:20 where="line 6"
close /`},
		{"links in a note", head + `<DL><p><DT><A HREF="https://example.org/1" ADD_DATE="1700000000">One</A>
<DD>See <A HREF="https://example.org/more">more</A> and <A HREF="https://example.org/raw">https://example.org/raw</A>.
<DT><A HREF="https://example.org/2">Two</A>
<DD>Without DT <A HREF="https://example.org/3" ADD_DATE="1700000000">Three</A>
</DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" description="See more (https\\://example.org/more) and https://example.org/raw." address="https://example.org/1" at=2023-11-14T22:13:20 where="line 2"
Link https://example.org/2 in / title="Two" description="Without DT" address="https://example.org/2" where="line 4"
Link https://example.org/3 in / title="Three" address="https://example.org/3" at=2023-11-14T22:13:20 where="line 5"
close /`},
	}
	for i := range rows {
		rows[i].file = strings.TrimPrefix(rows[i].file, "\n")
	}
	expect(t, "Mine", rows)
}

// TestFormerIdentity checks that an export of Pocket is found under the name that earlier versions gave
// to it, which joined all headings.
func TestFormerIdentity(t *testing.T) {
	t.Parallel()
	file := `<title>Pocket Export</title><h1>Unread</h1><ul><li><a href="https://example.org/1" time_added="1">1</a></ul><h1>Read Archive</h1><ul></ul>`
	if got, want := files.Text(strings.NewReader(file), files.Options{Title: "x"}).Others(), source.Origin("bookmarks", "Pocket Export", "UnreadRead Archive"); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestShaarliIdentity checks that exports of different days are versions of one file.
func TestShaarliIdentity(t *testing.T) {
	t.Parallel()
	file := func(day string) source.Document {
		return files.Text(strings.NewReader(head+"<TITLE>Export</TITLE><H1>Shaarli export of all bookmarks on "+day+"</H1><DL></DL>"), files.Options{Title: "x"})
	}
	if a, b := file("Thu, 26 Nov 26 02:30:00 +0000").Origin(), file("Fri, 27 Nov 26 02:30:00 +0000").Origin(); a != b {
		t.Errorf("%q and %q", a, b)
	}
}
