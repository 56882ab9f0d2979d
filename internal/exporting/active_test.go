package exporting_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestActiveFiles exports an HTML attachment. The exports of a channel and of a person must not contain
// an entry that a browser would render with scripts, or data under a name that such a page can guess.
func TestActiveFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Shelf", "public")
		page := `<!doctype html><script src="../browse/data/index.js"></script>`
		upload(r, "ada", "Page.html", "text/html", []byte(page), nil, channel)
		upload(r, "ada", "drawing.svg", "image/svg+xml", []byte(`<?xml version="1.0"?><broken><script>alert(1)</script>`), nil, channel)

		all := unzip(t, export(r, "ada", channel, "zip").Want(200).Body)
		if all["1-Page.html.txt"] != page {
			t.Errorf("the channel has %v", slices.Collect(maps.Keys(all)))
		}
		mine, _ := exported(r, r.Person("ada").ID)
		scripts := regexp.MustCompile(`^browse/data-[A-Z0-9]{26}/`)
		var folder string
		for name := range mine {
			if strings.HasPrefix(name, "files/") && !strings.HasSuffix(name, ".txt") {
				t.Errorf("%s could be rendered with scripts", name)
			}
			if strings.HasSuffix(name, ".js") && name != "browse/browse.js" {
				if folder = scripts.FindString(name); folder == "" {
					t.Errorf("%s has a name that can be guessed", name)
				}
			}
		}
		if folder == "" || !strings.Contains(mine["index.html"], `data-folder="`+folder+`"`) {
			t.Errorf("index.html does not name the folder of the data, %q", folder)
		}
		if again, _ := exported(r, r.Person("ada").ID); strings.Contains(again["index.html"], folder) {
			t.Error("two exports have the same folder of data")
		}
		if !strings.Contains(mine[fmt.Sprintf("json/channels/%d.jsonl", channel)], `"name":"Page.html"`) {
			t.Error("the JSON lost the name of the file")
		}
	}, generous)
}
