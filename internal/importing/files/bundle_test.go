package files_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/sourcetest"
)

// archive is an export under construction.
type archive struct {
	entries  []entry
	manifest string // %s: the hash of sums; "": the default
	sums     string // instead of the correct ones
}

type entry struct {
	name, content string
	mode          fs.FileMode
	unsummed      bool
}

func bundleSum(content string) string {
	is := sha256.Sum256([]byte(content))
	return hex.EncodeToString(is[:])
}

const manifest = `{"format":"vitrine-export","version":1,"origin":"https://api.example.org/","site":"https://example.org",
"user":{"id":1,"type":"User","name":"Ann","url":"https://example.org/ann"},"counts":{"connections":2},"sums":{"path":"SHA256SUMS","sha256":"%s"}}`

// bytes writes the ZIP.
func (a archive) bytes(tb testing.TB) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(e entry) {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(0o600 | e.mode)
		out, err := w.CreateHeader(header)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(out, e.content); err != nil {
			tb.Fatal(err)
		}
	}
	sums := a.sums
	for _, e := range a.entries {
		add(e)
		if !e.unsummed && a.sums == "" {
			sums += fmt.Sprintf("%s  %s\n", bundleSum(e.content), e.name)
		}
	}
	add(entry{name: "SHA256SUMS", content: sums})
	said := a.manifest
	if said == "" {
		said = manifest
	}
	if strings.Contains(said, "%s") {
		said = fmt.Sprintf(said, bundleSum(sums))
	}
	add(entry{name: "manifest.json", content: said})
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// rich returns an export with one item of each kind.
func rich() archive {
	const photo, paper = "bytes of a photo", "bytes of a paper"
	file := func(content, name string) string {
		return fmt.Sprintf(`{"path":"files/%s","sha256":"%s","name":"%s","size":%d}`, bundleSum(content), bundleSum(content), name, len(content))
	}
	ann, bob := `{"id":1,"type":"User","name":"Ann","url":"https://example.org/ann"}`, `{"id":2,"type":"User","name":"Bob","url":"https://example.org/bob"}`
	block := func(id int, more string) string {
		return fmt.Sprintf(`{"id":%d,"author":%s,"created_at":"2024-03-05T10:20:30.123456Z","updated_at":"2024-03-06T10:20:30Z","url":"https://example.org/block/%d",%s}`, id, ann, id, more)
	}
	connection := func(id int, more string) string {
		return fmt.Sprintf(`{"id":%d,"connected_at":"2024-03-07T10:20:30Z","connected_by":%s,%s}`, id, bob, more)
	}
	lines := func(all ...string) string { return strings.Join(all, "\n") + "\n" }
	return archive{entries: []entry{
		{name: "json/channels.jsonl", content: lines(
			`{"id":10,"slug":"one","title":"One","description":"*About*","visibility":"public","owner":`+ann+`,"metadata":{"n":12345678901234567890,"b":true},"created_at":"2023-01-01T00:00:00Z","url":"https://example.org/one","contents":"json/channels/10.jsonl","items":2,"new":{}}`,
			`{"id":11,"slug":"two","title":"Two","visibility":"private","owner":{"id":1,"type":"Group","name":"Us"},"created_at":"2023-01-02T00:00:00Z","contents":"json/channels/11.jsonl"}`)},
		{name: "json/channels/10.jsonl", content: lines(
			connection(100, `"block":`+block(20, `"type":"Text","content":"Words","title":"T","metadata":{"k":"v"}`)),
			connection(101, `"pinned":true,"metadata":{"m":1},"channel":{"id":11,"title":"Two","url":"https://example.org/two"}`),
			connection(102, `"block":`+block(21, `"type":"Image","alt_text":"A photo","image":`+file(photo, "p.jpg"))),
			connection(103, `"block":`+block(22, `"type":"Attachment","attachment":`+file(paper, "paper.pdf")+`,"image":`+file(photo, "p.jpg"))),
			connection(104, `"block":`+block(23, `"type":"Link","source_url":"https://example.com/a","source_title":"A","value_url":"https://example.com/a"`)),
			connection(105, `"block":`+block(24, `"type":"PendingBlock","value_url":"https://example.com/b"`)),
			connection(106, `"block":`+block(25, `"type":"Embed","source_url":"https://example.com/c","embed":{"type":"video","html":"<iframe>"}`)))},
		{name: "json/channels/11.jsonl", content: lines(connection(110, `"block":`+block(20, `"type":"Text","content":"Words","title":"T","metadata":{"k":"v"}`)))},
		{name: "json/comments.jsonl", content: lines(
			`{"id":1000,"block_id":20,"body":"Nice","author":`+bob+`,"created_at":"2024-03-08T10:20:30Z"}`,
			`{"id":1001,"block_id":99,"body":"Elsewhere","author":`+ann+`,"created_at":"2024-03-08T10:20:30Z","url":"https://example.org/block/99"}`,
			`{"id":1002,"block_id":26,"body":"Mine","author":`+ann+`,"created_at":"2024-03-08T10:20:30Z"}`)},
		{name: "json/blocks.jsonl", content: lines(block(26, `"type":"Text","content":"Loose"`))},
		{name: "json/following.jsonl", content: lines(`{"type":"User","id":2,"slug":"bob","name":"Bob"}`, `{"type":"Channel","id":10,"slug":"one","name":"One"}`, `{"type":"User","id":"x"}`)},
		{name: "json/profile.json", content: "{\n\"id\":1,\"bio\":\"About *me*\",\"avatar\":" + file(photo, "me.jpg") + "}\n"},
		{name: "files/" + bundleSum(photo), content: photo}, {name: "files/" + bundleSum(paper), content: paper},
		{name: "index.html", content: "<html>"},
	}}
}

