package exporting_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestMetadataInExports checks that only the owner of a photograph gets its metadata, in their own export
// and in the ZIP of a channel.
func TestMetadataInExports(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		body, err := os.ReadFile("../media/strip/testdata/gps.jpg")
		if err != nil {
			t.Fatal(err)
		}
		photo := string(body)
		r.Person("bob")
		channel := r.Channel("ada", "Shelf", "public")
		r.Collaborate("ada", channel, "bob")
		upload(r, "bob", "photo.jpg", "image/jpeg", body, map[string]any{"title": "Photo"}, channel)
		for as, whole := range map[string]bool{"": false, "ada": false, "bob": true} {
			got := unzip(t, export(r, as, channel, "zip").Want(200).Body)["1-Photo.jpg"]
			if len(got) < 1000 || (got == photo) != whole || strings.Contains(got, "SN12345") != whole {
				t.Errorf("%q gets %d of %d bytes", as, len(got), len(photo))
			}
		}
		for as, whole := range map[string]bool{"ada": false, "bob": true} {
			all, _ := exported(r, r.Person(as).ID)
			files := 0
			for name, text := range all {
				if !strings.HasPrefix(name, "files/") {
					continue
				}
				files++
				sum := strings.TrimSuffix(strings.TrimPrefix(name, "files/"), ".jpg")
				if (text == photo) != whole || strings.Contains(text, "SN12345") != whole || !strings.Contains(all["SHA256SUMS"], sum+"  "+name) {
					t.Errorf("%s has %d of %d bytes as %s", as, len(text), len(photo), name)
				}
			}
			if files != 1 {
				t.Errorf("%s has %d files", as, files)
			}
		}
	}, generous)
}

// An export contains each entry once, even if several files have its bytes, and the entry that each
// file names exists.
func TestFilesOfOneContent(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		body, err := os.ReadFile("../media/strip/testdata/gps.jpg")
		if err != nil {
			t.Fatal(err)
		}
		r.Person("bob")
		channel := r.Channel("ada", "Shelf", "public")
		r.Collaborate("ada", channel, "bob")
		upload(r, "bob", "photo.jpg", "image/jpeg", body, map[string]any{"title": "Photo"}, channel)
		clean := unzip(t, export(r, "ada", channel, "zip").Want(200).Body)["1-Photo.jpg"]
		upload(r, "ada", "saved.jpg", "image/jpeg", []byte(clean), nil, channel)
		for _, name := range []string{"notes.txt", "notes.md"} {
			upload(r, "ada", name, "text/plain", []byte("moss"), nil, channel)
		}
		all, _ := exported(r, r.Person("ada").ID) // fails if an entry occurs twice
		named := regexp.MustCompile(`"path":"(files/[^"]+)"`).FindAllStringSubmatch(fmt.Sprint(all), -1)
		if len(named) != 4 {
			t.Errorf("%d files are named", len(named))
		}
		for _, m := range named {
			if _, there := all[m[1]]; !there {
				t.Errorf("%s is not there", m[1])
			}
		}
	}, generous)
}
