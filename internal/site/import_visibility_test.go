package site_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
	"vitrine/internal/database"
	"vitrine/internal/store/storetest"
)

// importer imports files with the command line, the website and the API.
type importer struct {
	*apptest.Rig
	t     *testing.T
	flags []string
	who   string
	site  *browser

	ended bool   // the last import succeeded
	said  string // what it reported
}

func newImporter(t *testing.T, r *apptest.Rig, o database.Options, who string) *importer {
	w := &importer{Rig: r, t: t, who: who, site: entered(t, r, who)}
	if w.flags = []string{"--data-dir", filepath.Dir(o.URL)}; strings.Contains(o.URL, "://") {
		w.flags = []string{"--data-dir", t.TempDir(), "--database-url", o.URL}
	}
	return w
}

// bringing is an import of a file.
type bringing struct {
	door       string // cli, site, api
	source     string
	name, text string
	visibility string
	consent    bool
}

// bring runs an import, and returns the reason if it was refused.
func (w *importer) bring(b bringing) (refused string) {
	w.t.Helper()
	switch b.door {
	case "cli":
		return w.byCommand(b)
	case "site":
		return w.bySite(b)
	}
	got := w.Do(w.who, "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": b.name, "content_type": "text/plain"}}}).Want(201)
	req := w.Request("", "PUT", strings.TrimPrefix(got.Str("files.0.upload_url"), apptest.Base), b.text)
	req.Header.Set("Content-Type", "text/plain")
	w.Send(req).Want(200)
	begun := w.Do(w.who, "POST", "/ext/v1/imports", map[string]any{"source": b.source, "upload_key": got.Str("files.0.key"), "visibility": b.visibility, "into_visible": b.consent})
	if begun.Status == 422 {
		return string(begun.Body)
	}
	begun.Want(202)
	w.WorkJobs()
	got = w.Get(w.who, "/ext/v1/imports/%d", begun.Int("id"))
	w.ended, w.said = got.Str("state") == "done", textAt(got, "summary")+" "+textAt(got, "reason")
	return ""
}

func (w *importer) byCommand(b bringing) (refused string) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), b.name)
	if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	args := append([]string{"vitrine", "import", b.source, file, "--user", fmt.Sprint(w.Person(w.who).ID), "--visibility", b.visibility}, w.flags...)
	if b.consent {
		args = append(args, "--into-visible")
	}
	dry := w.command(append(args, "--dry-run"))
	refused = w.command(args)
	w.ended = refused == ""
	if dry != refused {
		w.t.Errorf("a dry run says %q, and the import %q", dry, refused)
	}
	return refused
}

func (w *importer) command(args []string) (refused string) {
	w.t.Helper()
	var out, complaint bytes.Buffer
	code := cli.Run(w.t.Context(), args, &out, &complaint)
	w.said = out.String()
	switch code {
	case 0, 3:
		return ""
	case 1:
		return complaint.String()
	default:
		w.t.Fatalf("%q: exit code %d: %s%s", args, code, out.String(), complaint.String())
		return ""
	}
}

func (w *importer) bySite(b bringing) (refused string) {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	fields := map[string]string{"do": "file", "visibility": b.visibility}
	if b.consent {
		fields["into_visible"] = "yes"
	}
	for name, value := range fields {
		_ = form.WriteField(name, value)
	}
	part, err := form.CreateFormFile("upload_key", b.name)
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = part.Write([]byte(b.text))
	_ = form.Close()
	p := w.site.multipart("/settings/import", form.FormDataContentType(), body.String())
	if p.status == 422 {
		return p.body
	}
	p.want(303)
	w.WorkJobs()
	p = p.follow()
	w.ended = w.Get(w.who, "/ext/v1/imports?per=1").Str("data.0.state") == "done"
	w.said = html.UnescapeString(p.body)
	return ""
}

// visibilities returns the visibilities of the importer's channels by id.
func (w *importer) visibilities() map[int64]string {
	all := map[int64]string{}
	list := w.Get(w.who, "/v3/users/%d/contents?type=Channel&per=100", w.Person(w.who).ID).Want(200)
	for i := range list.Len("data") {
		all[list.Int(fmt.Sprintf("data.%d.id", i))] = list.Str(fmt.Sprintf("data.%d.visibility", i))
	}
	return all
}

