package app_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/browser"
	"vitrine/internal/browser/browsertest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// fakeBrowser renders every page as the same one.
type fakeBrowser struct {
	shown browser.Rendered
	err   error
}

func (f *fakeBrowser) Render(_ context.Context, from browser.Getter, first browser.Page, _ browser.Limits) (*browser.Rendered, error) {
	if f.err != nil {
		return nil, f.err
	}
	shown := f.shown
	shown.URL, shown.Parts = first.URL, from
	return &shown, nil
}

// withBrowser runs f on a server with a browser on each database.
func withBrowser(t *testing.T, f func(t *testing.T, r *apptest.Rig, b *fakeBrowser), options ...apptest.Option) {
	t.Helper()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		b := &fakeBrowser{shown: browser.Rendered{HTML: []byte("<title>Shown</title><p>Written by a script</p>"), Picture: apptest.PNG(t, 9, 9), PDF: []byte("%PDF-1.7\n%%EOF")}}
		f(t, apptest.BootServer(t, o, func(so *server.Options) { so.Browser = b }, options...), b)
	})
}

// kindsOf returns the kinds of saved copies.
func kindsOf(all []domain.Snapshot) string {
	var kinds []string
	for _, s := range all {
		kinds = append(kinds, string(s.Kind))
	}
	return strings.Join(kinds, " ")
}

// newestOf returns the newest saved copy of a block.
func newestOf(r *apptest.Rig, as string, id domain.BlockID) *domain.Snapshot {
	r.T.Helper()
	b, err := r.S.App.Collections.Block(r.T.Context(), actorOf(r, as), id)
	if err != nil {
		r.T.Fatal(err)
	}
	s, err := r.S.App.Content.NewestSnapshot(r.T.Context(), actorOf(r, as), b)
	if err != nil {
		r.T.Fatal(err)
	}
	return s
}

