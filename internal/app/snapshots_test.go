package app_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// article is a page with enough prose to be an article, and one word to search for.
func article(title, word string) string {
	return fmt.Sprintf("<!DOCTYPE html><html><head><title>%s</title></head><body><article><h1>%[1]s</h1><p>%s</p></article></body></html>",
		title, strings.Repeat("A sentence about the moss that grows on "+word+" and on old walls. ", 8))
}

// linkOf creates a Link of a page whose own text says nothing.
func linkOf(r *apptest.Rig, as, address string, channels ...int64) domain.BlockID {
	r.T.Helper()
	id := r.Block(as, address, channels...)
	r.WorkJobs()
	return domain.BlockID(id)
}

func actorOf(r *apptest.Rig, name string) domain.Actor {
	return domain.Actor{UserID: r.Person(name).ID, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
}

func pageOf(body string) content.SnapshotInput {
	return content.SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromBrowser, Length: int64(len(body)), Body: strings.NewReader(body)}
}

// Copies are seen by the owner of their block, and by others only if they are shared. Only then is their text the text of
// the block, which searches find.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", []byte("<title>Please sign in</title>")))
		a, ctx := r.S.App.Content, t.Context()
		ada, bob, guest := actorOf(r, "ada"), actorOf(r, "bob"), domain.Actor{}
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
		found := func(as, word string) int { return r.Get(as, "/v3/search?query=%s", word).Len("data") }
		add := func(body string) domain.Snapshot {
			t.Helper()
			s, err := a.AddSnapshot(ctx, ada, id, pageOf(body))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		first := add(article("Moss", "graniteword"))
		if first.Title != "Moss" || !first.Article || first.Shared || first.Address != "https://example.com/page" || !strings.Contains(first.Text, "graniteword") {
			t.Errorf("%+v", first)
		}
		if again := add(article("Moss", "graniteword")); again.ID != first.ID {
			t.Error("the same bytes were saved twice")
		}
		r.Clock.Advance(time.Hour)
		second := add(article("Moss", "basaltword"))
		sees := func(actor domain.Actor, want ...domain.SnapshotID) {
			t.Helper()
			b, err := r.S.App.Collections.Block(ctx, actor, id)
			if err != nil {
				t.Fatal(err)
			}
			all, err := a.BlockSnapshots(ctx, actor, b)
			var got []domain.SnapshotID
			for _, s := range all {
				got = append(got, s.ID)
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("sees %v, not %v: %v", got, want, err)
			}
			for _, s := range []domain.SnapshotID{first.ID, second.ID} {
				_, _, err := a.Snapshot(ctx, actor, s)
				if seen := err == nil; seen != strings.Contains(fmt.Sprint(want), fmt.Sprint(s)) {
					t.Errorf("reading %d: %v", s, err)
				}
			}
		}
		share := func(s domain.Snapshot, shared bool) {
			t.Helper()
			if _, err := a.ShareSnapshot(ctx, ada, s.ID, shared); err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
		}
		sees(ada, second.ID, first.ID)
		sees(bob)
		sees(guest)
		for _, who := range []string{"ada", "bob", ""} {
			if who != "" && found(who, "graniteword") != 0 {
				t.Errorf("%q finds a private copy", who)
			}
		}
		share(first, true)
		sees(bob, first.ID)
		sees(guest, first.ID)
		if found("bob", "graniteword") != 1 || found("bob", "basaltword") != 0 {
			t.Error("the text of a shared copy is not the text of the block")
		}
		share(second, true)
		if found("bob", "graniteword") != 0 || found("bob", "basaltword") != 1 {
			t.Error("the text of the newest shared copy is not the text of the block")
		}
		if err := a.DeleteSnapshot(ctx, ada, second.ID); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		if found("bob", "graniteword") != 1 || found("bob", "basaltword") != 0 {
			t.Error("the text of a deleted copy stays")
		}
		share(first, false)
		if found("bob", "graniteword") != 0 {
			t.Error("the text of a private copy stays")
		}
		sees(guest)
		for _, actor := range []domain.Actor{bob, guest, {UserID: ada.UserID, Scope: domain.ScopeRead}} {
			_, err := a.AddSnapshot(ctx, actor, id, pageOf(article("Not yours", "x")))
			_, shared := a.ShareSnapshot(ctx, actor, first.ID, true)
			deleted := a.DeleteSnapshot(ctx, actor, first.ID)
			if domain.KindOf(err) != domain.Forbidden || shared == nil || deleted == nil {
				t.Errorf("%+v: %v, %v, %v", actor, err, shared, deleted)
			}
		}
		share(first, true)
		if err := r.S.App.Collections.DeleteBlock(ctx, ada, id); err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.Snapshot(ctx, ada, first.ID); domain.KindOf(err) != domain.NotFound {
			t.Error(err)
		}
		swept(t, r)
	})
}

