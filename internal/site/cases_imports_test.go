package site_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
)

// importCase is a file that another program or service wrote.
type importCase struct {
	File     string              `json:"file"`
	Source   string              `json:"source"`
	Channels map[string][]string `json:"channels"` // by title, with their contents
	Report   string              `json:"report"`   // a part of the report, or of the reason why the import failed
	Failed   bool                `json:"failed"`   // nothing can be imported
}

// contentsOf returns the contents of the importer's channels in the order of the file. A link is
// listed as its title, its address in angle brackets, its description and its content, a text as
// its title and its content.
func (w *importer) contentsOf() map[string][]string {
	w.t.Helper()
	all := map[string][]string{}
	for id := range w.visibilities() {
		list := []string{}
		got := w.Get(w.who, "/v3/channels/%d/contents?per=100&sort=position_desc", id)
		for i := range got.Len("data") {
			at := fmt.Sprintf("data.%d.", i)
			title, address := textAt(got, at+"title"), textAt(got, at+"source.url")
			text := textAt(got, at+"content.plain")
			if textAt(got, at+"type") == "Text" {
				title, text = strings.TrimPrefix(title+": "+text, ": "), ""
			}
			if address != "" {
				address = "<" + address + ">"
			}
			words := strings.Join([]string{title, address, textAt(got, at+"description.plain"), text}, " ")
			list = append(list, strings.Join(strings.Fields(words), " "))
		}
		all[w.Get(w.who, "/v3/channels/%d", id).Str("title")] = list
	}
	return all
}

func TestImportCases(t *testing.T) {
	t.Parallel()
	all := readCases[importCase](t, "imports.json")
	eachCases(t, func(t *testing.T, r *apptest.Rig, o database.Options) {
		for n, c := range all {
			t.Run(c.File, func(t *testing.T) {
				if c.Report == "" {
					t.Fatal("the case expects no report")
				}
				file, err := os.ReadFile(filepath.Join("..", "importing", "testdata", c.File))
				if err != nil {
					t.Fatal(err)
				}
				for _, via := range []string{"cli", "site", "api"} {
					w := newCaller(t, r, o, fmt.Sprintf("%s-%d", via, n))
					refused := w.bring(bringing{door: via, source: c.Source, name: c.File, text: string(file), visibility: "private"})
					w.WorkJobs()
					if c.Failed {
						if w.ended || len(w.visibilities()) > 0 {
							t.Errorf("%s: something was imported: %s", via, w.said)
						}
						if !strings.Contains(refused+w.said, c.Report) {
							t.Errorf("%s: the reason lacks %q: %s%s", via, c.Report, refused, w.said)
						}
						continue
					}
					if refused != "" || !w.ended {
						t.Errorf("%s: the import failed: %s%s", via, refused, w.said)
						continue
					}
					if found := w.contentsOf(); !maps.EqualFunc(found, c.Channels, slices.Equal) {
						t.Errorf("%s: imported\n%q\nwant\n%q", via, found, c.Channels)
					}
					if !strings.Contains(w.said, c.Report) {
						t.Errorf("%s: the report lacks %q: %s", via, c.Report, w.said)
					}
				}
			})
		}
	})
}
