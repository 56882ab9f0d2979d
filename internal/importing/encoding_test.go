package importing_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

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
	content, err := os.ReadFile("testdata/cp1251.html")
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
		grown := run(t, r, opened(t, strings.Replace(string(content), "<DL><p>", "<DL><p>"+many("<DT><A HREF=\"https://%d.invalid/\">New</A>\n"), 1), ""), importing.Options{Visibility: domain.Public})
		if c := grown.Counts; c.Channels != 0 || c.Blocks != grownBy {
			t.Errorf("grown: %+v", c)
		}
	})
}

// TestNamedEncodingAddsNothing imports a file whose encoding is detected wrongly, and then again with the
// name of its encoding, also after it has grown.
func TestNamedEncodingAddsNothing(t *testing.T) {
	t.Parallel()
	const file = `<!DOCTYPE NETSCAPE-Bookmark-file-1><META CHARSET="koi8-r"><H1>ЗАКЛАДКИ</H1><DL>%s<DT><A HREF="https://a.invalid/">РУССКАЯ СТРАНИЦА</A></DL>`
	encoded := func(more string) string {
		content, err := charmap.Windows1251.NewEncoder().String(fmt.Sprintf(file, more))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		first := run(t, r, opened(t, encoded(""), ""), importing.Options{Visibility: domain.Public})
		if first.File.Encoding != "koi8-r" || first.Counts.Links != 1 {
			t.Fatalf("first %+v, %+v", first.File, first.Counts)
		}
		again := run(t, r, opened(t, encoded(""), "windows-1251"), importing.Options{Visibility: domain.Public})
		if c := again.Counts; c.Blocks+c.Channels+c.Connections != 0 || c.Changed == 0 {
			t.Errorf("again: %+v", c)
		}
		grown := run(t, r, opened(t, encoded(many("<DT><A HREF=\"https://%d.invalid/\">NEW</A>\n")), "windows-1251"), importing.Options{Visibility: domain.Public})
		if c := grown.Counts; c.Channels != 0 || c.Blocks != grownBy {
			t.Errorf("grown: %+v", c)
		}
	})
}

// grownBy is the number of items that are added to a file so that less than a third of its sample is known.
const grownBy = 70

func many(line string) string {
	var b strings.Builder
	for i := range grownBy {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// TestNewlyRecognizedService imports an export of Instapaper as earlier versions named it, and then as it
// is named now, also after it has grown.
func TestNewlyRecognizedService(t *testing.T) {
	t.Parallel()
	// Without the column of dates, the service is not recognized, as in earlier versions.
	const recognized, unrecognized = "URL,Title,Selection,Folder,Timestamp,Tags\n", "URL,Title,Selection,Folder,Date,Tags\n"
	const rows = "https://ä.invalid/,A,,Unread,1700000000,\nhttps://ö.invalid/,B,,Archive,1700000000,\n" // earlier versions gave them other ids
	public := importing.Options{Visibility: domain.Public}
	nothing := func(t *testing.T, r *apptest.Rig, src source.Source, o importing.Options) {
		t.Helper()
		if c := run(t, r, src, o).Counts; c.Blocks+c.Channels+c.Connections != 0 || c.Unchanged != 4 {
			t.Errorf("again, dry is %t: %+v", o.DryRun, c)
		}
	}
	for name, first := range map[string]func(t *testing.T, r *apptest.Rig){
		"its name": func(t *testing.T, r *apptest.Rig) {
			run(t, r, opened(t, unrecognized+rows, ""), public)
		},
		"its name and former ids": func(t *testing.T, r *apptest.Rig) {
			run(t, r, named{formerIDs{opened(t, unrecognized+rows, "")}, source.Origin("csv", "Mine")}, public)
		},
		"the origin of all files": func(t *testing.T, r *apptest.Rig) {
			run(t, r, former{opened(t, unrecognized+rows, "")}, public)
			nothing(t, r, opened(t, unrecognized+rows, ""), public) // which records it for the name
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
				r.Person("ada")
				first(t, r)
				before := fromTop(r, "mine")
				if name != "the origin of all files" { // this origin must also be recognized when the file has grown
					nothing(t, r, opened(t, recognized+rows, ""), importing.Options{Visibility: domain.Public, DryRun: true})
					nothing(t, r, opened(t, recognized+rows, ""), public)
				}
				if after := fromTop(r, "mine"); !reflect.DeepEqual(before, after) {
					t.Errorf("%q became %q", before, after)
				}
				grown := run(t, r, opened(t, recognized+many("https://%d.invalid/,New,,Unread,1700000000,\n")+rows, ""), public)
				if c := grown.Counts; c.Channels != 0 || c.Blocks != grownBy || grown.File.Format != "Instapaper" {
					t.Errorf("grown: %+v, %+v", c, grown.File)
				}
			})
		})
	}
}

// named is a source under another origin.
type named struct {
	source.Source
	origin string
}

func (n named) Origin() string { return n.origin }

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
