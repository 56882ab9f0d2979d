package exporting_test

import (
	"os"
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