// forGuests returns everything that guests can read of the importer's blocks and channels.
func (w *importer) forGuests() string {
	w.t.Helper()
	w.WorkJobs()
	var all strings.Builder
	rows, err := w.DB().Reader().Query(w.t.Context(), "SELECT id FROM blocks WHERE user_id = $1 ORDER BY id", w.Person(w.who).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Close(); err != nil {
		w.t.Fatal(err)
	}
	for _, id := range ids {
		if got := w.Do("", "GET", fmt.Sprintf("/v3/blocks/%d", id), nil); got.Status == 200 {
			all.Write(got.Body)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.visibilities())) {
		if got := w.Do("", "GET", fmt.Sprintf("/v3/channels/%d", id), nil); got.Status == 200 {
			all.Write(got.Body)
		}
	}
	return all.String()
}

// importFormats write a file of links, whose titles and notes begin with a mark.
var importFormats = map[string]func(mark string) bringing{
	"chrome": func(mark string) bringing { return marksFile("bookmarks.html", "Bookmarks", mark) },
	"work":   func(mark string) bringing { return marksFile("bookmarks.html", "Work laptop", mark) },
	"table":  func(mark string) bringing { return tableFile("links.csv", "url,title,note,channel", mark) },
	"other":  func(mark string) bringing { return tableFile("bookmarks.csv", "link,name,comment,folder", mark) },
	"raindrop": func(mark string) bringing {
		return tableFile("export.csv", "url,title,note,folder,excerpt,highlights", mark)
	},
	"pinboard": func(mark string) bringing {
		return bringing{source: "csv", name: "pinboard.json", text: fmt.Sprintf(`[{"href":"https://a.invalid/","description":"%[1]s a","extended":"%[1]s","shared":"yes"},
			{"href":"https://b.invalid/","description":"%[1]s secret b","extended":"%[1]s secret","shared":"no"}]`, mark)}
	},
}

func marksFile(name, title, mark string) bringing {
	return bringing{source: "bookmarks", name: name, text: fmt.Sprintf(`<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>%[1]s</TITLE><H1>%[1]s</H1><DL>
		<DT><A HREF="https://a.invalid/">%[2]s a</A><DD>%[2]s
		<DT><H3>Recipes</H3><DL><DT><A HREF="https://b.invalid/">%[2]s b</A><DT><A HREF="https://%[2]s.invalid/">%[2]s own</A></DL>
		<DT><H3>%[2]s folder</H3><DL><DT><A HREF="https://a.invalid/">%[2]s again</A></DL>
		<DT><A HREF="https://c.invalid/" PRIVATE="1">%[2]s secret</A></DL>`, title, mark)}
}

func tableFile(name, head, mark string) bringing {
	return bringing{source: "csv", name: name, text: fmt.Sprintf("%[1]s\nhttps://a.invalid/,%[2]s a,%[2]s,\nhttps://b.invalid/,%[2]s b,,Recipes\nhttps://%[2]s.invalid/,%[2]s own,,Recipes\nhttps://c.invalid/,%[2]s c,,%[2]s folder\n", head, mark)}
}

// TestImportsKeepWhatIsPrivate imports two files one after the other, in all formats, through all
// interfaces and with all visibilities, and the owner opens or closes a channel in between.
func TestImportsKeepWhatIsPrivate(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		r := apptest.Boot(t, o)
		random := rand.New(rand.NewPCG(7, 42))
		pick := func(some ...string) string { return some[random.IntN(len(some))] }
		refusals := 0
		for n := range 45 {
			w := newImporter(t, r, o, fmt.Sprintf("owner%d", n))
			var story []string
			secret := []string{}
			for k := range 2 {
				mark := fmt.Sprintf("m%dk%d", n, k)
				format := pick("chrome", "work", "table", "other", "raindrop", "pinboard")
				if k == 1 && n%3 == 0 { // the same file again, changed
					format = strings.Fields(story[0])[0]
				}
				b := importFormats[format](mark)
				b.door, b.visibility, b.consent = pick("cli", "site", "api"), pick("private", "private", "public", "closed"), k == 1 && n%5 == 0
				story = append(story, fmt.Sprintf("%s by %s as %s, consent %t", format, b.door, b.visibility, b.consent))
				before, seen := w.visibilities(), w.forGuests()
				why := w.bring(b)
				if why == "" && !w.ended {
					t.Errorf("%q: the import failed: %s", story, w.said)
				}
				after := w.visibilities()
				if why != "" {
					refusals++
					if b.visibility != "private" || b.consent || !strings.Contains(why, "everyone can see") || !maps.Equal(before, after) || w.forGuests() != seen {
						t.Errorf("%q: it was refused, or changed something: %s", story, why)
					}
				}
				for id, was := range before {
					if after[id] != was {
						t.Errorf("%q: channel %d was %s and is %s", story, id, was, after[id])
					}
				}
				switch {
				case b.consent:
				case b.visibility == "private":
					secret = append(secret, mark)
				default:
					secret = append(secret, mark+" secret")
				}
				guests := w.forGuests()
				for _, mark := range secret {
					if strings.Contains(guests, mark) {
						t.Errorf("%q: guests can read %q", story, mark)
					}
				}
				if k == 0 && n%2 == 0 { // the owner opens or closes all channels
					to := pick("public", "private")
					for id := range after {
						w.Do(w.who, "PUT", fmt.Sprintf("/v3/channels/%d", id), map[string]any{"visibility": to}).Want(200)
					}
					r.WorkJobs()
					secret = nil
					story = append(story, "all made "+to)
				}
			}
		}
		if refusals < 3 {
			t.Errorf("only %d imports were refused", refusals)
		}
	})
}
