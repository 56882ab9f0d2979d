package files_test

import (
	"strings"
	"testing"

	"vitrine/internal/importing/files"
	"vitrine/internal/importing/sourcetest"
)

// Bookmarks of other programs: attributes, notes, headings and lists that are nested in unusual ways.
func TestOddBookmarks(t *testing.T) {
	t.Parallel()
	expect(t, "Mine", []sample{
		{"attributes in other quotes and cases", head + `<dl><dt><a href='https://example.org/1' ADD_DATE=1700000000 Tags='a,b'>One</a><DT><A href=https://example.org/2>Two</A></dl>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" tags=["a","b"] at=2023-11-14T22:13:20 where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 2"
close /`},
		{"an attribute that is there twice", head + `<DL><DT><A HREF="https://example.org/1" HREF="https://example.org/2">One</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"entities in all texts", head + `<DL><DT><H3>A &amp; B &lt;c&gt;</H3><DL><DT><A HREF="https://example.org/?a=1&amp;b=2" TAGS="a&amp;b">&quot;One&quot; &#8212; &nbsp;x &bogus;</A><DD>1 &lt; 2</DL></DL>`, `
channel / "Mine"
channel /A+%26+B+%3Cc%3E/ "A & B <c>"
Channel /A+%26+B+%3Cc%3E/ in / where="line 2"
Link https://example.org/?a=1&b=2 in /A+%26+B+%3Cc%3E/ title="\"One\" — \u00a0x &bogus;" description="1 \\< 2" address="https://example.org/?a=1&b=2" tags=["a\u0026b"] where="line 2"
close /A+%26+B+%3Cc%3E/
close /`},
		{"markup in a title", head + `<DL><DT><A HREF="https://example.org/1"><B>One</B><BR>and <IMG SRC="x">two</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One\nand two" address="https://example.org/1" where="line 2"
close /`},
		{"a link within a link", head + `<DL><DT><A HREF="https://example.org/1">One<A HREF="https://example.org/2">Two</A></A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 2"
close /`},
		{"a note with links and line breaks", head + `<DL><DT><A HREF="https://example.org/1">One</A><DD>First<BR>second <A HREF="https://example.org/x">here</A> and <A HREF="https://example.org/y">https://example.org/y</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" description="First\nsecond here (https\\://example.org/x) and https://example.org/y" address="https://example.org/1" where="line 2"
close /`},
		{"a dated link in a note is a bookmark", head + `<DL><DT><A HREF="https://example.org/1">One</A><DD>Note<A HREF="https://example.org/2" ADD_DATE="1700000000">Two</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" description="Note" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" at=2023-11-14T22:13:20 where="line 2"
close /`},
		{"a note of a folder", head + `<DL><DT><H3 ADD_DATE="1700000000">F</H3><DD>About *F*<DL><DT><A HREF="https://example.org/1">One</A></DL></DL>`, `
channel / "Mine"
channel /F/ "F" description="About \\*F\\*" at=2023-11-14T22:13:20
Channel /F/ in / connected=2023-11-14T22:13:20 where="line 2"
Link https://example.org/1 in /F/ title="One" address="https://example.org/1" where="line 2"
close /F/
close /`},
		{"a note without a bookmark", head + `<DL><DD>Nothing<DT><A HREF="https://example.org/1">One</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"text between entries", head + `<DL>one<DT>two<A HREF="https://example.org/1">One</A>three<HR>four</DL>five`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"comments and a CDATA section", head + `<!-- <DT><A HREF="https://example.org/0">Zero</A> --><DL><DT><A HREF="https://example.org/1">One<!-- x --></A><![CDATA[<DT>]]></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"an open comment", head + `<DL><DT><A HREF="https://example.org/1">One</A><!-- <DT><A HREF="https://example.org/2">Two</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
left out "The end of the file", line 2: the file breaks off: a folder has no end
close /`},
		{"folders of the same name", head + `<DL><DT><H3>F</H3><DL><DT><A HREF="https://example.org/1">One</A></DL><DT><H3>F</H3><DL><DT><A HREF="https://example.org/2">Two</A></DL></DL>`, `
channel / "Mine"
channel /F/ "F"
Channel /F/ in / where="line 2"
Link https://example.org/1 in /F/ title="One" address="https://example.org/1" where="line 2"
close /F/
channel /F;2/ "F"
Channel /F;2/ in / where="line 2"
Link https://example.org/2 in /F;2/ title="Two" address="https://example.org/2" where="line 2"
close /F;2/
close /`},
		{"headings of other levels", head + `<DL><DT><H2>Two</H2><DL><DT><H4>Four</H4><DL><DT><A HREF="https://example.org/1">One</A></DL></DL></DL>`, `
channel / "Mine"
channel /Two/ "Two"
Channel /Two/ in / where="line 2"
channel /Two/Four/ "Four"
Channel /Two/Four/ in /Two/ where="line 2"
Link https://example.org/1 in /Two/Four/ title="One" address="https://example.org/1" where="line 2"
close /Two/Four/
close /Two/
close /`},
		{"a list in a list without a heading", head + `<DL><DL><DT><A HREF="https://example.org/1">One</A></DL><DT><A HREF="https://example.org/2">Two</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 2"
close /`},
		{"a heading after the list", head + `<H1>Late</H1><DL><DT><A HREF="https://example.org/1">One</A></DL><H1>Later</H1>`, `
channel / "Late"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"a title and a heading", head + `<TITLE>Document</TITLE><H1>Heading</H1><DL><DT><A HREF="https://example.org/1">One</A></DL>`, `
channel / "Heading"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"private bookmarks in a folder and in the file", head + `<DL><DT><H3>F</H3><DL><DT><A HREF="https://example.org/1" PRIVATE="1">One</A><DT><A HREF="https://example.org/2" PRIVATE="0">Two</A></DL><DT><A HREF="https://example.org/3" PRIVATE="1">Three</A></DL>`, `
channel / "Mine"
channel /F/ "F"
Channel /F/ in / where="line 2"
channel /F/private:/ "Private" visibility="private"
Channel /F/private:/ in /F/
Link https://example.org/1 in /F/private:/ title="One" address="https://example.org/1" where="line 2"
Link https://example.org/2 in /F/ title="Two" address="https://example.org/2" where="line 2"
close /F/private:/
close /F/
channel /private:/ "Private" visibility="private"
Channel /private:/ in /
Link https://example.org/3 in /private:/ title="Three" address="https://example.org/3" where="line 2"
close /private:/
close /`},
		{"marks of a bookmark", head + `<DL><DT><A HREF="https://example.org/1" TOREAD="1" DATA-IMPORTANT="true" ADD_DATE="soon">One</A><DT><A HREF="https://example.org/2" TOREAD="yes" DATA-IMPORTANT="1" ADD_DATE="0">Two</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" metadata={"favorite":true,"to_read":true} where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 2"
close /`},
		{"dates in other units", head + `<DL><DT><A HREF="https://example.org/1" ADD_DATE="1700000000000">ms</A><DT><A HREF="https://example.org/2" ADD_DATE="1700000000000000">µs</A><DT><A HREF="https://example.org/3" ADD_DATE="-1">before</A></DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="ms" address="https://example.org/1" at=2023-11-14T22:13:20 where="line 2"
Link https://example.org/2 in / title="µs" address="https://example.org/2" at=2023-11-14T22:13:20 where="line 2"
Link https://example.org/3 in / title="before" address="https://example.org/3" where="line 2"
close /`},
		{"the notes of linkding", head + `<DL><DT><A HREF="https://example.org/1" TAGS="a,linkding:archived">One</A><DD>About[linkding-notes]Mine[/linkding-notes]rest<DT><A HREF="https://example.org/2">Two</A><DD>[linkding-notes]Open</DL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" description="About\n\nMine" address="https://example.org/1" tags=["a"] metadata={"archived":true} where="line 2"
Link https://example.org/2 in / title="Two" description="Open" address="https://example.org/2" where="line 2"
close /`},
		{"no doctype, but dates", `<DT><A HREF="https://example.org/1" ADD_DATE="1700000000">One</A><A HREF="https://example.org/2">Two</A>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" at=2023-11-14T22:13:20 where="line 1"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 1"
close /`},
		{"lists and items of HTML", head + `<UL><LI><A HREF="https://example.org/1">One</A><LI><A HREF="https://example.org/2">Two</A></UL>`, `
channel / "Mine"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 2"
close /`},
		{"capitals in the address", head + `<DL><DT><A HREF="HTTPS://EXAMPLE.ORG/Path">One</A></DL>`, `
channel / "Mine"
Link https://example.org/Path in / title="One" address="https://example.org/Path" where="line 2"
close /`},
		{"an address that was read differently before", head + `<DL><DT><A HREF="https://example.org/a|b">One</A></DL>`, `
channel / "Mine"
Link https://example.org/a%7Cb in / title="One" address="https://example.org/a%7Cb" where="line 2"
close /`},
		{"Markdown in notes and folders", head + `<DL><DT><H3>*F*</H3><DD>_x_<DL><DT><A HREF="https://example.org/1">*One*</A><DD># 1. [x](y)</DL></DL>`, `
channel / "Mine"
channel /%2AF%2A/ "*F*" description="\\_x\\_"
Channel /%2AF%2A/ in / where="line 2"
Link https://example.org/1 in /%2AF%2A/ title="*One*" description="\\# 1. \\[x\\](y)" address="https://example.org/1" where="line 2"
close /%2AF%2A/
close /`},
	})
}

// Services whose bookmarks have sections, notes or headings of their own.
func TestOddServices(t *testing.T) {
	t.Parallel()
	expect(t, "Mine", []sample{
		{"Pocket without sections", `<title>Pocket Export</title><ul><li><a href="https://example.org/1" time_added="1400000000" tags="">One</a></li></ul>`, `
channel / "Pocket"
Link https://example.org/1 in / title="One" address="https://example.org/1" at=2014-05-13T16:53:20 where="line 1"
close /`},
		{"Pocket, a title that is the address, and a tag that is empty", `<title>Pocket Export</title><h1>Unread</h1><ul><li><a href="https://example.org/1" tags=",a,,">https://example.org/1</a></li></ul>`, `
channel / "Pocket"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 1"
Link https://example.org/1 in /Unread/ address="https://example.org/1" tags=["a"] where="line 1"
close /Unread/
close /`},
		{"Pocket that breaks off", `<title>Pocket Export</title><h1>Unread</h1><ul><li><a href="https://example.org/1">One</a></li>`, `
channel / "Pocket"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 1"
Link https://example.org/1 in /Unread/ title="One" address="https://example.org/1" where="line 1"
left out "The end of the file", line 1: the file breaks off: a folder has no end
close /Unread/
close /`},
		{"Pocket, the same section twice", `<title>Pocket Export</title><h1>Unread</h1><ul><li><a href="https://example.org/1">One</a></ul><h1>Unread</h1><ul><li><a href="https://example.org/2">Two</a></ul>`, `
channel / "Pocket"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 1"
Link https://example.org/1 in /Unread/ title="One" address="https://example.org/1" where="line 1"
close /Unread/
channel /Unread;2/ "Unread"
Channel /Unread;2/ in / where="line 1"
Link https://example.org/2 in /Unread;2/ title="Two" address="https://example.org/2" where="line 1"
close /Unread;2/
close /`},
		{"Instapaper, an empty section", `<title>Instapaper: Export</title><h1>Unread</h1><ol></ol><h1>Archive</h1><ol><li><a href="https://example.org/1">One</a></ol>`, `
channel / "Instapaper"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 1"
close /Unread/
channel /Archive/ "Archive"
Channel /Archive/ in / where="line 1"
Link https://example.org/1 in /Archive/ title="One" address="https://example.org/1" where="line 1"
close /Archive/
close /`},
		{"a page that only mentions Pocket", head + `<title>About Pocket Export</title><h1>H</h1><ul><li><a href="https://example.org/1">One</a></ul>`, `
channel / "H"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
close /`},
		{"Shaarli, addresses that look like notes", head + `<H1>Shaarli export of public bookmarks on Thu, 26 Nov 26 02:30:00 +0000</H1><DL><DT><A HREF="https://example.org/?abcdef" ADD_DATE="1">Six</A><DT><A HREF="https://example.org/?abcdefg" ADD_DATE="1">Seven</A><DT><A HREF="https://example.org/?q=1#x" ADD_DATE="1">Query</A></DL>`, `
channel / "Shaarli"
Text shaarli:abcdef in / content="Six" where="line 2"
Link https://example.org/?abcdefg in / title="Seven" address="https://example.org/?abcdefg" where="line 2"
Link https://example.org/?q=1#x in / title="Query" address="https://example.org/?q=1#x" where="line 2"
close /`},
		{"Shaarli, a note without anything", head + `<H1>Shaarli export of all bookmarks on Thu, 26 Nov 26 02:30:00 +0000</H1><DL><DT><A HREF="?abcdef" ADD_DATE="1"></A></DL>`, `
channel / "Shaarli"
Text shaarli:abcdef in / where="line 2"
close /`},
	})
}

// Outlines of other programs, and XML that is damaged or hostile.
func TestOddOutlines(t *testing.T) {
	t.Parallel()
	expect(t, "Bookmarks", []sample{
		{"attributes in other cases", `<OPML><BODY><Outline TEXT="T" HTMLURL="https://example.org/1" XMLURL="https://example.org/f" CATEGORY="/a,b/"/></BODY></OPML>`, `
channel / "Bookmarks"
Link https://example.org/1 in / title="T" address="https://example.org/1" tags=["/a","b/"] metadata={"feed":"https://example.org/f"} where="line 1"
close /`},
		{"a title instead of a text", `<opml><body><outline title="T" url="https://example.org/1"/><outline text=" " title="U" url="https://example.org/2"/></body></opml>`, `
channel / "Bookmarks"
Link https://example.org/1 in / title="T" address="https://example.org/1" where="line 1"
Link https://example.org/2 in / title="U" address="https://example.org/2" where="line 1"
close /`},
		{"an invalid page, and a feed", `<opml><body><outline text="T" htmlUrl="about:blank" xmlUrl="https://example.org/f"/><outline text="U" htmlUrl="x" xmlUrl="y"/></body></opml>`, `
channel / "Bookmarks"
Link https://example.org/f in / title="T" address="https://example.org/f" metadata={"feed":"https://example.org/f"} where="line 1"
left out "U", line 1: its address does not begin with http:// or https://
close /`},
		{"a link with outlines in it", `<opml><body><outline text="T" url="https://example.org/1"><outline text="U"/></outline></body></opml>`, `
channel / "Bookmarks"
Link https://example.org/1 in / title="T" address="https://example.org/1" where="line 1"
channel /T/ "T"
Channel /T/ in / where="line 1"
Text text:a25513c7e0f6eaa80a3337ee18081b9e2ed09e00af8531c8f7bb2542764027e7 in /T/ content="U" where="line 1"
close /T/
close /`},
		{"outlines without texts", `<opml><body><outline/><outline text=""><outline text=""/><outline text="x"/></outline></body></opml>`, `
channel / "Bookmarks"
channel /Untitled/ "Untitled"
Channel /Untitled/ in / where="line 1"
Text text:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881 in /Untitled/ content="x" where="line 1"
close /Untitled/
close /`},
		{"folders of the same name, with notes and dates", `<opml><body><outline text="F" _note="*N*" created="2024-03-05"><outline text="a"/></outline><outline text="F"><outline text="b"/></outline></body></opml>`, `
channel / "Bookmarks"
channel /F/ "F" description="\\*N\\*" at=2024-03-05T00:00:00
Channel /F/ in / connected=2024-03-05T00:00:00 where="line 1"
Text text:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb in /F/ content="a" where="line 1"
close /F/
channel /F;2/ "F"
Channel /F;2/ in / where="line 1"
Text text:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d in /F;2/ content="b" where="line 1"
close /F;2/
close /`},
		{"several titles", `<opml><head><title>First</title><title>Second</title></head><body><outline text="x"><title>Third</title><outline text="y"/></outline></body></opml>`, `
channel / "Second"
channel /x/ "x"
Channel /x/ in / where="line 1"
Text text:a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa in /x/ content="y" where="line 1"
close /x/
close /`},
		{"a title after the body", `<opml><body><outline text="x" url="https://example.org/1"/></body><head><title>Late</title></head></opml>`, `
channel / "Bookmarks"
Link https://example.org/1 in / title="x" address="https://example.org/1" where="line 1"
close /`},
		{"entities that are unknown", `<opml><body><outline text="a &nbsp; &bogus; &amp; &#65;" url="https://example.org/?a=1&b=2"/></body></opml>`, `
channel / "Bookmarks"
Link https://example.org/?a=1&b=2 in / title="a &nbsp; &bogus; & A" address="https://example.org/?a=1&b=2" where="line 1"
close /`},
		{"end tags that do not match", `<opml><body><outline text="F"><outline text="x"></body></outline></opml>`, `
channel / "Bookmarks"
channel /F/ "F"
Channel /F/ in / where="line 1"
Text text:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881 in /F/ content="x" where="line 1"
close /F/
left out "The rest of the file", line 1: it is not valid XML
close /`},
		{"an end tag too many", `<opml><body></outline><outline text="x"/></body></opml>`, `
left out "The rest of the file", line 1: it is not valid XML`},
		{"attributes without quotes", `<opml><body><outline text=x url=https://example.org/1 /></body></opml>`, `
left out "The rest of the file", line 1: it is not valid XML`},
		{"a namespace", `<opml xmlns:x="urn:x"><body><outline x:text="no" text="yes" x:url="https://example.org/0" url="https://example.org/1"/></body></opml>`, `
channel / "Bookmarks"
Link https://example.org/1 in / title="yes" address="https://example.org/1" where="line 1"
close /`},
		{"breaks off in a tag", `<opml><body><outline text="a"/><outline text="b`, `
channel / "Bookmarks"
Text text:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb in / content="a" where="line 1"
left out "The rest of the file", line 1: the file breaks off
close /`},
		{"a NUL", "<opml><body><outline text=\"a\x00b\"/><outline text=\"c\"/></body></opml>", `
channel / "Bookmarks"
Text text:05087813392efc16fe8ff448920c6328e53af865df39419436659d9ffda90f7b in / content="a�b" where="line 1"
Text text:2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6 in / content="c" where="line 1"
close /`},
		{"an external entity", `<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]><opml><body><outline text="&x;"/></body></opml>`, `
channel / "Bookmarks"
Text text:5ed61fd8cdfb27faca7a8328522c3ee154a44bc9f861a32894b17d0771a6adad in / content="\\&x;" where="line 1"
close /`},
		{"Windows-1252, as declared", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><opml><head><title>Gr\xfc\xdfe</title></head><body><outline text=\"\xc4\"/></body></opml>", `
channel / "Grüße"
Text text:2fe5ca1c1a3d50bd92f1d3cf6da34ceddabe02022b2a0183ab0b805ada6f787a in / content="Ä" where="line 1"
close /`},
		{"nothing", `<opml/>`, ``},
	})
}

// Archives of several files: titles, folders and origins of the files in them.
func TestOddArchives(t *testing.T) {
	t.Parallel()
	const list = "url,title\nhttps://example.org/1,One\n"
	for _, c := range []struct {
		name    string
		entries []string
		want    string
	}{
		{"two lists of the same name", []string{"a/Links.csv", list, "b/Links.csv", "url\nhttps://example.org/2\n"}, `
channel / "Mine"
channel /Links/ "Links"
Channel /Links/ in / where="a/Links.csv"
Link https://example.org/1 in /Links/ title="One" address="https://example.org/1" where="a/Links.csv, line 2"
Link https://example.org/2 in /Links/ address="https://example.org/2" where="b/Links.csv, line 2"
close /Links/
close /`},
		{"a list with a folder, twice", []string{"a.csv", "url,folder\nhttps://example.org/1,F\n", "b.csv", "url,folder\nhttps://example.org/2,F\n"}, `
channel / "Mine"
channel /a/ "a"
Channel /a/ in / where="a.csv"
channel /a/F/ "F"
Channel /a/F/ in /a/ where="a.csv, line 2"
Link https://example.org/1 in /a/F/ address="https://example.org/1" where="a.csv, line 2"
channel /b/ "b"
Channel /b/ in / where="b.csv"
channel /b/F/ "F"
Channel /b/F/ in /b/ where="b.csv, line 2"
Link https://example.org/2 in /b/F/ address="https://example.org/2" where="b.csv, line 2"
close /b/F/
close /a/F/
close /a/
close /b/
close /`},
		{"private rows of two files", []string{"a.csv", "url,private\nhttps://example.org/1,1\n", "b.csv", "url,private\nhttps://example.org/2,1\n"}, `
channel / "Mine"
channel /a/ "a"
Channel /a/ in / where="a.csv"
channel /a/private:/ "Private" visibility="private"
Channel /a/private:/ in /a/ where="a.csv"
Link https://example.org/1 in /a/private:/ address="https://example.org/1" where="a.csv, line 2"
channel /b/ "b"
Channel /b/ in / where="b.csv"
channel /b/private:/ "Private" visibility="private"
Channel /b/private:/ in /b/ where="b.csv"
Link https://example.org/2 in /b/private:/ address="https://example.org/2" where="b.csv, line 2"
close /b/private:/
close /a/private:/
close /a/
close /b/
close /`},
		{"names that lead out, are hidden or of folders", []string{"../a.csv", list, "/b.csv", list, `c\d.csv`, list, "C:e.csv", list, "x/", "", "./f.csv", list, "g.csv", list, "h.CSV", list}, `
channel / "Mine"
channel /g/ "g"
Channel /g/ in / where="g.csv"
Link https://example.org/1 in /g/ title="One" address="https://example.org/1" where="g.csv, line 2"
channel /h/ "h"
Channel /h/ in / where="h.CSV"
Link https://example.org/1 in /h/ title="One" address="https://example.org/1" where="h.CSV, line 2"
close /g/
close /h/
close /`},
		{"files of other kinds", []string{"a.csv", list, "b.jpg", "x", "c.exe", "x", "d", list, "e.txt", "https://example.org/2\n", "f.html", "<p>"}, `
channel / "Mine"
channel /a/ "a"
Channel /a/ in / where="a.csv"
Link https://example.org/1 in /a/ title="One" address="https://example.org/1" where="a.csv, line 2"
channel /e/ "e"
Channel /e/ in / where="e.txt"
Link https://example.org/2 in /e/ address="https://example.org/2" where="e.txt, line 1"
left out "Other files", 1 file: they contain no bookmarks, lists or notes
close /a/
close /e/
close /`},
		{"an empty file", []string{"a.csv", list, "b.csv", ""}, `
channel / "Mine"
channel /a/ "a"
Channel /a/ in / where="a.csv"
Link https://example.org/1 in /a/ title="One" address="https://example.org/1" where="a.csv, line 2"
left out "Other files", 1 file: they contain no bookmarks, lists or notes
close /a/
close /`},
		{"a file with a fault", []string{"a.csv", "url,title\nx,One\n", "b.json", `[{"href":"https://example.org/1"`}, `
left out "One", a.csv, line 2: its address does not begin with http:// or https://
left out "The rest of the file", b.json, entry 1: the file breaks off`},
		{"another encoding in each", []string{"a.csv", "url,title\nhttps://example.org/1,Gr\xfc\xdfe\n", "b.csv", "url,title\nhttps://example.org/2,\xcf\xee\xe3\xee\xe4\xe0\n"}, `
channel / "Mine"
channel /a/ "a"
Channel /a/ in / where="a.csv"
Link https://example.org/1 in /a/ title="Grüße" address="https://example.org/1" where="a.csv, line 2"
channel /b/ "b"
Channel /b/ in / where="b.csv"
Link https://example.org/2 in /b/ title="Погода" address="https://example.org/2" where="b.csv, line 2"
close /a/
close /b/
close /`},
		{"outlines and bookmarks", []string{"a.opml", `<opml><head><title>Feeds</title></head><body><outline text="x"/></body></opml>`, "b.htm", marks}, `
channel / "Mine"
channel /Feeds/ "Feeds"
Channel /Feeds/ in / where="a.opml"
Text text:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881 in /Feeds/ content="x" where="a.opml, line 1"
channel /Bookmarks/ "Bookmarks"
Channel /Bookmarks/ in / where="b.htm"
channel /Bookmarks/F/ "F"
Channel /Bookmarks/F/ in /Bookmarks/ where="b.htm, line 2"
Link https://example.org/1 in /Bookmarks/F/ title="One" address="https://example.org/1" where="b.htm, line 2"
close /Bookmarks/F/
close /Bookmarks/
close /Feeds/
close /`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(sourcetest.Read(t, document(t, zipped(t, c.entries...), files.Options{Title: "Mine"})), "\n")
			if want := strings.TrimSpace(c.want); got != want {
				t.Errorf("got\n%s\n\nand not\n%s", got, want)
			}
		})
	}
}
