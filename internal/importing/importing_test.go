package importing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/source"
)

// script is a source whose calls are written by a test.
type script []func(ctx context.Context, to source.Sink) error

func (script) Origin() string { return "https://elsewhere.test" }

func (s script) Read(ctx context.Context, to source.Sink) error {
	for _, step := range s {
		if err := step(ctx, to); err != nil {
			return err
		}
	}
	return nil
}

var then = time.Date(2019, 5, 4, 3, 2, 1, 0, time.UTC)

func channel(id, title string) func(context.Context, source.Sink) error {
	return func(ctx context.Context, to source.Sink) error {
		return to.Channel(ctx, source.Channel{ID: id, Title: title, Description: "About " + title, Visibility: domain.Public,
			CreatedAt: then, Owner: source.Person{Name: "Bob *Elsewhere*", Address: "https://elsewhere.test/bob"}})
	}
}

func item(in string, it source.Item) func(context.Context, source.Sink) error {
	return func(ctx context.Context, to source.Sink) error { return to.Item(ctx, in, it) }
}

func comment(in, of string, c source.Comment) func(context.Context, source.Sink) error {
	return func(ctx context.Context, to source.Sink) error { return to.Comment(ctx, in, of, c) }
}

func closed(id string) func(context.Context, source.Sink) error {
	return func(ctx context.Context, to source.Sink) error { return to.Close(ctx, id) }
}

func text(id, words string) source.Item {
	return source.Item{ID: id, Kind: source.Text, Title: "Note " + id, Content: words, CreatedAt: then.Add(time.Hour),
		ConnectedAt: then.Add(2 * time.Hour), Author: source.Person{Self: true}, AddedBy: source.Person{Self: true}}
}