func contentOf(r *apptest.Rig, s domain.Snapshot) string {
	r.T.Helper()
	f, err := r.S.App.Content.OpenSnapshot(r.T.Context(), s)
	if err != nil {
		r.T.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(f)
	if err != nil {
		r.T.Fatal(err)
	}
	return string(text)
}

// A copy from the server is the page as the browser shows it. Its picture and its PDF are shared and deleted with it.
func TestRenderedSnapshot(t *testing.T) {
	t.Parallel()
	withBrowser(t, func(t *testing.T, r *apptest.Rig, b *fakeBrowser) {
		r.Web("example.com/page", apptest.Serve("text/html", []byte("<title>Shell</title><p>Loading</p>")))
		a, ctx := r.S.App.Content, t.Context()
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
		take := func() []domain.Snapshot {
			t.Helper()
			r.Clock.Advance(time.Minute)
			if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil {
				t.Fatal(err)
			}
			_, q := copiesOf(r, "ada", id)
			r.WorkJobs()
			if err := a.TakeSnapshot(ctx, content.TakeSnapshot{Block: id, Round: q.Round}); err != nil { // again
				t.Fatal(err)
			}
			all, q := copiesOf(r, "bob", id)
			if q.Block != 0 {
				t.Errorf("%+v", q)
			}
			return all
		}
		first := take()
		if kindsOf(first) != "page screenshot pdf" {
			t.Fatalf("%+v", first)
		}
		page := first[0]
		if text := contentOf(r, page); !strings.Contains(text, "Written by a script") || page.Title != "Shown" {
			t.Errorf("%+v: %s", page, text)
		}
		if newest := newestOf(r, "bob", id); newest == nil || newest.ID != page.ID {
			t.Errorf("%+v", newest)
		}
		if contentOf(r, first[1]) != string(b.shown.Picture) || contentOf(r, first[2]) != string(b.shown.PDF) {
			t.Error("the picture or the PDF is different")
		}
		for _, s := range first[1:] {
			if !s.Accompanies() || !s.TakenAt.Equal(page.TakenAt) || !s.Shared || s.Owner != page.Owner {
				t.Errorf("%+v", s)
			}
		}
		used, _, err := a.SnapshotUsage(ctx, actorOf(r, "ada"))
		if err != nil || used != first[0].Size+first[1].Size+first[2].Size {
			t.Errorf("%d, %v", used, err)
		}
		if all := take(); len(all) != 3 {
			t.Errorf("the same page was saved twice: %s", kindsOf(all))
		}
		b.shown.HTML = []byte("<p>Another version</p>") // with the same picture
		if all := take(); kindsOf(all) != "page screenshot pdf page screenshot pdf" {
			t.Fatalf("%s", kindsOf(all))
		}
		b.err = errors.New("crashed")
		all := take()
		if kindsOf(all) != "page page screenshot pdf page screenshot pdf" || !strings.Contains(contentOf(r, all[0]), "Loading") {
			t.Fatalf("%s", kindsOf(all))
		}
		if _, err := a.ShareSnapshot(ctx, actorOf(r, "ada"), page.ID, false); err != nil {
			t.Fatal(err)
		}
		if all, _ := copiesOf(r, "bob", id); kindsOf(all) != "page page screenshot pdf" {
			t.Errorf("bob sees %s", kindsOf(all))
		}
		if _, _, err := a.Snapshot(ctx, actorOf(r, "bob"), first[1].ID); domain.KindOf(err) != domain.NotFound {
			t.Errorf("bob sees a picture of a private copy: %v", err)
		}
		if err := a.DeleteSnapshot(ctx, actorOf(r, "ada"), page.ID); err != nil {
			t.Fatal(err)
		}
		left, _ := copiesOf(r, "ada", id)
		if kindsOf(left) != "page page screenshot pdf" {
			t.Errorf("%s", kindsOf(left))
		}
		if err := a.DeleteSnapshot(ctx, actorOf(r, "ada"), left[2].ID); err != nil { // only the picture
			t.Fatal(err)
		}
		if left, _ = copiesOf(r, "ada", id); kindsOf(left) != "page page pdf" {
			t.Errorf("%s", kindsOf(left))
		}
		storetest.Check(t, r.S.Store)
	})
}

// A page that the browser changed beyond the limits is copied without it. Pictures that are too large, or for which there is
// no space, are left out, and the copy is saved.
func TestRenderedSnapshotLimits(t *testing.T) {
	t.Parallel()
	withBrowser(t, func(t *testing.T, r *apptest.Rig, b *fakeBrowser) {
		r.Web("example.com/", apptest.Serve("text/html", []byte("<title>Plain</title><p>From the server</p>")))
		a, ctx := r.S.App.Content, t.Context()
		channel := r.Channel("ada", "Moss", "public")
		take := func(address string) []domain.Snapshot {
			t.Helper()
			id := linkOf(r, "ada", address, channel)
			if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			all, q := copiesOf(r, "ada", id)
			if q.Block != 0 {
				t.Errorf("%+v", q)
			}
			return all
		}
		shown := b.shown
		b.shown.HTML = bytes.Repeat([]byte("<p>"), 200_000)
		if all := take("https://example.com/1"); kindsOf(all) != "page" || !strings.Contains(contentOf(r, all[0]), "From the server") {
			t.Errorf("%s", kindsOf(all))
		}
		b.shown = shown
		b.shown.Picture = append(bytes.Clone(shown.Picture), make([]byte, 60_000)...)
		if all := take("https://example.com/2"); kindsOf(all) != "page pdf" {
			t.Errorf("%s", kindsOf(all))
		}
		b.shown = shown
		b.shown.Picture, b.shown.PDF, b.shown.Lost = []byte("not a picture"), nil, errors.New("no PDF")
		if all := take("https://example.com/3"); kindsOf(all) != "page" {
			t.Errorf("%s", kindsOf(all))
		}
		b.shown = shown
		used, _, err := a.SnapshotUsage(ctx, actorOf(r, "ada"))
		if err != nil {
			t.Fatal(err)
		}
		b.shown.PDF = append(bytes.Clone(shown.PDF), make([]byte, 100_000-used)...)
		if all := take("https://example.com/4"); kindsOf(all) != "page screenshot" {
			t.Errorf("%s", kindsOf(all))
		}
		storetest.Check(t, r.S.Store)
	}, func(c *config.Config) {
		c.SnapshotLimit, c.SnapshotQuota = 50_000, map[string]int64{"free": 1 << 20, "premium": 1 << 20, "supporter": 100_000}
	})
}

// The pictures of a copy are in Trash with its block, and come back.
func TestRenderedSnapshotInTrash(t *testing.T) {
	t.Parallel()
	withBrowser(t, func(t *testing.T, r *apptest.Rig, _ *fakeBrowser) {
		r.Web("example.com/", apptest.Serve("text/html", []byte("<p>Loading</p>")))
		channel := r.Channel("ada", "Moss", "public")
		id := linkOf(r, "ada", "https://example.com/", channel)
		if err := r.S.App.Content.RequestSnapshot(t.Context(), actorOf(r, "ada"), id); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		before, _ := copiesOf(r, "ada", id)
		if len(before) != 3 {
			t.Fatalf("%+v", before)
		}
		if err := r.S.App.Collections.DeleteBlock(t.Context(), actorOf(r, "ada"), id); err != nil {
			t.Fatal(err)
		}
		trash, err := r.S.App.Collections.Trash(t.Context(), actorOf(r, "ada"), domain.Page{Number: 1, Per: 10})
		if err != nil || len(trash.Items) != 1 {
			t.Fatalf("%+v, %v", trash, err)
		}
		if used, _, err := r.S.App.Content.SnapshotUsage(t.Context(), actorOf(r, "ada")); err != nil || used != before[0].Size+before[1].Size+before[2].Size {
			t.Errorf("%d, %v", used, err)
		}
		if _, err := r.S.App.Collections.RestoreTrashed(t.Context(), actorOf(r, "ada"), trash.Items[0].ID); err != nil {
			t.Fatal(err)
		}
		if after, _ := copiesOf(r, "ada", id); kindsOf(after) != kindsOf(before) {
			t.Errorf("%+v", after)
		}
		storetest.Check(t, r.S.Store)
	}, apptest.Trash)
}

// The setting --browser-url selects a browser, and a browser that is not there changes nothing but the pictures.
func TestBrowserURL(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "page screenshot pdf", "http://127.0.0.1:1": "page"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "" {
				name = browsertest.Start(t)
			}
			r := apptest.New(t, func(c *config.Config) { c.BrowserURL = name })
			r.Web("example.com/page", apptest.Serve("text/html", []byte(`<p>Loading</p><script src=/app.js></script>`)))
			r.Web("example.com/app.js", apptest.Serve("text/javascript", []byte(`document.querySelector("p").textContent = "Drawn"`)))
			r.Web("example.com/favicon.ico", http.NotFound)
			id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
			if err := r.S.App.Content.RequestSnapshot(t.Context(), actorOf(r, "ada"), id); err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			all, q := copiesOf(r, "ada", id)
			if kindsOf(all) != want {
				t.Fatalf("%s: %s, %+v", name, kindsOf(all), q)
			}
			if text := contentOf(r, all[0]); strings.Contains(text, "Drawn") != (len(all) == 3) || strings.Contains(text, "script") {
				t.Errorf("%s", text)
			}
		})
	}
}
