package warc

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// rec returns a record of a WARC file.
func rec(kind, uri, fields, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2021-03-04T05:06:07Z\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, uri, fields, len(block), block)
}

func page(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func packed(records ...string) string {
	var b bytes.Buffer
	for _, r := range records {
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, r)
		_ = w.Close()
	}
	return b.String()
}

func open(t *testing.T, content string) *Archive {
	t.Helper()
	a, err := Open(t.Context(), strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// get returns status and body of a request.
func get(t *testing.T, a *Archive, address string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := a.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

var records = []string{
	rec("warcinfo", "", "", "software: x\r\n"),
	rec("response", "http://example.org/", "", page("<p>One</p>")),
	rec("request", "http://example.org/", "", "GET / HTTP/1.1\r\n\r\n"),
	rec("response", "http://example.org/a.css", "", "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\np { color: red }"),
	rec("response", "<https://Example.org/two#part>", "X-Folded: a\r\n b\r\n", page("<p>Two</p>")),
	rec("response", "http://example.org/moved", "", "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Type: text/html\r\n\r\n"),
	rec("response", "http://example.org/chunks", "", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
	rec("resource", "http://example.org/pic", "Content-Type: image/png\r\n", "PNG"),
	rec("revisit", "http://example.org/again", "WARC-Refers-To-Target-URI: http://example.org/a.css\r\n", "HTTP/1.1 200 OK\r\n\r\n"),
	rec("response", "urn:dns", "", "x"),
	rec("response", "http://example.org/broken", "", "no header"),
}

func TestArchive(t *testing.T) {
	for name, content := range map[string]string{"plain": strings.Join(records, ""), "compressed": packed(records...)} {
		t.Run(name, func(t *testing.T) {
			if !Is([]byte(content[:min(len(content), 512)])) {
				t.Error("the file is not recognized")
			}
			a := open(t, content)
			var listed []string
			for _, p := range a.Pages() {
				listed = append(listed, p.URL+" "+p.Time.Format(time.RFC3339))
			}
			if got := strings.Join(listed, ", "); got != "http://example.org/ 2021-03-04T05:06:07Z, https://Example.org/two#part 2021-03-04T05:06:07Z" {
				t.Errorf("pages: %s", got)
			}
			for address, want := range map[string]string{
				"http://example.org/":        "200 <p>One</p>",
				"http://example.org/#x":      "200 <p>One</p>",
				"http://example.org/a.css":   "200 p { color: red }",
				"http://example.org/again":   "200 p { color: red }",
				"https://example.org/two":    "200 <p>Two</p>",
				"http://example.org/moved":   "301 ",
				"http://example.org/chunks":  "200 abc",
				"http://example.org/pic":     "200 PNG",
				"http://example.org/nowhere": "404 ",
				"http://example.org/broken":  "404 ",
			} {
				status, body := get(t, a, address)
				if got := fmt.Sprintf("%d %s", status, body); got != want {
					t.Errorf("%s: %q, want %q", address, got, want)
				}
			}
		})
	}
}

// A file whose program was stopped has all records before its end.
func TestCutOff(t *testing.T) {
	plain, compressed := strings.Join(records, ""), packed(records...)
	for name, content := range map[string]string{"plain": plain[:len(plain)-200], "compressed": compressed[:len(compressed)-40]} {
		t.Run(name, func(t *testing.T) {
			if status, _ := get(t, open(t, content), "http://example.org/"); status != 200 {
				t.Errorf("status %d", status)
			}
		})
	}
}

// A later response of an address replaces an earlier one, in any order in the file.
func TestNewestResponse(t *testing.T) {
	older := strings.Replace(rec("response", "http://example.org/", "", page("old")), "2021-", "2020-", 1)
	newer := rec("response", "http://example.org/", "", page("new"))
	for _, content := range []string{older + newer, newer + older} {
		a := open(t, content)
		if _, body := get(t, a, "http://example.org/"); body != "new" {
			t.Errorf("%q", body)
		}
		if len(a.Pages()) != 1 {
			t.Errorf("pages: %v", a.Pages())
		}
	}
}

func TestRefusesBrokenFiles(t *testing.T) {
	for name, content := range map[string]string{
		"other text":       "Hello\r\n\r\n",
		"no length":        "WARC/1.0\r\nWARC-Type: response\r\n\r\n",
		"negative length":  "WARC/1.0\r\nContent-Length: -1\r\n\r\n",
		"no colon":         "WARC/1.0\r\nContent\r\n\r\n",
		"ends in a header": "WARC/1.0\r\nWARC-Type: resp",
		"ends in a block":  "WARC/1.0\r\nContent-Length: 9\r\n\r\nabc",
		"packed together":  packed(strings.Join(records, strings.Repeat(" ", maxHeader))),
		"other gzip":       packed("hello"),
	} {
		t.Run(name, func(t *testing.T) {
			if a, err := Open(t.Context(), strings.NewReader(content), int64(len(content))); err == nil {
				t.Errorf("no error, %d pages", len(a.Pages()))
			}
		})
	}
}

// The headers of hostile files are not kept in memory.
func TestLongHeaders(t *testing.T) {
	long := strings.Repeat("a", 32<<20)
	fields := strings.Repeat("X-A: b\r\n", 4<<20)
	for name, content := range map[string]string{
		"field":        "WARC/1.0\r\nWARC-Type: " + long + "\r\n\r\n",
		"fields":       "WARC/1.0\r\n" + fields + "\r\n",
		"HTTP field":   rec("response", "http://example.org/", "", "HTTP/1.1 200 OK\r\nX: "+long+"\r\n\r\n"),
		"HTTP fields":  rec("response", "http://example.org/", "", "HTTP/1.1 200 OK\r\n"+fields+"\r\n"),
		"packed field": packed("WARC/1.0\r\nWARC-Type: " + long + "\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = Open(t.Context(), strings.NewReader(content), int64(len(content))) // either is right
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
				t.Errorf("%d bytes", got)
			}
		})
	}
}

func TestManyRecords(t *testing.T) {
	var b strings.Builder
	for i := range 11 {
		b.WriteString(rec("resource", fmt.Sprintf("http://example.org/%d", i), "", "x"))
	}
	a := newArchive()
	a.max = 10
	if err := a.add(t.Context(), strings.NewReader(b.String()), int64(b.Len())); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	content := strings.Join(records, "")
	if _, err := Open(ctx, strings.NewReader(content), int64(len(content))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What the Writer writes, the Archive reads.
func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, About{Title: "Paper", Software: "Vitrine", Created: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	pages := []Page{
		{URL: "https://example.org/b?Q=1", Title: "Zürich \"2\"", Time: time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)},
		{URL: "https://www.example.org/a", Title: "A", Time: time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	for _, p := range pages {
		body := "<title>" + p.Title + "</title>"
		if err := w.Add(p, "text/html; charset=utf-8", int64(len(body)), strings.NewReader(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(pages[0], "text/html", 100, strings.NewReader("short")); err == nil {
		t.Error("a body that is shorter than its size is accepted")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	content := bytes.NewReader(b.Bytes())
	file, err := zip.NewReader(content, content.Size())
	if err != nil {
		t.Fatal(err)
	}
	if !IsPackage(file.File) {
		t.Error("the package is not recognized")
	}
	a, err := OpenPackage(t.Context(), content, file.File)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a.Pages()); got != fmt.Sprint(pages) {
		t.Errorf("pages %s", got)
	}
	if _, body := get(t, a, pages[1].URL); body != "<title>A</title>" {
		t.Errorf("%q", body)
	}
	index, err := file.Open("indexes/index.cdxj")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(index)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); !strings.HasPrefix(got, "org,example)/a 20220101000000 {") || !strings.Contains(got, "\norg,example)/b?q=1 20230101000000 {") {
		t.Errorf("index:\n%s", got)
	}
}

// Names of entries are never used as paths. Entries outside of archive/ are ignored.
func TestOddPackages(t *testing.T) {
	for name, build := range map[string]func(w *zip.Writer) error{
		"outside": func(w *zip.Writer) error {
			_, err := w.Create("../archive/data.warc")
			return err
		},
		"compressed again": func(w *zip.Writer) error {
			e, err := w.Create("archive/data.warc")
			if err == nil {
				_, err = io.WriteString(e, strings.Join(records, ""))
			}
			return err
		},
		"hostile list": func(w *zip.Writer) error {
			e, err := w.Create("pages/pages.jsonl")
			if err == nil {
				_, err = io.WriteString(e, "{\n[1]\n{\"url\": 5}\n{\"url\":\"javascript:alert(1)\"}\n"+strings.Repeat(" ", maxLine+1))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			if err := build(w); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			in := bytes.NewReader(b.Bytes())
			file, err := zip.NewReader(in, in.Size())
			if err != nil {
				t.Fatal(err)
			}
			a, err := OpenPackage(t.Context(), in, file.File)
			if err == nil && len(a.Pages())+len(a.records) > 0 {
				t.Errorf("pages: %v", a.Pages())
			}
			if err == nil && name != "outside" {
				t.Error("no error")
			}
		})
	}
}