// swept checks that no bytes are left once unused ones have been removed.
func swept(t *testing.T, r *apptest.Rig) {
	t.Helper()
	r.Clock.Advance(24 * time.Hour)
	if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
		t.Fatal(err)
	}
	storetest.Check(t, r.S.Store)
	if d := r.Dump(); len(d["snapshots"]) != 0 || len(d["blobs"]) != 0 {
		t.Errorf("left: %d copies, %d blobs", len(d["snapshots"]), len(d["blobs"]))
	}
}

// A shared copy that is saved before the page was fetched provides the text of the block.
func TestSnapshotBeforeThePage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", []byte(article("Teaser", "teaserword"))))
		id := domain.BlockID(r.Block("ada", "https://example.com/page", r.Channel("ada", "Moss", "public")))
		in := pageOf(article("Moss", "graniteword"))
		in.Shared = true
		if _, err := r.S.App.Content.AddSnapshot(t.Context(), actorOf(r, "ada"), id, in); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		b, err := r.S.App.Collections.Block(t.Context(), domain.Actor{}, id)
		if err != nil || b.Content == nil || !strings.Contains(b.Content.Plain, "graniteword") {
			t.Errorf("%+v, %v", b.Content, err)
		}
	})
}

// Bodies that are no pages are refused with the reason, and take no space.
func TestSnapshotBodies(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.SnapshotLimit = 100_000 })
	r.Web("example.com/", apptest.Serve("text/html", nil))
	channel := r.Channel("ada", "Moss", "closed")
	link, text := linkOf(r, "ada", "https://example.com/page", channel), domain.BlockID(r.Block("ada", "a text", channel))
	long := "<html>" + strings.Repeat("x", 100_000)
	cut := func(in content.SnapshotInput) content.SnapshotInput {
		in.Body = io.MultiReader(in.Body, iotest.ErrReader(io.ErrUnexpectedEOF))
		return in
	}
	unknown := func(in content.SnapshotInput) content.SnapshotInput { in.Length = -1; return in }
	at := func(in content.SnapshotInput, when time.Time) content.SnapshotInput { in.TakenAt = when; return in }
	titled := func(in content.SnapshotInput, title string) content.SnapshotInput { in.Title = title; return in }
	of := func(in content.SnapshotInput, kind domain.SnapshotKind) content.SnapshotInput {
		in.Kind = kind
		return in
	}
	typed := func(in content.SnapshotInput, is string) content.SnapshotInput { in.ContentType = is; return in }
	from := func(in content.SnapshotInput, address string) content.SnapshotInput { in.Address = address; return in }
	for _, c := range []struct {
		name  string
		block domain.BlockID
		in    content.SnapshotInput
		kind  domain.Kind
		says  string
	}{
		{"too long", link, pageOf(long), domain.TooLarge, "97.7 KiB"},
		{"too long, of unknown length", link, unknown(pageOf(long)), domain.TooLarge, "97.7 KiB"},
		{"cut off", link, cut(pageOf("<html>moss")), domain.Invalid, "ended"},
		{"empty", link, pageOf(""), domain.Invalid, "file: must be an HTML page"},
		{"an image", link, pageOf(string(apptest.PNG(t, 2, 2))), domain.Invalid, "file: must be an HTML page"},
		{"JSON", link, pageOf(`{"html": true}`), domain.Invalid, "file: must be an HTML page"},
		{"a page as an image", link, of(pageOf("<html>moss"), domain.SnapshotScreenshot), domain.Invalid, "file: must be an image"},
		{"a page as a PDF", link, of(pageOf("<html>moss"), domain.SnapshotPDF), domain.Invalid, "file: must be a PDF"},
		{"of no kind", link, of(pageOf("<html>moss"), "film"), domain.Invalid, "kind"},
		{"in the future", link, at(pageOf("<html>moss"), r.Clock.Now().Add(25*time.Hour)), domain.Invalid, "taken_at"},
		{"too old", link, at(pageOf("<html>moss"), time.Unix(0, 0)), domain.Invalid, "taken_at"},
		{"long title", link, titled(pageOf("<html>moss"), strings.Repeat("x", 256)), domain.Invalid, "title"},
		{"no address", link, from(pageOf("<html>moss"), "moss"), domain.Invalid, "url"},
		{"no link", text, pageOf("<html>moss"), domain.Unprocessable, "web page"},
		{"no block", 999, pageOf("<html>moss"), domain.NotFound, ""},
		{"NUL", link, pageOf("<html><title>a\x00b</title>mo\x00ss"), 0, ""},
		{"UTF-16", link, typed(pageOf("\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00m\x00"), "text/html; charset=utf-16le"), 0, ""},
		{"unknown character set", link, typed(pageOf("<html>m\xf6ss"), "text/html; charset=moss"), 0, ""},
		{"wrong character set", link, typed(pageOf("<html>m\xf6ss\xff"), "text/html; charset=utf-8"), 0, ""},
		{"deep", link, pageOf("<html>" + strings.Repeat("<b>", 30_000)), 0, ""},
		{"an image of a page", link, of(pageOf(string(apptest.PNG(t, 2, 2))), domain.SnapshotScreenshot), 0, ""},
	} {
		s, err := r.S.App.Content.AddSnapshot(t.Context(), actorOf(r, "ada"), c.block, c.in)
		refused, _ := errors.AsType[*domain.Error](err)
		if c.says == "" && c.kind == 0 {
			if err != nil || s.ID == 0 {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if refused == nil || refused.Kind != c.kind || !strings.Contains(refused.Message, c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Uploads at once cannot exceed the quota for copies or the limit per block, and do not use up the quota for files.
func TestSnapshotQuota(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", nil))
		a, ctx, ada := r.S.App.Content, t.Context(), actorOf(r, "ada")
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "closed"))
		all := func(n int, body func(i int) string) (added, refused int) {
			var mu sync.Mutex
			var wait sync.WaitGroup
			for i := range n {
				wait.Go(func() {
					_, err := a.AddSnapshot(ctx, ada, id, pageOf(body(i)))
					mu.Lock()
					defer mu.Unlock()
					switch kind := domain.KindOf(err); {
					case err == nil:
						added++
					case kind == domain.Forbidden || kind == domain.Unprocessable:
						refused++
					default:
						t.Error(err)
					}
				})
			}
			wait.Wait()
			return added, refused
		}
		kilo := func(i int) string { return fmt.Sprintf("<html>%04d%s", i, strings.Repeat("x", 990)) }
		if added, refused := all(6, kilo); added != 3 || refused != 3 {
			t.Errorf("%d were added, %d refused", added, refused)
		}
		used, quota, err := a.SnapshotUsage(ctx, ada)
		if used != 3000 || quota != 3500 || err != nil {
			t.Errorf("used %d of %d: %v", used, quota, err)
		}
		if usage, _, err := a.ByteUsage(ctx, ada); err != nil || usage.Files() != 0 {
			t.Errorf("%d bytes of files: %v", usage.Files(), err)
		}
		for _, row := range r.Dump()["snapshots"] {
			var n domain.SnapshotID
			if _, err := fmt.Sscan(strings.Trim(strings.SplitN(row, "|", 2)[0], " "), &n); err != nil {
				t.Fatal(row, err)
			}
			if err := a.DeleteSnapshot(ctx, ada, n); err != nil {
				t.Fatal(err)
			}
		}
		if added, refused := all(domain.MaxSnapshots+2, func(i int) string { return fmt.Sprintf("<html>%04d", i) }); added != domain.MaxSnapshots || refused != 2 {
			t.Errorf("%d were added, %d refused", added, refused)
		}
	}, func(c *config.Config) { c.SnapshotQuota = map[string]int64{"supporter": 3500} })
}

// The copies of a deleted account are removed, even if its blocks stay in the channels of others.
func TestSnapshotsOfADeletedAccount(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", nil))
		r.Person("bob") // the operator
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
		r.Connect("bob", "Block", int64(id), r.Channel("bob", "Finds", "public"))
		in := pageOf(article("Moss", "graniteword"))
		in.Shared = true
		if _, err := r.S.App.Content.AddSnapshot(t.Context(), actorOf(r, "ada"), id, in); err != nil {
			t.Fatal(err)
		}
		ada := actorOf(r, "ada")
		if err := r.S.App.Accounts.DeleteAccount(t.Context(), ada, r.Proved(ada.UserID), "ada"); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		r.Get("bob", "/v3/blocks/%d", id).Want(http.StatusOK)
		swept(t, r)
	})
}
