package files_test

import (
	"strings"
	"testing"

	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

// Tables of addresses with unusual headings, separators, values and folders.
func TestOddTables(t *testing.T) {
	t.Parallel()
	expect(t, "Bookmarks", []sample{
		{"headings without regard to case, spaces and punctuation", "Source URL,TITEL,Date-Added,\"Key words\"\nhttps://example.org/1,Eins,2024-03-05,\"a, b\"\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="Eins" address="https://example.org/1" tags=["a","b"] at=2024-03-05T00:00:00 where="line 2"
close /`},
		{"two columns of addresses", "url,link,title\n,https://example.org/1,One\nhttps://example.org/2,https://example.org/x,Two\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 3"
close /`},
		{"two notes and a description", "url,notes,comment,summary\nhttps://example.org/1,First,Second,Third\nhttps://example.org/2,,Second,\n", `
channel / "Bookmarks"
Link https://example.org/1 in / description="First\n\nSecond\n\nThird" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / description="Second" address="https://example.org/2" where="line 3"
close /`},
		{"vertical bars", "title|url|tags\nOne|https://example.org/1|a,b;c\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" tags=["a","b","c"] where="line 2"
close /`},
		{"a separator that only the headings have", "url;title\nhttps://example.org/1,One\n", `
channel / "Bookmarks"
Link https://example.org/1,One in / address="https://example.org/1,One" where="line 2"
close /`},
		{"more commas than semicolons in the headings", "url;title,subtitle;note\nhttps://example.org/1;x;n\n", `
channel / "Bookmarks"
Link https://example.org/1 in / description="n" address="https://example.org/1" where="line 2"
close /`},
		{"a line before the headings", "Exported by a program\nurl,title,tags\nhttps://example.org/1,One,\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 3"
close /`},
		{"headings after blank lines", "\n\n \nurl,title\nhttps://example.org/1,One\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 5"
close /`},
		{"folders below a channel", "url,board,folder\nhttps://example.org/1,Desk,a/b\nhttps://example.org/2,Desk,/a//c/\n", `
channel / "Bookmarks"
channel /Desk/ "Desk"
Channel /Desk/ in / where="line 2"
channel /Desk/a/ "a"
Channel /Desk/a/ in /Desk/ where="line 2"
channel /Desk/a/b/ "b"
Channel /Desk/a/b/ in /Desk/a/ where="line 2"
Link https://example.org/1 in /Desk/a/b/ address="https://example.org/1" where="line 2"
channel /Desk/a/c/ "c"
Channel /Desk/a/c/ in /Desk/a/ where="line 3"
Link https://example.org/2 in /Desk/a/c/ address="https://example.org/2" where="line 3"
close /Desk/a/b/
close /Desk/a/c/
close /Desk/a/
close /Desk/
close /`},
		{"folders with slashes in their names", "url,folder\nhttps://example.org/1,TCP/IP / Tools\nhttps://example.org/2,TCP/IP\n", `
channel / "Bookmarks"
channel /TCP%2FIP/ "TCP/IP"
Channel /TCP%2FIP/ in / where="line 2"
channel /TCP%2FIP/Tools/ "Tools"
Channel /TCP%2FIP/Tools/ in /TCP%2FIP/ where="line 2"
Link https://example.org/1 in /TCP%2FIP/Tools/ address="https://example.org/1" where="line 2"
channel /TCP/ "TCP"
Channel /TCP/ in / where="line 3"
channel /TCP/IP/ "IP"
Channel /TCP/IP/ in /TCP/ where="line 3"
Link https://example.org/2 in /TCP/IP/ address="https://example.org/2" where="line 3"
close /TCP/IP/
close /TCP/
close /TCP%2FIP/Tools/
close /TCP%2FIP/
close /`},
		{"folders that differ in case and percent signs", "url,folder\nhttps://example.org/1,Art\nhttps://example.org/2,art\nhttps://example.org/3,100%\nhttps://example.org/4,Art\n", `
channel / "Bookmarks"
channel /Art/ "Art"
Channel /Art/ in / where="line 2"
Link https://example.org/1 in /Art/ address="https://example.org/1" where="line 2"
channel /art/ "art"
Channel /art/ in / where="line 3"
Link https://example.org/2 in /art/ address="https://example.org/2" where="line 3"
channel /100%25/ "100%"
Channel /100%25/ in / where="line 4"
Link https://example.org/3 in /100%25/ address="https://example.org/3" where="line 4"
Link https://example.org/4 in /Art/ address="https://example.org/4" where="line 5"
close /100%25/
close /Art/
close /art/
close /`},
		{"private rows in folders", "url,folder,private\nhttps://example.org/1,A,yes\nhttps://example.org/2,A,no\nhttps://example.org/3,,X\nhttps://example.org/4,A,true\n", `
channel / "Bookmarks"
channel /A/ "A"
Channel /A/ in / where="line 2"
channel /A/private:/ "Private" visibility="private"
Channel /A/private:/ in /A/
Link https://example.org/1 in /A/private:/ address="https://example.org/1" where="line 2"
Link https://example.org/2 in /A/ address="https://example.org/2" where="line 3"
channel /private:/ "Private" visibility="private"
Channel /private:/ in /
Link https://example.org/3 in /private:/ address="https://example.org/3" where="line 4"
Link https://example.org/4 in /A/private:/ address="https://example.org/4" where="line 5"
close /private:/
close /A/private:/
close /A/
close /`},
		{"a folder called Private", "url,folder,private\nhttps://example.org/1,Private,\nhttps://example.org/2,,1\n", `
channel / "Bookmarks"
channel /Private/ "Private"
Channel /Private/ in / where="line 2"
Link https://example.org/1 in /Private/ address="https://example.org/1" where="line 2"
channel /private:/ "Private" visibility="private"
Channel /private:/ in /
Link https://example.org/2 in /private:/ address="https://example.org/2" where="line 3"
close /private:/
close /Private/
close /`},
		{"marks of a row", "url,favorite,to read,archived\nhttps://example.org/1,TRUE,x,Yes\nhttps://example.org/2,0,2,on\n", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" metadata={"archived":true,"favorite":true,"to_read":true} where="line 2"
Link https://example.org/2 in / address="https://example.org/2" where="line 3"
close /`},
		{"dates", "url,created\nhttps://example.org/1,2024-03-05 10:20\nhttps://example.org/2,1709634030000\nhttps://example.org/3,03/05/2024\nhttps://example.org/4,9999999999999999999999\n", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" at=2024-03-05T10:20:00 where="line 2"
Link https://example.org/2 in / address="https://example.org/2" at=2024-03-05T10:20:30 where="line 3"
Link https://example.org/3 in / address="https://example.org/3" where="line 4"
Link https://example.org/4 in / address="https://example.org/4" where="line 5"
close /`},
		{"tags as a list in JSON, repeated, and with spaces", "url,tags\nhttps://example.org/1,\"[\"\"b\"\", \"\"a  c\"\", \"\"b\"\", \"\"\"\"]\"\nhttps://example.org/2,\"[not a list, b\"\nhttps://example.org/3,\"a; a|  a ,,\"\n", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" tags=["b","a c"] where="line 2"
Link https://example.org/2 in / address="https://example.org/2" tags=["[not a list","b"] where="line 3"
Link https://example.org/3 in / address="https://example.org/3" tags=["a"] where="line 4"
close /`},
		{"a title that is the address", "url,title\nhttps://example.org/1,https://example.org/1\nhttps://example.org/2/,https://example.org/2\n", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" where="line 2"
Link https://example.org/2/ in / title="https://example.org/2" address="https://example.org/2/" where="line 3"
close /`},
		{"the picture and the page of a row without an address", "url,image,permalink,title\n,https://example.org/p.png,https://example.org/pin,One\n,,https://example.org/pin,Two\n,,,Three\n", `
channel / "Bookmarks"
Link https://example.org/p.png in / title="One" address="https://example.org/p.png" where="line 2"
Link https://example.org/pin in / title="Two" address="https://example.org/pin" where="line 3"
left out "Three", line 4: has no address
close /`},
		{"a text and an address", "url,text,title\nhttps://example.org/1,Not used,One\n,Used,Two\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Text text:ae7d8dfac9ff5e0fc9aee0d70b174a16d556f7759ed94b7a9f7b88c3dd3230a9 in / title="Two" content="Used" where="line 3"
close /`},
		{"the same row twice", "url,title\nhttps://example.org/1,One\nHTTPS://EXAMPLE.ORG:443/1,Again\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 2"
Link https://example.org/1 in / title="Again" address="https://example.org/1" where="line 3"
close /`},
		{"rows of spaces and commas", "url,title\n ,\n,,,,\n\t\n\"\",\"\"\nhttps://example.org/1,One\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 6"
close /`},
		{"lines within marks", "url,title,note\nhttps://example.org/1,\"One\r\n\r\nline\",\"a,\"\"b\"\"\n\"\nhttps://example.org/2,Two,\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One\r\n\r\nline" description="a,\"b\"" address="https://example.org/1" where="line 2"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 6"
close /`},
		{"no line end at the end", "url\nhttps://example.org/1", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" where="line 2"
close /`},
		{"invalid addresses", "url,title\njavascript:alert(1),Script\ndata:text/html;base64,Data\nchrome://newtab/,Browser\nmailto:ada@example.org,Mail\nhttps://ada:secret@example.org/,Password\nhttps://,Nothing\n//example.org/x,No scheme\nhttps://exa mple.org/,Space\n", `
left out "Script", line 2: javascript: is not a web address
left out "Data", line 3: data: is not a web address
left out "Browser", line 4: chrome: is not a web address
left out "Mail", line 5: mailto: is not a web address
left out "Password", line 6: its address contains a user name or password
left out "Nothing", line 7: its address is malformed
left out "No scheme", line 8: its address does not begin with http:// or https://
left out "Space", line 9: its address is malformed`},
		{"addresses in other scripts", "url,title\nhttps://müller.example/ä?ö#ü,Umlauts\nhttps://例え.テスト/,Japanese\nhttps://example.org/%zz,Percent\n", `
channel / "Bookmarks"
Link https://xn--mller-kva.example/%C3%A4?%C3%B6#%C3%BC in / title="Umlauts" address="https://xn--mller-kva.example/%C3%A4?%C3%B6#%C3%BC" where="line 2"
Link https://xn--r8jz45g.xn--zckzah/ in / title="Japanese" address="https://xn--r8jz45g.xn--zckzah/" where="line 3"
Link https://example.org/%25zz in / title="Percent" address="https://example.org/%25zz" where="line 4"
close /`},
		{"a long title in a report", "url,title\nx," + strings.Repeat("é", 300) + "\n", `
left out "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…", line 2: its address does not begin with http:// or https://`},
		{"direction marks and control characters", "url,title\nhttps://example.org/1,a\u202Eb\u0007c\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="a\u202eb\ac" address="https://example.org/1" where="line 2"
close /`},
		{"Raindrop without highlights is no service", "title,note,excerpt,url,folder\nOne,,,https://example.org/1,F\n", `
channel / "Bookmarks"
channel /F/ "F"
Channel /F/ in / where="line 2"
Link https://example.org/1 in /F/ title="One" address="https://example.org/1" where="line 2"
close /F/
close /`},
		{"Pocket with an unknown status", "title,url,time_added,tags,status\nOne,https://example.org/1,x,\"a,b|c\",deleted\n", `
channel / "Pocket"
Link https://example.org/1 in / title="One" address="https://example.org/1" tags=["a,b","c"] where="line 2"
close /`},
		{"Diigo with a real tag", "title,url,tags,description,comments,annotations,created_at\nOne,https://example.org/1,no_tag x,,,,\n", `
channel / "Diigo"
Link https://example.org/1 in / title="One" address="https://example.org/1" tags=["no_tag x"] where="line 2"
close /`},
		{"a list of Google without addresses", "Title,Note,URL,Tags,Comment\nA bar,Quiet,,,\n", `
left out "A bar", line 2: has no address`},
		{"Pinterest without a link", "Title,Pin URL,Pinterest board\nPin,https://www.pinterest.com/pin/1/,B\n", `
channel / "Pinterest"
channel /B/ "B"
Channel /B/ in / where="line 2"
Link https://www.pinterest.com/pin/1/ in /B/ title="Pin" address="https://www.pinterest.com/pin/1/" where="line 2"
close /B/
close /`},
		{"a list of pages without addresses", "id,permalink\nx1,https://www.reddit.com/r/a/comments/x1/\n", `
channel / "Bookmarks"
Link https://www.reddit.com/r/a/comments/x1/ in / address="https://www.reddit.com/r/a/comments/x1/" where="line 2"
close /`},
		{"Instapaper with tags that are no list", "URL,Title,Selection,Folder,Timestamp,Tags\nhttps://example.org/1,One,,Unread,0,news\n", `
channel / "Instapaper"
channel /Unread/ "Unread"
Channel /Unread/ in / where="line 2"
Link https://example.org/1 in /Unread/ title="One" address="https://example.org/1" tags=["news"] where="line 2"
close /Unread/
close /`},
	})
}

// Lists in JSON of services: fields of other types, values that are no lists, and entries that break off.
func TestOddJSON(t *testing.T) {
	t.Parallel()
	expect(t, "Bookmarks", []sample{
		{"Pinboard with spaces and odd marks", `[{"href":" https://example.org/1 ","description":"  One ","extended":"\n More \n","time":"yesterday","shared":"maybe","toread":"no","tags":" a  a\tb "}]`, `
channel / "Pinboard"
Link https://example.org/1 in / title="One" description="More" address="https://example.org/1" tags=["a","b"] where="entry 1"
close /`},
		{"Pinboard, null and missing fields", `[{"href":"https://example.org/1","description":null,"tags":null},{"href":null},{"description":"x"},null,[],"x"]`, `
channel / "Pinboard"
Link https://example.org/1 in / address="https://example.org/1" where="entry 1"
left out "A row", entry 2: has no address
left out "x", entry 3: has no address
left out "A row", entry 4: has no address
left out "A row", entry 5: it is not a bookmark
left out "A row", entry 6: it is not a bookmark
close /`},
		{"Pinboard, keys in another case", `[{"href":"https://example.org/1","Description":"One","TAGS":"a"}]`, `
channel / "Pinboard"
Link https://example.org/1 in / title="One" address="https://example.org/1" tags=["a"] where="entry 1"
close /`},
		{"Pinboard, the same key twice", `[{"href":"https://example.org/1","href":"https://example.org/2","description":"Two"}]`, `
channel / "Pinboard"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="entry 1"
close /`},
		{"Pinboard, more after the list", `[{"href":"https://example.org/1","description":"One"}] and more`, `
channel / "Pinboard"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="entry 1"
close /`},
		{"Pinboard without a comma", `[{"href":"https://example.org/1","description":"One"} {"href":"https://example.org/2"}]`, `
channel / "Pinboard"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="entry 1"
left out "The rest of the file", entry 2: it is not valid JSON
close /`},
		{"Pinboard without an end", `[{"href":"https://example.org/1","description":"One"}`, `
channel / "Pinboard"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="entry 1"
left out "The rest of the file", entry 2: the file breaks off
close /`},
		{"wallabag, marks of other types", `[{"url":"https://example.org/1","title":" W ","is_archived":true,"is_starred":false,"tags":"a, b","created_at":1700000000},{"url":"https://example.org/2","is_archived":"0","is_starred":{},"tags":{"a":1},"created_at":null}]`, `
channel / "wallabag"
Link https://example.org/1 in / title="W" address="https://example.org/1" tags=["a","b"] metadata={"archived":true} at=2023-11-14T22:13:20 where="entry 1"
Link https://example.org/2 in / address="https://example.org/2" where="entry 2"
close /`},
		{"wallabag, the address that was given", `[{"url":"","given_url":"https://example.org/1","title":"W"},{"url":null,"given_url":"https://example.org/2"}]`, `
channel / "wallabag"
Link https://example.org/1 in / title="W" address="https://example.org/1" where="entry 1"
Link https://example.org/2 in / address="https://example.org/2" where="entry 2"
close /`},
		{"wallabag, notes without quotes", `[{"url":"https://example.org/1","annotations":[{"text":"only *text*"},{"quote":" "},{},{"quote":" Some *words* ","text":"Why?","created_at":"2020-01-02T03:04:05+0000","ranges":[{"start":"/p[1]","startOffset":"3"}]}],"content":"<style>p{}</style><h1>T</h1><table><tr><td>a<td>b</table><br>c"}]`, `
channel / "wallabag"
Link https://example.org/1 in / description="only \\*text\\*" content="T\n\na b\n\nc" address="https://example.org/1" highlight="Some *words*" note="Why?" highlighted=2020-01-02T03:04:05 where="entry 1"
close /`},
		{"wallabag, annotations of another type", `[{"url":"https://example.org/1","title":"One","annotations":"none"},{"url":"https://example.org/2","title":"Two"}]`, `
left out "One", entry 1: annotations is not a list
channel / "wallabag"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="entry 2"
close /`},
		{"wallabag, tags of mixed types", `[{"url":"https://example.org/1","tags":["a",{"name":"b"},{"label":"c","name":"d"},5,null,{},["e"]]}]`, `
channel / "wallabag"
Link https://example.org/1 in / address="https://example.org/1" tags=["a","b","c"] where="entry 1"
close /`},
		{"Karakeep, lists first", `{"lists":[{"id":"1","name":"L"}],"bookmarks":[{"title":"One","lists":["1","1"],"content":{"type":"link","url":"https://example.org/1"}}]}`, `
channel / "Karakeep"
channel /L/ "L"
Channel /L/ in / where="entry 1"
Link https://example.org/1 in /L/ title="One" address="https://example.org/1" where="entry 1"
close /L/
close /`},
		{"Karakeep, a list without a name", `{"bookmarks":[{"title":"One","lists":["a"],"content":{"type":"link","url":"https://example.org/1"}}],"lists":[{"id":"a"}]}`, `
channel / "Karakeep"
channel /Untitled/ "Untitled"
Channel /Untitled/ in / where="entry 1"
Link https://example.org/1 in /Untitled/ title="One" address="https://example.org/1" where="entry 1"
close /Untitled/
close /`},
		{"Karakeep, an asset and an unknown type", `{"bookmarks":[{"title":"Photo","content":{"type":"asset","url":"https://example.org/a"}},{"title":"New","content":{"type":"video","url":"https://example.org/v"}},{"title":"Nothing","content":{"type":"link"}}]}`, `
left out "Photo", entry 1: its file is not in the export
channel / "Karakeep"
Link https://example.org/v in / title="New" address="https://example.org/v" where="entry 2"
left out "Nothing", entry 3: has no address
close /`},
		{"Karakeep, bookmarks that are no list", `{"bookmarks":{"a":1},"lists":[]}`, `
left out "The rest of the file", bookmarks: it is not valid JSON`},
		{"Karakeep, an entry of another type", `{"bookmarks":[5,{"title":7,"content":{"type":"text","text":"x"}},{"title":"Two","content":{"type":"text","text":"y"}}]}`, `
left out "A row", entry 1: it is not a bookmark
left out "A row", entry 2: title is not a text
channel / "Karakeep"
Text text:a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa in / title="Two" content="y" where="entry 3"
close /`},
		{"Karakeep, fields of other types", `{"bookmarks":[{"title":"One","archived":"yes","content":{"type":"text","text":"x"}},{"title":"Two","lists":"a","content":{"type":"text","text":"x"}},{"title":"Three","content":"x"}]}`, `
left out "One", entry 1: archived is neither true nor false
left out "Two", entry 2: lists is not a list
left out "Three", entry 3: content is not an object`},
		{"Karakeep, unknown keys before and after", `{"version":3,"bookmarks":[{"title":"One","content":{"type":"link","url":"https://example.org/1"}}],"rules":[{"a":[1,2]}]}`, `
channel / "Karakeep"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="entry 1"
close /`},
		{"Karakeep, breaks off in a list", `{"bookmarks":[{"title":"One","lists":["l"],"content":{"type":"link","url":"https://example.org/1"}}],"lists":[{"id":"l","name":"L"},{"id`, `
left out "The rest of the file", entry 2: the file breaks off
channel / "Karakeep"
channel /L/ "L"
Channel /L/ in / where="entry 1"
Link https://example.org/1 in /L/ title="One" address="https://example.org/1" where="entry 1"
close /L/
close /`},
		{"Keep, labels and a text with Markdown", `{"textContent":"1. *a*\n# b","title":"","labels":[{"name":"x"},{"name":"x"}],"isTrashed":false}`, `
channel / "Google Keep"
Text text:99c678482a59877155ac8c5df4c0214552e68ea5153bccec84ee9c6296294563 in / content="1\\. \\*a\\*\n\\# b" tags=["x"] where="entry 1"
close /`},
		{"Keep, only a title", `{"title":"Milk","textContent":"","isTrashed":false,"userEditedTimestampUsec":1582955199253000}`, `
channel / "Google Keep"
Text text:8189b8409b18b1ef215ec2f2d8da515cdc7cc21a4b7cd35482b66bede2275d02 in / content="Milk" at=2020-02-29T05:46:39.253 where="entry 1"
close /`},
		{"Keep, nothing", `{"title":" ","textContent":" \n","isTrashed":false}`, `
left out "A row", entry 1: it has no text`},
		{"Keep, fields of other types", `{"title":5,"textContent":"x","isTrashed":"yes","isArchived":"no","labels":"l","createdTimestampUsec":"soon"}`, `
channel / "Google Keep"
Text keep:soon in / content="x" tags=["l"] where="entry 1"
close /`},
		{"Keep, a text and a list", `{"title":"T","textContent":"Text","listContent":[{"text":"one"}],"isTrashed":false,"createdTimestampUsec":1582955199253000}`, `
channel / "Google Keep"
Text keep:1582955199253000 in / title="T" content="Text\n\\- \\[ \\] one" at=2020-02-29T05:46:39.253 where="entry 1"
close /`},
	})
}

// Lists of addresses: groups, titles, and lines that are no addresses.
func TestOddLines(t *testing.T) {
	t.Parallel()
	expect(t, "Bookmarks", []sample{
		{"OneTab, one group", "https://example.org/1 | One\nhttps://example.org/2 | Two\n", `
channel / "OneTab"
Link https://example.org/1 in / title="One" address="https://example.org/1" where="line 1"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 2"
close /`},
		{"OneTab, groups with the same first page", "https://example.org/1 | One\n\nhttps://example.org/1 | One\nhttps://example.org/2 | Two\n", `
channel / "OneTab"
channel /One/ "One"
Channel /One/ in / where="line 1"
Link https://example.org/1 in /One/ title="One" address="https://example.org/1" where="line 1"
Link https://example.org/1 in /One/ title="One" address="https://example.org/1" where="line 3"
Link https://example.org/2 in /One/ title="Two" address="https://example.org/2" where="line 4"
close /One/
close /`},
		{"OneTab, pages without titles", "https://example.org/1 | \n \t\nhttps://example.org/2\n", `
channel / "OneTab"
channel /https%3A%2F%2Fexample.org%2F1/ "https://example.org/1"
Channel /https%3A%2F%2Fexample.org%2F1/ in / where="line 1"
Link https://example.org/1 in /https%3A%2F%2Fexample.org%2F1/ address="https://example.org/1" where="line 1"
channel /https%3A%2F%2Fexample.org%2F2/ "https://example.org/2"
Channel /https%3A%2F%2Fexample.org%2F2/ in / where="line 3"
Link https://example.org/2 in /https%3A%2F%2Fexample.org%2F2/ address="https://example.org/2" where="line 3"
close /https%3A%2F%2Fexample.org%2F1/
close /https%3A%2F%2Fexample.org%2F2/
close /`},
		{"OneTab, an address of a browser", "https://example.org/1 | One\n\nchrome://settings | Settings\nfile:///etc/passwd | File\n", `
channel / "OneTab"
channel /One/ "One"
Channel /One/ in / where="line 1"
Link https://example.org/1 in /One/ title="One" address="https://example.org/1" where="line 1"
left out "chrome://settings | Settings", line 3: its address does not begin with http:// or https://
left out "file:///etc/passwd | File", line 4: file: is not a web address
close /One/
close /`},
		{"tabs and several spaces", "https://example.org/1\tOne\tmore\nhttps://example.org/2    Two\n  https://example.org/3\n", `
channel / "Bookmarks"
Link https://example.org/1 in / title="One\tmore" address="https://example.org/1" where="line 1"
Link https://example.org/2 in / title="Two" address="https://example.org/2" where="line 2"
Link https://example.org/3 in / address="https://example.org/3" where="line 3"
close /`},
		{"a long line", "https://example.org/1\n" + strings.Repeat("y", 1<<20+1) + "\nhttps://example.org/2\n", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" where="line 1"
left out "A line", line 2: the row is longer than a megabyte
Link https://example.org/2 in / address="https://example.org/2" where="line 3"
close /`},
		{"prose between addresses", "https://example.org/1\nSee also\n# heading\nwww.example.org\nHTTP://EXAMPLE.ORG/2 T\n", `
channel / "Bookmarks"
Link https://example.org/1 in / address="https://example.org/1" where="line 1"
left out "See also", line 2: its address does not begin with http:// or https://
left out "# heading", line 3: its address does not begin with http:// or https://
left out "www.example.org", line 4: its address does not begin with http:// or https://
Link http://example.org/2 in / title="T" address="http://example.org/2" where="line 5"
close /`},
		{"UTF-16", in16("https://example.org/1 Grüße\n"), `
channel / "Bookmarks"
Link https://example.org/1 in / title="Grüße" address="https://example.org/1" where="line 1"
close /`},
	})
}

// in16 encodes a text as UTF-16 with a byte order mark.
func in16(text string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, r := range text { // none is outside the basic plane
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// A later export of a service has the origin of an earlier one, even under another file name. Files of
// other services and lists with other titles have their own.
func TestOriginsOfTables(t *testing.T) {
	t.Parallel()
	const (
		pocket   = "title,url,time_added,tags,status\nOne,https://example.org/1,1400000000,,unread\n"
		pinboard = `[{"href":"https://example.org/1","description":"One"}]`
		google   = "Title,Note,URL,Tags,Comment\nA bar,,https://example.org/1,,\n"
		plain    = "url\nhttps://example.org/1\n"
	)
	origin := func(title, file string) string {
		return files.Text(strings.NewReader(file), files.Options{Title: title}).Origin()
	}
	for _, c := range []struct {
		name, title, file, other, otherFile string
		same                                bool
	}{
		{"Pocket under another name", "part_000000", pocket, "pocket (2)", pocket, true},
		{"Pocket that has grown", "p", pocket, "p", pocket + "Two,https://example.org/2,1400000001,,archive\n", true},
		{"Pinboard with another date", "pinboard_export.2024.03.05", pinboard, "pinboard_export.2025.01.01", pinboard, true},
		{"a list with a copy's number", "Links (3)", plain, "links", plain, true},
		{"a list with a date", "links 2024-03-05 10.20.30", plain, "Links", plain, true},
		{"a list with another title", "Links", plain, "Books", plain, false},
		{"two lists of Google", "Want to go", google, "Favourite places", google, false},
		{"two services", "export", pocket, "export", pinboard, false},
		{"titles without letters", "!!!", plain, "???", plain, true},
		{"titles in another script", "ссылки", plain, "書籤", plain, false},
	} {
		if same := origin(c.title, c.file) == origin(c.other, c.otherFile); same != c.same {
			t.Errorf("%s: the same origin: %t", c.name, same)
		}
	}
	d := files.Text(strings.NewReader(pocket), files.Options{Title: "part_000000"})
	if got := d.Others(); len(got) != 1 || got[0] != source.Origin("csv", "part_000000") {
		t.Errorf("Pocket has the former origins %q", got)
	}
	if got := d.Sample(t.Context()); len(got) != 1 || got[0][0] != "https://example.org/1" {
		t.Errorf("the sample is %q", got)
	}
}

// An encoding that is named wins over what the file looks like, except for a byte order mark.
func TestNamedEncodings(t *testing.T) {
	t.Parallel()
	const cyrillic = "url,title\nhttps://example.org/1,\xcf\xee\xe3\xee\xe4\xe0\n" // "Погода" in Windows-1251
	for _, c := range []struct{ name, encoding, file, title, used string }{
		{"detected", "", cyrillic, "Погода", "windows-1251"},
		{"named", "windows-1251", cyrillic, "Погода", "windows-1251"},
		{"another", "koi8-r", cyrillic, "оНЦНДЮ", "koi8-r"},
		{"named, ASCII only", "shift_jis", "url,title\nhttps://example.org/1,Plain\n", "Plain", "shift_jis"},
		{"a mark of UTF-8", "windows-1251", "\uFEFFurl,title\nhttps://example.org/1,Grüße\n", "Grüße", "utf-8"},
		{"UTF-16 with another order", "utf-16be", in16("url,title\nhttps://example.org/1,Grüße\n"), "Grüße", "utf-16le"},
		{"UTF-16 with its name", "utf-16le", in16("url,title\nhttps://example.org/1,Grüße\n"), "Grüße", "utf-16le"},
		{"bookmarks in UTF-16 with its name", "utf-16le", in16(marks[:strings.Index(marks, "<H1>")] + "<DL><DT><A HREF=\"https://example.org/1\">Grüße</A></DL>"), "Grüße", "utf-16le"},
		{"UTF-16 with the name of another encoding", "windows-1252", in16("url,title\nhttps://example.org/1,Grüße\n"), "Grüße", "utf-16le"},
		{"UTF-8 that is named, for Windows-1251", "utf-8", cyrillic, "Ïîãîäà", "utf-8"},
		{"UTF-8 that is named, with stray bytes", "utf-8", "url,title\nhttps://example.org/1,Gr\xfc\xdfe\n", "Grüße", "utf-8"},
	} {
		d := files.Text(strings.NewReader(c.file), files.Options{Title: "x", Encoding: c.encoding})
		got, err := sourcetest.Try(t, d)
		if err != nil || len(got) != 3 || !strings.Contains(got[1], `title="`+c.title+`"`) || d.About().Encoding != c.used {
			t.Errorf("%s: read as %s: %q (%v)", c.name, d.About().Encoding, got, err)
		}
	}
}
