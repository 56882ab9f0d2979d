package exporting_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// shelf is a channel of Ada's with every type of item: hostile titles, an image, a file, a text
// with Markdown, an open channel of Ben's and a private one of his.
type shelf struct {
	*apptest.Rig
	channel, image, pdf int64
}

const pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

func newShelf(r *apptest.Rig) shelf {
	s := shelf{Rig: r, channel: r.Channel("ada", "Shelf", "closed")}
	for _, title := range hostile {
		r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "About " + title, "title": title, "channel_ids": []int64{s.channel}}).Want(201)
	}
	r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "# Tea <&>\n\n![far](https://far.example/x.png) and *so*\n\n<script>alert(1)</script>",
		"description": "=1+1", "channel_ids": []int64{s.channel}}).Want(201)
	s.image = upload(r, "ada", "p.png", "image/png", apptest.PNG(r.T, 30, 20), map[string]any{"title": "Picture", "alt_text": "A <red> field"}, s.channel)
	s.pdf = upload(r, "ada", "Paper.pdf", "application/pdf", []byte(pdf), nil, s.channel)
	r.Connect("ada", "Channel", r.Channel("ben", "Open cellar", "closed"), s.channel)
	hidden := r.Channel("ben", "Secret cellar", "private")
	r.Do("ben", "POST", "/v3/blocks", map[string]any{"value": "wine", "channel_ids": []int64{hidden}}).Want(201)
	r.Collaborate("ada", s.channel, "ben")
	r.Connect("ben", "Channel", hidden, s.channel)
	return s
}

// visible returns the number of items that the API shows, without Ben's private channel.
func (s shelf) visible(as string) int64 {
	return s.Do(as, "GET", fmt.Sprintf("/v3/channels/%d/contents?per=1", s.channel), nil).Want(200).Int("meta.total_count")
}

func TestChannelFormats(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := newShelf(r)
		for _, as := range []string{"", "eve", "ada", "ada/read", "ben"} {
			for _, format := range []string{"zip", "markdown", "csv", "epub", "opds"} {
				got := export(r, as, s.channel, format).Want(200)
				body := string(got.Body)
				if format == "zip" || format == "epub" {
					for name, text := range unzip(t, got.Body) {
						body += name + text
					}
				}
				if told := strings.Contains(body, "Secret") || strings.Contains(body, "secret-cellar"); told != (as == "ben") {
					t.Errorf("%q gets the private channel in %s: %t", as, format, told)
				}
				if !strings.Contains(body, "Open cellar") && format != "zip" {
					t.Errorf("%q does not get the open channel in %s", as, format)
				}
			}
		}
		s.files(t)
		s.table(t)
		s.book(t)
		s.catalog(t)
		s.text(t)
	}, generous)
}

func (s shelf) files(t *testing.T) {
	all := unzip(t, export(s.Rig, "ada", s.channel, "zip").Body)
	if int64(len(all)) != s.visible("ada")+1 { // the README
		t.Errorf("%d entries for %d items", len(all), s.visible("ada"))
	}
	var picture, paper bool
	for name, text := range all {
		picture = picture || strings.HasSuffix(name, "-Picture.png") && text == string(apptest.PNG(t, 30, 20))
		paper = paper || strings.HasSuffix(name, "-Paper.pdf") && text == pdf
	}
	if !picture || !paper {
		t.Errorf("picture %t, paper %t in %q", picture, paper, names(all))
	}
}