func file(name string, content []byte) *source.File {
	return &source.File{Name: name, Size: int64(len(content)), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

// run imports as ada.
func run(t *testing.T, r *apptest.Rig, s source.Source, o importing.Options) importing.Report {
	t.Helper()
	report, err := importing.Run(t.Context(), r.S.App, ada(r), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func ada(r *apptest.Rig) domain.Actor {
	return domain.Actor{UserID: r.Person("ada").ID, Tier: domain.TierPremium, Scope: domain.ScopeWrite}
}

// titles returns the titles of a channel's items from the bottom.
func titles(r *apptest.Rig, slug string) (all []string) {
	contents := r.Get("ada", "/v3/channels/%s/contents?sort=position_asc&per=100", slug).Want(200)
	for i := range contents.Len("data") {
		title, _ := contents.Get(fmt.Sprintf("data.%d.title", i)).(string)
		all = append(all, title)
	}
	return all
}

func TestThingsComeWithAllTheyHave(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("bob")
		picture := apptest.PNG(t, 30, 20)
		link := source.Item{ID: "3", Kind: source.Link, Complete: true, Title: "A page", Address: "https://example.org/a", BlockTexts: domain.BlockTexts{SourceTitle: new("Page")},
			Content: "Its *text*", Preview: file("p.png", picture), Metadata: map[string]any{"colour": "red"}, Tags: []string{"a", "b"},
			Author: source.Person{Name: "Cy", Address: "https://elsewhere.test/cy"}, AddedBy: source.Person{Name: "Di"},
			ConnectionMetadata: map[string]any{"why": "so"}, CreatedAt: then, ConnectedAt: then.Add(time.Minute), Pinned: true}
		s := script{channel("10", "Moss"), channel("11", "Ferns"),
			item("10", text("1", "One <script>alert(1)</script>")),
			comment("10", "1", source.Comment{ID: "100", Body: "What moss, @bob!", CreatedAt: then.Add(3 * time.Hour),
				Author: source.Person{Name: "Cy [x]", Address: "https://elsewhere.test/cy"}}),
			item("10", source.Item{ID: "2", Kind: source.Image, Title: "A picture", BlockTexts: domain.BlockTexts{AltText: new("Green")}, File: file("m.png", picture), CreatedAt: then}),
			item("10", link),
			item("10", source.Item{ID: "4", Kind: source.Attachment, Title: "A file", File: file("a.txt", []byte("words of a file"))}),
			item("10", source.Item{ID: "11", Kind: source.Nested, Title: "Ferns", ConnectedAt: then}),
			item("10", source.Item{ID: "12", Kind: source.Nested, Title: "Not imported", Where: "https://elsewhere.test/12"}),
			closed("10"),
			item("11", text("1", "One <script>alert(1)</script>")), closed("11")}
		report := run(t, r, s, importing.Options{})
		if c := report.Counts; c.Channels != 2 || c.Blocks != 4 || c.Connections != 6 || c.Comments != 1 || c.Files != 3 || c.LeftOut != 1 {
			t.Errorf("counts: %+v, left out %v", c, report.LeftOut)
		}
		if got, want := titles(r, "moss"), []string{"Note 1", "A picture", "A page", "A file", "Ferns"}; !reflect.DeepEqual(got, want) {
			t.Errorf("contents: %v", got)
		}
		contents := r.Get("ada", "/v3/channels/moss/contents?sort=position_asc").Want(200)
		for path, want := range map[string]any{
			"data.0.created_at": "2019-05-04T04:02:01.000Z", "data.0.connection.connected_at": "2019-05-04T05:02:01.000Z",
			"data.1.type": "Image", "data.1.image.alt_text": "Green", "data.1.image.width": 30,
			"data.2.type": "Link", "data.2.state": "available", "data.2.source.url": "https://example.org/a", "data.2.source.title": "Page",
			"data.2.metadata.colour": "red", "data.2.metadata.imported_author": "Cy", "data.2.metadata.tags": "a, b", "data.2.content.plain": "Its text",
			"data.2.connection.metadata.why": "so", "data.2.connection.metadata.imported_author": "Di", "data.2.connection.pinned": true,
			"data.3.type": "Attachment", "data.3.attachment.filename": "a.txt", "data.0.comment_count": 1,
		} {
			if got := contents.Get(path); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v instead of %v", path, got, want)
			}
		}
		if html := contents.Str("data.0.content.html"); strings.Contains(html, "<script") {
			t.Errorf("a script came: %s", html)
		}
		said := r.Get("ada", "/v3/blocks/%d/comments", contents.Int("data.0.id")).Want(200)
		if body := said.Str("data.0.body.plain"); !strings.Contains(body, "Cy [x]") || !strings.Contains(body, "What moss, @bob!") ||
			said.Str("data.0.created_at") != "2019-05-04T06:02:01.000Z" {
			t.Errorf("comment: %s", said.Body)
		}
		if n := r.Get("bob", "/v3/me").Want(200).Int("counts.notifications"); n != 0 {
			t.Errorf("bob was told %d things", n)
		}
		again := run(t, r, s, importing.Options{})
		if c := again.Counts; c.Channels+c.Blocks+c.Connections+c.Comments+c.Files+c.Changed+c.Moved != 0 || c.Unchanged != 6 {
			t.Errorf("again: %+v", c)
		}
	})
}

func TestAgainTakesWhatChanged(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		all := func(items ...source.Item) script {
			s := script{channel("10", "Moss")}
			for _, it := range items {
				s = append(s, item("10", it))
			}
			return append(s, closed("10"))
		}
		one, two, three, four := text("1", "one"), text("2", "two"), text("3", "three"), text("4", "four")
		run(t, r, all(one, two, three), importing.Options{})
		r.Person("ada")
		was := r.Get("ada", "/v3/channels/moss/contents?sort=position_asc").Want(200)
		ids := was.Ints("data", "id")

		// Items are added in the middle, and at the end after an item that was added here.
		r.Block("ada", "mine", r.Get("ada", "/v3/channels/moss").Int("id"))
		run(t, r, all(one, four, two, three, text("5", "five")), importing.Options{})
		if got, want := titles(r, "moss"), []string{"Note 1", "Note 4", "Note 2", "", "Note 3", "Note 5"}; len(got) != 6 {
			t.Errorf("added: %v instead of like %v", got, want)
		} else if withoutMine := without(got, ""); !reflect.DeepEqual(withoutMine, without(want, "")) {
			t.Errorf("added: %v", withoutMine)
		}

		// Changed there, here, or on both sides; removed here; deleted there.
		r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", ids[1]), `{"title":"My two"}`).Want(200)
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/connections/%d", was.Int("data.2.connection.id")), nil).Want(204)
		one.Title, two.Title, two.Content = "First", "Second", "two, changed"
		report := run(t, r, all(one, two, three, four), importing.Options{})
		if got, want := without(titles(r, "moss"), ""), []string{"First", "My two", "Note 4", "Note 5"}; len(got) != len(want) || report.Changed != 2 {
			t.Errorf("changed: %v, %+v", got, report.Counts)
		}
		if got := r.Get("ada", "/v3/blocks/%d", ids[1]).Want(200); got.Str("content.plain") != "two, changed" || got.Str("title") != "My two" {
			t.Errorf("changed on both sides: %s", got.Body)
		}

		// A deleted channel that is imported again is restored as it is there.
		r.Do("ada", "DELETE", "/v3/channels/moss", nil).Want(204)
		run(t, r, all(one, two, three, four), importing.Options{})
		slug := r.Get("ada", "/v3/users/ada/contents?type=Channel").Want(200).Str("data.0.slug")
		if got, want := titles(r, slug), []string{"First", "My two", "Note 3", "Note 4"}; !reflect.DeepEqual(got, want) {
			t.Errorf("made again: %v", got)
		}
	})
}