const bundleTranscript = `
channel 10 "One" description="*About*" visibility="public" metadata={"b":true,"n":12345678901234567890} by="Ann" at=2023-01-01T00:00:00
channel 11 "Two" visibility="private" by="Us" at=2023-01-02T00:00:00
Text 20 in 10 title="T" content="Words" metadata={"k":"v"} by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 where="https://example.org/block/20"
Channel 11 in 10 title="Two" connection={"m":1} added by="Bob" connected=2024-03-07T10:20:30 pinned="yes" where="https://example.org/two"
Image 21 in 10 alt_text="A photo" by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 file="p.jpg" "bytes of a photo" where="https://example.org/block/21"
Attachment 22 in 10 by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 file="paper.pdf" "bytes of a paper" preview="p.jpg" "bytes of a photo" where="https://example.org/block/22"
Link 23 in 10 address="https://example.com/a" source_title="A" by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 where="https://example.org/block/23"
Link 24 in 10 address="https://example.com/b" by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 where="https://example.org/block/24"
Embed 25 in 10 address="https://example.com/c" by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 where="https://example.org/block/25"
Text 20 in 11 title="T" content="Words" metadata={"k":"v"} by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 where="https://example.org/block/20"
Text 26 content="Loose" by="Ann" at=2024-03-05T10:20:30.123456 where="https://example.org/block/26"
comment 1000 on 20 in 10: "Nice" by Bob at 2024-03-08T10:20:30Z
left out "A comment", https://example.org/block/99: the block that it is about is not in the export
comment 1002 on 26 in : "Mine" by Ann at 2024-03-08T10:20:30Z
close 10
close 11
follows User 2 "Bob" bob
follows Channel 10 "One" one
left out "Something that you follow", json/following.jsonl, line 3: it is not what an export has in this place
profile about="About *me*" picture="me.jpg" "bytes of a photo"`

func TestRich(t *testing.T) {
	t.Parallel()
	zipped := rich().bytes(t)
	b, err := files.NewBundle(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		t.Fatal(err)
	}
	if b.Origin() != "https://api.example.org" {
		t.Errorf("the origin is %q", b.Origin())
	}
	if got := strings.Join(sourcetest.Read(t, b), "\n"); got != strings.TrimSpace(bundleTranscript) {
		t.Errorf("told\n%s\n\nand not\n%s", got, bundleTranscript)
	}
}

// changed returns the rich export with an entry's content replaced or added.
func changed(name, content string, unsummed bool) archive {
	a := rich()
	at := slices.IndexFunc(a.entries, func(e entry) bool { return e.name == name })
	if at < 0 {
		a.entries, at = append(a.entries, entry{}), len(a.entries)
	}
	a.entries[at] = entry{name: name, content: content, unsummed: unsummed}
	return a
}

