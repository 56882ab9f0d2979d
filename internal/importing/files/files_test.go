package files_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

func document(t *testing.T, content []byte, o files.Options) source.Document {
	t.Helper()
	o.Archive, o.Size = bytes.NewReader(content), int64(len(content))
	src, err := files.Open(bytes.NewReader(content), o)
	if err != nil {
		t.Fatal(err)
	}
	return src.(source.Document)
}

func transcript(t *testing.T, d source.Document) string {
	t.Helper()
	return strings.Join(sourcetest.Read(t, d), "\n")
}

// TestRecognized reads files under a name that says nothing about their format.
func TestRecognized(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, format, encoding, contains string }{
		{"sjis.html", "Bookmarks", "shift_jis", `channel / "お気に入り"`},
		{"cp1251.html", "Bookmarks", "windows-1251", `title="Русская страница"`},
		{"pocket.html", "Pocket", "utf-8", `channel /Read+Archive/ "Read Archive"`},
		{"instapaper.html", "Instapaper", "utf-8", `channel /Archive/ "Archive"`},
		{"instapaper.csv", "Instapaper", "utf-8", `tags=["news","go"]`},
		{"wallabag.json", "wallabag", "utf-8", `content="text"`},
		{"cronly.csv", "CSV", "utf-8", `title="Two"`},
		{"raindrop.csv", "Raindrop.io", "utf-8", `description="line 1\nline 2\n\nExcerpt"`},
		{"semi.csv", "CSV", "utf-8", `title="Äpfel"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("..", "testdata", c.name))
			if err != nil {
				t.Fatal(err)
			}
			d := document(t, content, files.Options{Title: "Mine"})
			got := transcript(t, d)
			if !strings.Contains(got, c.contains) || strings.Contains(got, "left out") {
				t.Errorf("told\n%s", got)
			}
			if about := d.About(); about.Format != c.format || about.Encoding != c.encoding {
				t.Errorf("read as %+v", about)
			}
		})
	}
}

// TestUndeclared reads the same files without their declarations, and with wrong ones.
func TestUndeclared(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"sjis.html": "shift_jis", "cp1251.html": "windows-1251"} {
		content, err := os.ReadFile(filepath.Join("..", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		right := transcript(t, document(t, content, files.Options{Title: "Mine"}))
		for _, declared := range []string{"", "utf-8", "iso-8859-1", "nonsense"} {
			other := bytes.ReplaceAll(bytes.ReplaceAll(content, []byte("Shift_JIS"), []byte(declared)), []byte("windows-1251"), []byte(declared))
			d := document(t, other, files.Options{Title: "Mine"})
			if got := transcript(t, d); got != right || d.About().Encoding != want {
				t.Errorf("%s declared as %q: %+v, told\n%s", name, declared, d.About(), got)
			}
		}
		forced := document(t, content, files.Options{Title: "Mine", Encoding: "windows-1252"})
		if got := transcript(t, forced); got == right || forced.About().Encoding != "windows-1252" {
			t.Errorf("%s: the named encoding is ignored: %+v", name, forced.About())
		}
		// A file that an earlier version read as Windows-1252 is found under its former name.
		if found := document(t, content, files.Options{Title: "Mine"}); fmt.Sprint(found.Others()) != "["+forced.Origin()+"]" {
			t.Errorf("%s: others %q, and not %q", name, found.Others(), forced.Origin())
		}
	}
}

func zipped(t *testing.T, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.Create(entries[i])
		if err == nil {
			_, err = w.Write([]byte(entries[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	marks = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Bookmarks</H1><DL><DT><H3>F</H3><DL><DT><A HREF=\"https://example.org/1\">One</A></DL></DL>"
	saved = "Title,Note,URL,Tags,Comment\nA bar,,https://example.org/bar,,\n"
	note  = `{"textContent":"Words %s","title":"%s","isTrashed":false,"createdTimestampUsec":%d000000}`
)

func TestTakeout(t *testing.T) {
	t.Parallel()
	content := zipped(t, "Takeout/archive_browser.html", "<html><p>Hello", "Takeout/Chrome/Bookmarks.html", marks, "Takeout/Saved/Want to go.csv", saved,
		"Takeout/Keep/A.json", fmt.Sprintf(note, "a", "A", 1_700_000_000), "Takeout/Keep/B.json", fmt.Sprintf(note, "b", "B", 1_700_000_001),
		"Takeout/Keep/A.html", "<html>", "Takeout/My Activity/x.json", `[{"header":"x"}]`, "../evil.html", marks)
	d := document(t, content, files.Options{Title: "takeout-20261126"})
	want := strings.TrimSpace(`
channel / "Google Takeout"
channel /Bookmarks/ "Bookmarks"
Channel /Bookmarks/ in / where="Takeout/Chrome/Bookmarks.html"
channel /Bookmarks/F/ "F"
Channel /Bookmarks/F/ in /Bookmarks/ where="Takeout/Chrome/Bookmarks.html, line 2"
Link https://example.org/1 in /Bookmarks/F/ title="One" address="https://example.org/1" where="Takeout/Chrome/Bookmarks.html, line 2"
channel /Want+to+go/ "Want to go"
Channel /Want+to+go/ in / where="Takeout/Saved/Want to go.csv"
Link https://example.org/bar in /Want+to+go/ title="A bar" address="https://example.org/bar" where="Takeout/Saved/Want to go.csv, line 2"
channel /Google+Keep/ "Google Keep"
Channel /Google+Keep/ in / where="Takeout/Keep/A.json"
Text keep:1700000000000000 in /Google+Keep/ title="A" content="Words a" at=2023-11-14T22:13:20 where="Takeout/Keep/A.json, entry 1"
Text keep:1700000001000000 in /Google+Keep/ title="B" content="Words b" at=2023-11-14T22:13:21 where="Takeout/Keep/B.json, entry 1"
close /Bookmarks/F/
close /Bookmarks/
close /Google+Keep/
close /Want+to+go/
close /`)
	if got := transcript(t, d); got != want {
		t.Errorf("told\n%s\n\nand not\n%s", got, want)
	}
	if d.About().Format != "Google Takeout" {
		t.Errorf("%+v", d.About())
	}
}

func TestOtherArchives(t *testing.T) {
	t.Parallel()
	const pocket = "title,url,time_added,tags,status\nU,https://example.org/u,1400000000,,unread\n"
	if got := transcript(t, document(t, zipped(t, "part_000000.csv", pocket), files.Options{Title: "pocket"})); !strings.HasPrefix(got, `channel / "Pocket"`) {
		t.Errorf("Pocket: told\n%s", got)
	}
	if got := transcript(t, document(t, zipped(t, "a.html", marks, "b.html", marks, "c.html", "<p>"), files.Options{Title: "Two"})); strings.Count(got, "channel /Bookmarks/F/") != 1 ||
		strings.Count(got, "Link ") != 2 || !strings.Contains(got, "1 file") {
		t.Errorf("two files with the same channels: told\n%s", got)
	}
	bomb := zipped(t, "a.html", marks, "b.csv", "url\n"+strings.Repeat("\n", heavy.Count(17, 40)<<20))
	if got := transcript(t, document(t, bomb, files.Options{Title: "Bomb"})); !strings.Contains(got, "b.csv: it unpacks to far more than its size") {
		t.Errorf("a bomb: told\n%s", got)
	}
	none := document(t, zipped(t, "a.html", "<p>", "b.jpg", "x"), files.Options{Title: "None"})
	if err := none.Read(t.Context(), &sourcetest.Count{}); !errors.Is(err, source.ErrNotRecognized) {
		t.Errorf("nothing in it: %v", err)
	}
	cut := zipped(t, "a.html", marks)
	cut = cut[:len(cut)-10]
	if _, err := files.Open(bytes.NewReader(cut), files.Options{Archive: bytes.NewReader(cut), Size: int64(len(cut))}); err == nil {
		t.Error("half an archive is accepted")
	}
	if _, err := files.Open(bytes.NewReader(cut), files.Options{}); err == nil || !strings.Contains(err.Error(), "standard input") {
		t.Errorf("from standard input: %v", err)
	}
}

// failing is a file whose storage fails in a range, unless that is empty.
type failing struct {
	*bytes.Reader
	from, to int64
}

var errStorage = errors.New("the storage is gone")

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if at < f.to && at+int64(len(p)) > f.from {
		return 0, errStorage
	}
	return f.Reader.ReadAt(p, at)
}

// TestFaultyArchives checks that the failures of a storage, which are temporary, are not reported as
// damage, which is permanent.
func TestFaultyArchives(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 150<<10)
	for i := range noise {
		noise[i] = "0123456789abcdef"[random.IntN(16)]
	}
	page := marks + "\n<DL><DT><A HREF=\"https://example.org/2\">Two</A><DD>" + string(noise) + strings.Repeat("</DD><DD>"+string(noise[:60<<10]), 10) + "</DL>"
	bomb := "url\nhttps://example.org/1\n" + strings.Repeat("\n", heavy.Count(17, 40)<<20)
	for _, c := range []struct {
		name    string
		archive []byte
	}{
		{"bookmarks", zipped(t, "a.html", page)},
		{"an object", zipped(t, "a.json", `{"a":"`+string(noise)+`","textContent":"Words"}`)},
		{"Karakeep", zipped(t, "a.json", `{"bookmarks":[],"a":"`+string(noise)+`"}`)},
		{"OPML", zipped(t, "a.opml", "<opml><body><outline text=\""+string(noise)+"\"/></body></opml>")},
		{"CSV", zipped(t, "a.csv", "url,title\nhttps://example.org/1,"+string(noise))},
		{"several files", zipped(t, "a.html", page, "b.html", page)},
	} {
		size := int64(len(c.archive))
		for place, in := range map[string]*failing{"the start": {from: 0, to: 30}, "the middle": {from: size/3 - 10, to: size / 3}} {
			in.Reader = bytes.NewReader(c.archive)
			src, err := files.Open(bytes.NewReader(c.archive), files.Options{Title: "x", Archive: in, Size: size})
			if err == nil {
				err = src.Read(t.Context(), &sourcetest.Count{})
			}
			if !errors.Is(err, errStorage) {
				t.Errorf("%s, the storage fails at %s: %v", c.name, place, err)
			}
		}
		damaged := bytes.Clone(c.archive)
		copy(damaged[size/3:], make([]byte, 100))
		var count sourcetest.Count
		switch err := document(t, damaged, files.Options{Title: "x"}).Read(t.Context(), &count); {
		case c.name == "several files" && (err != nil || count.Last.Why != "it is damaged"):
			t.Errorf("%s, damaged: %v, %+v", c.name, err, count)
		case c.name != "several files" && (domain.KindOf(err) != domain.Unprocessable || !strings.Contains(err.Error(), "damaged")):
			t.Errorf("%s, damaged: %v", c.name, err)
		}
	}
	err := document(t, zipped(t, "a.csv", bomb), files.Options{Title: "x"}).Read(t.Context(), &sourcetest.Count{})
	if domain.KindOf(err) != domain.Unprocessable || !strings.Contains(err.Error(), "Unpack it") {
		t.Errorf("a bomb: %v", err)
	}
}

// TestTooManyFolders checks that private bookmarks stay private in an archive with too many folders.
func TestTooManyFolders(t *testing.T) {
	t.Parallel()
	const secret = "<DT><A HREF=\"https://example.org/secret\" PRIVATE=\"1\" ADD_DATE=\"1700000000\">Secret</A>"
	many := "<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Many</TITLE><DL>" + strings.Repeat("<DT><H3>F</H3><DL><DT><A HREF=\"https://example.org/1\">One</A></DL>", 20_000) + "</DL>"
	more := marks + "<DL>" + secret + "<DT><H3>G</H3><DL>" + secret + "<DT><A HREF=\"https://example.org/open\">Open</A></DL></DL>"
	d := document(t, zipped(t, "many.html", many, "b.html", more, "c.html", more), files.Options{Title: "x"})
	in, left := map[string]int{}, map[string]int{}
	for _, line := range sourcetest.Read(t, d) {
		switch {
		case strings.HasPrefix(line, "Link https://example.org/secret "), strings.HasPrefix(line, "Link https://example.org/open "):
			in[strings.Join(strings.Fields(line)[1:4], " ")]++
		case strings.HasPrefix(line, "left out"), strings.Contains(line, `visibility="private"`), strings.Contains(line, "/private:/ in"):
			left[line]++
		}
	}
	wantIn := map[string]int{"https://example.org/secret in /private:/": 4, "https://example.org/open in /Bookmarks/": 2}
	wantLeft := map[string]int{`channel /private:/ "Private" visibility="private"`: 1, "Channel /private:/ in /": 1}
	for _, name := range []string{"b.html", "c.html"} {
		wantLeft[`left out "F", `+name+`, line 2: there are too many folders; its contents go to the folder of its file`] = 1
		wantLeft[`left out "G", `+name+`, line 2: there are too many folders; its contents go to the folder of its file`] = 1
		wantLeft[`left out "Private", `+name+`: there are too many folders; its contents go to a private folder of the ZIP file`] = 2
	}
	if !maps.Equal(in, wantIn) || !maps.Equal(left, wantLeft) {
		t.Errorf("bookmarks %v\nand the rest %v", in, left)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"a page": "<html><h1>News</h1><p>x", "a picture": "\x89PNG\r\n\x1a\n\x00\x00", "prose": "Dear diary,\nnothing.\n",
		"other JSON": `{"a":1}`, "other XML": `<?xml version="1.0"?><rss/>`, "a list of other things": `[{"a":1}]`, "numbers": "1,2\n3,4\n"} {
		err := document(t, []byte(content), files.Options{Title: "x"}).Read(context.Background(), &sourcetest.Count{})
		if !errors.Is(err, source.ErrNotRecognized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := document(t, nil, files.Options{Title: "x"}).Read(t.Context(), &sourcetest.Count{}); !errors.Is(err, source.ErrEmpty) {
		t.Errorf("an empty file: %v", err)
	}
}
