package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
)

// mediaCase is a file. Its name is the name that people gave it, which becomes the title.
type mediaCase struct {
	Name string      `json:"name"`
	File string      `json:"file"` // where it is, from testdata/cases/media
	Only string      `json:"only"` // the only interface that an expensive case uses; "" for all
	Want wantedBlock `json:"want"`
}

// mediaInterfaces import files, each as a different user, into the channel "Files".
var mediaInterfaces = map[string]func(w *importer, files map[string][]byte){
	"api": func(w *importer, files map[string][]byte) {
		in := w.Channel(w.who, "Files", "closed")
		for name, file := range files {
			got := w.Do(w.who, "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": name, "content_type": "application/octet-stream"}}}).Want(201)
			address := got.Str("files.0.upload_url")
			w.Do("", "PUT", strings.TrimPrefix(address, apptest.Base), file, "Content-Type", "application/octet-stream").Want(200)
			value, _, _ := strings.Cut(address, "?")
			w.Block(w.who, value, in)
		}
	},
	"site": func(w *importer, files map[string][]byte) {
		w.Channel(w.who, "Sent", "closed")
		var parts []string
		for name, file := range files {
			parts = append(parts, name, string(file))
		}
		w.site.upload("/"+w.who+"/sent/add", nil, parts...).want(303)
	},
	"folder": func(w *importer, files map[string][]byte) {
		dir := filepath.Join(w.t.TempDir(), "Files")
		if err := os.Mkdir(dir, 0o700); err != nil {
			w.t.Fatal(err)
		}
		for name, file := range files {
			if err := os.WriteFile(filepath.Join(dir, name), file, 0o600); err != nil {
				w.t.Fatal(err)
			}
		}
		if refused := w.command(append([]string{"vitrine", "import", "folder", dir, "--user", w.who}, w.flags...)); refused != "" {
			w.t.Error(refused)
		}
	},
	"address": func(w *importer, files map[string][]byte) {
		var list strings.Builder
		list.WriteString("url,channel\n")
		w.Web("example.com/files/{name}", func(out http.ResponseWriter, req *http.Request) {
			apptest.Serve("application/octet-stream", files[req.PathValue("name")])(out, req)
		})
		for name := range files {
			fmt.Fprintf(&list, "%s,Files\n", addressOf(name))
		}
		w.bring(bringing{door: "site", source: "csv", name: "list.csv", text: list.String(), visibility: "private"})
	},
}

// addressOf returns the address of a file on the test's web.
func addressOf(name string) string { return "https://example.com/files/" + url.PathEscape(name) }

func TestMediaCases(t *testing.T) {
	t.Parallel()
	all := readCases[mediaCase](t, "media.json")
	files := map[string][]byte{}
	for _, c := range all {
		file, err := os.ReadFile(filepath.Join("testdata", "cases", "media", c.File))
		if err != nil {
			t.Fatal(err)
		}
		if files[c.Name] != nil {
			t.Fatalf("two cases are called %s", c.Name)
		}
		files[c.Name] = file
	}
	eachCases(t, func(t *testing.T, r *apptest.Rig, o database.Options) {
		callers := map[string]*importer{}
		for via, bring := range mediaInterfaces {
			callers[via] = newCaller(t, r, o, "via-"+via)
			own := maps.Clone(files)
			for _, c := range all {
				if !uses(c.Only, via) {
					delete(own, c.Name)
				}
			}
			bring(callers[via], own)
		}
		r.WorkJobs()
		for _, c := range all {
			t.Run(c.Name, func(t *testing.T) {
				for via, w := range callers {
					if !uses(c.Only, via) {
						continue
					}
					want := c.Want
					want.Title = c.Name
					if via == "address" {
						want.Source = addressOf(c.Name)
					}
					want.check(t, w, blockOf(t, w, `b.title = $2`, c.Name))
				}
			})
		}
	})
}
