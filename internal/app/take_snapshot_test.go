package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// copiesOf returns the saved copies of a block, and the request for another one.
func copiesOf(r *apptest.Rig, as string, id domain.BlockID) ([]domain.Snapshot, domain.SnapshotRequest) {
	r.T.Helper()
	b, err := r.S.App.Collections.Block(r.T.Context(), actorOf(r, as), id)
	if err != nil {
		r.T.Fatal(err)
	}
	all, err := r.S.App.Content.BlockSnapshots(r.T.Context(), actorOf(r, as), b)
	if err != nil {
		r.T.Fatal(err)
	}
	q, err := r.S.App.Content.SnapshotRequest(r.T.Context(), actorOf(r, as), b)
	if err != nil && domain.KindOf(err) != domain.NotFound {
		r.T.Fatal(err)
	}
	return all, q
}

// The server takes a copy when the owner of a block asks for it, and everybody who sees the block sees the copy.
func TestTakeSnapshot(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		version := "First version"
		r.Web("example.com/page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<title>Moss</title><link rel=stylesheet href=style.css><p>%s</p><img src="/moss.png"><script>alert(1)</script>`, version)
		})
		r.Web("example.com/style.css", apptest.Serve("text/css", []byte("p{color:green}")))
		r.Web("example.com/moss.png", apptest.Serve("image/png", apptest.PNG(t, 4, 4)))
		a, ctx := r.S.App.Content, t.Context()
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
		if err := a.RequestSnapshot(ctx, actorOf(r, "bob"), id); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("bob asked for a copy: %v", err)
		}
		if err := a.RequestSnapshot(ctx, domain.Actor{}, id); err == nil {
			t.Error("a guest asked for a copy")
		}
		ask := func() {
			t.Helper()
			if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil {
				t.Fatal(err)
			}
		}
		ask()
		ask() // while it waits
		if _, q := copiesOf(r, "ada", id); q.Block != id || q.Failed {
			t.Errorf("%+v", q)
		}
		r.WorkJobs()
		all, q := copiesOf(r, "bob", id)
		if len(all) != 1 || q.Block != 0 || all[0].Source != domain.FromServer || !all[0].Shared || all[0].Title != "Moss" || all[0].Address != "https://example.com/page" {
			t.Fatalf("%+v, %+v", all, q)
		}
		f, err := a.OpenSnapshot(ctx, all[0])
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(f)
		_ = f.Close()
		if text := string(body); err != nil || !strings.Contains(text, "<style>p{color:green}</style>") || !strings.Contains(text, `src="data:image/png;base64,`) || strings.Contains(text, "alert") {
			t.Errorf("%v: %s", err, text)
		}
		ask()
		r.WorkJobs()
		if all, q := copiesOf(r, "ada", id); len(all) != 1 || q.Block != 0 {
			t.Errorf("the same page was saved twice: %+v, %+v", all, q)
		}
		version = "Second version"
		ask()
		_, q = copiesOf(r, "ada", id)
		job := content.TakeSnapshot{Block: id, Round: q.Round}
		r.WorkJobs()
		version = "Third version"
		if err := a.TakeSnapshot(ctx, job); err != nil {
			t.Error(err)
		}
		if all, _ := copiesOf(r, "ada", id); len(all) != 2 {
			t.Errorf("a job that ran again saved a copy: %+v", all)
		}
	})
}

func TestTakeSnapshotFails(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		answer := apptest.Serve("text/html", []byte("<title>A page</title>"))
		r.Web("example.com/page", func(w http.ResponseWriter, q *http.Request) { answer(w, q) })
		a, ctx := r.S.App.Content, t.Context()
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
		take := func() domain.SnapshotRequest {
			t.Helper()
			if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil {
				t.Fatal(err)
			}
			r.WorkJobs()
			_, q := copiesOf(r, "ada", id)
			return q
		}
		answer = http.NotFound
		if q := take(); !q.Failed || q.Reason != "The server answered 404 Not Found" {
			t.Errorf("%+v", q)
		}
		answer = apptest.Serve("image/png", apptest.PNG(t, 4, 4))
		if q := take(); !q.Failed || q.Reason != "The address is not a web page" {
			t.Errorf("%+v", q)
		}
		answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
		if q := take(); q.Failed || q.Attempts != 1 || q.Reason != "The server answered 502 Bad Gateway" {
			t.Errorf("%+v", q)
		}
		for range 5 {
			r.HastenJobs()
			r.WorkJobs()
		}
		if _, q := copiesOf(r, "ada", id); !q.Failed || q.Attempts != 4 {
			t.Errorf("%+v", q)
		}
		answer = apptest.Serve("text/html", []byte("<title>A page</title>"))
		if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil {
			t.Fatal(err)
		}
		r.Exec("UPDATE snapshot_requests SET attempts = 4") // servers stopped
		r.WorkJobs()
		if all, q := copiesOf(r, "ada", id); !q.Failed || q.Reason != "The page could not be copied" || len(all) != 0 {
			t.Errorf("%+v, %+v", all, q)
		}
		if q := take(); q.Block != 0 {
			t.Errorf("%+v", q)
		}
	})
}

// A request ends once, so two runs of its job save one copy.
func TestSnapshotIsTakenOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			round, err := tx.Blobs().RequestSnapshot(t.Context(), id, r.Person("ada").ID, r.Clock.Now())
			if err != nil {
				return err
			}
			if _, err := tx.Blobs().RequestSnapshot(t.Context(), id, r.Person("ada").ID, r.Clock.Now()); domain.KindOf(err) != domain.NotFound {
				t.Errorf("a second request: %v", err)
			}
			if err := tx.Blobs().EndSnapshotRequest(t.Context(), id, round); err != nil {
				return err
			}
			if err := tx.Blobs().EndSnapshotRequest(t.Context(), id, round); domain.KindOf(err) != domain.NotFound {
				t.Errorf("the request ended twice: %v", err)
			}
			return nil
		})
	})
}

func TestSnapshotPolicy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{"never": 0, "on-request": 0, "always": 1} {
		r := apptest.New(t, func(c *config.Config) { c.Snapshots = policy })
		r.Web("example.com/page", apptest.Serve("text/html", []byte("<title>A page</title>")))
		id := linkOf(r, "ada", "https://example.com/page", r.Channel("ada", "Moss", "public"))
		r.WorkJobs()
		if all, _ := copiesOf(r, "ada", id); len(all) != want {
			t.Errorf("%s: %+v", policy, all)
		}
		if err := r.S.App.Content.RequestSnapshot(t.Context(), actorOf(r, "ada"), id); (err != nil) != (policy == "never") {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

func TestSnapshotsAreLimited(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	channel := r.Channel("ada", "Moss", "public")
	var err error
	for n := range 61 {
		if err != nil {
			t.Fatalf("request %d: %v", n, err)
		}
		id := domain.BlockID(r.Block("ada", fmt.Sprintf("https://example.com/%d", n), channel))
		err = r.S.App.Content.RequestSnapshot(t.Context(), actorOf(r, "ada"), id)
	}
	if domain.KindOf(err) != domain.TooMany {
		t.Errorf("request 61: %v", err)
	}
	r.Clock.Advance(time.Hour)
	if err := r.S.App.Content.RequestSnapshot(t.Context(), actorOf(r, "ada"), 61); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}
