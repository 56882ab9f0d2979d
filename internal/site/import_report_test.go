package site_test

import (
	"bytes"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
	"vitrine/internal/database"
	"vitrine/internal/store/storetest"
)

// reported is the final report of an import.
type reported struct{ summary, read, failed string }

// TestImportsReport imports the same files through the command line, the website and the API, which
// report the same in the same words.
func TestImportsReport(t *testing.T) {
	t.Parallel()
	const (
		russian = "\xd0\xf3\xf1\xf1\xea\xe0\xff \xf1\xf2\xf0\xe0\xed\xe8\xf6\xe0" // in windows-1251
		hint    = " If letters look wrong, import the file again with another encoding."
	)
	files := []struct {
		name, text, encoding string
		want                 reported
		german               string
	}{
		{"a.bin", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>A</H1><DL><DT><H3>F</H3><DL>\n<DT><A HREF=\"https://a.invalid/1\">1</A>\n<DT><A HREF=\"https://a.invalid/2\">2</A>\n<DT><A HREF=\"https://a.invalid/3\">3</A></DL>\n<DT><A HREF=\"javascript:x()\">x</A></DL>", "",
			reported{"Imported 3 links into 2 new channels. 1 skipped: line 6: javascript: is not a web address.", "Recognized as Bookmarks.", ""},
			"3 Links in 2 neue Kanäle importiert. 1 ausgelassen: Zeile 6: javascript: ist keine Webadresse."},
		{"b.bin", "url,title\rhttps://b.invalid/1," + russian + "\r", "", reported{"Imported 1 link into 1 new channel.", "Recognized as CSV, read as windows-1251." + hint, ""}, "1 Link in 1 neuen Kanal importiert."},
		{"c.bin", "https://c.invalid/1 " + russian + "\n", "koi8-r", reported{"Imported 1 link into 1 new channel.", "Recognized as Addresses, read as koi8-r." + hint, ""}, "Erkannt als Addresses, gelesen als koi8-r."},
		{"d.bin", "", "", reported{"", "", "The file is empty"}, "Die Datei ist leer"},
		{"e.bin", "url,title\n", "", reported{"", "", "The file contains nothing to import"}, "Die Datei enthält nichts zum Importieren"},
		{"f.bin", "<p>A page", "", reported{"", "", "The format of the file is not recognized."}, "Das Format der Datei wird nicht erkannt."},
	}
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		r := apptest.Boot(t, o)
		for _, door := range []string{"cli", "site", "api"} {
			w := newImporter(t, r, o, "ada-by-"+door)
			for _, f := range files {
				b := bringing{door: door, source: "file", name: f.name, text: f.text}
				if f.text == "" && door != "cli" { // uploads are not empty
					continue
				}
				got, german := w.report(b, f.encoding)
				if got.summary != f.want.summary && f.want.failed == "" || got.read != f.want.read || !strings.Contains(got.failed, f.want.failed) || got.failed != "" && f.want.failed == "" {
					t.Errorf("%s, %s: %+v, want %+v", f.name, door, got, f.want)
				}
				if german != "" && !strings.Contains(german, f.german) {
					t.Errorf("%s: the German page does not say %q: %s", f.name, f.german, german)
				}
				if f.want.failed != "" {
					continue
				}
				if again, _ := w.report(b, f.encoding); !strings.HasPrefix(again.summary, "Nothing new. Already there: ") {
					t.Errorf("%s, %s, again: %+v", f.name, door, again)
				}
			}
			if got, _ := w.report(bringing{door: door, source: "file", name: "x", text: "url\nhttps://x.invalid/"}, "latin-99"); !strings.Contains(got.failed, "encoding") {
				t.Errorf("%s: an unknown encoding: %+v", door, got)
			}
		}
	})
}

// report imports a file and returns the final report, and the German page if there is one.
func (w *importer) report(b bringing, encoding string) (got reported, german string) {
	w.t.Helper()
	switch b.door {
	case "cli":
		return w.reportOfCommand(b, encoding), ""
	case "api":
		sent := w.Do(w.who, "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": b.name, "content_type": "text/plain"}}}).Want(201)
		req := w.Request("", "PUT", strings.TrimPrefix(sent.Str("files.0.upload_url"), apptest.Base), b.text)
		req.Header.Set("Content-Type", "text/plain")
		w.Send(req).Want(200)
		body := map[string]any{"source": "file", "upload_key": sent.Str("files.0.key")}
		if encoding != "" {
			body["encoding"] = encoding
		}
		begun := w.Do(w.who, "POST", "/ext/v1/imports", body)
		if begun.Status != 202 {
			return reported{failed: string(begun.Body)}, ""
		}
		w.WorkJobs()
		ended := w.Get(w.who, "/ext/v1/imports/%d", begun.Int("id")).Want(200)
		if ended.Str("state") == "failed" {
			return reported{failed: ended.Str("reason")}, ""
		}
		got.summary, got.read = ended.Str("summary"), "Recognized as "+ended.Str("format")+"."
		if e := ended.Str("encoding"); e != "utf-8" {
			got.read = "Recognized as " + ended.Str("format") + ", read as " + e + ". If letters look wrong, import the file again with another encoding."
		}
		return got, ""
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("do", "file")
	_ = form.WriteField("encoding", encoding)
	part, err := form.CreateFormFile("upload_key", b.name)
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = part.Write([]byte(b.text))
	_ = form.Close()
	p := w.site.multipart("/settings/import", form.FormDataContentType(), body.String())
	if p.status != 303 {
		return reported{failed: p.find(`(?s)id="(encoding-error".*?)</span>`)}, ""
	}
	at := p.header.Get("Location")
	w.WorkJobs()
	shown := w.site.get(at).want(200)
	w.site.header.Set("Accept-Language", "de")
	german = w.site.get(at).want(200).body
	w.site.header.Del("Accept-Language")
	if strings.Contains(shown.body, `class="alarm"`) {
		return reported{failed: shown.find(`(?s)class="alarm"><p>(.*?)</p>`)}, german
	}
	got.summary = shown.find(`id="summary">(.*?)</p>`)
	if strings.Contains(shown.body, `id="read-as"`) {
		got.read = shown.find(`id="read-as">(.*?)</p>`)
	}
	return got, german
}

func (w *importer) reportOfCommand(b bringing, encoding string) (got reported) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), b.name)
	if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	args := append([]string{"vitrine", "import", "file", file, "--user", w.who, "--encoding", encoding}, w.flags...)
	var out, complaint bytes.Buffer
	if code := cli.Run(w.t.Context(), args, &out, &complaint); code != 0 && code != 3 {
		return reported{failed: complaint.String()}
	}
	lines := strings.Split(out.String(), "\n")
	return reported{summary: lines[0], read: lines[1]}
}
