package exporting_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// entries reads a book, and parses each of its parts strictly.
func entries(t *testing.T, body []byte) (all map[string]string, order []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name], order = string(text), append(order, f.Name)
		if f.Name == "mimetype" || strings.HasSuffix(f.Name, ".css") {
			continue
		}
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", f.Name, err, text)
			}
		}
	}
	return all, order
}

func TestArticles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		shelf, empty := r.Channel("ada", `Moss & <b>"ferns"</b>`, "private"), r.Channel("ada", "Empty", "public")
		first := r.Article("ada", `A <script>alert("1")</script> & ]]>`, `<p>The moss of the forest is green, and it grows on stone.<br>A <a href="https://moss.example/?a=1&amp;b=2">link</a> &amp; <img src="https://moss.example/a.png" alt="an image"/></p>`, shelf)
		hebrew := r.Article("ada", "עברית", "<h2>כותרת</h2><p>כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם</p>", shelf)
		r.Block("ada", "A short text", shelf)
		long := r.Block("ada", strings.Repeat("The moss is green, and it grows. ", 60), shelf)
		write := func(write func(begin func(filename, contentType string) io.Writer) error) (body []byte, name string, err error) {
			var b bytes.Buffer
			err = write(func(filename, contentType string) io.Writer {
				if name = filename; contentType != "application/epub+zip" {
					t.Errorf("content type %s", contentType)
				}
				return &b
			})
			return b.Bytes(), name, err
		}
		channel := func(as domain.Actor, id int64) ([]byte, string, error) {
			return write(func(begin func(string, string) io.Writer) error {
				return exporter(r).Articles(t.Context(), as, domain.Ref{ID: id}, begin)
			})
		}
		ada := domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeRead}
		body, name, err := channel(ada, shelf)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body[30:58], []byte("mimetypeapplication/epub+zip")) || !strings.HasSuffix(name, ".epub") {
			t.Errorf("%q is no EPUB: %q", name, body[:60])
		}
		all, order := entries(t, body)
		want := fmt.Sprintf("mimetype META-INF/container.xml book/style.css book/article-%d.xhtml book/article-%d.xhtml book/article-%d.xhtml book/nav.xhtml book/package.opf", long, hebrew, first)
		if got := strings.Join(order, " "); got != want {
			t.Errorf("entries %s\nwant %s", got, want)
		}
		for part, texts := range map[string][]string{
			fmt.Sprintf("book/article-%d.xhtml", first):  {`lang="en" xml:lang="en" dir="ltr"`, `A &lt;script&gt;`, `href="https://moss.example/?a=1&amp;b=2"`, "<br/>", ">an image</a>"},
			fmt.Sprintf("book/article-%d.xhtml", hebrew): {`lang="he" xml:lang="he" dir="rtl"`, "<h2>כותרת</h2>"},
			"book/nav.xhtml":   {"Moss &amp; &lt;b&gt;", fmt.Sprintf(`href="article-%d.xhtml"`, first)},
			"book/package.opf": {"<dc:language>en</dc:language>", fmt.Sprintf("/channels/%d/articles</dc:identifier>", shelf), fmt.Sprintf(`<itemref idref="article-%d"/>`, long)},
		} {
			for _, text := range texts {
				if !strings.Contains(all[part], text) {
					t.Errorf("%s lacks %s:\n%s", part, text, all[part])
				}
			}
		}
		if strings.Contains(all[fmt.Sprintf("book/article-%d.xhtml", first)], "<script") {
			t.Error("the book has a script")
		}
		if again, _, _ := channel(ada, shelf); !bytes.Equal(again, body) {
			t.Error("the second book differs")
		}
		stranger := domain.Actor{UserID: r.Person("bob").ID, Scope: domain.ScopeRead}
		if _, name, err := channel(stranger, shelf); domain.KindOf(err) != domain.NotFound || name != "" {
			t.Errorf("a stranger gets %q, %v", name, err)
		}
		if _, name, err := channel(stranger, empty); domain.KindOf(err) != domain.Unprocessable || name != "" {
			t.Errorf("a channel without articles: %q, %v", name, err)
		}
		conns := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", shelf).Ints("data", "connection.id")
		elsewhere := r.Block("ada", "In another channel", empty)
		selected := func(as domain.Actor, ids ...int64) ([]byte, string, error) {
			return write(func(begin func(string, string) io.Writer) error {
				chosen := make([]domain.ConnectionID, len(ids))
				for i, id := range ids {
					chosen[i] = domain.ConnectionID(id)
				}
				return exporter(r).SelectedArticles(t.Context(), as, domain.Ref{ID: shelf}, chosen, begin)
			})
		}
		other := r.Get("ada", "/v3/channels/%d/contents", empty).Ints("data", "connection.id")[0]
		some, _, err := selected(ada, conns[2], conns[0], conns[2], other, 999999)
		if err != nil {
			t.Fatal(err)
		}
		all, order = entries(t, some)
		short := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", shelf).Ints("data", "id")[2]
		want = fmt.Sprintf("mimetype META-INF/container.xml book/style.css book/article-%d.xhtml book/article-%d.xhtml book/nav.xhtml book/package.opf", short, first)
		if got := strings.Join(order, " "); got != want || !strings.Contains(all["book/package.opf"], fmt.Sprintf("articles?connection=%d,%d</dc:identifier>", conns[2], conns[0])) {
			t.Errorf("entries %s\nwant %s\n%s", got, want, all["book/package.opf"])
		}
		for ids, want := range map[int]domain.Kind{0: domain.Invalid, domain.MaxRemoved + 1: domain.Invalid, 1: domain.Unprocessable} {
			if _, name, err := selected(ada, slices.Repeat([]int64{other}, ids)...); domain.KindOf(err) != want || name != "" {
				t.Errorf("%d connections: %q, %v", ids, name, err)
			}
		}
		if _, name, err := selected(stranger, conns[0]); domain.KindOf(err) != domain.NotFound || name != "" {
			t.Errorf("a stranger gets %q, %v", name, err)
		}
		r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", elsewhere), nil).Want(204)
		one := func(as domain.Actor, id int64) ([]byte, string, error) {
			return write(func(begin func(string, string) io.Writer) error {
				return exporter(r).Article(t.Context(), as, domain.BlockID(id), begin)
			})
		}
		if body, _, err = one(ada, hebrew); err != nil {
			t.Fatal(err)
		}
		if all, _ := entries(t, body); !strings.Contains(all["book/package.opf"], "<dc:language>he</dc:language>") {
			t.Error(all["book/package.opf"])
		}
		if _, _, err := one(stranger, first); domain.KindOf(err) != domain.NotFound {
			t.Errorf("a stranger gets an article: %v", err)
		}
	})
}
