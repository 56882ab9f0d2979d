package importing_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
)

func opened(t *testing.T, content, encoding string) source.Source {
	t.Helper()
	src, err := files.Open(strings.NewReader(content), files.Options{Title: "Mine", Encoding: encoding})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestAnotherEncodingAddsNothing imports a file as an earlier version read it, and then again in the
// encoding that is detected.
func TestAnotherEncodingAddsNothing(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("files/testdata/cp1251.html")
	if err != nil {
		t.Fatal(err)
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		first := run(t, r, opened(t, string(content), "windows-1252"), importing.Options{Visibility: domain.Public})
		again := run(t, r, opened(t, string(content), ""), importing.Options{Visibility: domain.Public})
		if a, b := first.Counts, again.Counts; a.Links != 1 || b.Blocks+b.Channels+b.Connections != 0 || b.Changed == 0 {
			t.Errorf("first %+v, again %+v", a, b)
		}
		if want := (domain.ImportFile{Format: "Bookmarks", Encoding: "windows-1251"}); again.File != want {
			t.Errorf("read as %+v", again.File)
		}
		if got := titles(r, r.Get("ada", "/v3/users/ada/contents?type=Channel").Want(200).Str("data.0.slug")); !reflect.DeepEqual(got, []string{"Русская страница"}) {
			t.Errorf("the title is not corrected: %q", got)
		}
	})
}

// TestNewlyRecognizedService imports an export of Instapaper as an earlier version named it.
func TestNewlyRecognizedService(t *testing.T) {
	t.Parallel()
	const columns, rows = "URL,Title,Selection,Folder,%s,Tags\n", "https://a.invalid/,A,,Unread,1700000000,\nhttps://b.invalid/,B,,Archive,1700000000,\n"
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		// Without the column of dates, the service is not recognized, as in earlier versions.
		run(t, r, opened(t, strings.Replace(columns, "%s", "Date", 1)+rows, ""), importing.Options{Visibility: domain.Public})
		before := fromTop(r, "mine")
		again := run(t, r, opened(t, strings.Replace(columns, "%s", "Timestamp", 1)+rows, ""), importing.Options{Visibility: domain.Public})
		if c := again.Counts; c.Blocks+c.Channels+c.Connections != 0 || again.File.Format != "Instapaper" {
			t.Errorf("%+v, %+v", c, again.File)
		}
		if after := fromTop(r, "mine"); !reflect.DeepEqual(before, after) {
			t.Errorf("%q became %q", before, after)
		}
	})
}

// TestNothingToImport checks that a file without anything to import is an error, and changes
// nothing.
func TestNothingToImport(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		for content, why := range map[string]string{
			"":                              "The file is empty",
			"url,title\r\n":                 "The file contains nothing to import",
			"url,title\rjavascript:x(),X\r": "Nothing in the file could be imported",
			"[]":                            "The file contains nothing to import",
			"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL></DL>": "The file contains nothing to import",
			"<opml><body/></opml>":                         "The file contains nothing to import",
			"{\"bookmarks\":[],\"lists\":[]}":              "The file contains nothing to import",
			"prose":                                        "The format of the file is not recognized",
		} {
			for _, dry := range []bool{true, false} {
				_, err := importing.Run(t.Context(), r.S.App, ada(r), opened(t, content, ""), importing.Options{DryRun: dry})
				if domain.KindOf(err) != domain.Unprocessable || !strings.Contains(err.Error(), why) {
					t.Errorf("%q: %v, want %q", content, err, why)
				}
			}
		}
		if got := r.Get("ada", "/v3/users/ada/contents").Want(200); got.Len("data") != 0 {
			t.Errorf("something was made: %s", got.Body)
		}
	})
}
