package importing_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/store/storetest"
)

// TestChoiceOfFileMetadataSurvives exports photographs and imports them elsewhere: their owner's
// choice to show the metadata of one is preserved.
func TestChoiceOfFileMetadataSurvives(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		photo, err := os.ReadFile("../media/strip/testdata/gps.jpg")
		if err != nil {
			t.Fatal(err)
		}
		channel := r.Channel("ada", "Photos", "public")
		for _, title := range []string{"Removed", "Kept"} {
			id := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": send(r, "ada", "p.jpg", "image/jpeg", photo), "title": title, "channel_ids": []any{channel}}).Want(201).Int("id")
			r.WorkJobs()
			if title == "Kept" {
				r.Do("ada", "PUT", fmt.Sprintf("/ext/v1/blocks/%d/file-metadata", id), map[string]any{"keep": true}).Want(200)
			}
		}
		options := storetest.Migrated.SQLite(t)
		if strings.HasPrefix(r.Options().URL, "postgres") {
			options = storetest.Migrated.Postgres(t)
		}
		other := apptest.Boot(t, options)
		bring(other, export(r, apptest.Base), importing.Options{})
		bring(other, export(r, apptest.Base), importing.Options{}) // changes nothing
		contents := other.Get("ada", "/v3/channels/photos/contents?sort=position_asc").Want(200)
		for i, keep := range []bool{false, true} {
			got := other.Get("ada", "/ext/v1/blocks/%d/file-metadata", contents.Int(fmt.Sprintf("data.%d.id", i))).Want(200)
			if got.Get("keep") != keep {
				t.Errorf("%s: %s", contents.Str(fmt.Sprintf("data.%d.title", i)), got.Body)
			}
		}
	})
}

// TestPercentSigns imports a file of URLs that browsers accept and strict parsers refuse.
func TestPercentSigns(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		report := run(t, r, exported(t, "percent.html"), importing.Options{Visibility: domain.Closed})
		if report.Blocks != 11 || report.Counts.LeftOut != 0 {
			t.Errorf("%+v %v", report.Counts, report.LeftOut)
		}
		contents := r.Get("ada", "/v3/channels/percent/contents?sort=position_desc&per=100").Want(200)
		var got []string
		for i := range contents.Len("data") {
			got = append(got, contents.Str(fmt.Sprintf("data.%d.title", i))+" "+contents.Str(fmt.Sprintf("data.%d.source.url", i)))
		}
		if want := []string{
			"Hundred percent http://127.0.0.1:8081/100%25",
			"zz http://127.0.0.1:8081/a%25zz",
			"Fragment http://127.0.0.1:8081/x#50%25",
			"Query http://127.0.0.1:8081/?q=100%25",
			"pipes http://127.0.0.1:8081/a%7Cb%5Bc%5D%7Bd%7D",
			"Raw http://127.0.0.1:8081/%E6%97%A5%E6%9C%AC",
			"IDN http://xn--mller-kva.example/%C3%BC",
			"Single http://127.0.0.1:8081/single",
			"Bare attribute http://127.0.0.1:8081/bare",
			"Amp http://127.0.0.1:8081/a?x=1&y=2&copy=3",
			"Backslash http://127.0.0.1:8081/a/b",
		}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if again := run(t, r, exported(t, "percent.html"), importing.Options{Visibility: domain.Closed}); again.Blocks+again.Connections != 0 || again.Unchanged != 11 {
			t.Errorf("again: %+v", again.Counts)
		}
	})
}
