package files_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/sourcetest"
)

// lists are files with one item per row or line.
var lists = []sample{
	{"all columns", `url,title,description,created_at,tags,channel
https://example.org/1,One,"About
""one"", or two",2024-03-05T10:20:30Z,"art, books",Finds
https://example.org/2,Two,,,,Other
https://example.org/3,,,,,Finds
https://example.org/4
`, `
channel / "Bookmarks"
channel /Finds/ "Finds"
Channel /Finds/ in / where="line 2"
Link https://example.org/1 in /Finds/ title="One" description="About\n\"one\", or two" address="https://example.org/1" tags=["art","books"] at=2024-03-05T10:20:30 where="line 2"
channel /Other/ "Other"
Channel /Other/ in / where="line 4"
Link https://example.org/2 in /Other/ title="Two" address="https://example.org/2" where="line 4"
Link https://example.org/3 in /Finds/ address="https://example.org/3" where="line 5"
Link https://example.org/4 in / address="https://example.org/4" where="line 6"
close /Finds/
close /Other/
close /`},
	{"semicolons of Excel, Windows-1252", "sep=;\r\nTitle;URL;Notes\r\nGr\xfc\xdfe;https://example.org/1;a, b\r\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="Grüße" description="a, b" address="https://example.org/1" where="line 3"
close /`},
	{"tabs, UTF-16", "\xff\xfeu\x00r\x00l\x00\t\x00t\x00i\x00t\x00l\x00e\x00\n\x00h\x00t\x00t\x00p\x00:\x00/\x00/\x00e\x00.\x00e\x00\t\x00\xfc\x00", `
channel / "Bookmarks"
Link http://e.e/ in / title="ü" address="http://e.e" where="line 2"
close /`},
	{"Raindrop", `id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite
1,Saved,My note,An excerpt,https://example.org/r,Research / Go,"reading, go",2024-01-02T03:04:05.123Z,https://example.org/c.png,Marked,true
2,Two,,,https://example.org/s,Unsorted,,2024-01-02T03:04:05.123Z,,"Highlight:First words
of two lines
Note:My thought

in paragraphs

Highlight:Second
Highlight:
Note:Of nothing",false
`, `
channel / "Raindrop.io"
channel /Research/ "Research"
Channel /Research/ in / where="line 2"
channel /Research/Go/ "Go"
Channel /Research/Go/ in /Research/ where="line 2"
Link https://example.org/r in /Research/Go/ title="Saved" description="My note\n\nAn excerpt\n\nMarked" address="https://example.org/r" tags=["reading","go"] metadata={"favorite":true} at=2024-01-02T03:04:05.123 where="line 2"
channel /Unsorted/ "Unsorted"
Channel /Unsorted/ in / where="line 3"
Link https://example.org/s in /Unsorted/ title="Two" description="Of nothing" address="https://example.org/s" highlight="First words\nof two lines" note="My thought\n\nin paragraphs" highlight="Second" at=2024-01-02T03:04:05.123 where="line 3"
close /Research/Go/
close /Research/
close /Unsorted/
close /`},
	{"Pinterest", `Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords
A chair,https://i.example.org/chair.jpg,Chairs,,Of wood,https://example.org/chair,2024-03-05T10:20:30,"wood,chair"
A lamp,https://i.example.org/lamp.jpg,Lamps,,,,,
`, `
channel / "Pinterest"
channel /Chairs/ "Chairs"
Channel /Chairs/ in / where="line 2"
Link https://example.org/chair in /Chairs/ title="A chair" description="Of wood" address="https://example.org/chair" tags=["wood","chair"] at=2024-03-05T10:20:30 where="line 2"
channel /Lamps/ "Lamps"
Channel /Lamps/ in / where="line 3"
Link https://i.example.org/lamp.jpg in /Lamps/ title="A lamp" address="https://i.example.org/lamp.jpg" where="line 3"
close /Chairs/
close /Lamps/
close /`},
	{"Pocket", `title,url,time_added,tags,status
U,https://example.org/u,1400000000,later|a,unread
`, `
channel / "Pocket"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 2"
Link https://example.org/u in /Unread/ title="U" address="https://example.org/u" tags=["later","a"] at=2014-05-13T16:53:20 where="line 2"
close /Unread/
close /`},
	{"Pinboard", `[{"href":"https://example.org/p","description":"P","extended":"More","meta":"x","hash":"y","time":"2010-08-31T03:51:53Z","shared":"yes","toread":"yes","tags":"a b"},
{"href":"https://example.org/q","description":"Q","extended":"","time":"2010-08-31T03:51:54Z","shared":"no","toread":"no","tags":""},
{"href":5,"description":"R"},
7,
{"href":"https://example.org/s","description":false,"shared":"yes"},
{"href":"gopher://example.org/t","description":"T"}
]
`, `
channel / "Pinboard"
Link https://example.org/p in / title="P" description="More" address="https://example.org/p" tags=["a","b"] metadata={"to_read":true} at=2010-08-31T03:51:53 where="entry 1"
channel /private:/ "Private" visibility="private"
Channel /private:/ in /
Link https://example.org/q in /private:/ title="Q" address="https://example.org/q" at=2010-08-31T03:51:54 where="entry 2"
left out "R", entry 3: href is not a text
left out "A row", entry 4: it is not a bookmark
left out "https://example.org/s", entry 5: description is not a text
left out "T", entry 6: gopher: is not a web address
close /private:/
close /`},
	{"notes and texts are plain", `url,notes,text
https://example.org/1,1986. A <video> of 2*3*4,
,,# 1 in the charts
`, `
channel / "Bookmarks"
Link https://example.org/1 in / description="1986\\. A \\<video> of 2\\*3\\*4" address="https://example.org/1" where="line 2"
Text text:e68a834dba3c7b8d03966229da4cba3383c59ca34bb9e1a652e43088a0a78086 in / content="\\# 1 in the charts" where="line 3"
close /`},
	{"Pinboard's are plain", `[{"href":"https://example.org/p","description":"P","extended":"2*3*4"}]`, `
channel / "Pinboard"
Link https://example.org/p in / title="P" description="2\\*3\\*4" address="https://example.org/p" where="entry 1"
close /`},
	{"those of an export are Markdown", `url,title,description,type,text,alt_text,source_title,connected_at
https://example.org/1,,*About* it,Link,,,,
,,,Text,# Title,,,
`, `
channel / "Bookmarks"
Link https://example.org/1 in / description="*About* it" address="https://example.org/1" where="line 2"
Text text:79aeaf7ba450cdab4b13e948c49101b1de4d13e9b45e10e51ee99442c982a7e8 in / content="# Title" where="line 3"
close /`},
	{"texts", "text;title\n\"One\ntwo\";T\n;U\n", `
channel / "Bookmarks"
Text text:efd3d68776fd8bdb8ac2df5e98f46ed8a0e413ee332a8ff70272e26ca6ef51e5 in / title="T" content="One\ntwo" where="line 2"
left out "U", line 4: has no address
close /`},
}

func TestLists(t *testing.T) {
	t.Parallel()
	expect(t, "Bookmarks", lists)
}

func TestBadRowsSpoilNothingElse(t *testing.T) {
	t.Parallel()
	const head = "url,title\n"
	good := func(n, line int) string {
		return fmt.Sprintf("Link https://example.org/%d in / title=\"%d\" address=\"https://example.org/%d\" where=\"line %d\"\n", n, n, n, line)
	}
	row := func(n int) string { return fmt.Sprintf("https://example.org/%d,%d\n", n, n) }
	expect(t, "Bookmarks", []sample{
		{"no address", head + ",One\nnot an address,Two\n" + row(3), `
left out "One", line 2: has no address
left out "Two", line 3: its address does not begin with http:// or https://
channel / "Bookmarks"
` + good(3, 4) + "close /"},
		{"a mark that is not closed", head + row(1) + "https://example.org/2,\"Two\n" + row(3) + row(4), `
channel / "Bookmarks"
` + good(1, 2) + `left out "A row", line 3: a quotation mark in it is not closed
` + good(3, 4) + good(4, 5) + "close /"},
		{"a mark that is not closed, before many rows", head + "\"x\n" + strings.Repeat("\n", 2<<20) + row(3), `
left out "A row", line 2: a quotation mark in it is not closed
channel / "Bookmarks"
` + good(3, 2<<20+3) + "close /"},
		{"marks where none should be", head + "https://example.org/1,5\" wide\nhttps://example.org/2,\"5\" wide\", etc\n" + row(3), `
channel / "Bookmarks"
Link https://example.org/1 in / title="5\" wide" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="5\" wide" address="https://example.org/2" where="line 3"
` + good(3, 4) + "close /"},
		{"a row that is too long", head + row(1) + strings.Repeat("x", 3<<20) + "\n" + row(3), `
channel / "Bookmarks"
` + good(1, 2) + `left out "A row", line 3: the row is longer than a megabyte
` + good(3, 4) + "close /"},
		{"too many columns and too few", head + "https://example.org/1,1" + strings.Repeat(",x", 100_000) + "\nx\n\n" + row(4), `
channel / "Bookmarks"
` + good(1, 2) + `left out "x", line 3: its address does not begin with http:// or https://
` + good(4, 5) + "close /"},
		{"bytes", head + row(1) + "\x00\x01\xff\xfe,\x89PNG\r\n" + row(3), `
channel / "Bookmarks"
` + good(1, 2) + `left out "‰PNG", line 3: its address does not begin with http:// or https://
` + good(3, 4) + "close /"},
		{"JSON that breaks off", `[{"href":"https://example.org/1","description":"1"},{"href":"htt`, `
channel / "Pinboard"
Link https://example.org/1 in / title="1" address="https://example.org/1" where="entry 1"
left out "The rest of the file", entry 2: the file breaks off
close /`},
		{"JSON that is none", `[{"href":"https://example.org/1","description":"1"},{href:1}]`, `
channel / "Pinboard"
Link https://example.org/1 in / title="1" address="https://example.org/1" where="entry 1"
left out "The rest of the file", entry 2: it is not valid JSON
close /`},
		{"JSON of one long entry", `[{"href":"https://example.org/1","description":"1"},{"href":"` + strings.Repeat("x", 9<<20) + `"}]`, `
channel / "Pinboard"
Link https://example.org/1 in / title="1" address="https://example.org/1" where="entry 1"
left out "The rest of the file", entry 2: an entry is longer than 8 megabytes
close /`},
		{"an empty list", `[]`, ""},
		{"headings alone", head, ""},
	})
}

// TestManyUnclosedMarks reads a file in which each line has an unclosed quotation mark.
func TestManyUnclosedMarks(t *testing.T) {
	t.Parallel()
	var count sourcetest.Count
	file := "url\n" + strings.Repeat("\"x\n", heavy.Count(1<<12, 2<<20))
	if err := files.Text(strings.NewReader(file), files.Options{Title: "Bookmarks"}).Read(t.Context(), &count); err != nil {
		t.Fatal(err)
	}
	if count.LeftOuts != 101 || count.Last.What != "The rest of the file" {
		t.Errorf("%+v", count)
	}
}

func TestSheetOtherFilesAreRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"nothing": "", "a page": "<html><p>News, and url", "no column of addresses": "title,date\nx,y\n", "an object": `{"href":"x"}`,
		"bytes": "\x89PNG\r\n\x1a\n\x00\x00\x00", "one long line": strings.Repeat("x", 3<<20),
	} {
		told, err := sourcetest.Try(t, files.Text(strings.NewReader(file), files.Options{Title: "Bookmarks"}))
		if domain.KindOf(err) != domain.Unprocessable || len(told) > 0 {
			t.Errorf("%s: %v, told %q", name, err, told)
		}
	}
}

func TestFailingReaders(t *testing.T) {
	t.Parallel()
	for _, start := range []string{"", "url\nhttps://example.org/1\n", "url\n\"", `[{"href":"https://example.org/1"},`, `[`} {
		r := io.MultiReader(strings.NewReader(start), iotest.ErrReader(io.ErrClosedPipe))
		if err := files.Text(r, files.Options{Title: "Bookmarks"}).Read(t.Context(), &sourcetest.Count{}); err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
			t.Errorf("after %q: %v", start, err)
		}
	}
}

// TestSheetMemory reads about 15 or 40 MB with more channels than the limit.
func TestSheetMemory(t *testing.T) {
	n := heavy.Count(25_000, 70_000)
	count := &heapCount{every: 10_000}
	rows := &endless{n: n, line: func(i int) string {
		return fmt.Sprintf("https://example.org/%d,Title %d,%0500d,Channel %d\n", i, i, 0, i)
	}}
	if err := files.Text(io.MultiReader(strings.NewReader("url,title,note,channel\n"), rows), files.Options{Title: "Bookmarks"}).Read(t.Context(), count); err != nil {
		t.Fatal(err)
	}
	if count.Items < n || count.Channels > 20_001 || count.grown > 24<<20 {
		t.Errorf("%d channels, %d items, and the heap grew by %d KB", count.Channels, count.Items, count.grown>>10)
	}
}

func FuzzSheetRead(f *testing.F) {
	for _, l := range lists {
		f.Add([]byte(l.file))
	}
	f.Add([]byte("url\n\"\"\"\n,\"\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, err := sourcetest.Try(t, files.Text(strings.NewReader(string(file)), files.Options{Title: "Bookmarks"}))
		if err != nil && domain.KindOf(err) != domain.Unprocessable {
			t.Error(err)
		}
	})
}
