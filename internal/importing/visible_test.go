package importing_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
)

func exported(t *testing.T, name string) source.Source {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return files.Text(strings.NewReader(string(text)), files.Options{Title: importing.TitleOf(name)})
}

// channelsOf returns the visibilities of ada's channels by title.
func channelsOf(r *apptest.Rig) map[string][]string {
	all := map[string][]string{}
	list := r.Get("ada", "/v3/users/ada/contents?type=Channel&per=100")
	for i := range list.Len("data") {
		at := fmt.Sprintf("data.%d.", i)
		all[list.Str(at+"title")] = append(all[list.Str(at+"title")], list.Str(at+"visibility"))
	}
	for _, some := range all {
		slices.Sort(some)
	}
	return all
}

// show changes the visibility of ada's channel with a title, and returns its id.
func show(r *apptest.Rig, title, visibility string) int64 {
	list := r.Get("ada", "/v3/users/ada/contents?type=Channel&per=100")
	for i := range list.Len("data") {
		if list.Str(fmt.Sprintf("data.%d.title", i)) == title {
			id := list.Int(fmt.Sprintf("data.%d.id", i))
			r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", id), map[string]any{"visibility": visibility}).Want(200)
			r.WorkJobs()
			return id
		}
	}
	r.T.Fatalf("there is no channel %q", title)
	return 0
}

func TestAnotherFileHasChannelsOfItsOwn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		private, public := importing.Options{Visibility: domain.Private}, importing.Options{Visibility: domain.Public}
		run(t, r, exported(t, "other-b.html"), private)
		run(t, r, exported(t, "chrome-a.html"), public)
		table := func(name string) source.Source {
			return files.Text(strings.NewReader("url,title\nhttps://example.org/soup,Soup\n"), files.Options{Title: name})
		}
		run(t, r, table("Bookmarks"), private)
		for _, dir := range []string{t.TempDir(), t.TempDir()} {
			photos := filepath.Join(dir, "Photos")
			if err := os.Mkdir(photos, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(photos, "a.txt"), []byte("words"), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				f, err := files.NewFolder(photos)
				if err != nil {
					t.Fatal(err)
				}
				run(t, r, f, private)
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := map[string][]string{"Work laptop": {"private"}, "Bookmarks": {"private", "public"}, "Recipes": {"private", "public"}, "Photos": {"private", "private"}}
		if got := channelsOf(r); !reflect.DeepEqual(got, want) {
			t.Errorf("channels: %v", got)
		}
		for name, again := range map[string]source.Source{"other-b.html": exported(t, "other-b.html"), "table": table("bookmarks (1)")} {
			if c := run(t, r, again, public).Counts; c.Channels+c.Blocks+c.Connections != 0 || c.Unchanged == 0 {
				t.Errorf("%s again: %+v", name, c)
			}
		}
		if got := channelsOf(r); !reflect.DeepEqual(got, want) {
			t.Errorf("channels after importing again: %v", got)
		}
	})
}

func TestVisibleChannelsNeedConsent(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		open := r.Channel("ada", "Open", "public")
		into := domain.Ref{ID: open}
		private := importing.Options{Visibility: domain.Private}
		intoOpen := importing.Options{Visibility: domain.Private, Into: &into}
		run(t, r, marks("a", "Folder/", "b", ".."), private)
		show(r, "Folder", "closed")
		for name, o := range map[string]importing.Options{"own channels": private, "named channel": intoOpen} {
			for _, o.DryRun = range []bool{true, false} {
				before := r.Dump()
				report, err := importing.Run(t.Context(), r.S.App, ada(r), marks("a", "new", "Folder/", "b", "c", ".."), o)
				if len(report.Visible) != 1 || domain.KindOf(err) != domain.Unprocessable {
					t.Errorf("%s: %v", name, err)
				}
				if d := before.Diff(r.Dump()); len(d) > 0 {
					t.Errorf("%s: a refused import changed %v", name, d)
				}
			}
			o.DryRun, o.IntoVisible = false, true
			if report := run(t, r, marks("a", "new", "Folder/", "b", "c", ".."), o); report.Connections == 0 || report.Counts.LeftOut != 0 {
				t.Errorf("%s, allowed: %+v %v", name, report.Counts, report.LeftOut)
			}
		}
	})
}

// A source that defines visibilities is imported, except for channels that have been opened here.
func TestOpenedChannelsOfAnotherServer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss := func(items ...source.Item) script {
			s := script{func(ctx context.Context, to source.Sink) error {
				return to.Channel(ctx, source.Channel{ID: "10", Title: "Moss", Visibility: domain.Private})
			}, channel("11", "Ferns")}
			for _, it := range items {
				s = append(s, item("10", it), item("11", it))
			}
			return append(s, closed("10"), closed("11"))
		}
		one, two := text("1", "one"), text("2", "two")
		run(t, r, moss(one), importing.Options{Visibility: domain.Private})
		id := show(r, "Moss", "public")
		for _, dry := range []bool{true, false} {
			report := run(t, r, moss(one, two), importing.Options{Visibility: domain.Private, DryRun: dry})
			if report.Counts.LeftOut != 1 || !strings.Contains(fmt.Sprint(report.LeftOut), "Moss") || report.Connections != 1 {
				t.Errorf("dry is %t: %+v %v", dry, report.Counts, report.LeftOut)
			}
		}
		if n := r.Get("ada", "/v3/channels/%d", id).Int("counts.blocks"); n != 1 {
			t.Errorf("%d blocks are in the opened channel", n)
		}
		report := run(t, r, moss(one, two), importing.Options{Visibility: domain.Private, IntoVisible: true})
		if report.Counts.LeftOut != 0 || report.Connections != 1 {
			t.Errorf("allowed: %+v %v", report.Counts, report.LeftOut)
		}
	})
}

