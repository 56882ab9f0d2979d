package files_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

func TestSheetServices(t *testing.T) {
	t.Parallel()
	rows := []sample{
		{"Instapaper", "URL,Title,Selection,Folder,Timestamp,Tags\nhttps://example.org/1,One,Marked,Unread,1700000000,\"[\"\"news\"\", \"\"go, lang\"\"]\"\nhttps://example.org/2,Two,,Archive,1700000000,[]\n", `
channel / "Instapaper"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 2"
Link https://example.org/1 in /Unread/ title="One" description="Marked" address="https://example.org/1" tags=["news","go, lang"] at=2023-11-14T22:13:20 where="line 2"
channel /Archive/ "Archive"
Channel /Archive/ in / where="line 3"
Link https://example.org/2 in /Archive/ title="Two" address="https://example.org/2" at=2023-11-14T22:13:20 where="line 3"
close /Archive/
close /Unread/
close /`},
		{"Pocket's archive", "title,url,time_added,tags,status\nA,https://example.org/1,1400000000,,archive\n", `
channel / "Pocket"
channel /Read+Archive/ "Read Archive"
Channel /Read+Archive/ in / where="line 2"
Link https://example.org/1 in /Read+Archive/ title="A" address="https://example.org/1" at=2014-05-13T16:53:20 where="line 2"
close /Read+Archive/
close /`},
		{"Diigo", "title,url,tags,description,comments,annotations,created_at\nOne,https://example.org/1,\"a,b\",About,Mine,Marked,2024/03/05 10:20:30 +0000\nTwo,https://example.org/2,no_tag,,,,\n", `
channel / "Diigo"
Link https://example.org/1 in / title="One" description="Mine\n\nAbout\n\nMarked" address="https://example.org/1" tags=["a","b"] at=2024-03-05T10:20:30 where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 3"
close /`},
		{"a list of Google, with its description", "My favourite bars\n\nTitle,Note,URL,Tags,Comment\n,,,,\nA bar,Quiet,https://www.google.com/maps/place/A,,Go early\n", `
channel / "Bookmarks"
Link https://www.google.com/maps/place/A in / title="A bar" description="Quiet\n\nGo early" address="https://www.google.com/maps/place/A" where="line 5"
close /`},
		{"wallabag", `[{"is_archived":1,"is_starred":"1","tags":["news",{"label":"go","slug":"go"}],"title":"W","url":"https://example.org/1","content":"<p>A &amp; b<\/p><script>x()<\/script><ul><li>one<\/li><li>two<\/li><\/ul>","created_at":"2020-01-02T03:04:05+0000","annotations":[{"quote":"Marked","text":"why"}]},
{"title":"No address","url":"","content":""},{"title":5,"url":"https://example.org/2"}]`, `
channel / "wallabag"
Link https://example.org/1 in / title="W" content="A & b\n\n\\- one\n\\- two" address="https://example.org/1" tags=["news","go"] metadata={"archived":true,"favorite":true} highlight="Marked" note="why" at=2020-01-02T03:04:05 where="entry 1"
left out "No address", entry 2: has no address
left out "https://example.org/2", entry 3: title is not a text
close /`},
		{"Karakeep", `{"bookmarks":[
{"createdAt":1700000000,"title":"One","tags":["a"],"lists":["l2","l1"],"content":{"type":"link","url":"https://example.org/1"},"note":"Mine","archived":true},
{"createdAt":1700000000,"title":null,"tags":[],"content":{"type":"text","text":"Words"},"note":null},
{"createdAt":1700000000,"title":"Photo","tags":[],"content":null,"note":null},
{"createdAt":1700000000,"title":"Lost list","tags":[],"lists":["gone"],"content":{"type":"link","url":"https://example.org/3"}}
],"lists":[{"id":"l1","name":"Outer","description":"All","parentId":null},{"id":"l2","name":"Inner","parentId":"l1"},{"id":"l3","name":"Empty","parentId":"l3"}]}`, `
channel / "Karakeep"
Text text:2b0… in / content="Words" at=2023-11-14T22:13:20 where="entry 2"
left out "Photo", entry 3: its file is not in the export
channel /Outer/ "Outer" description="All"
Channel /Outer/ in / where="entry 1"
channel /Outer/Inner/ "Inner"
Channel /Outer/Inner/ in /Outer/ where="entry 1"
Link https://example.org/1 in /Outer/Inner/ title="One" description="Mine" address="https://example.org/1" tags=["a"] metadata={"archived":true} at=2023-11-14T22:13:20 where="entry 1"
Link https://example.org/1 in /Outer/ title="One" description="Mine" address="https://example.org/1" tags=["a"] metadata={"archived":true} at=2023-11-14T22:13:20 where="entry 1"
Link https://example.org/3 in / title="Lost list" address="https://example.org/3" at=2023-11-14T22:13:20 where="entry 4"
close /Outer/Inner/
close /Outer/
close /`},
		{"Karakeep that breaks off", `{"bookmarks":[{"createdAt":1700000000,"title":"One","content":{"type":"link","url":"https://example.org/1"}}],"li`, `
channel / "Karakeep"
Link https://example.org/1 in / title="One" address="https://example.org/1" at=2023-11-14T22:13:20 where="entry 1"
left out "The rest of the file", the end: the file breaks off
close /`},
		{"Google Keep", `{"color":"DEFAULT","isTrashed":false,"isArchived":true,"textContent":"","listContent":[{"text":"milk","isChecked":true},{"text":"tea","isChecked":false}],"title":"To buy","labels":[{"name":"home"}],"createdTimestampUsec":1582955199253000,"userEditedTimestampUsec":1582955199253000}`, `
channel / "Google Keep"
Text keep:1582955199253000 in / title="To buy" content="\\- \\[x\\] milk\n\\- \\[ \\] tea" tags=["home"] metadata={"archived":true} at=2020-02-29T05:46:39.253 where="entry 1"
close /`},
		{"Google Keep's trash", `{"isTrashed":true,"textContent":"x","title":"Old","userEditedTimestampUsec":1}`, `left out "Old", entry 1: it is in the trash`},
		{"OneTab", "https://example.org/1 | One | first\nhttps://example.org/2 | Two\n\nhttps://example.org/3 | Three\n", `
channel / "OneTab"
channel /One+%7C+first/ "One | first"
Channel /One+%7C+first/ in / where="line 1"
Link https://example.org/1 in /One+%7C+first/ title="One | first" address="https://example.org/1" where="line 1"
Link https://example.org/2 in /One+%7C+first/ title="Two" address="https://example.org/2" where="line 2"
channel /Three/ "Three"
Channel /Three/ in / where="line 4"
Link https://example.org/3 in /Three/ title="Three" address="https://example.org/3" where="line 4"
close /One+%7C+first/
close /Three/
close /`},
		{"addresses", "\nhttps://example.org/1\r\nhttps://example.org/2 with a title\r\n\r\nnot an address\r\nHTTPS://EXAMPLE.ORG/1\n", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="with a title" address="https://example.org/2" where="line 3"
left out "not an address", line 5: its address does not begin with http:// or https://
Link https://example.org/1 in / address="https://example.org/1" where="line 6"
close /`},
		{"CR line ends", "url,title\rhttps://example.org/1,One\rhttps://example.org/2,\"Two\rlines\"\r", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two\nlines" address="https://example.org/2" where="line 3"
close /`},
		{"mixed line ends, a mark, tabs", "\uFEFFurl\ttitle\rhttps://example.org/1\tOne\r\nhttps://example.org/2\t\"Two\"\"s\"\nhttps://example.org/3\tThree", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two\"s" address="https://example.org/2" where="line 3"
Link https://example.org/3 in / title="Three" address="https://example.org/3" where="line 4"
close /`},
	}
	for i := range rows {
		rows[i].want = strings.Replace(rows[i].want, "text:2b0…", source.SumOf("text", "Words"), 1)
	}
	expect(t, "Bookmarks", rows)
}

// TestManyListsOfKarakeep reads more bookmarks in lists than are kept in memory, and lists that are
// their own parents.
func TestManyListsOfKarakeep(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"bookmarks":[`)
	const n = 40
	for i := range n {
		fmt.Fprintf(&b, `{"title":"%s","lists":["loop"],"content":{"type":"link","url":"https://example.org/%d"}},`, strings.Repeat("x", 1<<20), i)
	}
	b.WriteString(`{}],"lists":[{"id":"loop","name":"Loop","parentId":"loop"}]}`)
	var count sourcetest.Count
	if err := files.Text(strings.NewReader(b.String()), files.Options{Title: "Mine"}).Read(t.Context(), &count); err != nil {
		t.Fatal(err)
	}
	if nested := count.Channels - 1; count.Items-nested != n || nested > 65 {
		t.Errorf("%+v", count)
	}
}

// TestLargeListsOfKarakeep checks that the names and descriptions of lists take little memory. It is not
// parallel because it measures the heap.
func TestLargeListsOfKarakeep(t *testing.T) {
	const lists, size = 230, 100 << 10
	parts := []io.Reader{strings.NewReader(`{"lists":[{"id":"` + strings.Repeat("i", 1_000) + `","name":"Named"}`)}
	for i := range lists {
		parts = append(parts, strings.NewReader(fmt.Sprintf(`,{"id":"%d","name":"`, i)), io.LimitReader(filler('n'), size), strings.NewReader(`","description":"`), io.LimitReader(filler('d'), size), strings.NewReader(`"}`))
	}
	held := `,{"lists":["` + strings.Repeat("i", 1_000) + `"],"content":{"type":"link","url":"https://example.org/2"}}`
	parts = append(parts, strings.NewReader(`],"bookmarks":[{"content":{"type":"link","url":"https://example.org/1"}}`+held+`]}`))
	src := files.Text(io.MultiReader(parts...), files.Options{Title: "Mine"})
	seen := &heapCount{every: 1, before: heap()}
	if err := src.Read(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	if seen.grown > 30<<20 {
		t.Errorf("the heap grew by %d KB", seen.grown>>10)
	}
	if seen.Channels != 2 || seen.Items != 3 || seen.LeftOuts == 0 || seen.Last.What != "A list" {
		t.Errorf("%+v", seen.Count)
	}
}

// filler is a reader of one byte, repeated.
type filler byte

func (f filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f)
	}
	return len(p), nil
}
