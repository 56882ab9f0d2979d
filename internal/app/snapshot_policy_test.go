package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// Operators, channels and blocks have policies. A channel counts for the blocks that their authors added to it.
func TestSnapshotPolicies(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, host := range []string{"example.com", "away.example", "deep.away.example", "moved.example"} {
			r.Web(host+"/", apptest.Serve("text/html", []byte("<title>A page</title>")))
		}
		r.Web("moved.example/page", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "http://away.example/page", http.StatusFound)
		})
		a, c, ctx, n := r.S.App.Content, r.S.App.Collections, t.Context(), 0
		channel := func(as string, policy domain.SnapshotPolicy) int64 {
			t.Helper()
			n++
			id := r.Channel(as, fmt.Sprint("Moss ", n), "public")
			if _, err := c.UpdateChannel(ctx, actorOf(r, as), domain.Ref{ID: id}, collections.UpdateChannelInput{Snapshots: &policy}); err != nil {
				t.Fatal(err)
			}
			return id
		}
		copies := func(id domain.BlockID) int {
			t.Helper()
			r.WorkJobs()
			all, _ := copiesOf(r, "ada", id)
			return len(all)
		}
		page := func(host string) string { n++; return fmt.Sprintf("http://%s/%d", host, n) }
		asked, always, never := channel("ada", domain.DefaultSnapshots), channel("ada", domain.EverySnapshot), channel("ada", domain.NoSnapshots)
		others := channel("bob", domain.EverySnapshot)
		denied := channel("bob", domain.NoSnapshots)

		id := linkOf(r, "ada", page("example.com"), always)
		if got := copies(id); got != 1 {
			t.Errorf("in a channel that copies always: %d", got)
		}
		id = linkOf(r, "ada", page("example.com"), always, never)
		if got := copies(id); got != 0 {
			t.Errorf("in two channels: %d", got)
		}
		if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); domain.KindOf(err) != domain.Unprocessable {
			t.Errorf("in a channel that copies never: %v", err)
		}
		set := func(id domain.BlockID, policy, want domain.SnapshotPolicy) {
			t.Helper()
			p, err := a.SetBlockSnapshotPolicy(ctx, actorOf(r, "ada"), id, policy)
			if err != nil || p.Own != policy.Stored() || p.Effective != want {
				t.Errorf("%+v, %v", p, err)
			}
		}
		set(id, domain.AskedSnapshots, domain.AskedSnapshots)
		if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil || copies(id) != 1 {
			t.Errorf("a block of its own: %v", err)
		}
		set(id, domain.DefaultSnapshots, domain.NoSnapshots)

		id = linkOf(r, "ada", page("example.com"), asked)
		connect := func(as string, to int64) {
			t.Helper()
			if _, err := c.Connect(ctx, actorOf(r, as), domain.BlockRef(id), []collections.Target{{Channel: domain.Ref{ID: to}}}); err != nil {
				t.Fatal(err)
			}
		}
		connect("bob", denied)
		connect("bob", others)
		if got := copies(id); got != 0 {
			t.Errorf("somebody else added it: %d", got)
		}
		if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil {
			t.Errorf("a channel of somebody else prevented a copy: %v", err)
		}
		r.Exec("DELETE FROM snapshot_requests")
		connect("ada", always)
		connect("ada", always)
		if got := copies(id); got != 1 {
			t.Errorf("added later: %d", got)
		}
		id = linkOf(r, "ada", page("example.com"), asked)
		if got := copies(id); got != 0 {
			t.Errorf("before it was asked for: %d", got)
		}
		set(id, domain.EverySnapshot, domain.EverySnapshot)
		if got := copies(id); got != 1 {
			t.Errorf("a block that is always copied: %d", got)
		}

		for _, host := range []string{"away.example", "deep.away.example"} {
			id = linkOf(r, "ada", page(host), always)
			set(id, domain.EverySnapshot, domain.NoSnapshots)
			if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); copies(id) != 0 || domain.KindOf(err) != domain.Unprocessable {
				t.Errorf("%s: %v", host, err)
			}
		}
		id = linkOf(r, "ada", "http://moved.example/page", asked)
		if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil || copies(id) != 0 {
			t.Errorf("a redirect: %v", err)
		}
		if _, q := copiesOf(r, "ada", id); !q.Failed || !strings.Contains(q.Reason, "this page") {
			t.Errorf("%+v", q)
		}
		id = linkOf(r, "ada", page("example.com"), asked)
		if err := a.RequestSnapshot(ctx, actorOf(r, "ada"), id); err != nil {
			t.Fatal(err)
		}
		r.Exec("UPDATE channels SET snapshots = 'never'") // while the copy waits
		if got := copies(id); got != 0 {
			t.Errorf("after the policy changed: %d", got)
		}

		if _, err := a.SetBlockSnapshotPolicy(ctx, actorOf(r, "bob"), id, domain.NoSnapshots); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("bob set a policy: %v", err)
		}
		b, err := c.Block(ctx, actorOf(r, "bob"), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.BlockSnapshotPolicy(ctx, actorOf(r, "bob"), b); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("bob read a policy: %v", err)
		}
		policy := domain.NoSnapshots
		if _, err := c.UpdateChannel(ctx, actorOf(r, "bob"), domain.Ref{ID: always}, collections.UpdateChannelInput{Snapshots: &policy}); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("bob set the policy of a channel: %v", err)
		}
	}, func(c *config.Config) {
		c.SnapshotSites = map[string]string{"away.example": "never"}
	})
}

// The policy of a block and of a channel survives Trash.
func TestSnapshotPolicyInTrash(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", []byte("<title>A page</title>")))
		channel := r.Channel("ada", "Moss", "public")
		id := linkOf(r, "ada", "https://example.com/page", channel)
		a, ctx, ada := r.S.App, t.Context(), actorOf(r, "ada")
		if _, err := a.Content.SetBlockSnapshotPolicy(ctx, ada, id, domain.AskedSnapshots); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Collections.UpdateChannel(ctx, ada, domain.Ref{ID: channel}, collections.UpdateChannelInput{Snapshots: new(domain.NoSnapshots)}); err != nil {
			t.Fatal(err)
		}
		if err := a.Collections.DeleteBlock(ctx, ada, id); err != nil {
			t.Fatal(err)
		}
		if err := a.Collections.DeleteChannel(ctx, ada, domain.Ref{ID: channel}); err != nil {
			t.Fatal(err)
		}
		l, err := a.Collections.Trash(ctx, ada, domain.Page{Number: 1, Per: 10})
		if err != nil || len(l.Items) != 2 {
			t.Fatalf("%+v, %v", l, err)
		}
		for _, thing := range l.Items {
			if _, err := a.Collections.RestoreTrashed(ctx, ada, thing.ID); err != nil {
				t.Fatal(err)
			}
		}
		b, err := a.Collections.Block(ctx, ada, id)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := a.Content.BlockSnapshotPolicy(ctx, ada, b); err != nil || p.Own != domain.AskedSnapshots {
			t.Errorf("%+v, %v", p, err)
		}
		if c, err := a.Collections.Channel(ctx, ada, domain.Ref{ID: channel}); err != nil || c.Snapshots != domain.NoSnapshots {
			t.Errorf("%+v, %v", c, err)
		}
	}, func(c *config.Config) { c.TrashDays = 30 })
}