func without(all []string, what string) (some []string) {
	for _, one := range all {
		if one != what {
			some = append(some, one)
		}
	}
	return some
}

func TestWhatIsTooMuchIsCutOrLeftOut(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	long := text("1", "fine")
	long.Title = strings.Repeat("ä", 10<<20/2)
	long.Metadata = map[string]any{"good": "x", "bad key": "y", "list": []any{1}}
	long.ConnectedAt, long.CreatedAt = time.Now().Add(1e6*time.Hour), time.Time{}
	gone := source.Item{ID: "5", Kind: source.Image, Title: "Gone", Where: "https://elsewhere.test/5", File: &source.File{Name: "x",
		Open: func(context.Context) (io.ReadCloser, error) {
			return nil, &source.Unusable{Why: "The server answered 404"}
		}}}
	s := script{
		func(ctx context.Context, to source.Sink) error {
			return to.Channel(ctx, source.Channel{ID: "10", Title: "  ", Where: "https://elsewhere.test/10"})
		},
		item("10", text("9", "in a channel without a name")), closed("10"),
		channel("11", "Moss"), item("11", long), item("11", text("2", strings.Repeat("x", 200_001))), item("11", text("3", "")),
		item("11", source.Item{ID: "4", Kind: source.Link, Complete: true, Address: "javascript:alert(1)"}),
		item("11", source.Item{ID: "6", Kind: "Hologram"}), item("11", gone), item("11", text("7", "last")), closed("11")}
	report := run(t, r, s, importing.Options{})
	if c := report.Counts; c.Channels != 1 || c.Blocks != 2 || c.LeftOut != 9 {
		t.Errorf("counts: %+v\n%v", c, report.LeftOut)
	}
	contents := r.Get("ada", "/v3/channels/moss/contents?sort=position_asc").Want(200)
	if title := contents.Str("data.0.title"); len([]rune(title)) != domain.MaxTitle || contents.Get("data.0.metadata.good") != "x" {
		t.Errorf("cut: %s", contents.Body)
	}
	whole := gone
	whole.File = file("x.png", apptest.PNG(t, 3, 3))
	s[len(s)-3] = item("11", whole)
	if report := run(t, r, s, importing.Options{}); report.Blocks != 1 {
		t.Errorf("what could not be had is not tried again: %+v", report.Counts)
	}
	if got, want := titles(r, "moss")[1:], []string{"Gone", "Note 7"}; !reflect.DeepEqual(got, want) {
		t.Errorf("it came to stand elsewhere: %v", got)
	}
}