func TestBundleRefused(t *testing.T) {
	t.Parallel()
	whole := rich().bytes(t)
	overlapping := bytes.Clone(whole) // each entry of the directory claims to contain the whole file
	for at := bytes.Index(overlapping, []byte("PK\x01\x02")); at >= 0; {
		copy(overlapping[at+20:], []byte{byte(len(whole)), byte(len(whole) >> 8), byte(len(whole) >> 16), 0})
		next := bytes.Index(overlapping[at+4:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	no := func(a archive) []byte { return a.bytes(t) }
	other := func(said string) []byte {
		a := rich()
		a.manifest = said
		return a.bytes(t)
	}
	var empty bytes.Buffer
	if err := zip.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		zipped []byte
		why    string
	}{
		"nothing":               {nil, "it is no ZIP file"},
		"no ZIP":                {[]byte("url,title\n"), "it is no ZIP file"},
		"cut off":               {whole[:len(whole)-30], "it is no ZIP file, or its end is missing"},
		"half of it":            {whole[:len(whole)/2], "it is no ZIP file, or its end is missing"},
		"an empty ZIP":          {empty.Bytes(), "manifest.json: it is not in the archive"},
		"overlapping entries":   {overlapping, "its entries overlap"},
		"another format":        {other(`{"format":"x","version":1}`), "its manifest.json is not that of an export"},
		"a list for manifest":   {other(`[]`), "its manifest.json is not that of an export"},
		"a large manifest":      {other(`{"format":"vitrine-export","version":1}` + strings.Repeat(" ", 2<<20)), "its manifest.json is not that of an export"},
		"a later version":       {other(strings.Replace(manifest, `"version":1`, `"version":2`, 1)), "it is of version 2"},
		"no version":            {other(strings.Replace(manifest, `"version":1`, `"version":0`, 1)), "it is of version 0"},
		"no origin":             {other(strings.Replace(manifest, `https://api.example.org/`, ``, 1)), "does not say of which server it is"},
		"a sum that is wrong":   {other(strings.Replace(manifest, "%s", bundleSum("x"), 1)), "SHA256SUMS: its sum does not match"},
		"no sum at all":         {other(strings.Replace(manifest, "%s", "", 1)), "SHA256SUMS: its sum does not match"},
		"a link for sums":       {no(archive{sums: "x", manifest: `{"format":"vitrine-export","version":1,"origin":"https://api.example.org"}`}), "SHA256SUMS: its sum does not match"},
		"a bomb for a manifest": {other(`{"format":"vitrine-export","version":1,"x":"` + strings.Repeat("x", 64<<20) + `"}`), "manifest.json: it unpacks to more than 200 times its size"},
	} {
		_, err := files.NewBundle(bytes.NewReader(c.zipped), int64(len(c.zipped)))
		if domain.KindOf(err) != domain.Unprocessable || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTakenInPart changes one part of an export at a time: the affected items are reported, and
// everything else is imported.
func TestTakenInPart(t *testing.T) {
	t.Parallel()
	photo := "files/" + bundleSum("bytes of a photo")
	with := func(e entry) archive {
		a := rich()
		a.entries = append(a.entries, e)
		return a
	}
	contents := func(lines string) archive { return changed("json/channels/11.jsonl", lines, false) }
	for name, c := range map[string]struct {
		archive archive
		more    []string // additional expected lines
		without []string // text of lines that are expected to be missing
	}{
		"a name that leads out":      {with(entry{name: "../../etc/passwd", content: "x"}), []string{`left out "An entry of the archive", "../../etc/passwd": its name leads out of the archive`}, nil},
		"an absolute name":           {with(entry{name: "/etc/passwd", content: "x"}), []string{`left out "An entry of the archive", "/etc/passwd": its name leads out of the archive`}, nil},
		"a name of Windows":          {with(entry{name: `json\..\..\x`, content: "x"}), []string{`left out "An entry of the archive", "json\\..\\..\\x": its name leads out of the archive`}, nil},
		"a link":                     {with(entry{name: "files/x", content: "/etc/passwd", mode: fs.ModeSymlink}), []string{`left out "An entry of the archive", "files/x": it is a link or another thing that is no file`}, nil},
		"a name that is there twice": {with(entry{name: "json/channels.jsonl", content: "x", unsummed: true}), []string{`left out "An entry of the archive", "json/channels.jsonl": there is another one of this name`}, nil},
		"contents that were altered": {
			changed("json/channels/11.jsonl", "{}\n", true),
			[]string{`left out "A part of the export", json/channels/11.jsonl: it is not in the archive, or no sum is`}, []string{"Text 20 in 11"}},
		"no contents": {
			archive{entries: slices.DeleteFunc(rich().entries, func(e entry) bool { return e.name == "json/channels/11.jsonl" })},
			[]string{`left out "A part of the export", json/channels/11.jsonl: it is not in the archive, or no sum is`}, []string{"Text 20 in 11"}},
		"a file that is missing": {
			archive{entries: slices.DeleteFunc(rich().entries, func(e entry) bool { return e.name == photo })},
			[]string{`Image 21 in 10 alt_text="A photo" by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 file="p.jpg": it is not in the archive where="https://example.org/block/21"`},
			[]string{"Image 21", "Attachment 22", "profile"}},
		"copies without a block or a file": {
			with(entry{name: "json/snapshots.jsonl", content: `{"block_id":99,"kind":"page","file":{"path":"` + photo + `"}}` + "\n" + `{"block_id":20,"kind":"page"}` + "\n[]\n"}),
			[]string{`left out "The saved copies of a page", json/snapshots.jsonl, block_id 99: the block that they belong to is not in the export`,
				`left out "A saved copy of a page", json/snapshots.jsonl, line 2: it has no block or no file`,
				`left out "A saved copy of a page", json/snapshots.jsonl, line 3: it is not what an export has in this place`}, nil},
		"a file of other bytes": {changed(photo, "bytes of another", false),
			[]string{`Image 21 in 10 alt_text="A photo" by="Ann" added by="Bob" at=2024-03-05T10:20:30.123456 connected=2024-03-07T10:20:30 file="p.jpg": its sum does not match: it was damaged or altered where="https://example.org/block/21"`},
			[]string{"Image 21", "Attachment 22", "profile"}},
		"a line that is no JSON": {contents("{\n"), []string{`left out "A connection", json/channels/11.jsonl, line 1: it is not what an export has in this place`}, []string{"Text 20 in 11"}},
		"wrong types": {contents(`{"id":1,"block":{"id":"x"}}` + "\n[]\n7\nnull\n"), []string{
			`left out "A connection", json/channels/11.jsonl, line 1: it is not what an export has in this place`,
			`left out "A connection", json/channels/11.jsonl, line 2: it is not what an export has in this place`,
			`left out "A connection", json/channels/11.jsonl, line 3: it is not what an export has in this place`,
			`left out "A connection", json/channels/11.jsonl, line 4: it connects nothing`}, []string{"Text 20 in 11"}},
		"a type that is none":     {contents(`{"id":1,"block":{"id":30,"type":"Program"}}`), []string{`left out "A block of the type Program", json/channels/11.jsonl, line 1: "Program" is no type of block`}, []string{"Text 20 in 11"}},
		"an image without a file": {contents(`{"id":1,"block":{"id":30,"type":"Image"}}`), []string{`left out "A block of the type Image", json/channels/11.jsonl, line 1: its file is not in the archive`}, []string{"Text 20 in 11"}},
		"a file of another folder": {contents(`{"id":1,"block":{"id":30,"type":"Image","author":{},"image":{"path":"manifest.json","sha256":"x","name":"x"}}}`),
			[]string{`Image 30 in 11 file="x": its file is none of those in the archive where="json/channels/11.jsonl, line 1"`}, []string{"Text 20 in 11"}},
		"a line that is too long": {contents(`{"x":"` + strings.Repeat("x", 5<<20) + `"}` + "\n" + `{"id":1,"block":{"id":30,"type":"Text","content":"c"}}`),
			[]string{`left out "A line", json/channels/11.jsonl, line 1: it is longer than 4194304 bytes`, `Text 30 in 11 content="c" where="json/channels/11.jsonl, line 2"`}, []string{"Text 20 in 11"}},
		"a bomb": {contents(strings.Repeat("\n", 64<<20)), []string{`left out "A part of the export", json/channels/11.jsonl: it unpacks to more than 200 times its size`}, []string{"Text 20 in 11"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zipped := c.archive.bytes(t)
			b, err := files.NewBundle(bytes.NewReader(zipped), int64(len(zipped)))
			if err != nil {
				t.Fatal(err)
			}
			got := sourcetest.Read(t, b)
			for _, line := range c.more {
				if !slices.Contains(got, line) {
					t.Errorf("not told: %s", line)
				}
			}
			for _, line := range strings.Split(strings.TrimSpace(bundleTranscript), "\n") {
				gone := slices.ContainsFunc(c.without, func(part string) bool { return strings.HasPrefix(line, part) })
				if slices.Contains(got, line) == gone {
					t.Errorf("told: %v, and should be %v: %s", gone, !gone, line)
				}
			}
			if t.Failed() {
				t.Log(strings.Join(got, "\n"))
			}
		})
	}
}

// TestDamage alters bytes throughout an export: either it is refused, or the calls are a subset of
// its contents.
func TestDamage(t *testing.T) {
	t.Parallel()
	whole := rich().bytes(t)
	right := strings.Split(strings.TrimSpace(bundleTranscript), "\n")
	for at := 0; at < len(whole); at += 7 {
		zipped := bytes.Clone(whole)
		zipped[at] ^= 0x55
		b, err := files.NewBundle(bytes.NewReader(zipped), int64(len(zipped)))
		if err != nil {
			if domain.KindOf(err) != domain.Unprocessable {
				t.Errorf("byte %d: %v", at, err)
			}
			continue
		}
		for _, line := range sourcetest.Read(t, b) {
			line = strings.Replace(line, "on 20 in 11:", "on 20 in 10:", 1) // the block is in both channels, and one of them may be left
			told := strings.HasPrefix(line, "left out") || strings.Contains(line, "damaged") || strings.Contains(line, "packed") || strings.Contains(line, "archive")
			if !told && !slices.Contains(right, line) {
				t.Errorf("byte %d: %s", at, line)
			}
		}
	}
}

// broken is a file on a disk that fails after its first bytes.
type broken struct {
	*bytes.Reader
	after int64
	all   bool
}

var errDisk = errors.New("the disk is gone")

func (b *broken) ReadAt(p []byte, at int64) (int, error) {
	if b.all || at < b.after {
		return 0, errDisk
	}
	return b.Reader.ReadAt(p, at)
}

// TestFailingDisk expects an error of this server that does not blame the archive.
func TestFailingDisk(t *testing.T) {
	t.Parallel()
	whole := rich().bytes(t)
	in := &broken{Reader: bytes.NewReader(whole), all: true}
	if _, err := files.NewBundle(in, int64(len(whole))); !errors.Is(err, errDisk) {
		t.Errorf("%v", err)
	}
	in = &broken{Reader: bytes.NewReader(whole)}
	b, err := files.NewBundle(in, int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	in.after = int64(len(whole)) / 2
	if _, err := sourcetest.Try(t, b); !errors.Is(err, errDisk) {
		t.Errorf("%v", err)
	}
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte(`{"id":10,"title":"One","contents":"json/channels/10.jsonl"}`), []byte(`{"id":1,"block":{"id":20,"type":"Text","content":"x"}}`), []byte(`{"id":3,"block_id":20,"body":"x"}`))
	f.Add([]byte(`{"id":10,"contents":"json/channels/10.jsonl"}`), []byte(`{"channel":{"id":10}}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, channels, contents, comments []byte) {
		zipped := archive{entries: []entry{{name: "json/channels.jsonl", content: string(channels)}, {name: "json/channels/10.jsonl", content: string(contents)},
			{name: "json/comments.jsonl", content: string(comments)}}}.bytes(t)
		b, err := files.NewBundle(bytes.NewReader(zipped), int64(len(zipped)))
		if err != nil {
			t.Fatal(err)
		}
		var count sourcetest.Count
		if err := b.Read(t.Context(), &count); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzZIP(f *testing.F) {
	f.Add(rich().bytes(f))
	f.Fuzz(func(t *testing.T, zipped []byte) {
		b, err := files.NewBundle(bytes.NewReader(zipped), int64(len(zipped)))
		if err != nil {
			if domain.KindOf(err) != domain.Unprocessable {
				t.Error(err)
			}
			return
		}
		if err := b.Read(t.Context(), &sourcetest.Count{}); err != nil {
			t.Error(err)
		}
	})
}
