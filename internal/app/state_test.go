package app_test

import (
	"context"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store/storetest"
)

func TestTotalsAndStorage(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, op := w.a, w.ctx(), w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		here := storetest.Channel(t, w.S.Store, ada.UserID, "Here", domain.Private)
		storetest.Connect(t, w.S.Store, ada.UserID, here, domain.BlockRef(storetest.Block(t, w.S.Store, ada.UserID, "text")), 0)
		storetest.Block(t, w.S.Store, bob.UserID, "alone")
		storetest.Group(t, w.S.Store, "Guild", ada.UserID)
		w.sent("cem", "text/plain", "twenty-one characters")
		w.sent("dee", "text/plain", "few")
		got, at, err := a.Operating.Totals(ctx, op)
		const files, texts = 24, 100
		if want := (domain.Totals{Users: 5, Groups: 1, Channels: 1, Blocks: 2, Connections: 1, Bytes: files + texts}); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
		storetest.Block(t, w.S.Store, bob.UserID, "another")
		if again, since, err := a.Operating.Totals(ctx, op); err != nil || again != got || !since.Equal(at) {
			t.Errorf("%+v of %v, %v", again, since, err)
		}
		w.Clock.Advance(2 * time.Minute)
		if got, _, err = a.Operating.Totals(ctx, op); err != nil || got.Blocks != 3 {
			t.Errorf("%+v, %v", got, err)
		}
		for page, want := range map[int64]struct {
			slug  string
			bytes int64
		}{3: {"cem", 21}, 4: {"dee", 3}} { // ada and bob have written more
			l, err := a.Operating.StorageByUser(ctx, op, domain.Page{Number: page, Per: 1})
			if w.must(err); l.Total != 4 || len(l.Items) != 1 || l.Items[0].Slug != want.slug || l.Items[0].Usage.Total != want.bytes {
				t.Errorf("page %d: %+v", page, l)
			}
		}
		for _, actor := range []domain.Actor{{}, ada} {
			_, _, err = a.Operating.Totals(ctx, actor)
			w.want(domain.Forbidden, err)
			_, err = a.Operating.StorageByUser(ctx, actor, somePage)
			w.want(domain.Forbidden, err)
			_, err = a.Operating.ServerState(ctx, actor)
			w.want(domain.Forbidden, err)
		}
	})
}

func TestServerState(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := w.first("op")
		state := func(class jobs.Class) (c jobs.ClassState, mailError string) {
			t.Helper()
			var statements atomic.Int64
			end := w.Intercept(func(context.Context, string) { statements.Add(1) })
			s, err := w.a.Operating.ServerState(w.ctx(), op)
			end()
			w.must(err)
			if n := statements.Load(); n > 8 {
				t.Errorf("%d statements", n)
			}
			if len(s.Jobs) != 5 || len(s.Disks) == 0 || s.Disks[0].Total < s.Disks[0].Free || s.Disks[0].Reserve != 1<<20 {
				t.Errorf("got %+v", s)
			}
			for _, j := range s.Jobs {
				if j.Class == class {
					c = j
				}
			}
			return c, s.Mail.LastError
		}
		if c, why := state(jobs.Mail); c.Waiting != 0 || !c.LastDone.IsZero() || why != "" {
			t.Errorf("at first %+v %q", c, why)
		}
		w.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 9, 9)))
		channel := w.Channel("ada", "Finds", "public")
		w.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "https://example.com/a.png", "channel_ids": []int64{channel}}).Want(http.StatusCreated)
		if c, _ := state(jobs.Content); c.Waiting != 1 || c.OldestDue.IsZero() || c.Failed != 0 {
			t.Errorf("content waits: %+v", c)
		}
		w.WorkJobs()
		if c, _ := state(jobs.Content); c.Waiting != 0 || !c.OldestDue.IsZero() || c.LastDone.IsZero() {
			t.Errorf("content is got: %+v", c)
		}
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "op@example.org"))
		w.WorkJobs()
		if c, why := state(jobs.Mail); c.Waiting != 0 || c.LastDone.IsZero() || why != "" {
			t.Errorf("a mail is sent: %+v, %q", c, why)
		}
		w.must(os.RemoveAll(w.OutboxPath()))
		w.must(os.WriteFile(w.OutboxPath(), nil, 0o600)) // no mail can be written there
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "op@example.org"))
		w.WorkJobs()
		if c, why := state(jobs.Mail); c.Waiting+c.Failed != 1 || why == "" {
			t.Errorf("a mail that cannot be sent: %+v, %q", c, why)
		}
	}, open, func(cfg *config.Config) { cfg.DiskReserve.Bytes = 1 << 20 })
}
