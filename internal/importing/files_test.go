package importing_test

import (
	"context"
	"fmt"
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

// marks returns a bookmark file with one bookmark for each name. Their pages do not exist.
func marks(names ...string) source.Source {
	var b strings.Builder
	b.WriteString("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Marks</H1><DL>\n")
	for _, name := range names {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			fmt.Fprintf(&b, "<DT><H3>%s</H3><DL>\n", folder)
		} else if name == ".." {
			b.WriteString("</DL>\n")
		} else {
			private := strings.HasPrefix(name, "secret")
			fmt.Fprintf(&b, "<DT><A HREF=\"https://%s.invalid/\" ADD_DATE=\"1400000000\" TAGS=\"x,y\" PRIVATE=\"%d\">%s</A>\n<DD>Note on %s\n", name, map[bool]int{true: 1}[private], name, name)
		}
	}
	b.WriteString("</DL>\n")
	return files.Text(strings.NewReader(b.String()), files.Options{Title: "Bookmarks"})
}

// fromTop returns the titles of a channel in display order.
func fromTop(r *apptest.Rig, slug string) []string {
	all := titles(r, slug)
	slices.Reverse(all)
	return all
}

func TestBookmarksStandAsInTheirFile(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		names := []string{"a", "b", "Folder/", "c", "d", "..", "e"}
		report := run(t, r, marks(names...), importing.Options{Visibility: domain.Public})
		if c := report.Counts; c.Channels != 2 || c.Blocks != 5 || c.Connections != 6 || c.LeftOut != 0 || c.Seen != c.Expected {
			t.Errorf("counts: %+v, left out %v", c, report.LeftOut)
		}
		if got, want := fromTop(r, "marks"), []string{"a", "b", "Folder", "e"}; !reflect.DeepEqual(got, want) {
			t.Errorf("contents: %v", got)
		}
		if got, want := fromTop(r, "folder"), []string{"c", "d"}; !reflect.DeepEqual(got, want) {
			t.Errorf("contents of the folder: %v", got)
		}

		// The file has grown at its top, in the middle, at its end, and in the folder.
		grown := []string{"new1", "a", "new2", "new3", "b", "Folder/", "new4", "c", "d", "new5", "..", "e", "new6"}
		report = run(t, r, marks(grown...), importing.Options{Visibility: domain.Public})
		if c := report.Counts; c.Channels != 0 || c.Blocks != 6 || c.Connections != 6 || c.Moved != 0 {
			t.Errorf("counts: %+v", c)
		}
		if got, want := fromTop(r, "marks"), []string{"new1", "a", "new2", "new3", "b", "Folder", "e", "new6"}; !reflect.DeepEqual(got, want) {
			t.Errorf("grown: %v", got)
		}
		if got, want := fromTop(r, "folder"), []string{"new4", "c", "d", "new5"}; !reflect.DeepEqual(got, want) {
			t.Errorf("grown folder: %v", got)
		}

		// Items moved in the file, after one was added here.
		r.Block("ada", "mine", r.Get("ada", "/v3/channels/marks").Int("id"))
		moved := []string{"e", "a", "new1", "new2", "new3", "b", "Folder/", "new4", "c", "d", "new5", "..", "new6"}
		run(t, r, marks(moved...), importing.Options{})
		if got, want := without(fromTop(r, "marks"), ""), []string{"e", "a", "new1", "new2", "new3", "b", "Folder", "new6"}; !reflect.DeepEqual(got, want) {
			t.Errorf("moved: %v", got)
		}
		again := run(t, r, marks(moved...), importing.Options{})
		if c := again.Counts; c.Channels+c.Blocks+c.Connections+c.Changed+c.Moved != 0 || c.Unchanged != 12 {
			t.Errorf("again: %+v", c)
		}
	})
}

// TestLinksWhosePagesAreGone runs the jobs that fetch missing pages.
func TestLinksWhosePagesAreGone(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Person("ada")
	run(t, r, marks("a"), importing.Options{})
	id := r.Get("ada", "/v3/channels/marks/contents").Int("data.0.id")
	for r.WorkJobs(); r.Get("ada", "/v3/blocks/%d", id).Str("state") == "processing"; r.WorkJobs() {
		r.HastenJobs()
	}
	contents := r.Get("ada", "/v3/channels/marks/contents").Want(200)
	for path, want := range map[string]any{"data.0.type": "Link", "data.0.title": "a", "data.0.description.plain": "Note on a",
		"data.0.source.url": "https://a.invalid/", "data.0.created_at": "2014-05-13T16:53:20.000Z", "data.0.connection.connected_at": "2014-05-13T16:53:20.000Z",
		"data.0.metadata.tags": "x, y"} {
		if got := contents.Get(path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v instead of %v", path, got, want)
		}
	}
}

func TestIntoAChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		made := r.Do("ada", "POST", "/v3/channels", `{"title":"Mine","visibility":"public"}`).Want(201)
		r.Block("ada", "before", made.Int("id"))
		into := domain.Ref{ID: made.Int("id")}
		report := run(t, r, marks("a", "Folder/", "b", "secret1", "..", "c"), importing.Options{Into: &into})
		if got, want := fromTop(r, "mine"), []string{"a", "b", "c", ""}; !reflect.DeepEqual(got, want) {
			t.Errorf("contents: %v", got)
		}
		if report.LeftOut == nil || report.Blocks != 3 || report.Channels != 0 {
			t.Errorf("what is private came into a channel that all see: %+v", report)
		}
		run(t, r, marks("new", "a", "Folder/", "b", "..", "c"), importing.Options{Into: &into})
		if got := fromTop(r, "mine"); !slices.Contains(got, "new") || len(got) != 5 || got[0] == "" {
			t.Errorf("grown: %v", got)
		}
		hidden := r.Do("ada", "POST", "/v3/channels", `{"title":"Hidden","visibility":"private"}`).Want(201)
		into = domain.Ref{ID: hidden.Int("id")}
		run(t, r, marks("secret1", "a"), importing.Options{Into: &into})
		if got, want := fromTop(r, hidden.Str("slug")), []string{"secret1", "a"}; len(got) != len(want) {
			t.Errorf("contents of what is private: %v", got)
		}
	})
}

// TestManyChannelsAtOnce imports a table with another channel in each row.
func TestManyChannelsAtOnce(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Person("ada")
	const channels, rounds = 40, 3
	table := func() source.Source {
		var b strings.Builder
		b.WriteString("url,title,channel\n")
		for round := range rounds {
			for c := range channels {
				fmt.Fprintf(&b, "https://c%d.invalid/%d,%d of %d,Channel %d\n", c, round, round, c, c)
			}
		}
		return files.Text(strings.NewReader(b.String()), files.Options{Title: "Table"})
	}
	report := run(t, r, table(), importing.Options{})
	if c := report.Counts; c.Channels != channels+1 || c.Blocks != channels*rounds || c.Connections != channels*(rounds+1) {
		t.Errorf("counts: %+v", c)
	}
	if got, want := fromTop(r, "channel-7"), []string{"0 of 7", "1 of 7", "2 of 7"}; !reflect.DeepEqual(got, want) {
		t.Errorf("contents: %v", got)
	}
	if c := run(t, r, table(), importing.Options{}).Counts; c.Channels+c.Blocks+c.Connections+c.Changed+c.Moved != 0 {
		t.Errorf("again: %+v", c)
	}
}

func TestWhatIsInNoChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		bob := r.Person("bob")
		r.Person("ada")
		bobs := r.Get("ada", "/v3/users/%d", bob.ID).Want(200)
		picture := apptest.PNG(t, 40, 40)
		s := script{channel("10", "Moss"),
			func(ctx context.Context, to source.Sink) error { return to.Orphan(ctx, text("1", "Loose")) },
			comment("", "1", source.Comment{ID: "100", Body: "On it", CreatedAt: then, Author: source.Person{Self: true}}),
			closed("10"),
			func(ctx context.Context, to source.Sink) error {
				for _, f := range []source.Following{
					{Type: domain.SubjectUser, ID: "5", Name: bobs.Str("name"), Slug: bobs.Str("slug")},
					{Type: domain.SubjectUser, ID: "6", Name: "Another", Slug: bobs.Str("slug")},
					{Type: domain.SubjectUser, ID: "7", Name: "Nobody", Slug: "nobody"},
					{Type: domain.SubjectChannel, ID: "10", Name: "Moss", Slug: "moss"},
					{Type: domain.SubjectChannel, ID: "99", Name: "Elsewhere", Slug: "moss"},
					{Type: domain.SubjectGroup, ID: "8", Name: "None", Slug: "none"},
					{Type: "Planet", ID: "9", Name: "Mars", Slug: "mars"},
				} {
					if err := to.Following(ctx, f); err != nil {
						return err
					}
				}
				return to.Profile(ctx, source.Profile{About: "I *am*", Picture: file("me.png", picture)})
			}}
		report := run(t, r, s, importing.Options{})
		if c := report.Counts; c.Blocks != 1 || c.Connections != 0 || c.Comments != 1 || c.LeftOut != 5 {
			t.Errorf("counts: %+v, left out %v", c, report.LeftOut)
		}
		r.WorkJobs()
		me := r.Get("ada", "/v3/me").Want(200)
		if me.Str("bio.plain") != "I am" || me.Get("avatar") == nil {
			t.Errorf("profile: %s", me.Body)
		}
		follows := r.Get("ada", "/v3/users/%d/following", me.Int("id")).Want(200)
		if follows.Len("data") != 2 {
			t.Errorf("follows: %s", follows.Body)
		}
		again := run(t, r, s, importing.Options{})
		if c := again.Counts; c.Blocks+c.Comments+c.Changed != 0 || c.Unchanged != 1 {
			t.Errorf("again: %+v", c)
		}
	})
}