func names(all map[string]string) (names []string) {
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s shelf) table(t *testing.T) {
	text, marked := strings.CutPrefix(string(export(s.Rig, "ada", s.channel, "csv").Body), "\ufeff")
	if !marked {
		t.Error("spreadsheets are not told that it is UTF-8")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows[0][:6], []string{"url", "title", "description", "created_at", "tags", "channel"}) {
		t.Errorf("the columns are %q", rows[0])
	}
	if int64(len(rows)) != s.visible("ada")+1 {
		t.Errorf("%d rows for %d items", len(rows), s.visible("ada"))
	}
	var formulas []string
	for i, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("a spreadsheet runs %q", cell)
			}
			if strings.HasPrefix(cell, "'") {
				formulas = append(formulas, cell)
			}
		}
		if i < len(hostile) && strings.TrimPrefix(row[1], "'") != strings.TrimSpace(hostile[i]) && row[1] != hostile[i] && !strings.HasPrefix(hostile[i], "e\u0301") && !strings.Contains(hostile[i], "\u2028") {
			t.Errorf("row %d is called %q, not %q", i, row[1], hostile[i])
		}
	}
	for _, want := range []string{"'-rf", "'=cmd|' /C calc'!A0", "'=1+1"} {
		if !slices.Contains(formulas, want) {
			t.Errorf("%q is not among the defused cells %q", want, formulas)
		}
	}
}

// book checks the structure of an EPUB.
func (s shelf) book(t *testing.T) {
	body := export(s.Rig, "ada", s.channel, "epub").Body
	if !bytes.Equal(body[30:58], []byte("mimetypeapplication/epub+zip")) || !bytes.Equal(body[6:10], []byte{0, 0, 0, 0}) {
		t.Errorf("it does not begin with a plain mimetype: %q", body[:60])
	}
	all := unzip(t, body)
	var container struct {
		Root struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	parse(t, all, "META-INF/container.xml", &container)
	var opf struct {
		Unique   string `xml:"unique-identifier,attr"`
		ID       string `xml:"metadata>identifier"`
		Title    string `xml:"metadata>title"`
		Language string `xml:"metadata>language"`
		Items    []struct {
			ID    string `xml:"id,attr"`
			Href  string `xml:"href,attr"`
			Type  string `xml:"media-type,attr"`
			Props string `xml:"properties,attr"`
		} `xml:"manifest>item"`
		Spine []struct {
			Ref string `xml:"idref,attr"`
		} `xml:"spine>itemref"`
	}
	parse(t, all, container.Root.Path, &opf)
	if opf.Unique != "id" || opf.ID == "" || opf.Title != "Shelf" || opf.Language == "" || len(opf.Spine) < 2 {
		t.Errorf("the package is %+v", opf)
	}
	named, ids := map[string]bool{"mimetype": true, "META-INF/container.xml": true, container.Root.Path: true}, map[string]bool{}
	nav, pictures := 0, 0
	for _, item := range opf.Items {
		name := "book/" + item.Href
		if _, there := all[name]; !there || named[name] || ids[item.ID] {
			t.Errorf("%s: there %t, named before %t", name, there, named[name])
		}
		named[name], ids[item.ID] = true, true
		switch {
		case item.Type == "application/xhtml+xml":
			wellFormed(t, name, all[name])
			if item.Props == "nav" {
				nav++
			}
		case strings.HasPrefix(item.Type, "image/"):
			pictures++
		}
	}
	if nav != 1 || pictures != 2 /* the paper has a preview */ {
		t.Errorf("%d tables of contents, %d pictures", nav, pictures)
	}
	for name := range all {
		if !named[name] {
			t.Errorf("the package does not name %s", name)
		}
	}
	text := ""
	for _, ref := range opf.Spine {
		if !ids[ref.Ref] {
			t.Errorf("the spine names %q, which is not there", ref.Ref)
		}
		text += all["book/"+ref.Ref+".xhtml"]
	}
	for _, bad := range []string{"<script", `src="http`, `href="/`} {
		if strings.Contains(text, bad) {
			t.Errorf("the book has %s", bad)
		}
	}
	for _, good := range []string{`<a href="https://far.example/x.png">far</a>`, `alt="A &lt;red&gt; field"`} {
		if !strings.Contains(text, good) {
			t.Errorf("the book lacks %s", good)
		}
	}
	for _, link := range strings.Split(all["book/nav.xhtml"], `href="`)[2:] { // the first is the style's
		to, _, _ := strings.Cut(link, `"`)
		page, anchor, _ := strings.Cut(to, "#")
		if _, there := all["book/"+page]; !there || anchor != "" && !strings.Contains(all["book/"+page], `id="`+anchor+`"`) {
			t.Errorf("the contents lead to %s, which is not there", to)
		}
	}
}

func parse(t *testing.T, all map[string]string, name string, into any) {
	t.Helper()
	text, there := all[name]
	if !there {
		t.Fatalf("there is no %s in %q", name, names(all))
	}
	if err := xml.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func wellFormed(t *testing.T, name, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			return
		}
	}
}

