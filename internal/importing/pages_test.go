package importing_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/warc"
)

// warcRecord returns a record of a WARC file with a response.
func warcRecord(address, contentType, body string) string {
	block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", contentType, len(body), body)
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2021-03-04T05:06:07Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		address, len(block), block)
}

const mossPage = `<!DOCTYPE html><title>Moss</title><link rel="stylesheet" href="style.css"><script>alert(1)</script><p>Old walls</p><img src="/moss.gif">`

var mossArchive = warcRecord("https://example.org/moss/", "text/html; charset=utf-8", mossPage) +
	warcRecord("https://example.org/moss/style.css", "text/css", "p { color: green }") +
	warcRecord("https://example.org/moss.gif", "image/gif", "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;") +
	warcRecord("https://example.org/fern", "text/html", "<title>Fern</title><p>In the shade</p>")

// wacz returns a package with one page.
func wacz(t *testing.T, title, body string, at time.Time) string {
	t.Helper()
	var b bytes.Buffer
	w, err := warc.NewWriter(&b, warc.About{Title: "Walls", Software: "Vitrine", Created: at})
	if err == nil {
		err = w.Add(warc.Page{URL: "https://example.org/moss/", Title: title, Time: at}, "text/html", int64(len(body)), strings.NewReader(body))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func openedFile(t *testing.T, content, title string) source.Source {
	t.Helper()
	s, err := files.Open(strings.NewReader(content), files.Options{Title: title, Archive: strings.NewReader(content), Size: int64(len(content))})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copiesOf returns title, time and bytes of each saved copy of the link at a position of a channel.
func copiesOf(t *testing.T, r *apptest.Rig, slug string, at int) (all []string) {
	t.Helper()
	id := r.Get("ada", "/v3/channels/%s/contents?sort=position_asc", slug).Want(200).Int(fmt.Sprintf("data.%d.id", at))
	block, err := r.S.Store.Blocks().Block(t.Context(), ada(r).UserID, domain.BlockID(id))
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.S.App.Content.BlockSnapshots(t.Context(), ada(r), block)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range found {
		f, err := r.S.App.Content.OpenSnapshot(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		if s.Shared {
			t.Error("an imported copy is visible to everyone")
		}
		all = append(all, s.Title+" "+s.TakenAt.Format(time.RFC3339)+" "+string(body))
	}
	return all
}

// Pages of WARC, WACZ and SingleFile files become links with copies. Copies of one page in several files belong to one
// block. Importing a file again changes nothing.
func TestImportPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.org/", apptest.Serve("text/html", []byte("<title>Now another page</title>")))
		report := run(t, r, openedFile(t, mossArchive, "crawl"), importing.Options{})
		if report.Links != 2 || report.Files != 2 || report.Counts.LeftOut != 0 || report.File.Format != "WARC" {
			t.Errorf("WARC: %+v %v %+v", report.Counts, report.LeftOut, report.File)
		}
		got := copiesOf(t, r, "crawl", 1)
		if len(got) != 1 || !strings.HasPrefix(got[0], "Moss 2021-03-04T05:06:07Z ") {
			t.Fatalf("%q", got)
		}
		for _, want := range []string{"Old walls", "color:green", "data:image/gif;base64," + base64.StdEncoding.EncodeToString([]byte("GIF89a"))[:8]} {
			if !strings.Contains(strings.ReplaceAll(got[0], " ", ""), strings.ReplaceAll(want, " ", "")) {
				t.Errorf("the copy lacks %q: %s", want, got[0])
			}
		}
		for _, no := range []string{"script", "https://example.org/moss.gif", "style.css"} {
			if strings.Contains(got[0], no) {
				t.Errorf("the copy contains %q: %s", no, got[0])
			}
		}
		if again := run(t, r, openedFile(t, mossArchive, "crawl"), importing.Options{}); again.Blocks+again.Files != 0 || again.Unchanged != 2 {
			t.Errorf("again: %+v", again.Counts)
		}

		newer := wacz(t, "Moss 2", "<p>New walls</p>", time.Date(2023, 1, 2, 3, 4, 5, 0, time.UTC))
		if report := run(t, r, openedFile(t, newer, "package"), importing.Options{}); report.Blocks != 0 || report.Files != 1 || report.File.Format != "WACZ" {
			t.Errorf("WACZ: %+v %v", report.Counts, report.LeftOut)
		}
		single := "<!DOCTYPE html> <html lang=en><!--\n Page saved with SingleFile \n url: https://example.org/moss/ \n saved date: Thu Feb 01 2024 10:00:00 GMT+0100 (Central European Standard Time)\n--><title>Moss 3</title><p>Newest walls</p>"
		if report := run(t, r, openedFile(t, single, "Moss (2024)"), importing.Options{}); report.Blocks != 0 || report.Files != 1 || report.File.Format != "SingleFile" {
			t.Errorf("SingleFile: %+v %v", report.Counts, report.LeftOut)
		}
		var short []string
		for _, c := range copiesOf(t, r, "crawl", 1) {
			short = append(short, c[:len("Moss 3 2024-02-01T09:00:00Z")])
		}
		if got := fmt.Sprint(short); got != "[Moss 3 2024-02-01T09:00:00Z Moss 2 2023-01-02T03:04:05Z Moss 2021-03-04T05:06:07Z <]" {
			t.Errorf("copies: %s", got)
		}
		if bad := "WARC/1.0\r\nWARC-Type: response\r\n\r\n"; run(t, r, openedFile(t, mossArchive, "crawl"), importing.Options{DryRun: true}).Unchanged != 2 {
			t.Error("a dry run reports changes")
		} else if _, err := importing.Run(t.Context(), r.S.App, ada(r), openedFile(t, bad, "bad"), importing.Options{}); domain.KindOf(err) != domain.Unprocessable {
			t.Errorf("%v", err)
		}
	})
}