// former imports a file as earlier versions did, under an origin that all files shared.
type former struct{ source.Source }

func (former) Origin() string { return "bookmarks" }

func TestFilesOfFormerVersionsGoOn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		first := []string{"a", "b", "c", "Folder/", "d", ".."}
		run(t, r, former{marks(first...)}, importing.Options{Visibility: domain.Private})
		was := channelsOf(r)
		if c := run(t, r, marks(first...), importing.Options{Visibility: domain.Public, DryRun: true}).Counts; c.Channels+c.Blocks+c.Connections != 0 {
			t.Errorf("a dry run: %+v", c)
		}
		if c := run(t, r, marks(first...), importing.Options{Visibility: domain.Public}).Counts; c.Channels+c.Blocks+c.Connections+c.Changed != 0 || c.Unchanged != 5 {
			t.Errorf("again: %+v", c)
		}
		if got := channelsOf(r); !reflect.DeepEqual(got, was) {
			t.Errorf("channels: %v", got)
		}
		// The file has grown so much that its sample is not enough to identify it.
		grown := append([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"}, first...)
		if c := run(t, r, marks(grown...), importing.Options{Visibility: domain.Private}).Counts; c.Channels != 0 || c.Blocks != 13 {
			t.Errorf("grown: %+v", c)
		}
		// Another file gets its own channels, and private channels stay private.
		run(t, r, exported(t, "chrome-a.html"), importing.Options{Visibility: domain.Public})
		was["Bookmarks"], was["Recipes"] = []string{"public"}, []string{"public"}
		if got := channelsOf(r); !reflect.DeepEqual(got, was) {
			t.Errorf("channels after another file: %v", got)
		}
		// A link that is private here is not added to a new public folder.
		report := run(t, r, marks(append(grown, "New/", "a", "fresh", "..")...), importing.Options{Visibility: domain.Public})
		if report.Counts.LeftOut != 1 || !strings.Contains(fmt.Sprint(report.LeftOut), "It is private here") || report.Blocks != 1 {
			t.Errorf("moved into a public folder: %+v %v", report.Counts, report.LeftOut)
		}
	})
}

// formerIDs hands items over with the ids that earlier versions gave them.
type formerIDs struct{ source.Source }

func (formerIDs) Origin() string { return "bookmarks" }

func (s formerIDs) Read(ctx context.Context, to source.Sink) error {
	return s.Source.Read(ctx, takesFormer{to})
}

type takesFormer struct{ source.Sink }

func (to takesFormer) Item(ctx context.Context, channel string, it source.Item) error {
	it.ID, it.FormerID = cmp.Or(it.FormerID, it.ID), ""
	return to.Sink.Item(ctx, channel, it)
}

// TestLinksOfFormerVersionsAreKnown imports unusual URLs as earlier versions did, and then again.
func TestLinksOfFormerVersionsAreKnown(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		file := func(more string) source.Source {
			return files.Text(strings.NewReader(`<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Marks</H1><DL>
<DT><A HREF="http://exämple.org/ä">One</A><DT><A HREF="http://EXÄMPLE.org:80/a b?q=ü">Two</A>
<DT><A HREF="https://example.invalid/{b}|c?x={1}">Three</A><DT><A HREF="https://example.invalid/plain">Four</A>
<DT><A HREF="http://example.invalid/a\b">Five</A>`+more+`</DL>`), files.Options{Title: "Marks"})
		}
		table := func() source.Source {
			return files.Text(strings.NewReader("url,title\nhttp://exämple.org/ä,One\nhttps://example.invalid/?q={x},Six\n"), files.Options{Title: "table.csv"})
		}
		run(t, r, formerIDs{file("")}, importing.Options{Visibility: domain.Private})
		if c := run(t, r, file(""), importing.Options{Visibility: domain.Private, DryRun: true}).Counts; c.Channels+c.Blocks+c.Connections != 0 {
			t.Errorf("a dry run: %+v", c)
		}
		for range 2 {
			if c := run(t, r, file(""), importing.Options{Visibility: domain.Private}).Counts; c.Channels+c.Blocks+c.Connections+c.Changed != 0 || c.Unchanged != 5 {
				t.Errorf("again: %+v", c)
			}
		}
		if c := run(t, r, file(`<DT><A HREF="http://bücher.invalid/">New</A>`), importing.Options{Visibility: domain.Private}).Counts; c.Blocks != 1 || c.Unchanged != 5 {
			t.Errorf("with a new one: %+v", c)
		}
		run(t, r, formerIDs{table()}, importing.Options{Visibility: domain.Private})
		if c := run(t, r, table(), importing.Options{Visibility: domain.Private}).Counts; c.Channels+c.Blocks+c.Connections != 0 {
			t.Errorf("a table again: %+v", c)
		}
	})
}