// The text of a saved page that is too long is cut, and its link is imported.
func TestLongArticleIsCut(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	saved := source.Item{ID: "1", Kind: source.Link, Complete: true, Address: "https://example.org/", Title: "Saved", Content: strings.Repeat("ä", domain.MaxMarkdown+1)}
	report := run(t, r, script{channel("10", "Moss"), item("10", saved), closed("10")}, importing.Options{})
	if report.Blocks != 1 || report.Counts.LeftOut != 1 {
		t.Errorf("counts: %+v\n%v", report.Counts, report.LeftOut)
	}
	text := r.Get("ada", "/v3/channels/moss/contents").Want(200).Str("data.0.content.markdown")
	if n := len([]rune(text)); n != domain.MaxMarkdown {
		t.Errorf("%d characters", n)
	}
}

func TestAnImportGoesOn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := script{channel("10", "Moss")}
		for i := range 250 {
			s = append(s, item("10", text(fmt.Sprint(i), "words")))
		}
		s = append(s, closed("10"))
		stopped := errors.New("stopped")
		for _, at := range []int{1, 101, 130, 220} {
			cutOff := append(append(script{}, s[:at]...), func(context.Context, source.Sink) error { return stopped })
			if _, err := importing.Run(t.Context(), r.S.App, ada(r), cutOff, importing.Options{}); !errors.Is(err, stopped) {
				t.Fatal(err)
			}
		}
		report := run(t, r, s, importing.Options{})
		if report.Unchanged != 200 || report.Blocks != 50 || report.Moved != 0 {
			t.Errorf("the rest: %+v", report.Counts)
		}
		page := r.Get("ada", "/v3/channels/moss/contents?sort=position_asc&per=100&page=3").Want(200)
		if page.Int("meta.total_count") != 250 || page.Str("data.49.title") != "Note 249" {
			t.Errorf("contents: %v", page.Get("meta"))
		}
	})
}

func TestADryRunMakesNothing(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Person("ada")
	before := r.Dump()
	unread := &source.File{Open: func(context.Context) (io.ReadCloser, error) { panic("a dry run opened a file") }}
	s := script{channel("10", "Moss"), channel("11", "Ferns"), item("10", text("1", "one")), item("10", source.Item{ID: "2", Kind: source.Image, File: unread}),
		item("10", source.Item{ID: "11", Kind: source.Nested}), closed("10"), closed("11")}
	if c := run(t, r, s, importing.Options{DryRun: true}).Counts; c.Channels != 2 || c.Blocks != 2 || c.Connections != 3 || c.LeftOut != 0 {
		t.Errorf("counts: %+v", c)
	}
	if d := before.Diff(r.Dump()); len(d) > 0 {
		t.Errorf("a dry run changed %v", d)
	}
}

func TestEverythingIntoOneChannel(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Channel("ada", "Mine", "private")
	s := script{channel("10", "Moss"), channel("11", "Ferns"), item("10", text("1", "one")), item("11", text("2", "two")),
		item("10", source.Item{ID: "11", Kind: source.Nested}), closed("10"), closed("11")}
	slug := r.Get("ada", "/v3/users/ada/contents?type=Channel").Str("data.0.slug")
	for range 2 {
		report := run(t, r, s, importing.Options{Into: &domain.Ref{Slug: slug}})
		if report.Channels != 0 || report.LeftOut != nil {
			t.Errorf("counts: %+v %v", report.Counts, report.LeftOut)
		}
	}
	if got := titles(r, slug); !reflect.DeepEqual(got, []string{"Note 1", "Note 2"}) {
		t.Errorf("contents: %v", got)
	}
}