func (s shelf) catalog(t *testing.T) {
	got := export(s.Rig, "", s.channel, "opds")
	if kind := got.Header.Get("Content-Type"); kind != "application/atom+xml;profile=opds-catalog;kind=acquisition" {
		t.Errorf("it is %s", kind)
	}
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Updated string   `xml:"updated"`
		Author  string   `xml:"author>name"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
		Entries []struct {
			ID    string `xml:"id"`
			Title string `xml:"title"`
			Links []struct {
				Rel  string `xml:"rel,attr"`
				Type string `xml:"type,attr"`
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(got.Body, &feed); err != nil {
		t.Fatalf("%v\n%s", err, got.Body)
	}
	if feed.ID == "" || feed.Updated == "" || feed.Author != "Ada" || len(feed.Links) != 3 || len(feed.Entries) != 3 {
		t.Fatalf("the feed is %+v", feed)
	}
	for i, want := range []struct{ title, kind, starts string }{
		{"Shelf", "application/epub+zip", "%PK"}, {"Open cellar", "application/epub+zip", "%PK"}, {"Paper.pdf", "application/pdf", "%PDF"}} {
		e := feed.Entries[i]
		if e.ID == "" || len(e.Links) < 2 || e.Links[0].Rel != "http://opds-spec.org/acquisition" || e.Links[0].Type != want.kind {
			t.Errorf("entry %d is %+v, not %+v", i, e, want)
			continue
		}
		body := s.Do("", "GET", strings.TrimPrefix(e.Links[0].Href, apptest.Base), nil).Want(200).Body
		if !strings.HasPrefix("%"+strings.TrimPrefix(string(body), "%"), want.starts) {
			t.Errorf("%s is %.20q", e.Links[0].Href, body)
		}
	}
}

func (s shelf) text(t *testing.T) {
	body := string(export(s.Rig, "ada", s.channel, "markdown").Body)
	for _, want := range []string{"---\ntitle: \"Shelf\"\n", "# Shelf\n", "\n## ../../etc/passwd\n", `\<h\>i\|j`, "![A \\<red\\> field](<https://vitrine.test/files/"} {
		if !strings.Contains(body, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	if first, last := strings.Index(body, "Open cellar"), strings.Index(body, "etc/passwd"); first < 0 || first > last {
		t.Errorf("the top of the channel is not first: %d, %d", first, last)
	}
}

// Channels that a user may not see cannot be exported, and unknown formats are refused.
func TestChannelRefusals(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, generous)
	private := r.Channel("ada", "Diary", "private")
	for _, format := range []string{"zip", "markdown", "csv", "epub", "opds"} {
		for _, as := range []string{"", "eve"} {
			export(r, as, private, format).Want(404)
			export(r, as, private+999, format).Want(404)
		}
		export(r, "ada/read", private, format).Want(200)
	}
	export(r, "ada", private, "docx").Want(400)
	r.Do("ada", "GET", fmt.Sprintf("/ext/v1/channels/%d/export", private), nil).Want(400)
	r.Do("ada", "POST", fmt.Sprintf("/ext/v1/channels/%d/export?format=zip", private), nil).Want(405)
	if head := r.Do("ada", "HEAD", fmt.Sprintf("/ext/v1/channels/%d/export?format=zip", private), nil).Want(200); len(head.Body) != 0 || head.Header.Get("Content-Type") != "application/zip" {
		t.Errorf("HEAD gives %d bytes of %s", len(head.Body), head.Header.Get("Content-Type"))
	}
}
